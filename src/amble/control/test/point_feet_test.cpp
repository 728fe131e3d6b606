#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/simulator.hpp"

// Feet that are points: their friction cones stand on the ground, not on the shank.
namespace amble {
namespace {

constexpr double kBall = 0.02;  // radius of the feet (m)
constexpr double kFriction = 0.6;
const std::string kLegs[] = {"front_left", "front_right", "rear_left", "rear_right"};

std::vector<ContactPatch> feet() {
  std::vector<ContactPatch> out;
  for (const std::string& leg : kLegs)
    out.push_back({.name = leg, .place = leg + "_foot", .friction = kFriction});
  return out;
}

/// The quadruped of models/ on bent knees: its shanks lean by `knee` - `hip`, more than friction would hold
/// if cones did.
struct Standing {
  Mechanism m = load(source_dir() + "/models/quadruped.urdf", {.base = Base::floating});
  OwnedVector q, v;
  std::shared_ptr<ComTask> com = std::make_shared<ComTask>("com", m);
  std::shared_ptr<OrientationTask> trunk = std::make_shared<OrientationTask>("trunk", m, "trunk");
  std::shared_ptr<PostureTask> posture = std::make_shared<PostureTask>("posture", m);
  std::shared_ptr<WholeBodyController> control;

  explicit Standing(std::vector<ContactPatch> contacts = feet(), double hip = 0.9, double knee = 1.8)
      : q(m.neutral()), v(m.nv()) {
    for (const std::string& leg : kLegs)
      q[m.q_slice(leg + "_hip_pitch").start] = hip, q[m.q_slice(leg + "_knee").start] = -knee;
    Workspace work(m);
    q[2] -= pose(m, work, q, "front_left_foot").translation()[2] - kBall;
    com->position = center_of_mass(m, work, q), com->gains = {400.0, 40.0};
    trunk->rotation = pose(m, work, q, "trunk").rotation();
    posture->q = q, posture->weight = 1e-3;
    control = std::make_shared<WholeBodyController>(m, std::vector<TaskPtr>{com, trunk, posture},
                                                    std::move(contacts));
    for (int i = 0; i < 4; ++i) control->hold(i);
  }
  double lean() {
    Workspace work(m);
    const Vector3<double> z = pose(m, work, q, "front_left_foot").rotation() * Vector3<double>::UnitZ();
    return std::acos(z.z());
  }
  Vector3<double> world_force(int foot) const {
    return control->held_pose(foot).rotation() * control->contact_wrench(foot).linear();
  }
};

TEST(PointFeet, TheirNormalIsUpWhicheverWayTheShankLeans) {
  Standing s;
  ASSERT_GT(s.lean(), std::atan(kFriction) + 0.2);
  const WholeBodyResult& r = s.control->solve(s.q, s.v);
  ASSERT_TRUE(r.solved()) << s.control->report();
  EXPECT_LE(r.certificate.residual(), 1e-9);
  EXPECT_LT(r.a.cwiseAbs().maxCoeff(), 0.05);
  Vector3<double> sum = Vector3<double>::Zero();
  for (int i = 0; i < 4; ++i) {
    const Vector3<double> f = s.world_force(i);
    EXPECT_LT((f - s.control->contact_wrench(i).linear()).head<2>().norm(), f.norm())
        << "axes turn about the vertical alone";
    EXPECT_NEAR(f.z(), s.control->contact_wrench(i).linear().z(), 1e-9);
    EXPECT_LE(f.head<2>().norm(), kFriction * f.z() + 1e-9);
    sum += f;
  }
  EXPECT_NEAR(sum.z(), s.m.mass() * 9.81, 0.05);
}

TEST(PointFeet, ANormalMayBeGiven) {
  const Vector3<double> slope = Vector3<double>(0.3, 0.1, 1.0).normalized();
  std::vector<ContactPatch> contacts = feet();
  for (ContactPatch& c : contacts) c.normal = 5.0 * slope;
  Standing s(contacts);
  ASSERT_TRUE(s.control->solve(s.q, s.v).solved());
  for (int i = 0; i < 4; ++i) {
    EXPECT_LT((s.control->held_pose(i).rotation() * Vector3<double>::UnitZ() - slope).norm(), 1e-12);
    const double normal = slope.dot(s.world_force(i));
    EXPECT_LE((s.world_force(i) - normal * slope).norm(), kFriction * normal + 1e-9);
  }
  const auto with = [&](ContactPatch patch) {
    return message_of([&] { WholeBodyController(s.m, {}, {patch}); });
  };
  EXPECT_EQ(with({.name = "a", .place = "trunk", .normal = Vector3<double>::Zero()}),
            "contact 'a': its normal is not finite, or zero");
  EXPECT_EQ(
      with({.name = "a", .place = "trunk", .points = rectangle(1, 1), .normal = Vector3<double>::UnitZ()}),
      "contact 'a': it has a face, whose normal is the z of its frame: expected no normal");
}

TEST(PointFeet, ABodyOnALineLeansAboutItUnderAnUprightCone) {
  Builder b("bar");
  const auto ball = Inertia<double>::from_com(2.0, {0, 0, 0}, 0.02 * Matrix3<double>::Identity());
  b.body({.name = "bar", .inertia = ball}), b.body({.name = "top", .inertia = ball});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "bar"});
  b.joint({.name = "neck",
           .type = "spherical",
           .parent = "bar",
           .child = "top",
           .X_PF = Pose(Vector3<double>(0, 0, 0.2))});
  const Mechanism m = b.build();
  OwnedVector q = m.neutral();
  // The line is (1, 2, 0) on the body, which then leans about it by 1 rad.
  const Vector3<double> line = Vector3<double>(1, 2, 0).normalized();
  SO3<double>::exp(Vector3<double>(1.0 * line)).quaternion().to_xyzw(q.data() + 3);
  WholeBodyController control(m, {}, {{.name = "edge", .place = "bar", .points = {-0.1 * line, 0.1 * line}}});
  control.hold(0);
  (void)control.solve(q, OwnedVector(m.nv()));
  const SO3<double> R = control.held_pose(0).rotation();
  EXPECT_LT((R * Vector3<double>::UnitZ() - Vector3<double>::UnitZ()).norm(), 1e-12);
  EXPECT_LT((R * line - line).norm(), 1e-12) << "the line itself is not turned";
}

