#include "amble/control/whole_body_controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/control/tasks/contact_force_task.hpp"
#include "amble/control/tasks/momentum_task.hpp"
#include "amble/control/tasks/point_task.hpp"
#include "amble/control/tasks/pose_task.hpp"
#include "amble/control/test/standing_robot.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {
namespace {

using Eigen::VectorXd;

/// Joint forces of contact forces, from Jacobians of points alone.
VectorXd forces_on_joints(const Mechanism& m, const OwnedVector& q, const std::vector<ContactPatch>& patches,
                          const OwnedVector& forces) {
  Workspace work(m);
  VectorXd sum = VectorXd::Zero(m.nv());
  int at = 0;
  for (const ContactPatch& patch : patches)
    for (const Vector3<double>& p : patch.points) {
      const JacobianOptions there{.point = patch.X_PC * p, .frame = JacobianFrame::aligned};
      const Eigen::MatrixXd J = jacobian(m, work, q, patch.place, there);
      sum += J.topRows(3).transpose() * forces.segment<3>(at);
      at += 3;
    }
  return sum;
}

TEST(WholeBody, WhatItFindsObeysTheEquationOfMotionAndAllLimits) {
  Standing s;
  Random random(1);
  Workspace work(s.m);
  for (int trial = 0; trial < 20; ++trial) {
    for (double& x : s.v) x = 0.05 * random.normal();
    const WholeBodyResult& r = s.controller->solve(s.q, s.v);
    ASSERT_EQ(r.status, WholeBodyStatus::solved)
        << s.controller->report() << " residual " << r.certificate.residual();
    EXPECT_LT(r.certificate.residual(), 1e-9);
    const VectorXd needed = inverse_dynamics(s.m, work, s.q, s.v, r.a);
    const VectorXd off =
        needed + s.m.damping().cwiseProduct(s.v) - r.tau - forces_on_joints(s.m, s.q, soles(), r.forces);
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-7);
    for (int j = 0; j < s.m.nv(); ++j) EXPECT_LE(std::abs(r.tau[j]), j < 6 ? 0.0 : s.m.effort_limit()[j]);
    for (int p = 0; p < r.forces.size() / 3; ++p) {
      const Eigen::Vector3d f = r.forces.segment<3>(3 * p);
      EXPECT_LE(f.head<2>().norm(), 0.6 * f[2] + 1e-9);
    }
  }
}

TEST(WholeBody, at_rest_the_feet_carry_the_weight) {
  Standing s;
  const WholeBodyResult& r = s.controller->solve(s.q, s.v);
  ASSERT_TRUE(r.solved());
  EXPECT_LT(r.a.cwiseAbs().maxCoeff(), 0.05);
  const double up = s.controller->contact_wrench(0).linear()[2] + s.controller->contact_wrench(1).linear()[2];
  EXPECT_NEAR(up, 9.81 * s.m.mass(), 2.0);
}

/// The second derivative of a measurement along a motion with the accelerations a, by differences of order
/// four.
template <class F>
VectorXd second_difference(const Mechanism& m, const OwnedVector& q, const OwnedVector& v,
                           const OwnedVector& a, F f) {
  constexpr double h = 2e-3;
  const auto at = [&](double t) -> VectorXd {
    // v(t) = v + t a, integrated by a commutator-free step of order four: two exponentials.
    const VectorXd w1 = t * (v + a * (0.5 - std::sqrt(3.0) / 6.0) * t),
                   w2 = t * (v + a * (0.5 + std::sqrt(3.0) / 6.0) * t);
    const double k1 = 0.25 + std::sqrt(3.0) / 6.0, k2 = 0.25 - std::sqrt(3.0) / 6.0;
    const OwnedVector half = m.integrate(q, k1 * w1 + k2 * w2);
    return f(m.integrate(half, k2 * w1 + k1 * w2));
  };
  return (-at(2 * h) + 16 * at(h) - 30 * at(0) + 16 * at(-h) - at(-2 * h)) / (12 * h * h);
}

struct Arm {
  Mechanism m = load(source_dir() + "/models/arm7.urdf", {});
  OwnedVector q, v;
  std::string hand = m.body_names().back();
  explicit Arm(int seed) : q(m.random(seed)), v(m.nv()) {
    Random random(seed);
    for (double& x : v) x = random.normal();
  }
  WholeBodySettings open() const {
    return {.acceleration_weight = 1e-9,
            .torque_limits = false,
            .position_limits = false,
            .velocity_limits = false};
  }
};

