#include "amble/dynamics/coordinates/chart_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/coordinates/chart_reference.hpp"
#include "amble/dynamics/coordinates/gauss.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/geometry/user_chart.hpp"

namespace amble {
namespace {

/// Modified Rodrigues parameters by rho alone: R = 1 + (8 [s]x^2 + 4 (1 - s.s) [s]x) / (1 + s.s)^2.
ChartPtr modified_rodrigues() {
  return user_chart({.name = "mrp", .size = 3, .rho = [](const SecondOrder* s) -> Matrix3<SecondOrder> {
                       const Vector3<SecondOrder> v(s[0], s[1], s[2]);
                       const SecondOrder n = v.dot(v), d = (SecondOrder(1.0) + n) * (SecondOrder(1.0) + n);
                       const Matrix3<SecondOrder> K = skew<SecondOrder>(v);
                       return Matrix3<SecondOrder>::Identity() + (SecondOrder(8.0) / d) * (K * K) +
                              (SecondOrder(4.0) * (SecondOrder(1.0) - n) / d) * K;
                     }});
}

std::vector<ChartPtr> all_charts() {
  std::vector<ChartPtr> charts{modified_rodrigues()};
  for (const char* name : {"rpy", "xyz", "zyz", "quaternion", "matrix", "exponential"}) charts.push_back(chart(name));
  return charts;
}

/// A random mechanism in motion, and its drives and contact forces.
struct Case {
  RandomState s;
  Eigen::VectorXd tau;
  std::vector<PointForce> forces;
  std::vector<ExternalWrench> wrenches;  ///< the same forces
};

Case make_case(RandomState s, std::uint64_t seed) {
  Case x{std::move(s), {}, {}, {}};
  Random random(seed + 77);
  x.tau = Eigen::VectorXd::NullaryExpr(x.s.m.nv(), [&](Eigen::Index) { return random.uniform(-3, 3); });
  Workspace work(x.s.m);
  const int last = static_cast<int>(x.s.m.bodies().size()) - 1;
  for (int body : {0, last, last}) {
    const auto vector = [&] { return Vector3<double>(random.normal(), random.normal(), random.normal()); };
    const PointForce f{body, vector(), vector()};
    const Vector3<double> local =
        pose(x.s.m, work, x.s.q, x.s.m.bodies()[body].name).rotation().matrix().transpose() * f.force;
    x.forces.push_back(f);
    x.wrenches.push_back({body, Wrench<double>(local, cross<double>(f.point, local))});
  }
  return x;
}

/// Every joint type, several roots, followers; free and spherical joints anywhere. Every fifth has a custom joint.
Case random_case(std::uint64_t seed) {
  if (seed % 5 == 4) {
    Builder b("cam on a ball");
    Random random(seed);
    const char* types[] = {"free", "custom", "spherical", "revolute"};
    std::string parent = kWorld;
    for (int i = 0; i < 4; ++i) {
      const std::string body = "body" + std::to_string(i);
      b.body({.name = body, .inertia = random_inertia(random)});
      JointDescription j{.name = "joint" + std::to_string(i), .type = types[i], .parent = parent, .child = body,
                         .X_PF = random_pose(random), .X_CM = random_pose(random)};
      if (i == 1) j.custom = std::make_shared<Cam>();
      b.joint(j);
      parent = body;
    }
    const Mechanism m = b.build();
    return make_case(in_motion(m, m.random(seed), seed), seed);
  }
  return make_case(random_state(seed, 12), seed);
}

struct Charted {
  ChartDynamics dynamics;
  Eigen::VectorXd q, qdot;
};

/// The case in charts, or nothing where one of them is close to its singularity.
std::optional<Charted> charted(const Case& x, const ChartPtr& chart) {
  ChartDynamics dynamics{ChartCoordinates(x.s.m, chart)};
  const ChartCoordinates& c = dynamics.coordinates();
  const Eigen::VectorXd q = c.from_configuration(x.s.q);
  for (const ChartBlock& b : c.blocks())
    if (b.chart->singularity_measure(q.segment(b.theta.start, b.theta.size)) < 0.05) return std::nullopt;
  const Eigen::VectorXd qdot = c.rates(q, x.s.v);
  dynamics.set_state(q, qdot);
  return Charted{std::move(dynamics), q, qdot};
}

double scale(const Eigen::MatrixXd& x) { return 1.0 + x.norm(); }

TEST(ChartDynamics, EveryChartGivesTheMotionOfTheCore) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case x = random_case(seed);
    Workspace work(x.s.m);
    const Eigen::VectorXd a = forward_dynamics(x.s.m, work, x.s.q, x.s.v, x.tau, x.wrenches);
    for (const ChartPtr& chart : all_charts()) {
      std::optional<Charted> at = charted(x, chart);
      if (!at) continue;
      SCOPED_TRACE(testing::Message() << chart->name() << ", seed " << seed);
      EXPECT_LT((at->dynamics.v() - x.s.v).norm(), 1e-12 * scale(x.s.v));
      const Eigen::VectorXd qddot = at->dynamics.forward(x.tau, x.forces);
      const Eigen::VectorXd torques = at->dynamics.inverse(qddot, x.forces);
      EXPECT_LT((torques - x.tau).norm(), 1e-9 * (scale(x.tau) + scale(a)));
      // v = T qdot differentiated along the motion, from coordinates alone.
      const ChartCoordinates& c = at->dynamics.coordinates();
      if (c.constraint_count() > 0) continue;  // this curve leaves those manifolds
      const Eigen::VectorXd slope = slope_at_zero([&](double t) -> Eigen::VectorXd {
        return c.velocity(at->q + t * at->qdot + 0.5 * t * t * qddot, at->qdot + t * qddot);
      }, 1e-3);
      EXPECT_LT((slope - a).norm(), 1e-8 * scale(a));
    }
  }
}

