#pragma once

#include <functional>

#include "amble/ports/element.hpp"
#include "amble/ports/spatial_potential.hpp"

// Springs and dampers between frames on two bodies, in all six directions.
namespace amble {

/// A pose as a function of time. Its twist, in the moving frame, is taken by differences of order eight when it is
/// not given; times are then asked for 0.008 s to both sides.
struct MovingPose {
  std::function<Pose(double t)> pose;
  std::function<Twist<double>(double t)> twist = {};
};
/// One that does not move.
MovingPose resting_pose(const Pose& pose);

/// Frame a on one body, frame b on another; either may be on "world".
struct SpatialEnds {
  std::string body_a = "world", body_b;  ///< a body or a frame of the mechanism
  Pose X_Aa, X_Bb;                       ///< on it
};

/// Viscous, symmetric, no negative eigenvalue: on the velocity of b relative to a, in the axes and at the origin of
/// b.
struct SpatialDamping {
  Matrix3<double> translation = Matrix3<double>::Zero();  ///< N s/m
  Matrix3<double> rotation = Matrix3<double>::Zero();     ///< N m s/rad
};

/// The spring of spatial_potential(), at rest when b is at `rest` in a; the stiffness is in the axes of a there. A
/// rest that moves takes power from outside, which is supplied.
ElementPtr spatial_spring(std::string name, const Mechanism& mechanism, const SpatialEnds& ends,
                          const SpatialStiffness& stiffness, const MovingPose& rest = resting_pose(Pose()));

/// The wrench -damping V_ab_b on b, and the opposite one on a.
ElementPtr spatial_damper(std::string name, const Mechanism& mechanism, const SpatialEnds& ends,
                          const SpatialDamping& damping);

/// A controller that makes b follow `target`, a pose in a: as a spring at rest there and a damper on the velocity
/// relative to it. What moving the target takes is supplied.
ElementPtr spatial_impedance(std::string name, const Mechanism& mechanism, const SpatialEnds& ends,
                             const SpatialStiffness& stiffness, const SpatialDamping& damping,
                             const MovingPose& target);

}  // namespace amble
