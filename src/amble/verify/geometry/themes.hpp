#pragma once

#include "amble/verify/evidence.hpp"

// The entries of the area `geometry`, by theme.
namespace amble {

/// All of them.
VerificationArea verify_geometry();

/// Metric, connection, geodesics and curvature.
std::vector<VerificationEntry> geometry_curvature();
/// Lifts, repeatability, dynamics of the workspace; AL's theorem as it stands and as it should.
std::vector<VerificationEntry> geometry_submersions();

}  // namespace amble
