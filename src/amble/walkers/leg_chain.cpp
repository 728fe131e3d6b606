#include "amble/walkers/leg_chain.hpp"

#include <cmath>

namespace amble {

AxisMasses& AxisMasses::point(double mass, double z) { return body(mass, z, 0.0); }
AxisMasses& AxisMasses::rod(double mass, double z, double length) {
  return body(mass, z, mass * length * length / 12.0);
}
AxisMasses& AxisMasses::body(double mass, double z, double moment) {
  mass_ += mass, first_ += mass * z, second_ += mass * z * z + moment;
  return *this;
}

Inertia<double> AxisMasses::inertia() const {
  const double z = mass_ > 0.0 ? first_ / mass_ : 0.0, moment = std::max(0.0, second_ - mass_ * z * z);
  const Matrix3<double> I = Vector3<double>(moment, moment, 0.0).asDiagonal();
  return Inertia<double>::from_com(mass_, {0.0, 0.0, z}, I);
}

Vector3<double> floor_gravity(double magnitude, double slope) {
  return {magnitude * std::sin(slope), 0.0, -magnitude * std::cos(slope)};
}

JointDescription turning(Builder& b, const std::string& joint, const std::string& parent, const std::string& body,
                         double z, const AxisMasses& masses) {
  b.body({.name = body, .inertia = masses.inertia()});
  JointDescription j{.name = joint, .type = "revolute", .parent = parent, .child = body};
  j.X_PF = Pose(Vector3<double>(0.0, 0.0, z));
  j.axis = {0.0, -1.0, 0.0};
  return j;
}

void add_feet(Builder& b, const std::string& stance, const std::string& swing, double down) {
  b.frame({.name = "stance_foot", .body = stance});
  b.frame({.name = "swing_foot", .body = swing, .X_BF = Pose(Vector3<double>(0.0, 0.0, -down))});
}

std::string add_foot_place(Builder& b, FootPlace place, bool planar, double height,
                           const std::string& rolls_with) {
  std::string parent = kWorld;
  for (const auto& [name, axis] : {std::pair{"x", Vector3<double>::UnitX()},
                                   {"y", Vector3<double>::UnitY()},
                                   {"z", Vector3<double>::UnitZ()}}) {
    if (planar && name[0] == 'y') continue;
    const bool rolls = name[0] == 'x' && !rolls_with.empty() && height > 0.0,
               moves = place == FootPlace::free;
    const std::string body = std::string("foot_") + name;
    b.body({.name = body, .auxiliary = true});
    JointDescription joint{
        .name = name, .type = moves || rolls ? "prismatic" : "fixed", .parent = parent, .child = body};
    joint.axis = axis;
    if (name[0] == 'z') joint.X_PF = Pose(Vector3<double>(0.0, 0.0, height));
    if (!moves && rolls) joint.mimic = Mimic{.leader = rolls_with, .ratio = -height};
    b.joint(joint);
    parent = body;
  }
  return parent;
}

}  // namespace amble
