#include "amble/walkers/two_legs.hpp"

namespace amble {

Mechanism TwoLegs::mechanism(const std::string& name, FootPlace foot) const {
  Builder b(name);
  b.gravity(floor_gravity(gravity, slope));
  const std::string ground = add_foot_place(b, foot, false);
  const Vector3<double> x = Vector3<double>::UnitX(), y = Vector3<double>::UnitY();
  const auto turn = [&](const std::string& joint, const std::string& parent, const std::string& body, double z,
                        const Vector3<double>& axis, const Inertia<double>& inertia, const std::string& undoes = {}) {
    b.body({.name = body, .inertia = inertia, .auxiliary = inertia.mass() == 0.0});
    JointDescription j{.name = joint, .type = "revolute", .parent = parent, .child = body};
    j.X_PF = Pose(Vector3<double>(0.0, 0.0, z));
    j.axis = axis;
    if (!undoes.empty()) j.mimic = Mimic{.leader = undoes, .ratio = -1.0};
    b.joint(j);
  };
  const auto limb = [&](double com, double hip) {
    return AxisMasses().body(leg_mass, com, leg_inertia).point(0.5 * hip_mass, hip).inertia();
  };
  turn("q4", ground, "stance_turn", 0.0, y, {});
  turn("q5", "stance_turn", "stance_leg", 0.0, x, limb(leg - leg_com, leg));
  // A frame at the hip that does not turn: the swing leg's angles are against the floor.
  turn("q5_undone", "stance_leg", "hip_turn", leg, x, {}, "q5");
  turn("q4_undone", "hip_turn", "hip", 0.0, y, {}, "q4");
  turn("q6", "hip", "swing_turn", 0.0, y, {});
  turn("q7", "swing_turn", "swing_leg", 0.0, x, limb(-leg_com, 0.0));
  b.frame({.name = "stance_foot", .body = "stance_leg"});
  b.frame({.name = "swing_foot", .body = "swing_leg", .X_BF = Pose(Vector3<double>(0.0, 0.0, -leg))});
  return b.build();
}

}  // namespace amble
