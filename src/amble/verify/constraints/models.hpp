#pragma once

#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/verify/evidence.hpp"

// Mechanisms that the entries of the area `constraints` are about, beside those of constraints/closed_mechanisms.hpp.
namespace amble {

/// Bennett's four-bar in space: opposite links alike, lengths in proportion to the sines of their twists.
Mechanism verified_bennett();

/// A frame on four wheels with parallel axles; `kWheel...` of each.
Mechanism verified_cart();
inline constexpr double kWheelRadius = 0.3, kWheelMass = 2.0;
inline constexpr double kWheelSpin = kWheelMass * kWheelRadius * kWheelRadius / 2;  ///< its inertia about the axle

/// Three wheels that alone hold it up, the front one turned for good; frame origin between the rear ones.
Mechanism verified_tricycle();
inline constexpr double kWheelbase = 1.2, kSteering = 0.35;

/// A thin disc that rolls on its edge, its axis z.
Mechanism verified_rolling_disc();
inline constexpr double kDiscRadius = 0.4;

/// A random mechanism with loops where they are closed, moving as they allow.
Motion closed_motion(std::uint64_t seed);

/// With all that the mechanism carries, at a state.
ConstrainedDynamics constrained(const Mechanism& m, const VectorRef& q, const VectorRef& v);

}  // namespace amble
