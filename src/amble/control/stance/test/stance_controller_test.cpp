#include "amble/control/stance/stance_controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/control/posture/joint_bounds.hpp"
#include "amble/control/stance/clear_postures.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/geometry/ground.hpp"
#include "amble/io/load.hpp"
#include "amble/io/test/real_robots.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

using V = Vector3<double>;

TEST(LimbArc, RatesAreThoseOfDifferences) {
  const LimbArc arc{Pose(SO3<double>::exp({0.1, 0.2, 0.3}), {0.1, 0.2, 0.3}), Pose(SO3<double>::exp({-0.2, 0.4, 0.9}), {0.5, 0.1, 0.4}), 0.07, 1.3};
  const double h = 1e-4;
  for (double t = 0.05; t < 1.3; t += 0.0917) {
    const LimbArc::Motion at = arc.at(t), before = arc.at(t - h), after = arc.at(t + h);
    const Vector6<double> twist = (at.pose.inverse() * after.pose).log().vector() - (at.pose.inverse() * before.pose).log().vector();
    EXPECT_LT((twist / (2 * h) - at.velocity.vector()).norm(), 1e-6) << t;
    const Vector6<double> rate = (after.velocity.vector() - before.velocity.vector()) / (2 * h);
    EXPECT_LT((rate - at.acceleration.vector()).norm(), 1e-5) << t;
  }
}

TEST(LimbArc, LeavesAndArrivesAtRestAlongTheNormals) {
  const LimbArc arc{Pose(), Pose(V(0.3, 0.0, 0.0)), 0.06, 1.0};
  EXPECT_EQ(arc.at(0.0).velocity.vector().norm(), 0.0);
  EXPECT_LT(arc.at(1.0).velocity.vector().norm(), 1e-12);
  EXPECT_LT((arc.at(1.0).pose.matrix() - arc.to.matrix()).norm(), 1e-12);
  EXPECT_NEAR(arc.at(0.5).pose.translation()[2], 0.06, 1e-12);
  EXPECT_EQ(arc.at(0.1).pose.translation()[0], 0.0);  // still straight up
  EXPECT_GT(arc.at(0.1).pose.translation()[2], 0.0);
}

struct Walker {
  Mechanism m = load(source_dir() + "/models/humanoid30.urdf", {.base = Base::floating});
  std::vector<ContactPatch> patches;
  OwnedVector q = m.neutral();

  Walker() {
    q[2] = 0.66;
    for (const std::string side : {"left", "right"}) {
      patches.push_back({.name = side, .place = side + "_sole", .points = rectangle(0.22, 0.10), .friction = 0.6});
      q[m.q_slice(side + "_hip_pitch").start] = q[m.q_slice(side + "_ankle_pitch").start] = -0.4;
      q[m.q_slice(side + "_knee").start] = 0.8;
    }
  }
  static Stance stance(const std::string& name, double left, double right) {
    return {.name = name, .contacts = {{"left", Pose(V(left, 0.1, 0.0))}, {"right", Pose(V(right, -0.1, 0.0))}}, .duration = 0.9, .pause = 0.1};
  }
};

TEST(StancePlan, ChangesOneContactAtATime) {
  Walker w;
  const StancePlan plan = plan_stances(w.m, w.patches, {Walker::stance("stand", 0.0, 0.0), Walker::stance("step", 0.0, 0.15)}, w.q);
  ASSERT_TRUE(plan.found) << plan.message;
  ASSERT_EQ(plan.stages.size(), 4u);
  EXPECT_EQ(plan.stages[1].released, 1);
  EXPECT_EQ(plan.stages[2].placed, 1);
  EXPECT_NEAR(plan.stages[1].com[1], 0.1, 0.05);  // above the left foot
  EXPECT_NEAR(plan.stages[3].com[1], 0.0, 0.02);
  EXPECT_EQ(plan.held.size(), 2u);
}

TEST(StancePlan, SaysWhichStanceHasNoPosture) {
  Walker w;
  const StancePlan plan = plan_stances(w.m, w.patches, {Walker::stance("stand", 0.0, 0.0), Walker::stance("leap", 0.0, 2.0)}, w.q);
  EXPECT_FALSE(plan.found);
  EXPECT_NE(plan.message.find("stance 'leap', to place 'right': no posture found"), std::string::npos) << plan.message;
  EXPECT_THROW(StanceController(w.m, w.patches, plan), Error);
  EXPECT_THROW(plan_stances(w.m, w.patches, {{.name = "none", .contacts = {{"tail", Pose()}}}}, w.q), Error);
  EXPECT_THROW(plan_stances(w.m, w.patches, {}, w.q), Error);
}

