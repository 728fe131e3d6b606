#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `walker-control`, by theme.
namespace amble {

VerificationArea verify_walker_control();

/// A motor at the hip with a sampled controller, DS 5.3.
std::vector<VerificationEntry> walker_control_drive();

}  // namespace amble
