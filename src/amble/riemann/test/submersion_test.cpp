#include "amble/riemann/submersion.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/riemann/double_geodesic.hpp"
#include "amble/riemann/known_geometry.hpp"
#include "amble/riemann/repeatability.hpp"
#include "amble/riemann/workspace_dynamics.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

Mechanism arm7() { return load(source_dir() + "/models/arm7.urdf"); }
OwnedVector bent() {
  Eigen::VectorXd q(7);
  q << 0.3, 0.6, -0.4, 1.1, 0.5, 0.7, -0.2;
  return q;
}
Eigen::VectorXd draw(int n, std::uint64_t seed) {
  Random random(seed);
  return Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) { return random.uniform(-1.0, 1.0); });
}

/// All kinds of tasks of one mechanism.
std::vector<TaskMapPtr> tasks_of(const Mechanism& m) {
  const std::string body = m.body_names().back();
  const TaskMapPtr position = position_task(m, body, {0.1, -0.2, 0.3}), pose = pose_task(m, body);
  const TaskMapPtr user = user_task(m, "squares", 2, [](const VectorRef& q) -> OwnedVector {
    return Eigen::Vector2d(q.squaredNorm(), std::sin(q[0]));
  });
  return {position,
          orientation_task(m, body),
          pose,
          center_of_mass_task(m),
          user,
          selected_task(position, {0, 2}),
          stacked_task({position, orientation_task(m, m.body_names().front())})};
}

TEST(Tasks, JacobiansAndTheirRatesAreDerivatives) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 4});
    const Mechanism& m = r.mechanism;
    const Eigen::VectorXd v = draw(m.nv(), seed);
    for (const TaskMapPtr& task : tasks_of(m)) {
      const OwnedVector x0 = task->value(r.q);
      const Eigen::VectorXd xdot = slope_at_zero([&](double t) {
        return Eigen::VectorXd(task->difference(x0, task->value(m.integrate(r.q, t * v))));
      });
      EXPECT_LT((xdot - task->jacobian(r.q) * v).norm(), 1e-8) << task->name() << " seed " << seed;
      const Eigen::MatrixXd rate = slope_at_zero(
          [&](double t) { return Eigen::MatrixXd(task->jacobian(m.integrate(r.q, t * v))); }, 1e-2);
      EXPECT_LT((rate - task->jacobian_rate(r.q, v)).norm(), 1e-6) << task->name() << " seed " << seed;
      const Eigen::VectorXd d = 0.3 * draw(task->dimension(), seed + 7);
      EXPECT_LT((task->difference(x0, task->integrate(x0, d)) - d).norm(), 1e-12) << task->name();
    }
  }
}

TEST(Tasks, AreRefusedByName) {
  const Mechanism m = arm7();
  EXPECT_THROW(position_task(m, "nobody"), Error);
  EXPECT_THROW(selected_task(pose_task(m, m.body_names().back()), {0}), Error);
  EXPECT_THROW(selected_task(center_of_mass_task(m), {3}), Error);
  EXPECT_THROW(stacked_task({}), Error);
  EXPECT_THROW(
      user_task(m, "wrong", 2, [](const VectorRef&) -> OwnedVector { return Eigen::Vector3d::Zero(); })
          ->value(bent()),
      Error);
}

