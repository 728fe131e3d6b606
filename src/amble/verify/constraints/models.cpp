#include "amble/verify/constraints/models.hpp"

#include <cmath>

#include "amble/constraints/carried_constraints.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;

std::string numbered(const char* what, int i) { return what + std::to_string(i); }

/// On a free joint, its origin at the height of the axles.
Builder frame_on_ground(const char* name) {
  Builder b(name);
  b.body({.name = "frame", .inertia = Inertia<double>::from_com(20.0, {0.1, 0, 0.2}, Matrix3<double>::Identity())});
  return b.joint(
      {.name = "base", .type = "free", .parent = kWorld, .child = "frame", .X_PF = Pose(Vec3(0, 0, kWheelRadius))});
}

/// About the y axis of a place on the frame.
void add_wheel(Builder& b, const std::string& name, const Pose& X_PF) {
  const Vec3 moments(kWheelSpin / 2, kWheelSpin, kWheelSpin / 2), axis(0, 1, 0);
  b.body({.name = name, .inertia = Inertia<double>::from_com(kWheelMass, {0, 0, 0}, moments.asDiagonal())});
  b.joint({.name = name, .type = "revolute", .parent = "frame", .child = name, .X_PF = X_PF, .axis = axis});
  b.rolling({.name = name, .body = name, .radius = kWheelRadius, .axis = axis});
}

}  // namespace

Mechanism verified_bennett() {
  const double twist_a = 0.6, twist_b = 1.1, length_a = 1.0,
               length_b = length_a * std::sin(twist_b) / std::sin(twist_a);
  const auto across = [](double length, double twist) { return Pose(SO3<double>::about(0, twist), {length, 0, 0}); };
  const Pose A = across(length_a, twist_a), B = across(length_b, twist_b);
  const auto link = Inertia<double>::from_com(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity());
  Builder b("bennett");
  for (const char* name : {"link1", "link2", "link3"}) b.body({.name = name, .inertia = link});
  b.joint({.name = "j1", .type = "revolute", .parent = kWorld, .child = "link1"});
  b.joint({.name = "j2", .type = "revolute", .parent = "link1", .child = "link2", .X_PF = A});
  b.joint({.name = "j3", .type = "revolute", .parent = "link2", .child = "link3", .X_PF = B});
  b.loop({.name = "j4", .type = "revolute", .body_a = "link3", .body_b = kWorld, .X_AF = A, .X_BM = B.inverse()});
  return b.build();
}

Mechanism verified_cart() {
  Builder b = frame_on_ground("cart");
  for (int i = 0; i < 4; ++i)
    add_wheel(b, numbered("wheel", i), Pose(Vec3(i < 2 ? 0.6 : -0.6, i % 2 == 0 ? 0.4 : -0.4, 0)));
  return b.build();
}

Mechanism verified_tricycle() {
  Builder b = frame_on_ground("tricycle");
  add_wheel(b, "left", Pose(Vec3(0, 0.4, 0)));
  add_wheel(b, "right", Pose(Vec3(0, -0.4, 0)));
  add_wheel(b, "front", Pose(SO3<double>::about(2, kSteering), {kWheelbase, 0, 0}));
  return b.build();
}

Mechanism verified_rolling_disc() {
  const double mass = 1.5, I = mass * kDiscRadius * kDiscRadius / 4;
  Builder b("disc");
  b.body({.name = "disc", .inertia = Inertia<double>::from_com(mass, {0, 0, 0}, Vec3(I, I, 2 * I).asDiagonal())});
  b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "disc"});
  return b.rolling({.name = "edge", .body = "disc", .radius = kDiscRadius}).build();
}

ConstrainedDynamics constrained(const Mechanism& m, const VectorRef& q, const VectorRef& v) {
  ConstrainedDynamics d(m, constraints_of(m));
  d.set_state(q, v);
  return d;
}

Motion closed_motion(std::uint64_t seed) {
  const int number = static_cast<int>(seed);
  Motion s = random_motion(seed, {.bodies = 8 + number % 8, .loops = 1 + number % 2});
  s.v = constrained(s.m, s.q, s.v).project_velocity(s.v);
  return s;
}

}  // namespace amble
