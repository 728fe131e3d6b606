#pragma once

#include <cstdint>

namespace amble {

/// How far the books of a random mechanism under springs, dampers, motors and stops are from closing after `end` seconds: the
/// largest of the residual and the elements' gaps, as a share of the energy exchanged.
double open_share(std::uint64_t seed, double tolerance, double end);

}  // namespace amble