TEST(WholeBody, a_point_accelerates_as_it_is_asked_to) {
  for (int seed = 1; seed < 6; ++seed) {
    Arm x(seed);
    const Vector3<double> point(0.1, -0.05, 0.2);
    auto task = std::make_shared<PointTask>("hand", x.m, x.hand, point);
    task->gains = {0.0, 0.0}, task->acceleration = {1.0, -2.0, 3.0};
    WholeBodyController c(x.m, {task}, {}, x.open());
    const WholeBodyResult& r = c.solve(x.q, x.v);
    ASSERT_TRUE(r.solved());
    Workspace work(x.m);
    const VectorXd a = second_difference(x.m, x.q, x.v, r.a, [&](const OwnedVector& q) -> VectorXd {
      return pose(x.m, work, q, x.hand) * point;
    });
    EXPECT_LT((a - Eigen::Vector3d(1, -2, 3)).norm(), 1e-5) << seed;
    EXPECT_LT(r.task_residuals[0], 1e-5);
  }
}

TEST(WholeBody, the_centre_of_mass_and_momentum_change_as_they_are_asked_to) {
  for (int seed = 1; seed < 5; ++seed) {
    Arm x(seed);
    auto task = std::make_shared<ComTask>("com", x.m);
    task->gains = {0.0, 0.0}, task->acceleration = {0.4, -0.3, 0.2};
    WholeBodyController c(x.m, {task}, {}, x.open());
    ASSERT_TRUE(c.solve(x.q, x.v).solved());
    Workspace work(x.m);
    const VectorXd a = second_difference(x.m, x.q, x.v, c.result().a, [&](const OwnedVector& q) -> VectorXd {
      return center_of_mass(x.m, work, q);
    });
    EXPECT_LT((a - task->acceleration).norm(), 1e-5) << seed;

    auto spin = std::make_shared<MomentumTask>("spin", x.m);
    spin->damping = 0.0, spin->rate << 0, 0, 0, 0.3, -0.2, 0.1;
    WholeBodyController other(x.m, {spin}, {}, x.open());
    const OwnedVector acceleration = other.solve(x.q, x.v).a;
    constexpr double h = 1e-6;
    const auto momentum_at = [&](double t) -> VectorXd {
      const OwnedVector q = x.m.integrate(x.q, t * x.v + 0.5 * t * t * acceleration);
      return momentum(x.m, work, q, x.v + t * acceleration);
    };
    const VectorXd rate = (momentum_at(h) - momentum_at(-h)) / (2 * h);
    EXPECT_LT((rate.tail(3) - spin->rate.tail(3)).norm(), 1e-6) << seed;
  }
}

/// A target that moves along a screw at constant speed is followed without error once it is reached.
TEST(WholeBody, poses_and_rotations_follow_moving_targets) {
  for (int seed = 1; seed < 5; ++seed) {
    Arm x(seed);
    Workspace work(x.m);
    const Pose X = pose(x.m, work, x.q, x.hand);
    const Twist<double> V(Eigen::MatrixXd(jacobian(x.m, work, x.q, x.hand)) * x.v),
        A({0.3, 0.1, -0.2}, {0.5, -0.4, 0.2});
    auto task = std::make_shared<PoseTask>("hand", x.m, x.hand);
    task->pose = X, task->velocity = V, task->acceleration = A;
    WholeBodyController c(x.m, {task}, {}, x.open());
    ASSERT_TRUE(c.solve(x.q, x.v).solved());
    constexpr double h = 1e-5;
    const auto twist_at = [&](double t) -> VectorXd {
      const OwnedVector q = x.m.integrate(x.q, t * x.v + 0.5 * t * t * c.result().a);
      return Eigen::MatrixXd(jacobian(x.m, work, q, x.hand)) * (x.v + t * c.result().a);
    };
    EXPECT_LT(((twist_at(h) - twist_at(-h)) / (2 * h) - A.vector()).norm(), 1e-5) << seed;
    EXPECT_NEAR(task->error(), 0.0, 1e-12);

    auto turn = std::make_shared<OrientationTask>("turn", x.m, x.hand);
    turn->rotation = X.rotation(), turn->velocity = V.angular(), turn->acceleration = A.angular();
    WholeBodyController other(x.m, {turn}, {}, x.open());
    const OwnedVector a = other.solve(x.q, x.v).a;
    const auto spin_at = [&](double t) -> VectorXd {
      const OwnedVector q = x.m.integrate(x.q, t * x.v + 0.5 * t * t * a);
      return (Eigen::MatrixXd(jacobian(x.m, work, q, x.hand)) * (x.v + t * a)).tail(3);
    };
    EXPECT_LT(((spin_at(h) - spin_at(-h)) / (2 * h) - A.angular()).norm(), 1e-5) << seed;
  }
}

