#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `walker-control`, by theme.
namespace amble {

VerificationArea verify_walker_control();

/// Port-based tracking of curves and fields, DS 5.2: what each law may do to the energy.
std::vector<VerificationEntry> walker_control_tracking();
/// The compass walker on a floor with a step, DS 5.2.3.
std::vector<VerificationEntry> walker_control_step_down();
/// A gait on level ground that was searched for, with controllers that follow it, DS 4.1 and 5.2.
std::vector<VerificationEntry> walker_control_searched();
/// Foot placement and push-off, DS 5.4.
std::vector<VerificationEntry> walker_control_placement();
/// A motor at the hip with a sampled controller, DS 5.3.
std::vector<VerificationEntry> walker_control_drive();

}  // namespace amble
