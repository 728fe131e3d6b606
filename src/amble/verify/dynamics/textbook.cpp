#include <cmath>

#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;
using std::cos, std::sin;

constexpr double kG = 9.81;
constexpr double kTolerance = 1e-13;  // relative: a hundred roundings
constexpr int kSeeds = 100;

Claim closed_form(const std::string& name, const std::string& source) {
  return {"dynamics." + name, "closed form: " + source, "closed form", kTolerance};
}

JointDescription joint(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const Vec3& axis, const Pose& X_PF = {}) {
  return {.name = name, .type = type, .parent = parent, .child = child, .X_PF = X_PF, .axis = axis};
}

Inertia<double> point(double mass, const Vec3& where) { return inertia_of_points({{mass, where}}); }
Inertia<double> turning(double mass, const Vec3& com, const Vec3& moments) {
  return Inertia<double>::from_com(mass, com, Matrix3<double>(moments.asDiagonal()));
}

Eigen::VectorXd numbers(std::initializer_list<double> values) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

/// The accelerations, free of motors.
Eigen::VectorXd free_motion(const Mechanism& m, const VectorRef& q, const VectorRef& v) {
  Workspace work(m);
  return forward_dynamics(m, work, q, v, Eigen::VectorXd::Zero(m.nv()));
}

/// Two links in a vertical plane, hanging down at q = 0; the second angle is relative to the first link.
struct TwoLinks {
  double m1 = 1.3, l1 = 0.9, m2 = 0.7, l2 = 0.6;    // bobs at the ends, on massless rods
  double r1 = 0.4, I1 = 0.05, r2 = 0.35, I2 = 0.02;  // or links with a centre of mass and a moment about it

  Mechanism build(const Inertia<double>& first, const Inertia<double>& second) const {
    Builder b("double_pendulum");
    b.body({.name = "first", .inertia = first}).body({.name = "second", .inertia = second});
    b.joint(joint("shoulder", "revolute", kWorld, "first", {0, 1, 0}));
    return b.joint(joint("elbow", "revolute", "first", "second", {0, 1, 0}, Pose(Vec3(0, 0, -l1)))).build();
  }
  Mechanism with_bobs() const { return build(point(m1, {0, 0, -l1}), point(m2, {0, 0, -l2})); }
  Mechanism with_links() const {
    return build(turning(m1, {0, 0, -r1}, {I1, I1, I1}), turning(m2, {0, 0, -r2}, {I2, I2, I2}));
  }
};

double two_links_mass_matrix(std::uint64_t seed) {
  const TwoLinks t;
  const Motion s = in_motion(t.with_links(), t.with_links().random(seed), seed);
  Workspace work(s.m);
  const double alpha = t.I1 + t.I2 + t.m1 * t.r1 * t.r1 + t.m2 * (t.l1 * t.l1 + t.r2 * t.r2);
  const double beta = t.m2 * t.l1 * t.r2, delta = t.I2 + t.m2 * t.r2 * t.r2, c = cos(s.q[1]);
  Eigen::MatrixXd M(2, 2);
  M << alpha + 2 * beta * c, delta + beta * c, delta + beta * c, delta;
  return relative_error(mass_matrix(s.m, work, s.q), M);
}

double two_links_coriolis_matrix(std::uint64_t seed) {
  const TwoLinks t;
  const Motion s = in_motion(t.with_links(), t.with_links().random(seed), seed);
  Workspace work(s.m);
  const double bs = t.m2 * t.l1 * t.r2 * sin(s.q[1]);
  Eigen::MatrixXd C(2, 2);
  C << -bs * s.v[1], -bs * (s.v[0] + s.v[1]), bs * s.v[0], 0;
  return relative_error(coriolis_matrix(s.m, work, s.q, s.v), C);
}