TEST(ChartDynamics, TheRecursiveRouteIsTheSumOverBodies) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Case x = random_case(seed);
    for (const ChartPtr& chart : all_charts()) {
      std::optional<Charted> at = charted(x, chart);
      if (!at) continue;
      SCOPED_TRACE(testing::Message() << chart->name() << ", seed " << seed);
      const ChartReference literal(at->dynamics.coordinates(), at->q, at->qdot);
      const Eigen::MatrixXd M = at->dynamics.mass_matrix(), N = at->dynamics.velocity_matrix();
      EXPECT_LT((M - literal.M()).norm(), 1e-12 * scale(M));
      EXPECT_LT((N - literal.N()).norm(), 1e-11 * scale(N));
      const ChartReference::Solution solved = literal.forward(x.tau, x.forces);
      const Eigen::VectorXd qddot = at->dynamics.forward(x.tau, x.forces);
      // Backward error: what the two motions ask of the forces.
      EXPECT_LT((M * (solved.qddot - qddot)).norm(), 1e-9 * (scale(M * qddot) + scale(x.tau)));
      EXPECT_LT(solved.lambda.norm(), 1e-9 * (scale(M * qddot) + scale(x.tau)));  // a chart carries nothing
      EXPECT_LT(at->dynamics.multiplier(x.tau, x.forces).norm(), 1e-10 * (scale(M * qddot) + scale(x.tau)));
      EXPECT_LT((literal.G() * qddot + literal.gamma()).norm(), 1e-11 * scale(qddot));
      EXPECT_LT((at->dynamics.constraint_jacobian() - literal.G()).norm(), 1e-14);
      EXPECT_LT((at->dynamics.constraint_bias() - literal.gamma()).norm(), 1e-14 * scale(literal.gamma()));
    }
  }
}

