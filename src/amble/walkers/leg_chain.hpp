#pragma once

#include "amble/mechanism/builder.hpp"

// Pieces that mechanisms of walkers are built of. Angles are measured from the floor's normal and, in the
// plane, turn about -y: a leg at q > 0 leans back, with its upper end at (-sin q, cos q). DS Fig 4.2.
namespace amble {

/// Masses along the z axis of a body: points, and uniform rods.
class AxisMasses {
 public:
  AxisMasses& point(double mass, double z);
  AxisMasses& rod(double mass, double z, double length);
  /// A body with its own moment of inertia across the axis, about its centre of mass.
  AxisMasses& body(double mass, double z, double moment);
  Inertia<double> inertia() const;

 private:
  double mass_ = 0.0, first_ = 0.0, second_ = 0.0;  // sums of m, m z and m z^2, moments included
};

/// Gravity in the axes of a floor that slopes down along x.
Vector3<double> floor_gravity(double magnitude, double slope);

/// Adds a body and gives the joint that turns it about -y, `z` up along its parent; the caller adds the joint, with
/// what else it has.
JointDescription turning(Builder& b, const std::string& joint, const std::string& parent, const std::string& body,
                         double z, const AxisMasses& masses);
/// The frames "stance_foot" at a body's origin and "swing_foot" down along another's axis.
void add_feet(Builder& b, const std::string& stance, const std::string& swing, double down);

/// Whether a walker's foot is held by the floor (analysis) or its place is coordinates (simulation).
enum class FootPlace { held, free };

/// Adds sliding joints x, (y,) z that place the foot `height` over the floor; returns the body they carry.
/// Held, z and y are fixed, and x too, or, when `rolls_with` names a joint that turns about -y, x follows it
/// as a wheel of radius `height` does.
std::string add_foot_place(Builder& b, FootPlace place, bool planar, double height = 0.0,
                           const std::string& rolls_with = {});

}  // namespace amble