/// Solved for the accelerations of both angles from the vertical.
double double_pendulum(std::uint64_t seed) {
  const TwoLinks t;
  const Motion s = in_motion(t.with_bobs(), t.with_bobs().random(seed), seed);
  const double p1 = s.q[0], p2 = s.q[0] + s.q[1], w1 = s.v[0] * s.v[0], w2 = (s.v[0] + s.v[1]) * (s.v[0] + s.v[1]);
  const double d = p1 - p2, m = t.m1 + t.m2, under = 2 * t.m1 + t.m2 - t.m2 * cos(2 * d);
  const double a1 = (-kG * (2 * t.m1 + t.m2) * sin(p1) - t.m2 * kG * sin(p1 - 2 * p2) -
                     2 * sin(d) * t.m2 * (w2 * t.l2 + w1 * t.l1 * cos(d))) / (t.l1 * under);
  const double a2 =
      2 * sin(d) * (w1 * t.l1 * m + kG * m * cos(p1) + w2 * t.l2 * t.m2 * cos(d)) / (t.l2 * under);
  return relative_error(free_motion(s.m, s.q, s.v), numbers({a1, a2 - a1}));
}

/// A cart on a rail pulled by F, a pole that hangs from it at the angle q[1].
double cart_pole(std::uint64_t seed) {
  const double M = 2.0, m = 0.3, l = 0.8, F = 4.0;
  Builder b("cart_pole");
  b.body({.name = "cart", .inertia = point(M, {0, 0, 0})}).body({.name = "pole", .inertia = point(m, {0, 0, -l})});
  b.joint(joint("rail", "prismatic", kWorld, "cart", {1, 0, 0}));
  const Mechanism cart = b.joint(joint("pin", "revolute", "cart", "pole", {0, -1, 0})).build();
  const Motion s = in_motion(cart, cart.random(seed), seed);
  const double sn = sin(s.q[1]), c = cos(s.q[1]), w = s.v[1], under = M + m * sn * sn;
  const double x = (F + m * sn * (l * w * w + kG * c)) / under;
  const double angle = (-F * c - m * l * w * w * c * sn - (M + m) * kG * sn) / (l * under);
  Workspace work(s.m);
  return relative_error(forward_dynamics(s.m, work, s.q, s.v, numbers({F, 0})), numbers({x, angle}));
}

/// Longitude and polar angle from straight down, on a universal joint.
double spherical_pendulum(std::uint64_t seed) {
  const double l = 0.7;
  Builder b("spherical_pendulum");
  b.body({.name = "bob", .inertia = point(2.0, {0, 0, -l})});
  JointDescription pivot = joint("pivot", "universal", kWorld, "bob", {0, 0, 1});
  pivot.axis2 = {1, 0, 0};
  const Mechanism m = b.joint(pivot).build();
  Motion s = in_motion(m, m.random(seed), seed);
  s.q[1] = 0.3 + 0.02 * static_cast<double>(seed);  // away from the poles
  const double sn = sin(s.q[1]), c = cos(s.q[1]);
  return relative_error(free_motion(s.m, s.q, s.v),
                        numbers({-2 * s.v[0] * s.v[1] * c / sn, sn * c * s.v[0] * s.v[0] - kG / l * sn}));
}

/// Euler's equations, and a thrown body's fall seen in its own axes: vdot = R^T g - w x v.
double euler_equations(std::uint64_t seed) {
  const Vec3 I(0.3, 0.5, 0.7);
  Builder b("thrown");
  b.body({.name = "body", .inertia = turning(2.0, Vec3::Zero(), I)});
  const Mechanism m = b.joint(joint("free", "free", kWorld, "body", {0, 0, 1})).build();
  const Motion s = in_motion(m, m.random(seed), seed);
  const Vec3 v = s.v.head<3>(), w = s.v.tail<3>(), e = s.q.segment<3>(3);
  const double real = s.q[6];
  const Vec3 down(0, 0, -kG);  // turned by the inverse quaternion, in vectors
  const Vec3 t = 2.0 * cross<double>(-e, down), gravity = down + real * t + cross<double>(-e, t);
  Eigen::VectorXd a(6);
  a << gravity - cross<double>(w, v), (I[1] - I[2]) / I[0] * w[1] * w[2], (I[2] - I[0]) / I[1] * w[2] * w[0],
      (I[0] - I[1]) / I[2] * w[0] * w[1];
  return relative_error(free_motion(s.m, s.q, s.v), a);
}