TEST(ChartDynamics, MassMatrixHasTheRankOfTheMotionAndItsRateIsThatOfTheVelocityMatrix) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case x = random_case(seed);
    for (const ChartPtr& chart : all_charts()) {
      std::optional<Charted> at = charted(x, chart);
      if (!at) continue;
      SCOPED_TRACE(testing::Message() << chart->name() << ", seed " << seed);
      const Eigen::MatrixXd M = at->dynamics.mass_matrix(), N = at->dynamics.velocity_matrix();
      const Eigen::VectorXd spectrum = Eigen::JacobiSVD<Eigen::MatrixXd>(M).singularValues();
      const int nv = x.s.m.nv();
      EXPECT_GT(spectrum[nv - 1], 1e-10 * spectrum[0]);
      for (int i = nv; i < M.rows(); ++i) EXPECT_LT(spectrum[i], 1e-13 * spectrum[0]);
      ChartDynamics& d = at->dynamics;
      if (d.coordinates().constraint_count() > 0) continue;  // straight lines leave those manifolds
      const Eigen::MatrixXd Mdot = slope_at_zero([&](double t) -> Eigen::MatrixXd {
        d.set_state(at->q + t * at->qdot, at->qdot);
        return d.mass_matrix();
      }, 1e-3);
      EXPECT_LT((Mdot - N - N.transpose()).norm(), 1e-8 * scale(Mdot));
    }
  }
}

TEST(ChartDynamics, JacobiansOfBodiesAreThoseOfTheCore) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case x = random_case(seed);
    Workspace work(x.s.m);
    for (const ChartPtr& chart : all_charts()) {
      std::optional<Charted> at = charted(x, chart);
      if (!at) continue;
      SCOPED_TRACE(testing::Message() << chart->name() << ", seed " << seed);
      const ChartCoordinates& c = at->dynamics.coordinates();
      const ChartReference literal(c, at->q, at->qdot);
      const int body = static_cast<int>(x.s.m.bodies().size()) - 1;
      const std::string& name = x.s.m.bodies()[body].name;
      const Vector3<double> p(0.3, -0.2, 0.5);
      const Eigen::MatrixXd aligned = jacobian(x.s.m, work, x.s.q, name, {p, JacobianFrame::aligned});
      const Eigen::MatrixXd local = jacobian(x.s.m, work, x.s.q, name, {p, JacobianFrame::local});
      Eigen::MatrixXd T(x.s.m.nv(), c.size());
      for (int k = 0; k < c.size(); ++k) T.col(k) = c.velocity(at->q, Eigen::VectorXd::Unit(c.size(), k));
      const Eigen::MatrixXd J_t = literal.translational_jacobian(body, p), J_r = literal.rotational_jacobian_local(body);
      EXPECT_LT((J_t - aligned.topRows(3) * T).norm(), 1e-12 * scale(aligned));
      EXPECT_LT((literal.rotational_jacobian_global(body) - aligned.bottomRows(3) * T).norm(), 1e-12 * scale(aligned));
      EXPECT_LT((J_r - local.bottomRows(3) * T).norm(), 1e-12 * scale(local));
      // BK (19): from one point of a body to another.
      const Matrix3<double> R = pose(x.s.m, work, x.s.q, name).rotation().matrix();
      const Vector3<double> other(-0.1, 0.4, 0.2);
      const Eigen::MatrixXd moved = J_t - R * skew<double>(other - p) * J_r;
      EXPECT_LT((moved - literal.translational_jacobian(body, other)).norm(), 1e-12 * scale(moved));
      if (c.constraint_count() > 0) continue;
      const auto along = [&](double t) { return ChartReference(c, at->q + t * at->qdot, at->qdot); };
      const Eigen::MatrixXd J_t_dot = slope_at_zero([&](double t) -> Eigen::MatrixXd {
        return along(t).translational_jacobian(body, p);
      }, 1e-3);
      const Eigen::MatrixXd J_r_dot = slope_at_zero([&](double t) -> Eigen::MatrixXd {
        return along(t).rotational_jacobian_local(body);
      }, 1e-3);
      EXPECT_LT((J_t_dot - literal.translational_jacobian_dot(body, p)).norm(), 1e-8 * scale(J_t_dot));
      EXPECT_LT((J_r_dot - literal.rotational_jacobian_local_dot(body)).norm(), 1e-8 * scale(J_r_dot));
    }
  }
}