TEST(WholeBody, an_arm_comes_to_a_pose_from_anywhere) {
  Arm x(3);
  Workspace work(x.m);
  auto task = std::make_shared<PoseTask>("hand", x.m, x.hand);
  auto rest = std::make_shared<PostureTask>("rest", x.m);
  rest->level = 2, rest->q = x.m.random(8);
  task->pose = pose(x.m, work, rest->q, x.hand);
  WholeBodyController c(x.m, {task, rest}, {}, x.open());
  x.v.setZero();
  for (int i = 0; i < 3000; ++i) {
    const WholeBodyResult& r = c.solve(x.q, x.v, 1e-3 * i);
    ASSERT_TRUE(r.solved()) << i;
    x.v += 1e-3 * r.a, x.q = x.m.integrate(x.q, 1e-3 * x.v);
  }
  EXPECT_LT(task->error(), 1e-4);
}

TEST(WholeBody, a_higher_level_is_served_as_if_the_lower_ones_were_not_there) {
  Arm x(2);
  auto first = std::make_shared<PointTask>("first", x.m, x.hand);
  auto second = std::make_shared<PointTask>("second", x.m, x.hand, Vector3<double>(0, 0, 0.1));
  auto third = std::make_shared<PostureTask>("third", x.m);
  first->gains = second->gains = {0.0, 0.0};
  first->acceleration = {1, 0, 0}, second->acceleration = {-5, 7, 3};
  second->level = 2, third->level = 3, second->weight = 1e4, third->weight = 1e4;
  third->q = x.q;
  WholeBodyController c(x.m, {third, second, first}, {}, x.open());
  const WholeBodyResult& r = c.solve(x.q, x.v);
  ASSERT_TRUE(r.solved()) << c.report();
  EXPECT_EQ(r.levels, 3);
  EXPECT_LT(r.task_residuals[2], 1e-6);  // first
  EXPECT_GT(r.task_residuals[1], 1e-3);  // the distance of two points cannot change
  const double second_alone = r.task_residuals[1];
  third->enabled = false;
  c.solve(x.q, x.v);
  EXPECT_NEAR(c.result().task_residuals[1], second_alone, 1e-5);
}

TEST(WholeBody, joints_stop_at_their_limits_and_keep_to_their_speed) {
  Arm x(1);
  x.q = x.m.neutral(), x.v.setZero();
  auto posture = std::make_shared<PostureTask>("far", x.m);
  posture->gains = {400.0, 40.0};
  for (int j = 0; j < x.m.nv(); ++j) posture->q[j] = x.m.upper()[j] + 1.0;
  WholeBodyController c(x.m, {posture}, {}, {.torque_limits = false});
  double fastest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const WholeBodyResult& r = c.solve(x.q, x.v);
    ASSERT_TRUE(r.solved()) << i << c.report();
    x.v += 1e-3 * r.a, x.q = x.m.integrate(x.q, 1e-3 * x.v);
    for (int j = 0; j < x.m.nv(); ++j) {
      fastest = std::max(fastest, std::abs(x.v[j]) / x.m.velocity_limit()[j]);
      ASSERT_LT(x.q[j], x.m.upper()[j] + 1e-6);
    }
  }
  EXPECT_LE(fastest, 1.0 + 1e-9);
  EXPECT_GT(fastest, 0.5);
  for (int j = 0; j < x.m.nv(); ++j) EXPECT_NEAR(x.q[j], x.m.upper()[j], 1e-3);
}

TEST(WholeBody, what_cannot_be_reached_is_served_as_well_as_limits_allow) {
  Standing s;
  s.com->position += Vector3<double>(3.0, 0.0, 2.0);
  s.com->weight = 1e4;
  const WholeBodyResult& r = s.controller->solve(s.q, s.v);
  ASSERT_EQ(r.status, WholeBodyStatus::solved) << s.controller->report();
  EXPECT_GT(r.task_residuals[0], 10.0);
  bool at_limit = false;
  for (int j = 6; j < s.m.nv(); ++j) at_limit |= std::abs(r.tau[j]) > 0.999 * s.m.effort_limit()[j];
  EXPECT_TRUE(at_limit);
}