TEST(Submersions, ProjectorsAreOrthogonalInTheMetric) {
  const Mechanism m = arm7();
  Workspace work(m);
  for (const TaskMapPtr& task : {pose_task(m, m.body_names().back()), center_of_mass_task(m)}) {
    const auto metric = kinetic_metric(m);
    const Submersion s = submersion(*task, *metric, bent());
    const Eigen::MatrixXd M = mass_matrix(m, work, bent());
    const int n = task->dimension();
    EXPECT_EQ(s.rank, n);
    EXPECT_LT((s.J * s.lift - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-10);
    EXPECT_LT((s.J * s.vertical).norm(), 1e-10);
    EXPECT_LT((s.horizontal * s.horizontal - s.horizontal).norm(), 1e-9);
    EXPECT_LT((s.horizontal.transpose() * M * s.vertical).norm(), 1e-9);
    const Eigen::MatrixXd gram = s.J * M.ldlt().solve(Eigen::MatrixXd(s.J.transpose()));
    EXPECT_NEAR(s.manipulability, std::sqrt(gram.determinant()), 1e-9 * s.manipulability);
  }
}

TEST(Submersions, LiftKeepsPenroseOneToThreeAndThePseudoinverseAllFour) {
  const Mechanism m = arm7();
  const TaskMapPtr task = pose_task(m, m.body_names().back());
  const Submersion s = submersion(*task, *kinetic_metric(m), bent());
  const auto lift = penrose_residuals(s.J, s.lift), pseudo = penrose_residuals(s.J, s.pseudoinverse);
  for (int i = 0; i < 4; ++i) EXPECT_LT(pseudo[i], 1e-10);
  for (int i = 0; i < 3; ++i) EXPECT_LT(lift[i], 1e-10);
  EXPECT_GT(lift[3], 1e-2);
}

/// AL Theorem III.2 with its true condition: the two inverses agree exactly where M ker J = ker J.
TEST(Submersions, LiftIsThePseudoinverseExactlyWhereMKeepsTheKernel) {
  const auto at = [](const Mechanism& m, const std::string& place, const Eigen::VectorXd& q) {
    return submersion(*pose_task(m, place), *kinetic_metric(m), q);
  };
  Eigen::VectorXd q(7);
  q << 0.2, -0.6, 0.4, 0.9, -0.3, 0.8, 0.1;
  // Flat chains, all of them; only equal drives let the theorem hold.
  const Submersion equal = at(drive_chain(std::vector<double>(7, 2.0)), "tool", q);
  EXPECT_LT(equal.kernel_defect, 1e-12);
  EXPECT_LT(equal.lift_difference, 1e-10);
  const Submersion unequal = at(drive_chain({7, 6, 5, 4, 3, 2, 1}), "tool", q);
  EXPECT_GT(unequal.kernel_defect, 0.05);
  EXPECT_GT(unequal.lift_difference, 0.05);
  const Mechanism slides = gantry(1, 2, 3);
  const Submersion ppp = submersion(*selected_task(position_task(slides, "tool"), {0, 1}),
                                    *kinetic_metric(slides), Eigen::Vector3d::Zero());
  EXPECT_GT(ppp.lift_difference, 0.1);
  Eigen::MatrixXd lift(3, 2);  // by hand: ker J = (1, 0, -1), and M = ((6, 0, 3), (0, 5, 0), (3, 0, 3))
  lift << 0, 0, 0, 1, 1, 0;
  EXPECT_LT((ppp.lift - lift).norm(), 1e-12);
}

TEST(Submersions, AreIsometriesWhereTheTheoryNeedsThem) {
  const Mechanism m = rigid_body(1.0, {1, 1, 1});
  const Submersion s = submersion(*pose_task(m, "body"), *kinetic_metric(m), m.random(3));
  EXPECT_LT(s.isometry_defect, 1e-12);
  const Mechanism arm = arm7();
  EXPECT_GT(
      submersion(*pose_task(arm, arm.body_names().back()), *kinetic_metric(arm), bent()).isometry_defect,
      0.1);
}

TEST(Singularities, AreToldApart) {
  const Mechanism m = planar_arm(3);
  const TaskMapPtr tip = selected_task(position_task(m, "tool"), {0, 1});
  const auto metric = kinetic_metric(m);
  EXPECT_EQ(singularity(*tip, nullptr, *metric, Eigen::Vector3d(0.1, 0.5, 0.8)).kind, SingularityKind::none);
  const Singularity straight = singularity(*tip, nullptr, *metric, Eigen::Vector3d(0.4, 0.0, 0.0));
  EXPECT_EQ(straight.kind, SingularityKind::kinematic);
  ASSERT_EQ(straight.lost.cols(), 1);
  EXPECT_LT(std::abs(straight.lost.col(0).dot(Eigen::Vector2d(-std::sin(0.4), std::cos(0.4)))),
            1e-9);  // lost: along the arm
  // The direction of the last link as further task: fails where the first two links are in line, J being of
  // full rank.
  const TaskMapPtr direction = user_task(
      m, "direction", 1,
      [](const VectorRef& q) -> OwnedVector { return Eigen::Matrix<double, 1, 1>(q.sum()); },
      [](const VectorRef&) -> OwnedMatrix { return Eigen::RowVector3d::Ones(); });
  EXPECT_EQ(singularity(*tip, direction.get(), *metric, Eigen::Vector3d(0.1, 0.5, 0.8)).kind,
            SingularityKind::none);
  EXPECT_EQ(singularity(*tip, direction.get(), *metric, Eigen::Vector3d(0.1, 0.0, 0.8)).kind,
            SingularityKind::algorithmic);
  EXPECT_THROW(extended_inverse(tip, direction)->value(Eigen::Vector3d(0.1, 0.0, 0.8)), Error);
  EXPECT_THROW(pseudoinverse(tip)->value(Eigen::Vector3d(0.4, 0.0, 0.0)), Error);
}

TEST(Damping, SaysWhatItCosts) {
  const Mechanism m = planar_arm(2);
  const TaskMapPtr tip = selected_task(position_task(m, "tool"), {0, 1});
  const auto metric = identity_metric(m);
  const Eigen::Vector2d along(1.0, 0.0);
  double last_error = -1.0;
  for (double q2 : {0.5, 0.05, 0.005, 0.0005}) {  // ever straighter, asked to move along itself
    const DampedLift lift = damped_lift(*tip, *metric, Eigen::Vector2d(0.0, q2), along);
    EXPECT_LT(lift.speed, 1.0 / (2.0 * 0.05) + 5.0);
    EXPECT_NEAR(lift.task_error, (along - tip->jacobian(Eigen::Vector2d(0.0, q2)) * lift.v).norm(), 1e-12);
    EXPECT_LE(lift.task_error, lift.worst_error + 1e-12);
    EXPECT_GE(lift.task_error, last_error);
    EXPECT_GE(lift.undamped_speed, lift.speed - 1e-12);
    last_error = lift.task_error;
  }
  EXPECT_NEAR(damped_lift(*tip, *metric, Eigen::Vector2d(0.0, 1.5), along).task_error, 0.0, 1e-12);
  EXPECT_TRUE(std::isinf(damped_lift(*tip, *metric, Eigen::Vector2d(0.0, 0.0), along).undamped_speed));
}

TEST(Inverses, HaveExactRates) {
  const Mechanism m = arm7();
  const TaskMapPtr task = pose_task(m, m.body_names().back());
  const TaskMapPtr elbow = selected_task(position_task(m, m.body_names()[3]), {2});
  const OwnedVector q = bent();
  const Eigen::VectorXd v = draw(7, 3);
  const OwnedMatrix W = Eigen::VectorXd::LinSpaced(7, 1.0, 3.0).asDiagonal().toDenseMatrix();
  const auto changing = configuration_metric(m, [](const VectorRef& at) -> OwnedMatrix {
    return (Eigen::VectorXd::Constant(7, 2.0) + at.array().sin().matrix()).asDiagonal().toDenseMatrix();
  });
  for (const InversePtr& inverse : {kinetic_lift(task), pseudoinverse(task), extended_inverse(task, elbow),
                                    weighted_inverse("weighted", task, constant_metric(m, W)),
                                    weighted_inverse("varying", task, changing)}) {
    const Eigen::MatrixXd rate =
        slope_at_zero([&](double t) { return Eigen::MatrixXd(inverse->value(m.integrate(q, t * v))); });
    EXPECT_LT((rate - inverse->rate(q, v)).norm(), 1e-8 * (1.0 + rate.norm())) << inverse->name();
    EXPECT_LT((task->jacobian(q) * inverse->value(q) - Eigen::MatrixXd::Identity(6, 6)).norm(), 1e-10)
        << inverse->name();
  }
  EXPECT_THROW(constant_metric(m, -W), Error);
  EXPECT_THROW(
      user_inverse("none", task, [](const VectorRef&) -> OwnedMatrix { return Eigen::MatrixXd::Zero(7, 6); })
          ->value(q),
      Error);
}

TEST(Repeatability, IntegrableInversesLeaveNoDriftOthersDo) {
  const Mechanism m = arm7();
  const TaskMapPtr task = position_task(m, m.body_names().back());
  const OwnedVector q = bent();
  const TaskCurve circle =
      circle_through(*task, task->value(q), Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 0, 1), 0.08);
  for (const InversePtr& inverse : {pseudoinverse(task), kinetic_lift(task)}) {
    EXPECT_FALSE(integrability(*inverse, q).integrable) << inverse->name();
    const Holonomy h = holonomy(*inverse, circle, q, 2, {.samples = 11});
    EXPECT_GT(h.drift[0].norm(), 1e-4) << inverse->name();
    EXPECT_LT(h.task_error, 1e-8);
  }
  // Three joints move the hand, the others stand still or follow them.
  const TaskMapPtr rest = user_task(m, "rest", 4, [](const VectorRef& at) -> OwnedVector {
    return Eigen::Vector4d(at[2] + 0.2 * at[1], at[4], at[5], at[6]);
  });
  const InversePtr extended = extended_inverse(task, rest);
  EXPECT_TRUE(integrability(*extended, q).integrable);
  EXPECT_LT(holonomy(*extended, circle, q, 1, {.samples = 11}).drift[0].norm(), 1e-8);
}

