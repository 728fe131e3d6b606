#include "amble/constraints/closed_mechanisms.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/coordinate_constraints.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/constraints/rolling_constraints.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {

namespace {

constexpr double kUp = std::numbers::pi / 2;
const Vector3<double> kAcross{0, -1, 0};  // turning about it takes x to z

Pose at(double x, double y = 0.0, double z = 0.0) { return Pose(SO3<double>(), {x, y, z}); }

/// From the origin to `tip`.
Inertia<double> rod(double mass, const Vector3<double>& tip) {
  const Matrix3<double> about_middle =
      mass / 12.0 * (tip.squaredNorm() * Matrix3<double>::Identity() - tip * tip.transpose());
  return Inertia<double>::from_com(mass, 0.5 * tip, about_middle);
}
Inertia<double> rod(double mass, double length) { return rod(mass, {length, 0, 0}); }

Inertia<double> block(double mass, const Vector3<double>& moments) {
  return Inertia<double>::from_com(mass, {0, 0, 0}, moments.asDiagonal());
}

/// A thin disc about z, or about y.
Inertia<double> disc(double mass, double radius) {
  const double I = 0.25 * mass * radius * radius;
  return block(mass, {I, I, 2 * I});
}
Inertia<double> wheel(double mass, double radius) {
  const double I = 0.25 * mass * radius * radius;
  return block(mass, {I, 2 * I, I});
}

/// A joint that turns in the x-z plane, x metres along its parent.
void hinge(Builder& b, const std::string& name, const std::string& parent, const std::string& child, double x = 0.0) {
  b.joint({.name = name, .type = "revolute", .parent = parent, .child = child, .X_PF = at(x), .axis = kAcross});
}
/// The same closing a loop.
void close(Builder& b, const std::string& name, const std::string& a, double x_a, const std::string& other,
           double x_b) {
  b.loop({.name = name,
          .type = "revolute",
          .body_a = a,
          .body_b = other,
          .X_AF = at(x_a),
          .X_BM = at(x_b),
          .axis = kAcross});
}

ConstrainedMechanism closed(Mechanism m, const std::map<std::string, double>& start) {
  OwnedVector q = m.neutral();
  for (const auto& [joint, value] : start) q[m.q_slice(joint).start] = value;
  std::vector<ConstraintPtr> loops = loop_constraints(m);
  return {std::move(m), std::move(loops), std::move(q)};
}

/// From a foot on the ground to a place on the platform, which is `height` above.
void add_leg(Builder& b, int i, const Vector3<double>& foot, const Vector3<double>& top, double height) {
  const Vector3<double> leg = top + Vector3<double>(0, 0, height) - foot,
                        turn = cross<double>({0, 0, 1}, leg.normalized());
  const SO3<double> R = SO3<double>::exp(turn * (std::asin(turn.norm()) / turn.norm()));  // z along the leg
  const std::string n = std::to_string(i), lower = "lower" + n, upper = "upper" + n;
  const auto tube = [](double mass, double z) {
    return Inertia<double>::from_com(mass, {0, 0, z}, mass * Vector3<double>(0.02, 0.02, 0.001).asDiagonal());
  };
  b.body({.name = lower, .inertia = tube(1.0, 0.25)});
  b.body({.name = upper, .inertia = tube(0.5, leg.norm() - 0.25)});
  JointDescription base{
      .name = "base" + n, .type = "universal", .parent = kWorld, .child = lower, .X_PF = Pose(R, foot)};
  base.axis = {1, 0, 0}, base.axis2 = {0, 1, 0};
  b.joint(base);
  b.joint({.name = "leg" + n, .type = "prismatic", .parent = lower, .child = upper});
  LoopDescription joint{.name = "top" + n, .type = "spherical", .body_a = upper, .body_b = "platform"};
  joint.X_AF = at(0, 0, leg.norm()), joint.X_BM = Pose(SO3<double>(), top);
  b.loop(joint);
}

}  // namespace

ConstrainedMechanism four_bar(const FourBarLengths& l) {
  Builder b("four bar");
  for (const auto& [name, length] : {std::pair{"crank", l.crank}, {"coupler", l.coupler}, {"rocker", l.rocker}})
    b.body({.name = name, .inertia = rod(length, length)});
  hinge(b, "crank", kWorld, "crank");
  hinge(b, "coupler", "crank", "coupler", l.crank);
  hinge(b, "rocker", kWorld, "rocker", l.ground);
  close(b, "closure", "coupler", l.coupler, "rocker", l.rocker);
  ConstrainedMechanism out = closed(b.build(), {{"crank", kUp}, {"coupler", -kUp}, {"rocker", kUp}});
  out.q = assemble(out.mechanism, out.q, {.held = {"crank"}}).q;
  return out;
}

