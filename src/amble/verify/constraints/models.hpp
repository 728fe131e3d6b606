#pragma once

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/verify/evidence.hpp"

// Closed mechanisms that the entries of the area `constraints` are about.
namespace amble {

/// In the x-y plane, pins along z: ground 1 m, crank 0.4 m (joint a), coupler 0.9 m (b), rocker 0.8 m (d), closed at
/// c.
Mechanism verified_four_bar();
inline constexpr double kGroundBar = 1.0, kCrankBar = 0.4, kCouplerBar = 0.9, kRockerBar = 0.8;

/// Crank 0.3 m, rod 1 m, slider along x through the crank's pin.
Mechanism verified_slider_crank();
inline constexpr double kCrank = 0.3, kRod = 1.0;

/// n + 1 upright and n level rods of 1 m and 1 kg, pinned: the N-four-bar of the IFToMM library of multibody
/// benchmarks (A02). Rods lie along their own x; y is up.
Mechanism verified_windmill(int n);
/// The tips moving at 1 m/s along x, all uprights vertical.
Motion windmill_start(const Mechanism& m);

/// Bricard's overconstrained six-bar on the Petrie polygon of the unit cube: rods along x, y, z, -x, -y, the ground
/// along -z, and at every corner a pin at right angles to both edges. Rods of 1 kg.
Mechanism verified_bricard();

/// Bennett's four-bar in space: opposite links alike, lengths in proportion to the sines of their twists.
Mechanism verified_bennett();

/// A plate on six legs, each of a universal, a sliding and a ball joint.
Mechanism verified_stewart_platform();

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