/// A heavy top precesses steadily at rate W when m g l = W (C w3 - A W cos(tilt)), the slower of the two rates. Then
/// its angular velocity, W up and u along its axis, turns in the body with -u W axis x up.
double steady_precession(std::uint64_t seed) {
  Random random(seed);
  const double m = 0.5, l = 0.1, A = 0.008, C = 0.004, weight = m * kG * l;
  const double tilt = random.uniform(0.1, 1.4), w3 = random.uniform(80, 200), Ac = A * cos(tilt);
  const double W = (C * w3 - std::sqrt(C * w3 * C * w3 - 4 * Ac * weight)) / (2 * Ac), u = w3 - W * cos(tilt);
  Builder b("top");
  b.body({.name = "top", .inertia = Inertia<double>(m, {0, 0, m * l}, Matrix3<double>(Vec3(A, A, C).asDiagonal()))});
  const Mechanism top = b.joint(joint("tip", "spherical", kWorld, "top", {0, 0, 1})).build();
  const double turn = random.uniform(-3, 3), spin = random.uniform(-3, 3);
  OwnedVector q = top.neutral();
  for (const Vec3& step : {Vec3(0, 0, turn), Vec3(tilt, 0, 0), Vec3(0, 0, spin)}) q = top.integrate(q, step);
  const Vec3 up(sin(tilt) * sin(spin), sin(tilt) * cos(spin), cos(tilt)), axis(0, 0, 1);
  return relative_error(free_motion(top, q, W * up + u * axis), -u * W * cross<double>(axis, up));
}

/// A plate on a plane, x and y in the plane's axes, its centre of mass at r from the joint.
double plate_mass_matrix(std::uint64_t seed) {
  const double m = 1.7, r = 0.4, I = 0.09;
  Builder b("plate");
  b.body({.name = "plate", .inertia = turning(m, {r, 0, 0}, {I, I, I})});
  const Mechanism plate = b.joint(joint("table", "planar", kWorld, "plate", {0, 0, 1})).build();
  const OwnedVector q = plate.random(seed);
  Workspace work(plate);
  const double x = -m * r * sin(q[2]), y = m * r * cos(q[2]);
  Eigen::MatrixXd M(3, 3);
  M << m, 0, x, 0, m, y, x, y, I + m * r * r;
  return relative_error(mass_matrix(plate, work, q), M);
}

/// A nut with a moment of inertia I that runs down an upright screw.
double nut_on_a_screw(double mass, double I, double pitch) {
  Builder b("nut");
  b.body({.name = "nut", .inertia = turning(mass, {0, 0, 0}, {I, I, I})});
  JointDescription screw = joint("screw", "helical", kWorld, "nut", {0, 0, 1});
  screw.pitch = pitch;
  return free_motion(b.joint(screw).build(), numbers({0.4}), numbers({3}))[0];
}

/// Two weights on one rope: the second joint follows the first with ratio -1.
double atwood(double m1, double m2) {
  Builder b("atwood");
  b.body({.name = "one", .inertia = point(m1, {0, 0, 0})}).body({.name = "other", .inertia = point(m2, {1, 0, 0})});
  b.joint(joint("rope", "prismatic", kWorld, "one", {0, 0, -1}));
  JointDescription follower = joint("rope_end", "prismatic", kWorld, "other", {0, 0, -1});
  follower.mimic = {.leader = "rope", .ratio = -1.0};
  return free_motion(b.joint(follower).build(), numbers({0.2}), numbers({1}))[0];
}

/// A rotor geared to the link it drives.
double reflected_inertia(double I, double J, double ratio) {
  Builder b("geared");
  b.body({.name = "link", .inertia = turning(1, {0, 0, 0}, {I, I, I})});
  b.body({.name = "rotor", .inertia = turning(0.1, {0, 0, 0}, {J, J, J})});
  b.joint(joint("hinge", "revolute", kWorld, "link", {0, 0, 1}));
  JointDescription rotor = joint("shaft", "revolute", kWorld, "rotor", {0, 0, 1}, Pose(Vec3(0.1, 0, 0)));
  rotor.mimic = {.leader = "hinge", .ratio = ratio};
  const Mechanism m = b.joint(rotor).build();
  Workspace work(m);
  return mass_matrix(m, work, numbers({0.3}))(0, 0);
}

