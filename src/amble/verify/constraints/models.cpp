#include "amble/verify/constraints/models.hpp"

#include <cmath>
#include <numbers>

#include "amble/constraints/carried_constraints.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;

Pose along_x(double x) { return Pose(Vec3(x, 0, 0)); }

Inertia<double> rod(const Vec3& from_start_to_end) {
  const double l2 = from_start_to_end.squaredNorm();
  const Matrix3<double> about_com =
      (l2 * Matrix3<double>::Identity() - from_start_to_end * from_start_to_end.transpose()) / 12;
  return Inertia<double>::from_com(1.0, 0.5 * from_start_to_end, about_com);
}

/// A joint or a loop of type revolute about the z axes of its frames.
JointDescription pin(const std::string& name, const std::string& parent, const std::string& child, const Pose& X_PF) {
  return {.name = name, .type = "revolute", .parent = parent, .child = child, .X_PF = X_PF};
}
LoopDescription closure(const std::string& name, const std::string& a, const std::string& b, const Pose& X_AF,
                        const Pose& X_BM) {
  return {.name = name, .type = "revolute", .body_a = a, .body_b = b, .X_AF = X_AF, .X_BM = X_BM};
}

std::string numbered(const char* what, int i) { return what + std::to_string(i); }

Pose turned_z(const Vec3& from, const Vec3& to) {  // at `from`, z towards `to`
  const Vec3 z = (to - from).normalized(), x = cross<double>(Vec3(0, 1, 0), z).normalized();
  Matrix3<double> R;
  R << x, cross<double>(z, x), z;
  return Pose(SO3<double>(R), from);
}

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

Mechanism verified_four_bar() {
  Builder b("four-bar");
  for (const auto& [name, l] : {std::pair{"crank", kCrankBar}, {"coupler", kCouplerBar}, {"rocker", kRockerBar}})
    b.body({.name = name, .inertia = rod({l, 0, 0})});
  b.joint(pin("a", kWorld, "crank", Pose())).joint(pin("b", "crank", "coupler", along_x(kCrankBar)));
  b.joint(pin("d", kWorld, "rocker", along_x(kGroundBar)));
  return b.loop(closure("c", "coupler", "rocker", along_x(kCouplerBar), along_x(kRockerBar))).build();
}

Mechanism verified_slider_crank() {
  Builder b("slider-crank");
  b.body({.name = "crank", .inertia = rod({kCrank, 0, 0})}).body({.name = "rod", .inertia = rod({kRod, 0, 0})});
  b.body({.name = "slider", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint(pin("crank", kWorld, "crank", Pose())).joint(pin("knee", "crank", "rod", along_x(kCrank)));
  b.joint({.name = "slide", .type = "prismatic", .parent = kWorld, .child = "slider", .axis = {1, 0, 0}});
  return b.loop(closure("pin", "rod", "slider", along_x(kRod), Pose())).build();
}

Mechanism verified_windmill(int n) {
  Builder b("windmill");
  b.gravity({0, -9.81, 0});
  for (int i = 0; i <= n; ++i) {
    b.body({.name = numbered("upright", i), .inertia = rod({1, 0, 0})});
    b.joint(pin(numbered("ground", i), kWorld, numbered("upright", i), along_x(i)));
  }
  for (int i = 0; i < n; ++i) {
    b.body({.name = numbered("level", i), .inertia = rod({1, 0, 0})});
    b.joint(pin(numbered("pin", i), numbered("upright", i), numbered("level", i), along_x(1)));
    b.loop(closure(numbered("closure", i), numbered("level", i), numbered("upright", i + 1), along_x(1), along_x(1)));
  }
  return b.build();
}

Motion windmill_start(const Mechanism& m) {
  Motion s{m, m.neutral(), Eigen::VectorXd::Zero(m.nv()), Eigen::VectorXd::Zero(m.nv())};
  for (const std::string& joint : m.joint_names()) {
    const bool upright = joint.starts_with("ground");
    s.q[m.q_slice(joint).start] = (upright ? 0.5 : -0.5) * std::numbers::pi;
    s.v[m.v_slice(joint).start] = upright ? -1.0 : 1.0;
  }
  return s;
}

Mechanism verified_bricard() {
  const std::vector<Vec3> edges{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}};
  const std::vector<Vec3> axes{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  Builder b("bricard");
  std::string parent = kWorld;
  for (int i = 0; i < 5; ++i) {
    const std::string name = numbered("rod", i);
    b.body({.name = name, .inertia = rod(edges[i])});
    b.joint({.name = numbered("pin", i),
             .type = "revolute",
             .parent = parent,
             .child = name,
             .X_PF = i == 0 ? Pose() : Pose(edges[i - 1]),
             .axis = axes[i]});
    parent = name;
  }
  b.loop({.name = "closure",
          .type = "revolute",
          .body_a = parent,
          .body_b = kWorld,
          .X_AF = Pose(edges[4]),
          .X_BM = Pose(Vec3(0, 0, 1)),
          .axis = axes[5]});
  return b.build();
}

Mechanism verified_bennett() {
  const double twist_a = 0.6, twist_b = 1.1, a = 1.0, length_b = a * std::sin(twist_b) / std::sin(twist_a);
  const auto across = [](double length, double twist) { return Pose(SO3<double>::about(0, twist), {length, 0, 0}); };
  const Pose A = across(a, twist_a), B = across(length_b, twist_b);
  Builder b("bennett");
  for (const char* name : {"link1", "link2", "link3"}) b.body({.name = name, .inertia = rod({1, 0, 0})});
  b.joint(pin("j1", kWorld, "link1", Pose()))
      .joint(pin("j2", "link1", "link2", A))
      .joint(pin("j3", "link2", "link3", B));
  return b.loop(closure("j4", "link3", kWorld, A, B.inverse())).build();
}

Mechanism verified_stewart_platform() {
  Builder b("stewart");
  b.body({.name = "plate", .inertia = Inertia<double>::from_com(5.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "plate", .X_PF = Pose(Vec3(0, 0, 1))});
  for (int i = 0; i < 6; ++i) {
    const double foot = 2 * std::numbers::pi / 3 * (i / 2) + (i % 2 == 0 ? -0.3 : 0.3);
    const double head = 2 * std::numbers::pi / 3 * (i / 2) + (i % 2 == 0 ? -0.8 : 0.8);
    const Vec3 from(std::cos(foot), std::sin(foot), 0), on_plate(0.5 * std::cos(head), 0.5 * std::sin(head), 0);
    const Vec3 to = on_plate + Vec3(0, 0, 1);
    const std::string lower = numbered("lower", i), upper = numbered("upper", i);
    b.body({.name = lower, .inertia = rod({0, 0, 0.5})}).body({.name = upper, .inertia = rod({0, 0, 0.5})});
    b.joint({.name = numbered("foot", i),
             .type = "universal",
             .parent = kWorld,
             .child = lower,
             .X_PF = turned_z(from, to),
             .axis = {1, 0, 0},
             .axis2 = {0, 1, 0}});
    b.joint({.name = numbered("leg", i), .type = "prismatic", .parent = lower, .child = upper});
    b.loop({.name = numbered("head", i),
            .type = "spherical",
            .body_a = upper,
            .body_b = "plate",
            .X_AF = Pose(Vec3(0, 0, (to - from).norm())),
            .X_BM = Pose(on_plate)});
  }
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
