#include "amble/verify/whole_body/biped.hpp"

#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {

namespace {

constexpr double kThigh = 0.4, kShank = 0.4;

Inertia<double> uniform(double mass, const Vector3<double>& at, double radius) {
  return Inertia<double>::from_com(mass, at, 0.4 * mass * radius * radius * Matrix3<double>::Identity());
}

void add_joint(Builder& b, const std::string& name, const std::string& parent, const std::string& child,
               const Vector3<double>& at, const Vector3<double>& axis) {
  JointDescription joint{.name = name, .type = "revolute", .parent = parent, .child = child, .X_PF = Pose(at), .axis = axis};
  joint.properties.effort = {200.0};
  b.joint(joint);
}

}  // namespace

Mechanism verified_biped() {
  Builder b("biped");
  b.body({.name = "trunk", .inertia = uniform(30.0, {0, 0, 0.25}, 0.25)});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "trunk"});
  for (const auto& [side, y] : {std::pair<std::string, double>{"left", 0.1}, {"right", -0.1}}) {
    const std::string names[] = {side + "_hip_a", side + "_hip_b", side + "_thigh", side + "_shank", side + "_ankle",
                                 side + "_foot"};
    const double masses[] = {1.0, 1.0, 6.0, 4.0, 0.5, 1.0};
    const Vector3<double> places[] = {{0, y, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, -kThigh}, {0, 0, -kShank}, {0, 0, 0}};
    const Vector3<double> axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}};
    const char* joints[] = {"_yaw", "_roll", "_pitch", "_knee", "_ankle_pitch", "_ankle_roll"};
    std::string parent = "trunk";
    for (int i = 0; i < 6; ++i) {
      const bool long_one = i == 2 || i == 3;
      b.body({.name = names[i], .inertia = uniform(masses[i], {0, 0, long_one ? -0.2 : 0.0}, long_one ? 0.15 : 0.05)});
      add_joint(b, side + joints[i], parent, names[i], places[i], axes[i]);
      parent = names[i];
    }
  }
  return b.build();
}

OwnedVector bent(const Mechanism& m) {
  OwnedVector q = m.neutral();
  for (const std::string side : {"left", "right"}) {
    q[m.q_slice(side + "_pitch").start] = -0.3, q[m.q_slice(side + "_knee").start] = 0.6;
    q[m.q_slice(side + "_ankle_pitch").start] = -0.3;
  }
  Workspace work(m);
  q[2] -= pose(m, work, q, "left_foot").translation()[2] - kBipedSole;
  return q;
}

std::vector<ContactPatch> soles() {
  std::vector<ContactPatch> out;
  for (const std::string side : {"left", "right"})
    out.push_back({.name = side, .place = side + "_foot", .X_PC = Pose(Vector3<double>(0, 0, -kBipedSole)), .points = rectangle(0.2, 0.1)});
  return out;
}

}  // namespace amble
