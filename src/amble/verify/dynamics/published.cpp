#include <cmath>
#include <numbers>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/joint_forces.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/line_coordinates.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/product_of_exponentials.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

using Vec3 = Vector3<double>;
using std::cos, std::sin;

constexpr int kSeeds = 100;

Claim printed(const std::string& name, const std::string& source) {
  return {"dynamics." + name, source, "published", 1e-13};
}
Claim equation(const std::string& name, const std::string& source) {
  return {"dynamics." + name, source, "two routes", 1e-12};
}

JointDescription joint(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const Vec3& axis, const Vec3& place = Vec3::Zero()) {
  return {.name = name, .type = type, .parent = parent, .child = child, .X_PF = Pose(place), .axis = axis};
}

/// DS prints the angular part first.
Eigen::MatrixXd angular_first(const Eigen::MatrixXd& J) {
  Eigen::MatrixXd out(6, J.cols());
  out << J.bottomRows(3), J.topRows(3);
  return out;
}

/// DS Fig 2.6: a slide, two gear wheels of unit radius, a slide on the second. The printed q1 of the second column
/// lacks its minus: wheel 3 turns about -x through (0, -q1, 3), whose moment is (0, -3, -q1).
double gears_and_slides(std::uint64_t seed) {
  Builder b("gears");
  const Inertia<double> any = inertia_of_points({{1.0, {0, 0, 0}}});
  for (const char* name : {"1", "2", "3", "4"}) b.body({.name = name, .inertia = any});
  b.joint(joint("slide", "prismatic", kWorld, "1", {0, -1, 0}));
  b.joint(joint("wheel", "revolute", "1", "2", {1, 0, 0}, {0, 0, 1}));
  JointDescription geared = joint("geared", "revolute", "1", "3", {1, 0, 0}, {0, 0, 3});
  geared.mimic = {.leader = "wheel", .ratio = -1.0};
  b.joint(geared).joint(joint("tip", "prismatic", "3", "4", {0, 0, 1}));
  const Mechanism m = b.build();
  const OwnedVector q = m.random(seed);
  Workspace work(m);
  Eigen::MatrixXd J(6, 3);
  J << 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -3, sin(q[1]), 0, -q[0], cos(q[1]);
  return relative_error(angular_first(jacobian(m, work, q, "4", {.frame = JacobianFrame::world})), J);
}

/// DS Fig 4.2 on a floor of slope gamma, in the floor's axes: two slides carry foot 1, then the two legs.
struct Compass {
  double m = 1.0, mH = 5.0, g = 9.81, gamma = 3.0 * std::numbers::pi / 180.0;

  Mechanism build() const {
    Builder b("compass");
    b.gravity({0, g * sin(gamma), -g * cos(gamma)});
    b.body({.name = "along"}).body({.name = "foot"});
    b.body({.name = "stance", .inertia = inertia_of_points({{m, {0, 0, 0.5}}, {mH, {0, 0, 1}}})});
    b.body({.name = "swing", .inertia = inertia_of_points({{m, {0, 0, -0.5}}})});
    b.joint(joint("q1", "prismatic", kWorld, "along", {0, 1, 0}));
    b.joint(joint("q2", "prismatic", "along", "foot", {0, 0, 1}));
    b.joint(joint("q3", "revolute", "foot", "stance", {1, 0, 0}));
    return b.joint(joint("q4", "revolute", "stance", "swing", {1, 0, 0}, {0, 0, 1})).build();
  }
};

double compass_jacobians(std::uint64_t seed) {
  const Mechanism m = Compass().build();
  const OwnedVector q = m.random(seed);
  Workspace work(m);
  const auto ours = [&](const char* leg) {
    return angular_first(jacobian(m, work, q, leg, {.frame = JacobianFrame::world}));
  };
  Eigen::MatrixXd J3 = Eigen::MatrixXd::Zero(6, 4), J4 = J3;
  J3.row(0) << 0, 0, 1, 0;
  J3.bottomRows(2) << 1, 0, q[1], 0, 0, 1, -q[0], 0;
  J4.row(0) << 0, 0, 1, 1;
  J4.bottomRows(2) << 1, 0, q[1], q[1] + cos(q[2]), 0, 1, -q[0], -q[0] + sin(q[2]);
  return relative_error(ours("stance"), J3) + relative_error(ours("swing"), J4);
}

