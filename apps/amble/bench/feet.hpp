#pragma once

#include <string>
#include <vector>

#include "amble/mechanism/mechanism.hpp"

namespace amble::bench {

/// The bodies that a robot stands on: those named, or where none is, the last of their limbs whose origins are lowest in
/// the neutral pose. Throws an Error for a body that is not there.
std::vector<std::string> feet_of(const Mechanism& m, const std::vector<std::string>& named);

}  // namespace amble::bench