// The contact engine knows nothing of the controller: what it does on its floor is a second route to every force.
TEST(StanceController, StepsOnTheContactEngine) {
  Walker w;
  StancePlan plan = plan_stances(w.m, w.patches, {Walker::stance("stand", 0.0, 0.0), Walker::stance("step", 0.0, 0.15)}, w.q);
  ASSERT_TRUE(plan.found) << plan.message;
  const auto controller = std::make_shared<StanceController>(w.m, w.patches, plan);
  Simulator s(w.m, {contact_scene("floor", w.m, {.between_bodies = false}), sampled("control", controller, w.m)}, {},
              {.integrator = {.step = 1e-3}, .method = "time_stepping"});
  s.reset(plan.start, OwnedVector(w.m.nv()));
  while (s.t() < 7.0 && !controller->finished() && !controller->gave_up()) {
    s.step(1e-2);
    ASSERT_EQ(controller->control().result().status, WholeBodyStatus::solved) << s.t() << " " << controller->control().report();
    ASSERT_GE(limit_margin(w.m, s.q()), 0.0);
  }
  ASSERT_TRUE(controller->finished()) << controller->stage();
  Workspace work(w.m);
  EXPECT_NEAR(pose(w.m, work, s.q(), "right_sole").translation()[0], 0.15, 0.01);
  EXPECT_LT((pose(w.m, work, s.q(), "left_sole").translation() - V(0.0, 0.1, 0.0)).norm(), 1e-9);  // it sticks for seconds
  const auto said = [&](const std::string& text) {
    return std::count_if(s.events().begin(), s.events().end(), [&](const RecordedEvent& e) { return e.name == text; });
  };
  EXPECT_EQ(said("let go 'right'"), 1);
  EXPECT_EQ(said("place 'right'"), 1);
  EXPECT_EQ(said("finished"), 1);
}

/// A step of the right foot to a place that is thought to be `high` above the floor.
std::shared_ptr<StanceController> step_onto(double high, Simulator*& s, std::unique_ptr<Simulator>& owner) {
  const Walker w;
  Stance step = Walker::stance("step", 0.0, 0.1);
  step.contacts["right"] = Pose(V(0.1, -0.1, high));
  StancePlan plan = plan_stances(w.m, w.patches, {Walker::stance("stand", 0.0, 0.0), step}, w.q);
  const auto controller = std::make_shared<StanceController>(w.m, w.patches, plan);
  owner = std::make_unique<Simulator>(w.m, std::vector<ElementPtr>{contact_scene("floor", w.m, {.between_bodies = false}), sampled("control", controller, w.m)},
                                      std::vector<ConstraintPtr>{}, SimulatorOptions{.integrator = {.step = 1e-3}, .method = "time_stepping"});
  s = owner.get();
  s->reset(plan.start, OwnedVector(w.m.nv()));
  while (s->t() < 8.0 && !controller->finished() && !controller->gave_up()) s->step(1e-2);
  return controller;
}

// What holds a foot up is felt, not known: the floor may be elsewhere than it is thought to be.
TEST(StanceController, FindsAFloorThatIsLowerThanThought) {
  Simulator* s;
  std::unique_ptr<Simulator> owner;
  const auto controller = step_onto(0.008, s, owner);
  ASSERT_TRUE(controller->finished()) << controller->stage();
  Workspace work(s->mechanism());
  EXPECT_LT(std::abs(pose(s->mechanism(), work, s->q(), "right_sole").translation()[2]), 1e-6);
  EXPECT_GT(controller->control().contact_wrench(1).linear()[2], 0.2 * s->mechanism().mass() * 9.81);  // and bears
}

TEST(StanceController, GivesUpWhereThereIsNoFloor) {
  Simulator* s;
  std::unique_ptr<Simulator> owner;
  const auto controller = step_onto(0.06, s, owner);
  EXPECT_TRUE(controller->gave_up());
  ASSERT_FALSE(s->events().empty());
  EXPECT_EQ(s->events().back().name, "gave up: 'right' meets nothing down to 0.017 m below its place");
}

TEST(ClearPostures, TellWhatIsNotKeptClear) {
  const std::string text = R"(<robot name="r"><link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision>
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="arm"><collision><geometry><mesh filename="nowhere.stl"/></geometry></collision>
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>)";
  const Mechanism m = load_text(text, "r.urdf", {.base = Base::floating});
  const std::vector<std::string> flat = ClearPostures(m, plane_ground(), 0.01).notes();
  ASSERT_EQ(flat.size(), 1u);
  EXPECT_TRUE(flat[0].starts_with("arm is not kept clear of others: mesh 'nowhere.stl' was not found")) << flat[0];
  const std::vector<std::string> wavy = ClearPostures(m, sine_ground({}), 0.01).notes();
  ASSERT_EQ(wavy.size(), 2u);
  EXPECT_EQ(wavy[1], "the ground is not flat: bodies that do not stand on it are not kept clear of it");
  EXPECT_TRUE(ClearPostures(m, sine_ground({}), 0.0).notes().empty());  // nothing is asked for
}

/// A robot's file, its soles, where these are, and joints of a squat: names with how far they turn.
struct OtherRobot {
  std::string file;
  std::vector<ContactPatch> soles;
  double width;
  std::vector<std::pair<std::string, double>> bent;
};

