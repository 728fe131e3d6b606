#pragma once

#include "amble/verify/verify.hpp"

// The entries of the area `constraints`, by theme.
namespace amble {

/// Published benchmarks of closed mechanisms, and what their motions keep.
std::vector<VerificationEntry> constraints_published();
/// Linkages and wheels known in closed form.
std::vector<VerificationEntry> constraints_closed_forms();
/// The benchmark bicycle, riding straight ahead.
std::vector<VerificationEntry> constraints_bicycle();
/// The snakeboard of DS Example 2.22.
std::vector<VerificationEntry> constraints_snakeboard();
/// Three solvers, multipliers and projectors on random loops.
std::vector<VerificationEntry> constraints_solvers();
/// Freedoms by counting and true ones.
std::vector<VerificationEntry> constraints_mobility();
/// Springs between bodies.
std::vector<VerificationEntry> constraints_springs();
/// What cannot be is refused with a reason.
std::vector<VerificationEntry> constraints_refusals();

}  // namespace amble