/// The acceleration minimises BK (22) among those that keep the constraint, BK (30).
TEST(ChartDynamics, TheMotionDeviatesLeastAmongThoseThatKeepTheConstraints) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Case x = random_case(seed);
    Workspace work(x.s.m);
    for (const char* name : {"quaternion", "matrix"}) {
      std::optional<Charted> at = charted(x, chart(name));
      const ChartReference literal(at->dynamics.coordinates(), at->q, at->qdot);
      const Eigen::VectorXd qddot = literal.forward(x.tau, x.forces).qddot;
      const auto D = [&](const Eigen::VectorXd& candidate) {
        const Eigen::VectorXd tau = at->dynamics.inverse(candidate, x.forces);  // the forces it would take
        const Eigen::VectorXd a = forward_dynamics(x.s.m, work, x.s.q, x.s.v, tau, x.wrenches);
        return gauss_deviation(x.s.m, work, x.s.q, x.s.v, a, x.tau, x.wrenches);
      };
      const double least = D(qddot);
      const Eigen::MatrixXd A = at->dynamics.projector(), M = at->dynamics.mass_matrix();
      Random random(seed);
      for (int i = 0; i < 4; ++i) {
        const Eigen::VectorXd d =
            A * Eigen::VectorXd::NullaryExpr(qddot.size(), [&](Eigen::Index) { return random.normal(); });
        const double rise = 0.5 * d.dot(M * d);
        EXPECT_NEAR(D(qddot + d) - least, rise, 1e-8 * (1.0 + least + rise)) << name << ", seed " << seed;
      }
    }
  }
}

TEST(ChartDynamics, TheProjectorTakesAwayExactlyWhatTheConstraintsCarry) {
  const Case x = make_case(random_state(5, {.bodies = 5, .types = {"free", "spherical", "revolute"}}), 5);
  for (const char* name : {"quaternion", "matrix"}) {
    std::optional<Charted> at = charted(x, chart(name));
    const Eigen::MatrixXd A = at->dynamics.projector(), G = at->dynamics.constraint_jacobian();
    EXPECT_LT((A * A - A).norm(), 1e-13);
    EXPECT_LT((A - A.transpose()).norm(), 1e-14);
    EXPECT_LT((A * G.transpose()).norm(), 1e-13);
    EXPECT_EQ(std::lround(A.trace()), x.s.m.nv());
    // On a rotation matrix it maps F to R skew(R^T F), the antisymmetric part.
    if (std::string(name) != "matrix") continue;
    const ChartBlock& b = at->dynamics.coordinates().blocks()[0];
    const Matrix3<double> R(at->q.data() + b.theta.start), F = Matrix3<double>::Random();
    const Eigen::VectorXd f = F.reshaped();
    const Eigen::VectorXd mapped = A.block(b.theta.start, b.theta.start, 9, 9) * f;
    const Matrix3<double> expected = 0.5 * R * (R.transpose() * F - F.transpose() * R);
    EXPECT_LT((mapped - expected.reshaped()).norm(), 1e-14);
  }
}

/// BK (24): the weight of a floating mechanism is M (g, 0, 0).
TEST(ChartDynamics, WeightOfAFloatingMechanismIsTheMassMatrixTimesGravity) {
  Builder b("arm in flight");
  Random random(2);
  b.body({.name = "base", .inertia = random_inertia(random)});
  b.body({.name = "arm", .inertia = random_inertia(random)});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "base"});
  b.joint({.name = "shoulder", .type = "spherical", .parent = "base", .child = "arm", .X_PF = random_pose(random)});
  const Mechanism m = b.build();
  const Case x = make_case(in_motion(m, m.random(3), 3), 3);
  for (const ChartPtr& chart : all_charts()) {
    std::optional<Charted> at = charted(x, chart);
    if (!at) continue;
    const ChartReference literal(at->dynamics.coordinates(), at->q, at->qdot);
    Eigen::VectorXd g = Eigen::VectorXd::Zero(at->q.size());
    g.head<3>() = m.gravity();
    const Eigen::VectorXd weight = literal.applied_forces(Eigen::VectorXd::Zero(m.nv()));
    EXPECT_LT((literal.M() * g - weight).norm(), 1e-12 * scale(weight)) << chart->name();
    EXPECT_LT((at->dynamics.weight() - weight).norm(), 1e-12 * scale(weight)) << chart->name();
  }
}