/// What a small loop leaves is its area times the vertical part of the bracket.
TEST(Repeatability, BracketsPredictTheDriftOfSmallLoops) {
  for (const auto& [m, place, q] :
       {std::tuple{planar_arm(3), std::string("tool"), OwnedVector(Eigen::Vector3d(0.3, 0.7, 0.6))},
        std::tuple{arm7(), std::string("flange"), bent()}}) {
    const std::string body = m.nv() == 7 ? m.body_names().back() : place;
    const TaskMapPtr task = m.nv() == 7 ? position_task(m, body) : selected_task(position_task(m, body), {0, 1});
    for (const InversePtr& inverse : {pseudoinverse(task), kinetic_lift(task)}) {
      const Integrability bracket = integrability(*inverse, q);
      const int n = task->dimension();
      const auto drift = [&](double radius) {
        const TaskCurve loop = circle_through(*task, task->value(q), Eigen::VectorXd::Unit(n, bracket.first),
                                              Eigen::VectorXd::Unit(n, bracket.second), radius);
        return Eigen::VectorXd(holonomy(*inverse, loop, q, 1, {.tolerance = 1e-12, .samples = 2}).drift[0] /
                               (std::numbers::pi * radius * radius));
      };
      // The circle touches x0 and lies to its side, so the error is odd and even in the radius: two steps of
      // Richardson.
      const Eigen::VectorXd a = drift(0.001), b = drift(0.0005), c = drift(0.00025);
      const Eigen::VectorXd limit = (8.0 * c - 6.0 * b + a) / 3.0;
      EXPECT_LT((limit - bracket.drift).norm(), 1e-4 * bracket.drift.norm()) << inverse->name();
    }
  }
}

