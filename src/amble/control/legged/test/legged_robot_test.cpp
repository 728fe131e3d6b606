#include "amble/control/legged/find_legged_robot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/control/legged/nominal_posture.hpp"
#include "amble/control/legged/test/changed_models.hpp"
#include "amble/control/legged/test/legged_models.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/io/test/real_robots.hpp"

namespace amble {
namespace {

/// What a person knows of a robot: forward in base axes, the bodies of its feet, and where the file has
/// shapes, the middle of each sole in its foot's axes.
struct Known {
  std::string file;
  Vector3<double> forward;
  std::vector<std::string> feet;  // left before right, front before hind
  std::vector<Vector3<double>> soles = {};
  std::vector<std::string> knees;
  std::vector<double> senses;
};

const std::vector<Known>& known_robots() {
  static const std::vector<Known> robots{
      {"talos_reduced.urdf",
       {1, 0, 0},
       {"left_sole_link", "right_sole_link"},
       {},
       {"leg_left_4_joint", "leg_right_4_joint"},
       {1, 1}},
      {"talos_full_v2.urdf",
       {1, 0, 0},
       {"left_sole_link", "right_sole_link"},
       {},
       {"leg_left_4_joint", "leg_right_4_joint"},
       {1, 1}},
      {"icub_reduced.urdf", {-1, 0, 0}, {"l_sole", "r_sole"}, {}, {"l_knee", "r_knee"}, {-1, -1}},
      {"romeo_small.urdf", {1, 0, 0}, {"l_sole", "r_sole"}, {}, {"LKneePitch", "RKneePitch"}, {1, 1}},
      {"anymal_b.urdf",
       {1, 0, 0},
       {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"},
       std::vector<Vector3<double>>(4, {0, 0, 0.02325}),
       {"LF_KFE", "RF_KFE", "LH_KFE", "RH_KFE"},
       {-1, -1, 1, 1}},
      {"solo12.urdf",
       {1, 0, 0},
       {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"},
       {},
       {"FL_KFE", "FR_KFE", "HL_KFE", "HR_KFE"},
       {-1, -1, 1, 1}},
      {"models/humanoid30.urdf",
       {1, 0, 0},
       {"left_sole", "right_sole"},
       std::vector<Vector3<double>>(2, {0, 0, 0}),
       {"left_knee", "right_knee"},
       {1, 1}},
      {"models/quadruped.urdf",
       {1, 0, 0},
       {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"},
       std::vector<Vector3<double>>(4, {0, 0, 0}),
       {"front_left_knee", "front_right_knee", "rear_left_knee", "rear_right_knee"},
       {-1, -1, -1, -1}},
  };
  return robots;
}

std::string path_of(const std::string& file) {
  return file.starts_with("models/") ? source_dir() + "/" + file : (robots_folder() / file).string();
}

struct Loaded {
  const Known& known;
  Mechanism m;
};

/// Those whose files are here: our own always.
std::vector<Loaded> robots_at_hand() {
  std::vector<Loaded> out;
  for (const Known& k : known_robots())
    if (std::filesystem::exists(path_of(k.file)))
      out.push_back({k, load(path_of(k.file), {.base = Base::floating})});
  return out;
}

std::vector<int> joints_of(const LeggedRobot& r) {
  std::vector<int> out;
  for (const Leg& leg : r.legs) out.insert(out.end(), leg.joints.begin(), leg.joints.end());
  return out;
}

int foot_link(const LeggedRobot& r, std::size_t leg) { return r.mechanism.place(r.legs[leg].foot.body).link; }

/// Center of the sole, or of the ball, on the foot's link.
Vector3<double> foot_center(const LeggedRobot& r, std::size_t leg) {
  const Foot& f = r.legs[leg].foot;
  return r.mechanism.place(f.body).X_LP * f.X_BS * Vector3<double>(0.0, 0.0, f.radius);
}

TEST(LeggedRobots, FeetForwardAndKneesAreThoseThatPeopleKnow) {
  for (const auto& [known, m] : robots_at_hand()) {
    SCOPED_TRACE(known.file);
    const LeggedRobot r = legged_robot(m);
    ASSERT_EQ(r.legs.size(), known.feet.size());
    EXPECT_LT((r.forward_Base - known.forward).norm(), 1e-3);
    EXPECT_LT((r.up_Base - Vector3<double>::UnitZ()).norm(), 1e-6);
    for (std::size_t i = 0; i < r.legs.size(); ++i) {
      const Place place = m.place(known.feet[i]);
      EXPECT_EQ(foot_link(r, i), place.link) << r.legs[i].foot.body << " for " << known.feet[i];
      EXPECT_EQ(m.joints()[r.legs[i].knee].name, known.knees[i]);
      EXPECT_EQ(r.legs[i].knee_sense, known.senses[i]);
      if (!known.soles.empty()) EXPECT_LT((foot_center(r, i) - place.X_LP * known.soles[i]).norm(), 0.0201);
    }
  }
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
}

TEST(LeggedRobots, NamesMeanNothing) {
  for (const auto& [known, m] : robots_at_hand()) {
    SCOPED_TRACE(known.file);
    const LeggedRobot r = legged_robot(m);
    std::map<std::string, std::string> names;
    const LeggedRobot other = legged_robot(compile(renamed(m.description(), 17, names), Physics::warn));
    ASSERT_EQ(joints_of(r), joints_of(other));
    EXPECT_EQ(names.at(r.base), other.base);
    EXPECT_EQ(r.torso.empty() ? "" : names.at(r.torso), other.torso);
    EXPECT_EQ(r.mirror.joint, other.mirror.joint);
    EXPECT_EQ(r.mirror.sign, other.mirror.sign);
    EXPECT_LT((r.nominal - other.nominal).norm(), 1e-12);
    for (std::size_t i = 0; i < r.legs.size(); ++i) {
      EXPECT_EQ(r.legs[i].name, other.legs[i].name);
      EXPECT_EQ(names.at(r.legs[i].foot.body), other.legs[i].foot.body);
      EXPECT_LT((r.legs[i].foot.X_BS.matrix() - other.legs[i].foot.X_BS.matrix()).norm(), 1e-12);
    }
  }
}

TEST(LeggedRobots, TheBaseFrameMeansNothing) {
  Random random(5);
  for (const auto& [known, m] : robots_at_hand()) {
    SCOPED_TRACE(known.file);
    const LeggedRobot r = legged_robot(m);
    for (int k = 0; k < 6; ++k) {
      const SO3<double> R = k == 0   ? SO3<double>::about(2, std::numbers::pi)
                            : k == 1 ? SO3<double>::about(0, std::numbers::pi)
                            : k == 2 ? SO3<double>::about(1, 0.5 * std::numbers::pi)
                                     : SO3<double>(random_quaternion(random));
      const LeggedRobot other = legged_robot(compile(turned(m.description(), r.base, R), Physics::warn));
      ASSERT_EQ(joints_of(r), joints_of(other)) << "turn " << k;
      // Where up is found from axes, not from gravity, it is as good as the file's axes: those of iCub are
      // 7e-6 rad off.
      EXPECT_LT((R * other.forward_Base - r.forward_Base).norm(), 2e-5);
      EXPECT_LT((R * other.up_Base - r.up_Base).norm(), 2e-5);
      EXPECT_EQ(r.mirror.joint, other.mirror.joint);
      EXPECT_EQ(r.mirror.sign, other.mirror.sign);
      EXPECT_LT((r.nominal.tail(m.nq() - 7) - other.nominal.tail(m.nq() - 7)).norm(), 1e-4) << "turn " << k;
    }
  }
}

TEST(LeggedRobots, LeftAndRightChangePlacesInAMirror) {
  for (const auto& [known, m] : robots_at_hand()) {
    SCOPED_TRACE(known.file);
    const LeggedRobot r = legged_robot(m);
    const LeggedRobot other = legged_robot(compile(mirrored(m.description()), Physics::warn));
    ASSERT_EQ(r.legs.size(), other.legs.size());
    EXPECT_LT((r.forward_Base - other.forward_Base).norm(), 1e-3);
    for (std::size_t i = 0; i < r.legs.size(); ++i) {
      const Leg& image = other.legs[r.legs[i].mirror];
      EXPECT_EQ(r.legs[i].joints, image.joints);
      EXPECT_NEAR(r.legs[i].length, image.length, 1e-9);
    }
    EXPECT_LT((r.nominal.tail(m.nq() - 7) - other.nominal.tail(m.nq() - 7)).norm(), 1e-4);
  }
}

/// q as the other side has it, its base unmoved.
OwnedVector mirror_image(const LeggedRobot& r, const OwnedVector& q) {
  OwnedVector out = q;
  const Mechanism& m = r.mechanism;
  for (std::size_t j = 0; j < r.mirror.joint.size(); ++j) {
    const Joint &a = m.joints()[j], &b = m.joints()[r.mirror.joint[j]];
    if (a.link < 0 || a.leader >= 0 || a.q.size != 1) continue;
    out[b.q.start] = r.mirror.sign[a.v.start] * q[a.q.start];
  }
  return out;
}

TEST(LeggedRobots, AMirroredPostureIsThePostureInAMirror) {
  for (const auto& [known, m] : robots_at_hand()) {
    SCOPED_TRACE(known.file);
    const LeggedRobot r = legged_robot(m);
    ASSERT_FALSE(r.mirror.joint.empty());
    Workspace work(m);
    const Vector3<double> left = cross<double>(r.up_Base, r.forward_Base);
    OwnedVector q = m.neutral();
    Random random(9);
    for (const Joint& j : m.joints())
      if (j.link >= 0 && j.leader < 0 && j.q.size == 1) q[j.q.start] = random.uniform(-0.7, 0.7);
    const OwnedVector p = mirror_image(r, q);
    const auto where = [&](const OwnedVector& at, int link) {
      const LinkPoses poses = forward_kinematics(m, work, at);
      return Vector3<double>(poses[link].translation());
    };
    // The plane goes through the middle of the hips.
    double offset = 0.0;
    for (const Leg& leg : r.legs)
      offset += left.dot(pose(m, work, q, r.base) * leg.p_BaseHip) / static_cast<double>(r.legs.size());
    for (std::size_t j = 0; j < r.mirror.joint.size(); ++j) {
      const Joint &a = m.joints()[j], &b = m.joints()[r.mirror.joint[j]];
      if (a.link < 0 || a.q.size != 1) continue;
      // The center of mass of a link: the origins of joints may differ along their axes.
      Vector3<double> here = where(q, a.link), there = where(p, b.link);
      const Vector3<double> axis =
          forward_kinematics(m, work, p)[b.link].rotation() * Vector3<double>::UnitZ();
      Vector3<double> d = here - 2.0 * (left.dot(here) - offset) * left - there;
      d -= axis.dot(d) * axis;
      EXPECT_LT(d.norm(), 3e-3) << a.name << " and " << b.name;
    }
  }
}

TEST(LeggedRobots, NominalPosturesStandAtRest) {
  for (const auto& [known, m] : robots_at_hand()) {
    SCOPED_TRACE(known.file);
    const LeggedRobot r = legged_robot(m);
    Workspace work(m);
    const Vector3<double> com = center_of_mass(m, work, r.nominal);
    EXPECT_LT(std::hypot(com[0], com[1]), 1e-7);
    const SO3<double> R_WB = pose(m, work, r.nominal, r.base).rotation();
    EXPECT_LT((R_WB * r.forward_Base - Vector3<double>::UnitX()).norm(), 1e-7);
    EXPECT_LT((R_WB * r.up_Base - Vector3<double>::UnitZ()).norm(), 1e-7);
    for (const Leg& leg : r.legs) {
      const Pose X_WS = pose(m, work, r.nominal, leg.foot.body) * leg.foot.X_BS;
      EXPECT_LT((X_WS.rotation().matrix() - Matrix3<double>::Identity()).norm(), 1e-6) << leg.name;
      EXPECT_NEAR(X_WS.translation()[2], 0.0, 1e-7);
    }
    for (Eigen::Index i = 0; i < r.nominal.size(); ++i) {
      EXPECT_GE(r.nominal[i], m.lower()[i] - 1e-9);
      EXPECT_LE(r.nominal[i], m.upper()[i] + 1e-9);
    }
    // Equal forces at all feet hold it: no force is left at the base.
    const OwnedVector tau = holding_torques(
        r, r.nominal, std::vector<double>(r.legs.size(), 1.0 / static_cast<double>(r.legs.size())));
    EXPECT_LT(tau.head(6).norm(), 1e-5 * m.mass() * 9.81);
    EXPECT_LT(r.hip_height, r.legs[0].length);
  }
}

TEST(LeggedRobots, SimpleHumanoidIsRefusedForItsLimits) {
  const std::string file = path_of("simple_humanoid.urdf");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "simple_humanoid.urdf is not here (AMBLE_ROBOTS)";
  const Mechanism m = load(file, {.base = Base::floating});
  const std::string said = message_of([&] { legged_robot(m); });
  EXPECT_NE(said.find("limits of left and right are no mirror images: "), std::string::npos) << said;
  EXPECT_NE(said.find("unmirrored_limits = true"), std::string::npos) << said;
}

TEST(LeggedRobots, SoloHasPlaceholdersForLimits) {
  const std::string file = path_of("solo12.urdf");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "solo12.urdf is not here (AMBLE_ROBOTS)";
  const LeggedRobot r = legged_robot(load(file, {.base = Base::floating}));
  std::string said;
  for (const std::string& w : r.warnings) said += w + "\n";
  EXPECT_NE(said.find("effort limit 1000 is a placeholder"), std::string::npos) << said;
  EXPECT_NE(said.find("speed limit 1000 rad/s of all leg joints is a placeholder"), std::string::npos)
      << said;
  EXPECT_NE(said.find("a whole turn or more"), std::string::npos) << said;
  EXPECT_LT(r.effort.tail(12).maxCoeff(), 10.0);
  EXPECT_TRUE(std::isinf(r.speed[6]));
}

TEST(LeggedRobots, HexapodsHaveFrontMiddleAndHindLegs) {
  const LeggedRobot r = legged_robot(many_legged({.pairs = 3}));
  std::vector<std::string> names;
  for (const Leg& leg : r.legs) names.push_back(leg.name);
  EXPECT_EQ(names, (std::vector<std::string>{"left_front", "right_front", "left_middle", "right_middle",
                                             "left_hind", "right_hind"}));
  EXPECT_EQ(r.legs[2].foot.body, "shank_l1");
  EXPECT_EQ(r.legs[2].mirror, 3);
  EXPECT_NEAR(r.legs[0].length, 0.42, 1e-9);
  EXPECT_EQ(r.legs[0].foot.shape, Foot::Shape::ball);
  EXPECT_NEAR(r.legs[0].foot.radius, 0.02, 1e-12);
}

TEST(LeggedRobots, WhatCannotWalkIsSaidInOneSentence) {
  const Mechanism fixed = load(source_dir() + "/models/humanoid30.urdf");
  EXPECT_NE(message_of([&] {
              legged_robot(fixed);
            }).find("is fixed to the world: load the model with a floating base"),
            std::string::npos);
  const Mechanism arm = load(source_dir() + "/models/arm7.urdf", {.base = Base::floating});
  EXPECT_NE(message_of([&] {
              legged_robot(arm);
            }).find("no legs were found: only one chain of joints reaches down"),
            std::string::npos);
  const Mechanism rolling = many_legged({.wheels = true});
  EXPECT_NE(message_of([&] { legged_robot(rolling); }).find("is a wheel (radius 0.05 m"), std::string::npos);
  const LeggedRobot kept = inspect_legs(rolling);
  EXPECT_FALSE(kept.refusal.empty());
}

TEST(LeggedRobots, LoopsInLegsAreRefused) {
  ModelDescription d = many_legged({}).description();
  d.loops.push_back({.name = "rod",
                     .type = "spherical",
                     .body_a = "thigh_l0",
                     .body_b = "shank_l0",
                     .X_AF = {},
                     .X_BM = {}});
  const std::string said = message_of([&] { legged_robot(compile(d, Physics::warn)); });
  EXPECT_NE(said.find("loop 'rod' closes on a leg"), std::string::npos) << said;
}

TEST(LeggedRobots, LimitsOfOneSideAloneAreRefusedUnlessAccepted) {
  ModelDescription d = many_legged({}).description();
  for (JointDescription& j : d.joints)
    if (j.name == "pitch_l0") j.properties.lower = {0.2}, j.properties.upper = {1.5};
  const Mechanism m = compile(d, Physics::warn);
  const std::string said = message_of([&] { legged_robot(m); });
  EXPECT_NE(said.find("pitch_l0 [0.2, 1.5] and pitch_r0 [-1.5, 1.5]"), std::string::npos) << said;
  EXPECT_EQ(legged_robot(m, {.unmirrored_limits = true}).legs.size(), 4u);
}

TEST(LeggedRobots, StatedFeetAndDirectionsAreTaken) {
  const Mechanism m = load(source_dir() + "/models/humanoid30.urdf", {.base = Base::floating});
  LeggedRobotSettings s{.feet = {{.body = "left_sole", .length = 0.2, .width = 0.1},
                                 {.body = "right_sole", .length = 0.2, .width = 0.1}}};
  s.hip_height = 0.6, s.stance_width = 0.24;
  const LeggedRobot r = legged_robot(m, s);
  ASSERT_EQ(r.legs[0].foot.corners.size(), 4u);
  for (const Vector3<double>& c : r.legs[0].foot.corners) {
    EXPECT_NEAR(std::abs(c[0]), 0.1, 1e-9);
    EXPECT_NEAR(std::abs(c[1]), 0.05, 1e-9);
  }
  EXPECT_NEAR(r.hip_height, 0.6, 1e-12);
  Workspace work(m);
  const Pose left = pose(m, work, r.nominal, "left_sole"), right = pose(m, work, r.nominal, "right_sole");
  EXPECT_NEAR(left.translation()[1] - right.translation()[1], 0.24, 1e-7);
  const LeggedRobot back = legged_robot(m, {.forward = Vector3<double>(-1, 0, 0)});
  EXPECT_EQ(back.legs[0].foot.body, "right_foot");
  EXPECT_NE(
      message_of([&] { legged_robot(m, {.feet = {{.body = "left_sole"}}}); }).find("one foot is stated"),
      std::string::npos);
  EXPECT_NE(message_of([&] {
              legged_robot(m, {.feet = {{.body = "left_sol"}, {.body = "right_sole"}}});
            }).find("left_sole"),
            std::string::npos);
}

TEST(LeggedRobots, MasslessEndsAreNoFeetOfTheirOwn) {
  std::string text = many_legs({});
  const std::string end = "</robot>";
  for (const char* at : {"l0", "r0", "l1", "r1"})
    text.insert(
        text.find(end),
        fmt::format(
            "<link name='tip_{0}'/><joint name='tip_{0}' type='fixed'><parent link='shank_{0}'/><child "
            "link='tip_{0}'/><origin xyz='0 0 -0.3'/></joint>\n",
            at));
  const LeggedRobot r = legged_robot(load_text(text, "walker.urdf", {.base = Base::floating}));
  EXPECT_EQ(r.legs.size(), 4u);
  EXPECT_EQ(r.legs[0].foot.body, "shank_l0");
}

}  // namespace
}  // namespace amble