ConstrainedMechanism slider_crank(double crank, double length, double slider_mass) {
  if (!(length > crank))
    throw Error(fmt::format("a rod of {} m cannot follow a crank of {} m all the way round", length, crank));
  Builder b("slider crank");
  b.body({.name = "crank", .inertia = rod(crank, crank)});
  b.body({.name = "rod", .inertia = rod(length, length)});
  b.body({.name = "slider", .inertia = block(slider_mass, 0.01 * slider_mass * Vector3<double>::Ones())});
  hinge(b, "crank", kWorld, "crank");
  hinge(b, "rod", "crank", "rod", crank);
  b.joint({.name = "slider", .type = "prismatic", .parent = kWorld, .child = "slider", .axis = {1, 0, 0}});
  close(b, "closure", "rod", length, "slider", 0.0);
  const double down = std::asin(crank / length);
  return closed(b.build(), {{"crank", kUp}, {"rod", -kUp - down}, {"slider", length * std::cos(down)}});
}

ConstrainedMechanism n_four_bar(int n) {
  if (n < 1) throw Error(fmt::format("a chain of {} four-bars is asked for: expected 1 or more", n));
  Builder b("n four bar");
  const auto name = [](const char* what, int i) { return what + std::to_string(i); };
  std::map<std::string, double> start;
  for (int i = 0; i <= n; ++i) {
    b.body({.name = name("upright", i), .inertia = rod(1.0, 1.0)});
    hinge(b, name("ground", i), kWorld, name("upright", i), i);
    start[name("ground", i)] = kUp;
  }
  for (int i = 0; i < n; ++i) {
    b.body({.name = name("level", i), .inertia = rod(1.0, 1.0)});
    hinge(b, name("pin", i), name("upright", i), name("level", i), 1.0);
    close(b, name("closure", i), name("level", i), 1.0, name("upright", i + 1), 1.0);
    start[name("pin", i)] = -kUp;
  }
  return closed(b.build(), start);
}

ConstrainedMechanism bricard() {
  const Vector3<double> along[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}};
  const Vector3<double> axis[] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  Builder b("Bricard loop");
  std::string parent = kWorld;
  for (int i = 0; i < 5; ++i) {
    const std::string name = fmt::format("rod{}", i + 1);
    b.body({.name = name, .inertia = rod(1.0, along[i])});
    b.joint({.name = fmt::format("hinge{}", i + 1),
             .type = "revolute",
             .parent = parent,
             .child = name,
             .X_PF = i == 0 ? Pose() : Pose(SO3<double>(), along[i - 1]),
             .axis = axis[i]});
    parent = name;
  }
  b.loop({.name = "hinge6",
          .type = "revolute",
          .body_a = parent,
          .body_b = kWorld,
          .X_AF = Pose(SO3<double>(), along[4]),
          .X_BM = at(0, 0, 1),
          .axis = axis[5]});
  return closed(b.build(), {});
}

ConstrainedMechanism stewart_platform() {
  constexpr double kHeight = 1.0, kWide = 1.0, kNarrow = 0.6;
  Builder b("Stewart platform");
  b.body({.name = "platform", .inertia = block(10.0, {0.9, 0.9, 1.8})});
  b.joint({.name = "platform", .type = "free", .parent = kWorld, .child = "platform"});
  for (int i = 0; i < 6; ++i) {
    // pairs of feet near three corners; the pairs on the platform are turned by 60 degrees against them
    const double side = i % 2 == 0 ? -1.0 : 1.0, corner = 2.0 * std::numbers::pi / 3.0 * (i / 2);
    const double low = corner + 0.2 * side, high = corner + (std::numbers::pi / 3.0 - 0.2) * side;
    const auto place = [](double r, double angle) {
      return Vector3<double>(r * std::cos(angle), r * std::sin(angle), 0.0);
    };
    add_leg(b, i, place(kWide, low), place(kNarrow, high), kHeight);
  }
  ConstrainedMechanism out = closed(b.build(), {});
  out.q[out.mechanism.q_slice("platform").start + 2] = kHeight;
  return out;
}

ConstrainedMechanism differential_gear(double ratio) {
  if (!(ratio > 0.0)) throw Error(fmt::format("a differential has the ratio {}: expected more than 0", ratio));
  Builder b("differential");
  for (const char* name : {"cage", "left", "right"}) {
    const double mass = name[0] == 'c' ? 2.0 : 1.0;
    b.body({.name = name, .inertia = block(mass, mass * Vector3<double>(0.02, 0.015, 0.015))});
    b.joint({.name = name, .type = "revolute", .parent = kWorld, .child = name, .axis = {1, 0, 0}});
  }
  b.body({.name = "pinion", .inertia = block(0.3, {0.0005, 0.0005, 0.001})});
  b.joint({.name = "pinion",
           .type = "revolute",
           .parent = "cage",
           .child = "pinion",
           .X_PF = at(0, 0, 0.1),
           .axis = {0, 0, 1}});
  ConstrainedMechanism out = closed(b.build(), {});
  out.constraints = {
      coupling_constraint(out.mechanism, "left mesh", {{"left", 1.0}, {"cage", -1.0}, {"pinion", -1.0 / ratio}}),
      coupling_constraint(out.mechanism, "right mesh", {{"right", 1.0}, {"cage", -1.0}, {"pinion", 1.0 / ratio}})};
  return out;
}