TEST(Repeatability, LoopsMustClose) {
  const Mechanism m = planar_arm(3);
  const TaskMapPtr tip = selected_task(position_task(m, "tool"), {0, 1});
  const OwnedVector q = Eigen::Vector3d(0.3, 0.7, 0.6), x = tip->value(q);
  EXPECT_THROW(holonomy(
                   *pseudoinverse(tip),
                   [&](double t) {
                     return MovingTask{x + t * Eigen::Vector2d(0.1, 0), Eigen::Vector2d(0.1, 0)};
                   },
                   q),
               Error);
  EXPECT_THROW(circle_through(*tip, x, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1), -1.0), Error);
}

TEST(Workspace, DynamicsAreTheJointsOwn) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 6, .branching = 0.0, .fixed = 0.0});
    const Mechanism& m = r.mechanism;
    if (m.nv() < 7) continue;
    const TaskMapPtr task = pose_task(m, m.body_names().back());
    const Eigen::VectorXd v = draw(m.nv(), seed), F = draw(6, seed + 3);
    const WorkspaceDynamics w = workspace_dynamics(*task, r.q, v);
    Workspace work(m);
    const Eigen::VectorXd tau = task->jacobian(r.q).transpose() * F;
    const Eigen::VectorXd a = forward_dynamics(m, work, r.q, v, tau);
    const Eigen::VectorXd xddot = task->jacobian(r.q) * a + task->jacobian_rate(r.q, v) * v;
    EXPECT_LT((w.lambda * xddot + w.mu + w.p - F).norm(), 1e-7 * (1.0 + w.lambda.norm() + w.mu.norm()))
        << "seed " << seed;
    const OwnedVector wanted = draw(6, seed + 11), rest = draw(m.nv(), seed + 13);
    const VectorRef rest_ref(rest);
    const Eigen::VectorXd tau2 = lifted_feedback(*task, r.q, v, wanted, &rest_ref),
                          a2 = forward_dynamics(m, work, r.q, v, tau2);
    EXPECT_LT((task->jacobian(r.q) * a2 + task->jacobian_rate(r.q, v) * v - wanted).norm(),
              1e-7 * (1.0 + tau2.norm()))
        << "seed " << seed;
  }
}

