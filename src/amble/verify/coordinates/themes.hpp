#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `coordinates`, by theme.
namespace amble {

/// The chart form, chart by chart: against the sums of BK and against the core.
std::vector<VerificationEntry> coordinates_charts();
/// What charts bring along: constraints, projectors, ranks, weight.
std::vector<VerificationEntry> coordinates_structure();
/// Gauss' principle.
std::vector<VerificationEntry> coordinates_gauss();
/// The momentum form.
std::vector<VerificationEntry> coordinates_momenta();
/// One motion in every description, followed through time.
std::vector<VerificationEntry> coordinates_motions();
/// Motions known in closed form.
std::vector<VerificationEntry> coordinates_closed_forms();

}  // namespace amble