TEST(ChartDynamics, ChartsMayDifferFromJointToJoint) {
  const Case x = make_case(random_state(8, {.bodies = 6, .types = {"free", "spherical", "universal"}}), 8);
  std::map<std::string, ChartPtr> own;
  const std::vector<ChartPtr> charts = all_charts();
  for (const Joint& joint : x.s.m.joints())
    if (joint.type == "free" || joint.type == "spherical") own[joint.name] = charts[own.size() % charts.size()];
  ASSERT_GE(own.size(), 2u);
  ChartDynamics d{ChartCoordinates(x.s.m, chart("quaternion"), own)};
  const Eigen::VectorXd q = d.coordinates().from_configuration(x.s.q);
  d.set_state(q, d.coordinates().rates(q, x.s.v));
  const Eigen::VectorXd torques = d.inverse(d.forward(x.tau, x.forces), x.forces);
  EXPECT_LT((torques - x.tau).norm(), 1e-9 * scale(x.tau));
  for (const auto& [joint, chart] : own) EXPECT_EQ(d.coordinates().block(joint).chart, chart);
  int numbers = 0;
  for (const std::string& joint : x.s.m.joint_names()) numbers += d.coordinates().slice(joint).size;
  EXPECT_EQ(numbers, d.coordinates().size());
}

TEST(ChartDynamics, DrivesOfAFloatingMechanismLeaveOutTheBase) {
  Builder b("floating");
  Random random(6);
  b.body({.name = "base", .inertia = random_inertia(random)});
  b.body({.name = "arm", .inertia = random_inertia(random)});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "base"});
  b.joint({.name = "elbow", .type = "revolute", .parent = "base", .child = "arm"});
  const Mechanism m = b.build();
  const RandomState s = in_motion(m, m.random(1), 1);
  ChartDynamics d{ChartCoordinates(m, chart("quaternion"))};
  const Eigen::VectorXd q = d.coordinates().from_configuration(s.q);
  d.set_state(q, d.coordinates().rates(q, s.v));
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(7);
  tau[6] = 2.5;
  const Eigen::VectorXd whole = d.forward(tau);
  EXPECT_EQ(whole, Eigen::VectorXd(d.forward(tau.tail(1))));
  EXPECT_NE(message_of([&] { d.forward(Eigen::VectorXd::Zero(3)); }).find("u has 3"), std::string::npos);
}

TEST(ChartDynamics, AQuaternionWithinAMillionthOfUnitIsNormalised) {
  const Case x = make_case(random_state(5, {.bodies = 3, .types = {"free", "spherical"}}), 5);
  for (const char* name : {"quaternion", "matrix"}) {
    std::optional<Charted> at = charted(x, chart(name));
    const Eigen::MatrixXd M = at->dynamics.mass_matrix();
    Eigen::VectorXd q = at->q;
    for (const ChartBlock& b : at->dynamics.coordinates().blocks()) q.segment(b.theta.start, b.theta.size) *= 1.0 + 9e-7;
    at->dynamics.set_state(q, at->qdot);
    EXPECT_LT((at->dynamics.mass_matrix() - M).norm(), 1e-13 * scale(M)) << name;
  }
}