double compass_mass_matrix(std::uint64_t seed) {
  const Compass c;
  const Mechanism m = c.build();
  const OwnedVector q = m.random(seed);
  Workspace work(m);
  const double coupling = 0.25 * c.m * (1 - 2 * cos(q[3]));
  Eigen::MatrixXd M(2, 2);
  M << c.mH + 1.5 * c.m - c.m * cos(q[3]), coupling, coupling, 0.25 * c.m;
  return relative_error(mass_matrix(m, work, q).bottomRightCorner<2, 2>(), M);
}

double compass_gravity(std::uint64_t seed) {
  const Compass c;
  const Mechanism m = c.build();
  const OwnedVector q = m.random(seed);
  Workspace work(m);
  const double all = (2 * c.m + c.mH) * c.g, s3 = sin(q[2] - c.gamma), s34 = sin(q[2] + q[3] - c.gamma);
  Eigen::VectorXd slope(4);
  slope << -all * sin(c.gamma), all * cos(c.gamma), -(1.5 * c.m + c.mH) * c.g * s3 + 0.5 * c.m * c.g * s34,
      0.5 * c.m * c.g * s34;
  return relative_error(gravity_forces(m, work, q), slope);
}

Vector6<double> random_wrench(Random& random) {
  return Vector6<double>::NullaryExpr([&](Eigen::Index) { return random.uniform(-10, 10); });
}

/// DS (2.85): the momentum of a rigid body in its own axes.
double body_momentum(std::uint64_t seed) {
  Random random(seed);
  const Inertia<double> I = random_inertia(random);
  Builder b("body");
  b.gravity({0, 0, 0}).body({.name = "body", .inertia = I});
  const Mechanism m = b.joint(joint("free", "free", kWorld, "body", {0, 0, 1})).build();
  const Motion s = in_motion(m, m.random(seed), seed);
  const Vector6<double> W = random_wrench(random);
  const std::vector<ExternalWrench> external{{0, Wrench<double>(W)}};
  Workspace work(m);
  const Vec3 linear = s.v.head<3>(), angular = s.v.tail<3>();
  const Vector6<double> p = I.matrix() * s.v;
  const Vec3 pa = p.tail<3>(), pb = p.head<3>();
  Vector6<double> rate = W;
  rate.head<3>() += cross<double>(pb, angular);
  rate.tail<3>() += cross<double>(pa, angular) + cross<double>(pb, linear);
  return relative_error(I.matrix() * forward_dynamics(m, work, s.q, s.v, Eigen::VectorXd::Zero(6), external), rate);
}

/// ZB (8), (9): each column the joint's twist of the reference configuration, carried along.
double twists_of_a_chain(std::uint64_t seed) {
  const Motion s = random_motion(
      seed, {.bodies = 8, .types = {"revolute", "prismatic", "helical", "cylindrical", "universal", "planar"},
             .branching = 0.0});
  const ProductOfExponentials chain = product_of_exponentials(s.m, "body7");
  Workspace work(s.m);
  Eigen::MatrixXd spatial(6, s.m.nv()), body(6, s.m.nv());
  Pose before;
  const Pose X = pose(s.m, work, s.q, "body7");
  for (std::size_t j = 0; j < chain.screws.size(); ++j) {
    const int k = chain.coordinates[j];
    const Twist<double> carried = before * chain.screws[j];
    spatial.col(k) = carried.vector(), body.col(k) = (X.inverse() * carried).vector();
    before = before * Pose::exp(s.q[k] * chain.screws[j]);
  }
  return relative_error(jacobian(s.m, work, s.q, "body7", {.frame = JacobianFrame::world}), spatial) +
         relative_error(jacobian(s.m, work, s.q, "body7"), body);
}