TEST(WholeBody, limits_of_joints_give_way_before_contacts_and_the_report_names_them) {
  Standing s;
  const int knee = s.m.v_slice("left_knee").start;
  s.v[knee] = 40.0;  // far beyond its limit, and the foot cannot leave the ground
  const WholeBodyResult& r = s.controller->solve(s.q, s.v);
  ASSERT_EQ(r.status, WholeBodyStatus::degraded) << s.controller->report();
  ASSERT_TRUE(r.a.allFinite() && r.tau.allFinite() && r.forces.allFinite());
  EXPECT_EQ(s.controller->report().substr(0, 19), "degraded: gave way:");
  EXPECT_NE(s.controller->report().find("joint '"), std::string::npos);
  for (int j = 6; j < s.m.nv(); ++j) EXPECT_LE(std::abs(r.tau[j]), s.m.effort_limit()[j]);
}

TEST(WholeBody, contacts_give_way_where_forces_cannot_hold_them) {
  Standing s({.position_limits = false, .velocity_limits = false});
  s.v[2] = 6.0, s.v[0] = 4.0;  // thrown upwards: cones cannot pull
  const WholeBodyResult& r = s.controller->solve(s.q, s.v);
  ASSERT_EQ(r.status, WholeBodyStatus::degraded) << s.controller->report();
  EXPECT_NE(s.controller->report().find("contact '"), std::string::npos);
  for (int p = 0; p < r.forces.size() / 3; ++p) {
    const Eigen::Vector3d f = r.forces.segment<3>(3 * p);
    EXPECT_LE(f.head<2>().norm(), 0.6 * f[2] + 1e-8);
  }
}

TEST(WholeBody, any_state_gets_an_answer_in_numbers) {
  Standing s;
  Random random(4);
  int solved = 0, degraded = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const OwnedVector q = s.m.random(random);
    for (double& x : s.v) x = random.normal() * std::pow(10.0, random.uniform(-2.0, 1.0));
    s.controller->hold(0), s.controller->hold(1);
    const WholeBodyResult& r = s.controller->solve(q, s.v);
    EXPECT_NE(r.status, WholeBodyStatus::failed) << trial;
    ASSERT_TRUE(r.a.allFinite() && r.tau.allFinite() && r.forces.allFinite()) << trial;
    (r.solved() ? solved : degraded)++;
  }
  EXPECT_GT(solved, 5);
  EXPECT_GT(degraded, 5);
}

/// An arm in space with a ball in its hand: inner forces move no centre of mass.
TEST(WholeBody, bodies_of_one_mechanism_hold_each_other) {
  Builder b("juggler");
  const auto ball = [](double mass) {
    return Inertia<double>::from_com(mass, Vector3<double>::Zero(),
                                     Matrix3<double>::Identity() * 0.05 * mass);
  };
  b.body({.name = "trunk", .inertia = ball(10.0)}), b.body({.name = "upper", .inertia = ball(1.0)});
  b.body({.name = "hand", .inertia = ball(1.0)}), b.body({.name = "box", .inertia = ball(2.0)});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "trunk"});
  b.joint({.name = "thing", .type = "free", .parent = "world", .child = "box"});
  b.joint({.name = "shoulder", .type = "spherical", .parent = "trunk", .child = "upper"});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "upper",
           .child = "hand",
           .X_PF = Pose(Vector3<double>(0.5, 0, 0)),
           .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  OwnedVector q = m.neutral(), v(m.nv());
  Workspace work(m);
  const Slice box = m.q_slice("thing");
  q[m.q_slice("elbow").start] = 0.5;
  q.segment<3>(box.start) = pose(m, work, q, "hand") * Vector3<double>(0.3, 0, 0.2);
  auto task = std::make_shared<PointTask>("lift", m, "box");
  task->gains = {0.0, 0.0}, task->acceleration = {0.1, 0.2, 0.3};
  ContactPatch grip{.name = "grip",
                    .place = "box",
                    .X_PC = Pose(Vector3<double>(0, 0, -0.05)),
                    .points = rectangle(0.1, 0.1),
                    .support = "hand",
                    .friction = 1.0,
                    .largest_force = 1e3};
  WholeBodyController c(m, {task}, {grip});
  c.hold(0);
  const WholeBodyResult& r = c.solve(q, v);
  ASSERT_TRUE(r.solved()) << c.report();
  const VectorXd h_dot = Eigen::MatrixXd(momentum_matrix(m, work, q)) * r.a;  // at rest
  EXPECT_LT((h_dot.head(3) - 14.0 * Eigen::Vector3d(0, 0, -9.81)).norm(), 1e-6);
  EXPECT_LT(h_dot.tail(3).norm(), 1e-6);
  // The box moves as the forces on it say, and with the hand.
  const Slice vb = m.v_slice("thing");
  const Eigen::Vector3d pushed = pose(m, work, q, "hand").rotation().matrix() * Eigen::Matrix3d::Identity() *
                                 (c.held_pose(0).rotation() * c.contact_wrench(0).linear());
  EXPECT_LT((2.0 * r.a.segment<3>(vb.start) - (pushed + 2.0 * Eigen::Vector3d(0, 0, -9.81))).norm(), 1e-6);
}