/// The torque that keeps a turntable at a steady rate w while a mass moves out along a rail on it.
double turntable(double mass, double r, double speed, double w) {
  Builder b("turntable");
  b.body({.name = "table", .inertia = turning(5, {0, 0, 0}, {1, 1, 1})});
  b.body({.name = "slider", .inertia = point(mass, {0, 0, 0})});
  b.joint(joint("bearing", "revolute", kWorld, "table", {0, 0, 1}));
  const Mechanism m = b.joint(joint("rail", "prismatic", "table", "slider", {1, 0, 0})).build();
  Workspace work(m);
  return inverse_dynamics(m, work, numbers({0.7, r}), numbers({w, speed}), numbers({0, 0}))[0];
}

/// What a satellite's own turning gains when a motor accelerates a wheel on it; the whole floats.
double reaction_wheel(double body, double wheel, double torque) {
  Builder b("satellite");
  b.gravity({0, 0, 0}).body({.name = "hull", .inertia = turning(50, {0, 0, 0}, {9, 8, body})});
  b.body({.name = "wheel", .inertia = turning(3, {0, 0, 0}, {wheel, wheel, wheel})});
  b.joint(joint("free", "free", kWorld, "hull", {0, 0, 1}));
  const Mechanism m = b.joint(joint("motor", "revolute", "hull", "wheel", {0, 0, 1})).build();
  Workspace work(m);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(7);
  return forward_dynamics(m, work, m.neutral(), none, torque * Eigen::VectorXd::Unit(7, 6))[5];
}

}  // namespace

std::vector<VerificationEntry> dynamics_textbook() {
  return {
      worst_entry(closed_form("two_links_mass_matrix", "planar arm, alpha + 2 beta cos q2"), kSeeds,
                  two_links_mass_matrix),
      worst_entry(closed_form("two_links_coriolis", "planar arm, beta sin q2 and the rates"), kSeeds,
                  two_links_coriolis_matrix),
      worst_entry(closed_form("double_pendulum", "solved for both angular accelerations"), kSeeds, double_pendulum),
      worst_entry(closed_form("cart_pole", "solved for both accelerations"), kSeeds, cart_pole),
      worst_entry(closed_form("spherical_pendulum", "longitude and polar angle"), kSeeds, spherical_pendulum),
      worst_entry(closed_form("euler_equations", "Euler's equations of a thrown body"), kSeeds, euler_equations),
      worst_entry(closed_form("steady_precession", "heavy symmetric top, m g l = W (C w3 - A W cos tilt)"), kSeeds,
                  steady_precession),
      worst_entry(closed_form("plate_mass_matrix", "plate on a plane, centre of mass off the joint"), kSeeds,
                  plate_mass_matrix),
      number_entry(closed_form("nut_on_a_screw", "-m g h / (I + m h^2)"), -2 * kG * 0.05 / (0.01 + 2 * 0.05 * 0.05),
                   [] { return nut_on_a_screw(2.0, 0.01, 0.05); }),
      number_entry(closed_form("atwood", "g (m1 - m2) / (m1 + m2)"), kG * (3.0 - 2.0) / (3.0 + 2.0),
                   [] { return atwood(3.0, 2.0); }),
      number_entry(closed_form("reflected_inertia", "I + n^2 J"), 0.3 + 100.0 * 100.0 * 2e-4,
                   [] { return reflected_inertia(0.3, 2e-4, 100.0); }),
      number_entry(closed_form("turntable", "Coriolis, 2 m r w times the speed"), 2 * 1.5 * 0.8 * 2.0 * 0.6,
                   [] { return turntable(1.5, 0.8, 0.6, 2.0); }),
      number_entry(closed_form("reaction_wheel", "-torque / inertia of the hull"), -0.3 / 7.0,
                   [] { return reaction_wheel(7.0, 0.02, 0.3); }),
  };
}

}  // namespace amble