/// A random tree with its first body floating, or held at the origin.
Mechanism on_base(std::uint64_t seed, const char* root) {
  ModelDescription d = random_mechanism(seed, {.bodies = 12, .properties = false}).mechanism.description();
  JointDescription& j = d.joints.front();
  j = {.name = j.name, .type = root, .parent = kWorld, .child = j.child};
  return compile(d);
}

/// BK (14)-(17) in the velocities of the base, J_omega = 1: floating Jacobians by those of the held base.
double floating_jacobians(std::uint64_t seed) {
  const Mechanism m = on_base(seed, "free"), held = on_base(seed, "fixed");
  const OwnedVector q = m.random(seed);
  const Eigen::VectorXd inner = q.tail(held.nq());
  Workspace work(m), held_work(held);
  const JacobianOptions at{.point = {0.1, -0.2, 0.3}, .frame = JacobianFrame::aligned};
  const std::string& last = m.bodies().back().name;
  const Pose X_0 = pose(m, work, q, m.bodies().front().name), X_k = pose(m, work, q, last);
  const Matrix3<double> R0 = X_0.rotation().matrix(), r = skew<double>(X_k * at.point - X_0.translation());
  const Eigen::MatrixXd J_hat = jacobian(held, held_work, inner, last, at);
  Eigen::MatrixXd J(6, m.nv());
  J << R0, -r * R0, R0 * J_hat.topRows(3), Matrix3<double>::Zero(), R0, R0 * J_hat.bottomRows(3);
  return relative_error(jacobian(m, work, q, last, at), J);
}

/// Of one body about its centre of mass: translation in world axes, rotation in body axes, and their rates.
struct BodyJacobians {
  Eigen::MatrixXd t, r, t_dot, r_dot;
  BodyJacobians(const Motion& s, Workspace& work, const Body& b) {
    const JacobianOptions world{.point = b.inertia.com(), .frame = JacobianFrame::aligned};
    t = jacobian(s.m, work, s.q, b.name, world).topRows(3);
    r = jacobian(s.m, work, s.q, b.name).bottomRows(3);
    t_dot = jacobian_dot(s.m, work, s.q, s.v, b.name, world).topRows(3);
    r_dot = jacobian_dot(s.m, work, s.q, s.v, b.name).bottomRows(3);
  }
};

/// BK (25), the same as ZB 2.2 and DS (2.59).
double mass_matrix_by_bodies(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  Eigen::MatrixXd M = s.m.armature().asDiagonal();
  for (const Body& b : s.m.bodies()) {
    const BodyJacobians J(s, work, b);
    M += b.inertia.mass() * J.t.transpose() * J.t + J.r.transpose() * b.inertia.about_com() * J.r;
  }
  return relative_error(mass_matrix(s.m, work, s.q), M);
}

/// BK (24), (26) in our velocities: bias = N v - the weights.
double bias_by_bodies(std::uint64_t seed) {
  const int bodies = 1 + static_cast<int>(seed) % 30;
  const Motion s = random_motion(seed, {.bodies = bodies, .mimic = 0.1, .properties = false});
  Workspace work(s.m);
  Eigen::VectorXd bias = Eigen::VectorXd::Zero(s.m.nv());
  for (const Body& b : s.m.bodies()) {
    const BodyJacobians J(s, work, b);
    const Matrix3<double> I = b.inertia.about_com();
    const Vec3 w = J.r * s.v, fall = J.t_dot * s.v - s.m.gravity(), turn = J.r_dot * s.v;
    bias += b.inertia.mass() * J.t.transpose() * fall + J.r.transpose() * (I * turn - cross<double>(I * w, w));
  }
  return relative_error(bias_forces(s.m, work, s.q, s.v), bias);
}