ConstrainedMechanism snakeboard(const SnakeboardParameters& p) {
  const double r = p.radius, m = p.board_mass + p.torso_mass + p.wheel_mass;
  const double board = m * r * r - p.torso_inertia - p.wheel_inertia - p.wheel_mass * r * r;
  if (!(board > 0.0))
    throw Error(fmt::format(
        "the snakeboard's board would have the inertia {:.3g} kg m^2 by J = m r^2: expected more than 0", board));
  const auto about_z = [](double mass, double I) { return block(mass, {I / 2, I / 2, I}); };
  Builder b("snakeboard");
  b.body({.name = "board", .inertia = about_z(p.board_mass, board)});
  b.body({.name = "torso", .inertia = about_z(p.torso_mass, p.torso_inertia)});
  b.joint({.name = "board", .type = "planar", .parent = kWorld, .child = "board"});
  b.joint({.name = "torso", .type = "revolute", .parent = "board", .child = "torso"});
  for (const char* truck : {"front", "rear"}) {
    const bool front = truck[0] == 'f';
    b.body({.name = truck, .inertia = about_z(p.wheel_mass / 2, p.wheel_inertia / 2)});
    JointDescription j{
        .name = truck, .type = "revolute", .parent = "board", .child = truck, .X_PF = at(front ? r : -r)};
    if (!front) j.mimic = Mimic{"front", -1.0, 0.0};
    b.joint(j);
  }
  ConstrainedMechanism out = closed(b.build(), {});
  for (const char* truck : {"front", "rear"})
    out.constraints.push_back(knife_edge_constraint(out.mechanism, truck, {}, link_frame(out.mechanism, truck)));
  return out;
}

ConstrainedMechanism rolling_disc(double mass, double radius) {
  Builder b("rolling disc");
  b.body({.name = "disc", .inertia = disc(mass, radius)});
  b.joint({.name = "disc", .type = "free", .parent = kWorld, .child = "disc"});
  ConstrainedMechanism out = closed(b.build(), {});
  out.q[2] = radius;
  SO3<double>::about(0, kUp).quaternion().to_xyzw(out.q.data() + 3);
  out.constraints = {rolling_disc_constraint(out.mechanism, "ground", {}, link_frame(out.mechanism, "disc"), radius)};
  return out;
}

ConstrainedMechanism car(const CarParameters& p) {
  const double half = p.track / 2, r = p.wheel_radius;
  Builder b("car");
  const Vector3<double> middle(p.wheelbase / 2, 0, 0.2);
  b.body({.name = "body",
          .inertia = Inertia<double>::from_com(p.body_mass, middle,
                                               p.body_mass * Vector3<double>(0.3, 1.2, 1.3).asDiagonal())});
  b.body({.name = "axle", .inertia = rod(p.axle_mass / 2, {0, half, 0}) + rod(p.axle_mass / 2, {0, -half, 0})});
  b.joint({.name = "body", .type = "planar", .parent = kWorld, .child = "body", .X_PF = at(0, 0, r)});
  b.joint({.name = "steering", .type = "revolute", .parent = "body", .child = "axle", .X_PF = at(p.wheelbase)});
  std::vector<std::string> wheels;
  for (const char* end : {"rear", "front"})
    for (const double side : {1.0, -1.0}) {
      wheels.push_back(fmt::format("{}_{}", end, side > 0 ? "left" : "right"));
      b.body({.name = wheels.back(), .inertia = wheel(p.wheel_mass, r)});
      b.joint({.name = wheels.back(),
               .type = "revolute",
               .parent = end[0] == 'r' ? "body" : "axle",
               .child = wheels.back(),
               .X_PF = at(0, side * half),
               .axis = {0, 1, 0}});
    }
  ConstrainedMechanism out = closed(b.build(), {});
  const Pose turned(SO3<double>::about(0, -kUp), Vector3<double>::Zero());  // z of the disc along the wheel's y
  for (const std::string& name : wheels)
    out.constraints.push_back(rolling_disc_constraint(
        out.mechanism, name, {}, link_frame(out.mechanism, name, turned), r, {.holds_contact = false}));
  return out;
}

}  // namespace amble