TEST(PointFeet, AQuadrupedPushesOffAndStandsInTheContactEngine) {
  Standing s;
  Simulator simulator(
      s.m,
      {contact_scene("contacts", s.m, {.material = {.friction = kFriction}, .between_bodies = false}),
       sampled("balance", s.control, s.m, {.period = 1e-3})},
      {}, {.integrator = {.step = 1e-3}, .method = "time_stepping"});
  const Vector3<double> home = s.com->position;
  // Twice a second down and up by 6 cm, in which the legs push off with 0.6 of the weight more than it; then
  // it stands.
  constexpr double kRate = 4.0 * 3.141592653589793, kDepth = 0.03;
  s.control->before_tick = [&](const MotionState& at) {
    const double t = at.t(), go = t < 2.0 ? 1.0 : 0.0;
    s.com->position = home - go * Vector3<double>(0, 0, kDepth * (1.0 - std::cos(kRate * t)));
    s.com->velocity = -go * Vector3<double>(0, 0, kDepth * kRate * std::sin(kRate * t));
    s.com->acceleration = -go * Vector3<double>(0, 0, kDepth * kRate * kRate * std::cos(kRate * t));
  };
  int unsolved = 0;
  double hardest = 0.0;
  s.control->after_tick = [&](const MotionState&, const WholeBodyResult& r) {
    unsolved += !r.solved();
    double up = 0.0;
    for (int i = 0; i < 4; ++i) up += s.world_force(i).z();
    hardest = std::max(hardest, up);
  };
  simulator.reset(s.q, s.v);
  Workspace work(s.m);
  const Vector3<double> foot = pose(s.m, work, s.q, "rear_right_foot").translation();
  double lowest = home.z();
  for (int k = 0; k < 4000; ++k) {
    simulator.step(1e-3);
    lowest = std::min(lowest, center_of_mass(s.m, work, simulator.q()).z());
  }
  EXPECT_EQ(unsolved, 0) << s.control->report();
  EXPECT_GT(hardest, 1.4 * s.m.mass() * 9.81);
  EXPECT_LT(lowest, home.z() - 1.7 * kDepth);
  EXPECT_LT((center_of_mass(s.m, work, simulator.q()) - home).norm(), 2e-3);
  EXPECT_LT((pose(s.m, work, simulator.q(), "rear_right_foot").translation() - foot).norm(), 2e-3);
  EXPECT_LT(simulator.v().cwiseAbs().maxCoeff(), 0.01);
}

}  // namespace
}  // namespace amble
