#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/control/tasks/pose_task.hpp"
#include "amble/control/test/standing_robot.hpp"
#include "amble/mechanism/builder.hpp"

// BK (36), (37), (38): one motion.
namespace amble {
namespace {

WholeBodySettings in(Formulation formulation, const std::string& chart = "quaternion") {
  WholeBodySettings settings;
  settings.formulation = formulation, settings.chart = chart;
  return settings;
}

/// The humanoid squats, sways and turns its trunk; its state after `duration` of Euler's symplectic steps.
OwnedVector motion(const WholeBodySettings& settings, double duration, double step) {
  Standing s(settings);
  s.posture->weight = 1e-3;
  const Vector3<double> home = s.com->position;
  for (int i = 0; i < static_cast<int>(duration / step + 0.5); ++i) {
    const double t = i * step;
    s.com->position = home + Vector3<double>(0.02 * std::sin(2 * t), 0.03 * std::sin(3 * t), -0.04 * (1 - std::cos(3 * t)));
    s.trunk->rotation = SO3<double>::exp({0.1 * std::sin(t), 0.2 * std::sin(2 * t), 0.3 * std::sin(t)});
    const WholeBodyResult& r = s.controller->solve(s.q, s.v, t);
    EXPECT_TRUE(r.solved()) << t << " " << s.controller->report();
    if (!r.solved()) break;
    s.v += step * r.a, s.q = s.m.integrate(s.q, step * s.v);
  }
  OwnedVector state(s.q.size() + s.v.size());
  state << s.q, s.v;
  return state;
}

TEST(Formulations, three_formulations_give_one_motion_over_five_seconds) {
  const OwnedVector lie = motion(in(Formulation::lie_algebra), 5.0, 0.01);
  const OwnedVector projected = motion(in(Formulation::chart_projected), 5.0, 0.01);
  const OwnedVector multiplier = motion(in(Formulation::chart_multiplier), 5.0, 0.01);
  EXPECT_LT((lie - projected).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((lie - multiplier).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT((lie - projected).cwiseAbs().maxCoeff(), 0.0);  // they are not the same computation
}

TEST(Formulations, charts_and_ball_joints_do_not_matter) {
  Builder b("turner");
  const auto ball = [](double mass) {
    return Inertia<double>::from_com(mass, Vector3<double>(0.05, 0.1, 0.0), Matrix3<double>::Identity() * 0.05 * mass);
  };
  b.body({.name = "trunk", .inertia = ball(10.0)}), b.body({.name = "upper", .inertia = ball(2.0)});
  b.body({.name = "hand", .inertia = ball(1.0)});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "trunk"});
  b.joint({.name = "shoulder", .type = "spherical", .parent = "trunk", .child = "upper"});
  b.joint({.name = "elbow", .type = "revolute", .parent = "upper", .child = "hand",
           .X_PF = Pose(Vector3<double>(0.5, 0, 0)), .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  Eigen::VectorXd away(m.nv());
  for (int j = 0; j < m.nv(); ++j) away[j] = 0.3 * std::sin(j + 1.0);
  OwnedVector q = m.integrate(m.neutral(), away), v(0.3 * away);
  auto task = std::make_shared<PoseTask>("hand", m, "hand");
  auto posture = std::make_shared<PostureTask>("posture", m);
  posture->q = q, posture->weight = 0.1;
  task->pose = Pose(SO3<double>::about(0, 0.4), Vector3<double>(0.3, 0.2, 0.1));
  ContactPatch foot{.name = "foot", .place = "trunk", .X_PC = Pose(Vector3<double>(0, 0, -0.2)),
                    .points = rectangle(0.3, 0.3), .largest_force = 1e3};
  OwnedVector first;
  for (const Formulation f : {Formulation::lie_algebra, Formulation::chart_projected, Formulation::chart_multiplier})
    for (const std::string chart : {"quaternion", "rpy", "matrix", "exponential"}) {
      WholeBodySettings settings = in(f, chart);
      settings.torque_limit = OwnedVector(Eigen::VectorXd::Constant(m.nv(), 40.0));
      WholeBodyController c(m, {task, posture}, {foot}, settings);
      c.hold(0);
      const WholeBodyResult& r = c.solve(q, v);
      ASSERT_TRUE(r.solved()) << chart << " " << c.report();
      if (first.size() == 0) first = r.a;
      EXPECT_LT((r.a - first).cwiseAbs().maxCoeff(), 1e-6 * (1.0 + first.cwiseAbs().maxCoeff())) << chart;
    }
  EXPECT_NE(message_of([&] { WholeBodyController(m, {}, {}, in(Formulation::chart_projected, "polar")); }), "");
}

}  // namespace
}  // namespace amble