TEST(WholeBody, a_force_is_asked_for_by_a_task_and_bounded_at_will) {
  auto push = std::make_shared<ContactForceTask>("load left", "left sole");
  push->axes[0] = push->axes[1] = false, push->force = {0, 0, 150.0}, push->weight = 1.0;
  Standing s({}, {push});
  ASSERT_TRUE(s.controller->solve(s.q, s.v).solved());
  EXPECT_NEAR(s.controller->contact_wrench(0).linear()[2], 150.0, 1.0);
  push->enabled = false;
  s.controller->set_force_limits(0, 0.0, 100.0);
  ASSERT_TRUE(s.controller->solve(s.q, s.v).solved());
  EXPECT_LE(s.controller->contact_wrench(0).linear()[2], 100.0 + 1e-6);
  s.controller->release(0);
  ASSERT_TRUE(s.controller->solve(s.q, s.v).solved()) << s.controller->report();
  EXPECT_EQ(s.controller->contact_wrench(0).linear().norm(), 0.0);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(WholeBody, ticks_holds_and_releases_allocate_nothing) {
  Standing s;
  EXPECT_EQ(allocations_of([&] { s.controller->solve(s.q, s.v); }), 0);
  EXPECT_EQ(allocations_of([&] {
              s.controller->release(0);
              s.controller->solve(s.q, s.v);
              s.controller->hold(0);
              s.controller->solve(s.q, s.v);
            }),
            0);
  s.v[2] = 6.0, s.v[8] = 40.0;
  EXPECT_EQ(allocations_of([&] { s.controller->solve(s.q, s.v); }), 0);
  s.posture->level = 2;
  EXPECT_EQ(allocations_of([&] { s.controller->solve(s.q, s.v); }), 0);
}
#endif

// States beyond limits, stances that cannot be: what a tick takes is bounded, and what it says is told.
// Iterations, not time: a tick of the worst of these took 2900 of them, by eight programs of the dense
// solver.
TEST(WholeBody, contradictions_cost_a_bounded_number_of_iterations) {
  Random random(12);
  int most = 0, degraded = 0;
  for (int kind = 0; kind < 5; ++kind) {
    Standing s;
    for (int i = 0; i < 40; ++i) {
      OwnedVector q = s.q, v = s.v;
      for (int j = 6; j < s.m.nv(); ++j) {
        if (kind == 0 || kind == 2) v[j] = (kind == 0 ? 5.0 : 50.0) * random.normal();
        if (kind == 1 || kind == 2) q[j + 1] += 2.0 * random.normal();
      }
      if (kind == 3)
        s.controller->hold_at(0, Pose(Vector3<double>(random.normal(), random.normal(), random.normal())));
      if (kind == 4) s.controller->set_force_limits(0, 5000.0, 6000.0);
      const WholeBodyResult& r = s.controller->solve(q, v, 1e-3 * i);
      ASSERT_NE(r.status, WholeBodyStatus::failed) << kind << " " << i;
      ASSERT_TRUE(r.tau.allFinite() && r.a.allFinite() && r.forces.allFinite());
      for (int j = 0; j < s.m.nv(); ++j) ASSERT_LE(std::abs(r.tau[j]), s.m.effort_limit()[j]);
      EXPECT_LE(r.fallbacks, 3);
      EXPECT_EQ(r.status == WholeBodyStatus::degraded, !r.relaxed.empty());
      EXPECT_EQ(s.controller->report().find("gave way") != std::string::npos, !r.relaxed.empty());
      most = std::max(most, r.iterations), degraded += !r.relaxed.empty();
    }
  }
  EXPECT_LE(most, 1500);
  EXPECT_GT(degraded, 150);
  // Contacts give way last: fast joints alone leave feet where they are.
  Standing s;
  for (int i = 0; i < 20; ++i) {
    OwnedVector v = s.v;
    v[s.m.v_slice("left_elbow").start] = 40.0 * random.normal();
    for (const Relaxed& r : s.controller->solve(s.q, v).relaxed) EXPECT_NE(r.kind, Relaxed::Kind::contact);
  }
}

TEST(WholeBody, joints_keep_the_margin_that_is_asked_for) {
  WholeBodySettings settings;
  settings.limit_margin = 0.05;
  Standing s(settings);
  const int knee = s.m.q_slice("left_elbow").start, at = s.m.v_slice("left_elbow").start;
  s.posture->q[knee] = s.m.upper()[knee] + 1.0, s.posture->weight = 10.0;
  for (int i = 0; i < 3000; ++i) {
    const WholeBodyResult& r = s.controller->solve(s.q, s.v, 1e-3 * i);
    s.v += 1e-3 * r.a, s.q = s.m.integrate(s.q, 1e-3 * s.v);
    ASSERT_LE(s.q[knee], s.m.upper()[knee] - 0.05 + 1e-6);
  }
  EXPECT_NEAR(s.q[knee], s.m.upper()[knee] - 0.05, 1e-3);
  EXPECT_LT(std::abs(s.v[at]), 1e-3);
  EXPECT_EQ(message_of([&] { WholeBodyController(s.m, {}, {}, {.limit_margin = -1.0}); }),
            "whole-body control: limit_margin is -1, expected a number of 0 or more");
}

TEST(WholeBody, messages_name_what_is_wrong) {
  const Mechanism m = standing_humanoid();
  const auto with = [&](ContactPatch patch) {
    return message_of([&] { WholeBodyController(m, {}, {patch}); });
  };
  EXPECT_EQ(with({.name = "a", .place = "left_foot", .points = {}}), "contact 'a': it has no points");
  EXPECT_EQ(with({.name = "a", .place = "left_foot", .friction = -1}),
            "contact 'a': friction is -1, expected 0 or more");
  EXPECT_EQ(with({.name = "a", .place = "left_foot", .facets = 2}),
            "contact 'a': the pyramid of friction has 2 facets, expected 3 or more");
  EXPECT_EQ(with({.name = "a", .place = "left_foot", .least_force = 5, .largest_force = 1}),
            "contact 'a': forces are 5 to 1 N, expected 0 <= least <= largest");
  EXPECT_EQ(with({.name = "a", .place = "left_foot", .support = "left_foot"}),
            "contact 'a': 'left_foot' and its support 'left_foot' are parts of one body");
  EXPECT_EQ(message_of([&] { WholeBodyController(m, {}, {}, {.braking = 0.0}); }),
            "whole-body control: braking is 0, expected above 0");
  EXPECT_EQ(message_of([&] { WholeBodyController(m, {nullptr}); }), "whole-body control: task 0 is none");
  const TaskPtr com = std::make_shared<ComTask>("com", m);
  EXPECT_EQ(message_of([&] {
              WholeBodyController(m, {com, com});
            }),
            "whole-body control: two tasks are called 'com'");
  WholeBodyController c(m, {com}, soles());
  EXPECT_EQ(message_of([&] { c.hold(7); }), "whole-body control: there is no contact 7, there are 2");
  EXPECT_EQ(message_of([&] { (void)c.contact("nose"); }), "whole-body control: there is no contact 'nose'");
  EXPECT_EQ(message_of([&] { (void)c.task("nose"); }), "whole-body control: there is no task 'nose'");
  auto bad = std::make_shared<ComTask>("bad", m);
  bad->gains.damping = -1;
  EXPECT_EQ(message_of([&] { WholeBodyController(m, {bad}); }),
            "task 'bad' has a damping of -1: expected 0 or more");
}

}  // namespace
}  // namespace amble