/// ZB 2.3, DS (2.51): a motor between two links is felt at its own joint alone.
double motors_at_joints(std::uint64_t seed) {
  const Motion s = random_motion(seed, {.bodies = 10, .types = {"revolute", "prismatic"}});
  Workspace work(s.m);
  std::vector<ActuatorBetween> motors;
  for (const Joint& j : s.m.joints()) {
    const std::string child = s.m.bodies()[j.child].name;
    const Vector6<double> S = jacobian(s.m, work, s.q, child).col(j.v.start);
    const bool turns = j.type == "revolute";
    const Wrench<double> unit(turns ? Vec3::Zero() : Vec3(S.head<3>()), turns ? Vec3(S.tail<3>()) : Vec3::Zero());
    motors.push_back({s.m.place(j.parent < 0 ? kWorld : s.m.bodies()[j.parent].name), s.m.place(child),
                      s.a[j.v.start] * unit});
  }
  return relative_error(actuator_forces(s.m, work, s.q, motors), s.a);
}

/// Kool (6)-(10) as they stand: the momentum beyond an axis times ad(V) L, all about the world's origin.
double kinetic_gradient_by_lines(std::uint64_t seed) {
  const Motion s = random_motion(
      seed, {.bodies = 8, .types = {"revolute", "prismatic", "helical"}, .branching = 0.0, .properties = false});
  Workspace work(s.m);
  const int n = s.m.nv();
  std::vector<Twist<double>> V, L;
  std::vector<Wrench<double>> momentum;
  for (const Body& b : s.m.bodies()) {
    const Eigen::MatrixXd J = jacobian(s.m, work, s.q, b.name, {.frame = JacobianFrame::world});
    V.emplace_back(Vector6<double>(J * s.v)), L.emplace_back(Vector6<double>(J.col(static_cast<int>(L.size()))));
    momentum.push_back((pose(s.m, work, s.q, b.name) * b.inertia) * V.back());
  }
  Eigen::VectorXd gradient(n);
  Wrench<double> beyond;
  for (int i = n - 1; i >= 0; --i) {
    beyond += momentum[i];
    gradient[i] = power(cross(i > 0 ? V[i - 1] : Twist<double>(), L[i]), beyond);
  }
  return relative_error(kinetic_energy_gradient(s.m, work, s.q, s.v), gradient);
}

}  // namespace

std::vector<VerificationEntry> dynamics_published() {
  return {
      worst_entry(printed("gears_and_slides", "DS (2.43), with -q1 in its second column"), kSeeds, gears_and_slides),
      worst_entry(printed("compass_jacobians", "DS (4.5)"), kSeeds, compass_jacobians),
      worst_entry(printed("compass_mass_matrix", "DS (4.6)"), kSeeds, compass_mass_matrix),
      worst_entry(printed("compass_gravity", "the gradient of DS (4.7)"), kSeeds, compass_gravity),
      worst_entry(equation("body_momentum", "DS (2.85), Ex 2.19"), kSeeds, body_momentum),
      worst_entry(equation("twists_of_a_chain", "ZB (8), (9); DS Lemma 2.12"), kSeeds, twists_of_a_chain),
      worst_entry(equation("floating_jacobians", "BK (14)-(17)"), kSeeds, floating_jacobians),
      worst_entry(equation("mass_matrix_by_bodies", "BK (25); ZB 2.2; DS (2.59)"), kSeeds, mass_matrix_by_bodies),
      worst_entry(equation("bias_by_bodies", "BK (24), (26)"), kSeeds, bias_by_bodies),
      worst_entry(equation("motors_at_joints", "ZB 2.3; DS (2.51)"), kSeeds, motors_at_joints),
      worst_entry(equation("kinetic_gradient_by_lines", "Kool (6)-(10)"), kSeeds, kinetic_gradient_by_lines),
  };
}

}  // namespace amble