/// A law of the tip's own error and the same law pulled back through the lift: one motion of the tip.
TEST(Workspace, FeedbackPulledBackHasItsOwnErrorDynamics) {
  const Mechanism m = arm7();
  const TaskMapPtr task = position_task(m, m.body_names().back());
  const OwnedVector q0 = bent();
  const Eigen::Vector3d goal = task->value(q0) + Eigen::Vector3d(0.05, -0.08, 0.06);
  const double stiffness = 30.0, damping = 4.0;
  VelocityFlow flow(m, [&](double, const VectorRef& q, const VectorRef& v, OwnedVector& tau) {
    const Eigen::Vector3d error = task->value(q) - goal, rate = task->jacobian(q) * v;
    const OwnedVector xddot = -stiffness * error - damping * rate;
    const OwnedVector brake = -0.5 * v;
    const VectorRef rest(brake);
    tau = lifted_feedback(*task, q, v, xddot, &rest);
  });
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-10});
  run.set_state(0.0, q0, Eigen::VectorXd::Zero(7));
  const Eigen::Vector3d start = task->value(q0) - goal;
  const double decay = damping / 2, frequency = std::sqrt(stiffness - decay * decay);
  for (double t : {0.2, 0.6, 1.2}) {
    run.run(t);
    const double factor =
        std::exp(-decay * t) * (std::cos(frequency * t) + decay / frequency * std::sin(frequency * t));
    EXPECT_LT((task->value(run.q()) - goal - factor * start).norm(), 1e-8) << t;
  }
}

TEST(Workspace, FunctionsPullBackByTheTransposedJacobian) {
  const Mechanism m = arm7();
  const TaskMapPtr task = position_task(m, m.body_names().back());
  const OwnedVector q = bent();
  const auto f = [](const Eigen::Vector3d& x) { return x[0] * x[1] + std::sin(x[2]); };
  const Eigen::Vector3d x = task->value(q), df(x[1], x[0], std::cos(x[2]));
  const LiftedFunction lifted = lifted_function(*task, q, df);
  for (int k = 0; k < 7; ++k) {
    const double slope = slope_at_zero(
        [&](double t) { return f(task->value(m.integrate(q, t * Eigen::VectorXd::Unit(7, k)))); });
    EXPECT_NEAR(lifted.differential[k], slope, 1e-10);
  }
  Workspace work(m);
  EXPECT_LT((mass_matrix(m, work, q) * lifted.gradient - lifted.differential).norm(), 1e-10);
}

TEST(DoubleGeodesics, AreFreeMotionsOfABodyWithThatInertia) {
  const DoubleGeodesic metric{.translation = 2.0, .rotation = 0.7};
  const Mechanism m = rigid_body(2.0, {0.7, 0.7, 0.7});
  const OwnedVector q = m.random(5);
  const TaskMapPtr pose = pose_task(m, "body");
  const auto connection = levi_civita(m);
  Christoffel gamma(6);
  connection->coefficients(q, gamma);
  const Vector6<double> X = draw(6, 1), Y = draw(6, 2);
  const auto twist = [](const Vector6<double>& x) { return Twist<double>(x); };
  EXPECT_LT((contract(gamma, Y, X) - DoubleGeodesic::connection(twist(X), twist(Y)).vector()).norm(), 1e-12);
  EXPECT_LT((connection->acceleration(q, X) - DoubleGeodesic::geodesic_rate(twist(X)).vector()).norm(),
            1e-12);
  const GeodesicEnd end = geodesic_end(*connection, q, X, 1.0);
  const OwnedVector x0 = pose->value(q), x1 = pose->value(end.q);
  const auto to_pose = [](const OwnedVector& x) {
    return Pose(SO3<double>(Quaternion<double>::from_xyzw(x.data() + 3)), Vector3<double>(x.head<3>()));
  };
  EXPECT_LT((DoubleGeodesic::geodesic(to_pose(x0), twist(X), 1.0).matrix() - to_pose(x1).matrix()).norm(),
            1e-10);
  EXPECT_LT((DoubleGeodesic::between(to_pose(x0), to_pose(x1)).vector() - X).norm(), 1e-10);
  EXPECT_NEAR(metric.distance(to_pose(x0), to_pose(x1)), std::sqrt(X.dot(metric.matrix() * X)), 1e-10);
  EXPECT_THROW((DoubleGeodesic{.translation = -1.0}.matrix()), Error);
}

}  // namespace
}  // namespace amble
