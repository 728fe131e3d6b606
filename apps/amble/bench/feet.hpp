#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

namespace amble::bench {

/// The bodies or frames that a robot stands on: those named, or where none is, of each limb that ends lowest in the
/// neutral pose the lowest body. Throws an Error for a name that is not there.
std::vector<std::string> feet_of(const Mechanism& m, const std::vector<std::string>& named);

}  // namespace amble::bench