TEST(ChartDynamics, StabilisationBringsConstraintsBack) {
  const Case x = make_case(random_state(5, {.bodies = 3, .types = {"free", "spherical"}}), 5);
  std::optional<Charted> at = charted(x, chart("quaternion"));
  ChartDynamics& d = at->dynamics;
  const Eigen::VectorXd off = at->q * (1.0 + 1e-8);
  d.set_state(off, at->qdot, 1e-3);
  d.set_stabilisation_rate(20.0);
  const Eigen::VectorXd qddot = d.forward(x.tau);
  const Eigen::VectorXd C = d.constraints(), G_qddot = d.constraint_jacobian() * qddot + d.constraint_bias();
  const Eigen::VectorXd C_dot = d.constraint_jacobian() * at->qdot;
  EXPECT_GT(C.norm(), 1e-8);
  EXPECT_LT((G_qddot + 2.0 * 20.0 * C_dot + 400.0 * C).norm(), 1e-9 * scale(qddot));
  EXPECT_NE(message_of([&] { d.set_stabilisation_rate(-1.0); }).find("-1"), std::string::npos);
}

TEST(ChartDynamics, BadInputIsNamedWithTheMeasureThatFailed) {
  const Case x = make_case(random_state(5, {.bodies = 1, .types = {"free"}}), 5);
  const std::string joint = x.s.m.joints()[0].name;
  const auto message = [&](const char* name, const Eigen::VectorXd& theta) {
    ChartDynamics d{ChartCoordinates(x.s.m, chart(name))};
    Eigen::VectorXd q = Eigen::VectorXd::Zero(d.coordinates().size());
    q.tail(theta.size()) = theta;
    return message_of([&] {
      d.set_state(q, Eigen::VectorXd::Zero(q.size()));
      d.forward(Eigen::VectorXd::Zero(6));
    });
  };
  const std::string none = message("quaternion", Eigen::Vector4d::Zero());
  EXPECT_NE(none.find(joint), std::string::npos) << none;
  EXPECT_NE(none.find("off by 1"), std::string::npos) << none;
  Matrix3<double> sheared = Matrix3<double>::Identity();
  sheared(0, 1) = 0.25;
  const std::string shear = message("matrix", sheared.reshaped());
  EXPECT_NE(shear.find("off by 0.25"), std::string::npos) << shear;
  const std::string locked = message("rpy", Eigen::Vector3d(0.3, std::numbers::pi / 2, 0.1));
  EXPECT_NE(locked.find("singularity measure is"), std::string::npos) << locked;
  EXPECT_NE(locked.find("rpy"), std::string::npos) << locked;
  Matrix3<double> mirror = Matrix3<double>::Identity();
  mirror(2, 2) = -1.0;
  EXPECT_NE(message("matrix", mirror.reshaped()), "");

  ChartDynamics d{ChartCoordinates(x.s.m, chart("quaternion"))};
  Eigen::VectorXd q = Eigen::VectorXd::Zero(7), qdot = Eigen::VectorXd::Zero(7);
  q[3] = 1.0, qdot[3] = 0.5;  // stretches the quaternion
  EXPECT_NE(message_of([&] { d.set_state(q, qdot); }).find("leave its manifold"), std::string::npos);
  EXPECT_NE(message_of([&] { d.set_state(q.head(6), qdot); }).find("q_chart has 6"), std::string::npos);
  EXPECT_NE(message_of([&] { d.forward(Eigen::VectorXd::Zero(6)); }).find("no state"), std::string::npos);
  q[0] = std::nan("");
  EXPECT_NE(message_of([&] { d.set_state(q, 0.0 * qdot); }).find("q_chart[0]"), std::string::npos);
  EXPECT_NE(message_of([&] { ChartCoordinates(x.s.m, nullptr); }).find("no chart"), std::string::npos);
  const RandomState arm = random_state(3, {.bodies = 2, .types = {"revolute"}});
  EXPECT_NE(message_of([&] {
              ChartCoordinates(arm.m, chart("rpy"), {{arm.m.joint_names()[0], chart("rpy")}});
            }).find("only free and spherical"),
            std::string::npos);
  EXPECT_NE(message_of([&] { ChartCoordinates(custom_state(1).m, chart("rpy")); }).find("do not add"), std::string::npos);
}

}  // namespace
}  // namespace amble