class OtherRobots : public testing::TestWithParam<OtherRobot> {};

/// Stands, squats and stands again, on the contact engine with its soles as points.
TEST_P(OtherRobots, StandAndSquat) {
  const std::filesystem::path robots = robots_folder();
  if (!std::filesystem::exists(robots / GetParam().file)) GTEST_SKIP() << "the robots' files are not here";
  const Mechanism m = load((robots / GetParam().file).string(), {.base = Base::floating});
  OwnedVector squat = m.neutral();
  for (const auto& [joint, angle] : GetParam().bent) squat[m.q_slice(joint).start] = angle;
  OwnedVector stand = m.neutral();
  for (const auto& [joint, angle] : GetParam().bent) stand[m.q_slice(joint).start] = 0.25 * angle;
  std::map<std::string, Pose> places;
  std::vector<ContactSpec> floor;
  double side = 0.5 * GetParam().width;
  for (const ContactPatch& sole : GetParam().soles) {
    places[sole.name] = Pose(V(0.0, side, 0.0)), side = -side;
    for (const V& p : sole.points) floor.push_back({.body = sole.place, .point = sole.X_PC * p, .friction = 0.8});
  }
  const std::vector<Stance> stances{{.name = "stand", .contacts = places, .preferred = stand, .duration = 0.3, .pause = 0.1},
                                    {.name = "squat", .contacts = places, .preferred = squat, .duration = 1.0, .pause = 0.2},
                                    {.name = "stand again", .contacts = places, .preferred = stand, .duration = 1.0, .pause = 0.2}};
  const StancePlan plan = plan_stances(m, GetParam().soles, stances, stand);
  ASSERT_TRUE(plan.found) << plan.message;
  EXPECT_EQ(plan.notes.empty(), bodies_without_shapes(m).empty());
  const auto controller = std::make_shared<StanceController>(m, GetParam().soles, plan);
  Simulator s(m, {contact_scene("floor", m, {.shapes = false, .contacts = floor}), sampled("control", controller, m)}, {},
              {.integrator = {.step = 1e-3}, .method = "time_stepping"});
  s.reset(plan.start, OwnedVector(m.nv()));
  Workspace work(m);
  const double high = center_of_mass(m, work, plan.start)[2];
  double low = high;
  while (s.t() < 4.0 && !controller->finished() && !controller->gave_up()) {
    s.step(1e-2);
    const WholeBodyResult& r = controller->control().result();
    ASSERT_EQ(r.status, WholeBodyStatus::solved) << s.t() << " " << controller->control().report();
    for (int k = 0; k < m.nv(); ++k) ASSERT_LE(std::abs(r.tau[k]), m.effort_limit()[k]);
    ASSERT_GE(limit_margin(m, s.q()), 0.0);
    low = std::min(low, center_of_mass(m, work, s.q())[2]);
  }
  ASSERT_TRUE(controller->finished()) << controller->stage();
  EXPECT_LT(low, high - 0.03);
  EXPECT_NEAR(center_of_mass(m, work, s.q())[2], high, 0.01);
  side = 0.5 * GetParam().width;
  for (const ContactPatch& sole : GetParam().soles) {
    EXPECT_LT(((pose(m, work, s.q(), sole.place) * sole.X_PC).translation() - V(0.0, side, 0.0)).norm(), 1e-4) << sole.name;
    side = -side;
  }
}

std::vector<OtherRobot> other_robots() {
  std::vector<OtherRobot> out;
  OtherRobot talos{.file = "talos_reduced.urdf", .soles = {}, .width = 0.17, .bent = {}};
  for (const std::string side : {"left", "right"}) {
    talos.soles.push_back({.name = side, .place = side + "_sole_link", .points = rectangle(0.18, 0.11), .friction = 0.6});
    talos.bent.emplace_back("leg_" + side + "_3_joint", -0.8), talos.bent.emplace_back("leg_" + side + "_4_joint", 1.5);
    talos.bent.emplace_back("leg_" + side + "_5_joint", -0.7);
  }
  out.push_back(talos);
  // Its file has no soles and knees that bend the other way; feet are ours.
  OtherRobot simple{.file = "simple_humanoid.urdf", .soles = {}, .width = 0.18, .bent = {}};
  for (const std::string side : {"L", "R"}) {
    simple.soles.push_back({.name = side, .place = side == "L" ? "l_ankle" : "r_ankle", .X_PC = Pose(V(0.0, 0.0, -0.1)),
                            .points = rectangle(0.24, 0.14), .friction = 0.6});
    simple.bent.emplace_back(side + "LEG_HIP_P", 1.0), simple.bent.emplace_back(side + "LEG_KNEE", -2.0);
    simple.bent.emplace_back(side + "LEG_ANKLE_P", 1.0);
  }
  out.push_back(simple);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Files, OtherRobots, testing::ValuesIn(other_robots()), [](const auto& info) {
  return info.param.file.substr(0, info.param.file.find('.'));
});

}  // namespace
}  // namespace amble
