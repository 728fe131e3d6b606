#pragma once

#include "amble/constraints/constraint.hpp"

// Classic mechanisms with loops, gears and wheels. z is up, gravity acts along -z, planar ones move in x-z; rods are
// slender and homogeneous. Their joints carry the names that the comments give.
namespace amble {

/// A mechanism, what constrains it, and a configuration that fulfils that.
struct ConstrainedMechanism {
  Mechanism mechanism;
  std::vector<ConstraintPtr> constraints;
  OwnedVector q;
};

/// Lengths between pins (m); every rod has 1 kg per metre.
struct FourBarLengths {
  double ground = 1.0, crank = 0.4, coupler = 0.9, rocker = 0.8;
};
/// Joints "crank", "coupler", "rocker"; the loop is "closure". The crank starts upright; throws an Error when the
/// lengths cannot close there.
ConstrainedMechanism four_bar(const FourBarLengths& lengths = {});

/// Joints "crank", "rod", "slider" (along x); the loop is "closure". The crank starts upright. Rods have 1 kg per
/// metre.
ConstrainedMechanism slider_crank(double crank = 0.3, double rod = 0.8, double slider_mass = 1.0);

/// The windmill of the multibody benchmark library (A02): n + 1 uprights on the ground, joints "ground0" to
/// "ground<n>", and n level rods between their tips, joints "pin0", ..., loops "closure0", ...; all of 1 m and 1 kg.
/// It starts upright. Where all rods lie flat it is singular.
ConstrainedMechanism n_four_bar(int n);

/// Bricard's loop of six hinges, "hinge1" to "hinge5" and the loop "hinge6", at the corners of a cube of 1 m that a
/// path along six of its edges visits: (0,0,0), (1,0,0), (1,1,0), (1,1,1), (0,1,1), (0,0,1). Each hinge turns about
/// the edge direction that neither of its two rods has; the rods have 1 m and 1 kg, the sixth is the ground. Counting
/// gives it no freedom, but it has one: one row is redundant everywhere.
ConstrainedMechanism bricard();

/// A platform (joint "platform", free) on six legs: "base<i>" (universal), "leg<i>" (prismatic), the loops "top<i>"
/// spherical.
ConstrainedMechanism stewart_platform();

/// A bevel differential about x: joints "cage", "left", "right", and "pinion" on the cage about z. The pinion rolls
/// on both side wheels: left - cage = pinion / ratio = cage - right.
ConstrainedMechanism differential_gear(double ratio = 1.5);

/// DS Example 2.22. J_b of the board follows from the assumption J = m r^2.
struct SnakeboardParameters {
  double board_mass = 2.0, torso_mass = 3.0, wheel_mass = 1.0;  ///< kg; the wheels are both trucks together
  double radius = 0.5;                                          ///< r, from the middle to a truck (m)
  double torso_inertia = 0.4, wheel_inertia = 0.1;              ///< J_t, J_w (kg m^2)
};
/// Joints "board" (planar), "torso" (psi), "front" (phi); "rear" follows "front" with -1. Knife edges "front" and
/// "rear".
ConstrainedMechanism snakeboard(const SnakeboardParameters& parameters = {});

/// A thin disc about its own z that stands upright on the ground and rolls along x: joint "disc" (free), constraint
/// "ground".
ConstrainedMechanism rolling_disc(double mass = 1.0, double radius = 0.5);

/// (m, kg)
struct CarParameters {
  double wheelbase = 2.6, track = 1.5, wheel_radius = 0.3, body_mass = 1200.0, wheel_mass = 20.0, axle_mass = 30.0;
};
/// Four wheels that roll without slip, the front ones on an axle that turns as a whole, so that all axes meet in one
/// point: joints "body" (planar, in the middle of the rear axle), "steering", and "rear_left", "rear_right",
/// "front_left", "front_right" about y. Of the sideways rows of two wheels on one axle, one is redundant.
ConstrainedMechanism car(const CarParameters& parameters = {});

}  // namespace amble
