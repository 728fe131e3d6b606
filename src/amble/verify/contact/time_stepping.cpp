#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/contact/contact_scene.hpp"
#include "amble/contact/joint_blocks.hpp"
#include "amble/mechanism/box_scenes.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/simulation/time_stepping.hpp"
#include "amble/verify/contact/parts.hpp"
#include "amble/verify/evidence.hpp"

// Steps over many contacts: friction that sticks, closed forms of things that slide and roll, heaps that stand.
namespace amble {

namespace {

constexpr double kGravity = 9.81, kFriction = 0.5;

SimulatorOptions stepping(double step) { return {.integrator = {.step = step}, .method = "time_stepping"}; }

/// A box of 3 kg at rest on a slope that is steeper than its angle of friction by so many degrees.
Simulator box_on_slope(double beyond_deg, double step) {
  const double slope_deg = std::atan(kFriction) * 180.0 / std::numbers::pi + beyond_deg;
  const BoxScene scene = box_stack({.high = 1, .edge = 0.2, .mass = 3.0});
  const Mechanism& m = scene.mechanism;
  const SO3<double> R = SO3<double>::exp(Vector3<double>(0.0, slope_deg * std::numbers::pi / 180.0, 0.0));
  const Vector3<double> p = R * Vector3<double>(0.0, 0.0, 0.1);
  OwnedVector q(7);
  q.head(3) = p;
  R.quaternion().to_xyzw(q.data() + 3);
  Simulator s(m, {contact_scene("contacts", m, {.ground = plane_ground(slope_deg), .material = {.friction = kFriction}})}, {},
              stepping(step));
  s.reset(q, OwnedVector(6));
  return s;
}

double creep() {
  Simulator s = box_on_slope(-0.01, 0.01);
  double fastest = 0.0;
  while (s.t() < 60.0) s.step(0.01), fastest = std::max(fastest, s.v().norm());
  return fastest;
}

double sliding_acceleration() {
  Simulator s = box_on_slope(0.5, 1e-3);
  s.step(2.0);
  return s.v().head(3).norm() / 2.0;
}

double expected_sliding_acceleration() {
  const double slope = std::atan(kFriction) + 0.5 * std::numbers::pi / 180.0;
  return kGravity * (std::sin(slope) - kFriction * std::cos(slope));
}

Mechanism ball() {
  Builder b("ball");
  BodyDescription body{.name = "ball", .inertia = Inertia<double>::from_com(1.3, Vector3<double>::Zero(),
                                                                           0.4 * 1.3 * 0.01 * Matrix3<double>::Identity())};
  body.collisions.push_back({.name = "ball", .shape = {.kind = Shape::Kind::sphere, .size = {0.1, 0, 0}}});
  b.body(std::move(body));
  b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "ball"});
  return b.build();
}

/// The speed along the ground of a ball that slid at first.
double rolling_speed() {
  const Mechanism m = ball();
  Simulator s(m, {contact_scene("contacts", m, {.material = {.friction = 0.3}})}, {}, stepping(1e-3));
  OwnedVector q = m.neutral(), v(6);
  q[2] = 0.1, v[0] = 2.0;
  s.reset(q, v);
  s.step(1.0);
  return s.v().head(3).norm();
}

/// How far any box of a stack has moved after a second.
double stack_drift() {
  const BoxScene scene = box_stack({.along_x = 3, .along_y = 3, .high = 3});
  const Mechanism& m = scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m)}, {}, stepping(2e-3));
  s.reset(scene.q, OwnedVector(m.nv()));
  s.step(0.5);
  return (s.q() - scene.q).cwiseAbs().maxCoeff();
}

double dominoes_residual() {
  const BoxScene scene = dominoes({.count = 6});
  const Mechanism& m = scene.mechanism;
  Simulator s(m, {contact_scene("contacts", m, {.material = {.friction = 0.4}})}, {}, stepping(1e-3));
  s.reset(scene.q, OwnedVector(m.nv()));
  s.step(1.0);
  return s.contact_report()->worst_residual;
}

}  // namespace

std::vector<VerificationEntry> contact_time_stepping() {
  return {
      number_entry({"contact.stepping.creep", "a box on a slope 0.01 degrees below its angle of friction, largest speed in 60 s",
                    "closed form", 1e-9},
                   0.0, creep),
      number_entry({"contact.stepping.slide", "a box on a slope 0.5 degrees above it: g (sin a - mu cos a)", "closed form", 1e-6},
                   expected_sliding_acceleration(), sliding_acceleration),
      number_entry({"contact.stepping.roll", "a ball that slides comes to roll at 5/7 of its speed", "closed form", 1e-9},
                   10.0 / 7.0, rolling_speed),
      number_entry({"contact.stepping.stack", "27 boxes stand still, largest move (m)", "closed form", 1e-8}, 0.0, stack_drift),
      number_entry({"contact.stepping.dominoes", "laws of contact in every step while dominoes fall, worst residual", "closed form",
                    1e-8},
                   0.0, dominoes_residual),
  };
}

}  // namespace amble
