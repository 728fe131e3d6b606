#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "amble/base/random.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/test/mjcf_text.hpp"

namespace amble {
namespace {

namespace fs = std::filesystem;

// ---- MuJoCo 2.2.2 itself, as the reference for rules that have not changed since

struct Reference {
  explicit Reference(const std::string& text) {
    const auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    mj_makeEmptyFileVFS(vfs.get(), "reference.xml", static_cast<int>(text.size()));
    std::memcpy(vfs->filedata[0], text.data(), text.size());
    char message[1000] = "";
    model = mj_loadXML("reference.xml", vfs.get(), message, sizeof message);
    EXPECT_NE(model, nullptr) << message;
    mj_deleteVFS(vfs.get());
    data = mj_makeData(model);
  }
  ~Reference() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  Eigen::Matrix4d pose(int body) const {
    Eigen::Matrix4d X = Eigen::Matrix4d::Identity();
    X.topLeftCorner<3, 3>() =
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data->xmat + 9 * body);
    X.topRightCorner<3, 1>() = Eigen::Map<const Eigen::Vector3d>(data->xpos + 3 * body);
    return X;
  }
  void randomise(Random& random) {
    for (int i = 0; i < model->nq; ++i) data->qpos[i] = random.uniform(-1.5, 1.5);
    mj_normalizeQuat(model, data->qpos);
    mj_kinematics(model, data);
    mj_comPos(model, data);
  }

  mjModel* model = nullptr;
  mjData* data = nullptr;
};

// ---- forward kinematics that walks a description, written with Eigen's own rotations

Eigen::Matrix4d homogeneous(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  Eigen::Matrix4d X = Eigen::Matrix4d::Identity();
  X.topLeftCorner<3, 3>() = R;
  X.topRightCorner<3, 1>() = p;
  return X;
}

Eigen::Matrix4d joint_motion(const JointDescription& j, const double*& qpos) {
  const Eigen::Vector3d axis = j.axis;
  const auto quaternion = [&](const double* q) {
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  };
  if (j.type == "fixed") return Eigen::Matrix4d::Identity();
  if (j.type == "revolute")
    return homogeneous(Eigen::AngleAxisd(*qpos++, axis).toRotationMatrix(), {0, 0, 0});
  if (j.type == "prismatic") return homogeneous(Eigen::Matrix3d::Identity(), axis * *qpos++);
  if (j.type == "spherical") return qpos += 4, homogeneous(quaternion(qpos - 4), {0, 0, 0});
  EXPECT_EQ(j.type, "free");
  qpos += 7;
  return homogeneous(quaternion(qpos - 4), Eigen::Vector3d(qpos[-7], qpos[-6], qpos[-5]));
}

std::map<std::string, Eigen::Matrix4d> poses(const ModelDescription& d, const double* qpos) {
  std::map<std::string, Eigen::Matrix4d> X{{"world", Eigen::Matrix4d::Identity()}};
  for (const JointDescription& j : d.joints)
    X[j.child] = X.at(j.parent) * Eigen::Matrix4d(j.X_PF.matrix()) * joint_motion(j, qpos) *
                 Eigen::Matrix4d(j.X_CM.matrix()).inverse();
  return X;
}

std::vector<const BodyDescription*> real_bodies(const ModelDescription& d) {
  std::vector<const BodyDescription*> out;
  for (const BodyDescription& b : d.bodies)
    if (!b.auxiliary) out.push_back(&b);
  return out;
}

void expect_same_poses_and_inertias(const std::string& text) {
  Reference mujoco(text);
  const ModelDescription d = read_mjcf(text, "model.xml");
  const auto bodies = real_bodies(d);
  ASSERT_EQ(static_cast<int>(bodies.size()), mujoco.model->nbody - 1);
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    mujoco.randomise(random);
    const auto X = poses(d, mujoco.data->qpos);
    for (int b = 1; b < mujoco.model->nbody; ++b) {
      const BodyDescription& body = *bodies[b - 1];
      const Eigen::Matrix4d& X_WB = X.at(body.name);
      EXPECT_LT((X_WB - mujoco.pose(b)).cwiseAbs().maxCoeff(), 1e-12) << body.name << " trial " << trial;
      const Eigen::Vector4d com = X_WB * Eigen::Vector3d(body.inertia.com()).homogeneous();
      EXPECT_LT((com.head<3>() - Eigen::Map<Eigen::Vector3d>(mujoco.data->xipos + 3 * b)).norm(), 1e-12);
      const Eigen::Matrix3d R = X_WB.topLeftCorner<3, 3>();
      const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> Ri(mujoco.data->ximat + 9 * b);
      const Eigen::Map<const Eigen::Vector3d> moments(mujoco.model->body_inertia + 3 * b);
      const Eigen::Matrix3d theirs = Ri * moments.asDiagonal() * Ri.transpose();
      EXPECT_LT(
          (R * Eigen::Matrix3d(body.inertia.about_com()) * R.transpose() - theirs).cwiseAbs().maxCoeff(),
          1e-12 * (1.0 + moments.maxCoeff()));
    }
  }
  double mass = 0.0;
  for (const BodyDescription& b : d.bodies) mass += b.inertia.mass();
  EXPECT_NEAR(mass, mj_getTotalmass(mujoco.model), 1e-13 * mass);
}

// ---- little helpers

constexpr const char* kZoo = R"(<mujoco model="zoo">
  <compiler angle="degree" autolimits="true" eulerseq="zyx"/>
  <default>
    <joint damping="0.3"/>
    <default class="heavy"><geom density="3000"/></default>
  </default>
  <worldbody>
    <body name="base" pos="1 2 3" euler="10 20 30">
      <joint name="first" pos="0.1 0.2 0.3" axis="1 2 3" ref="25"/>
      <joint name="second" type="slide" pos="0.5 0 0" axis="0 1 1" ref="0.4"/>
      <joint name="third" type="ball" pos="-0.3 0.1 0.7"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.3 0 0" euler="5 6 7"/>
      <body name="arm" pos="0 0 0.5" axisangle="1 1 0 40" childclass="heavy">
        <joint name="elbow" axis="0 0 1" pos="0 0.2 0"/>
        <geom type="capsule" fromto="0 0 0 0.3 0.2 0.1" size="0.05"/>
        <body pos="0.3 0.2 0.1" zaxis="1 0 1">
          <inertial pos="0.01 0.02 0.03" mass="0.7" quat="0.9 0.1 -0.3 0.2" diaginertia="0.02 0.03 0.04"/>
          <body name="finger" xyaxes="0 1 0 -1 0 0"><joint type="slide" axis="1 0 0"/><geom size="1"/></body>
        </body>
      </body>
    </body>
    <body name="floater" pos="4 5 6" quat="1 2 3 4"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/>
      <body name="wheel" pos="0 1 0"><joint type="ball"/><geom type="cylinder" size="0.2 0.05"/></body>
    </body>
    <body name="post" pos="7 0 0"><geom type="box" size="1 1 1"/></body>
  </worldbody>
</mujoco>)";

// ---- kinematics and inertia

TEST(MjcfReader, PosesAndInertiasAgreeWithMujoco) { expect_same_poses_and_inertias(kZoo); }

TEST(MjcfReader, PosesAgreeWithSixJointsOnABody) {
  expect_same_poses_and_inertias(R"(<mujoco><compiler angle="radian"/><worldbody><body name="six" pos="1 0 0">
    <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
    <joint axis="0 0 1" pos="0.1 0 0"/><joint axis="0 1 0" pos="0 0.2 0"/>
    <joint axis="1 0 0" ref="-2" pos="0 0 0.3"/>
    <geom size="0.1"/></body></worldbody></mujoco>)");
}

/// Part of MJCF until MuJoCo 2.3.4.
TEST(MjcfReader, GlobalCoordinatesAreRefused) {
  EXPECT_TRUE(contains(error_of("<mujoco>\n<compiler coordinate='global'/></mujoco>"),
                       "model.xml:2: compiler: coordinate=\"global\" is no longer part of MJCF"));
}

TEST(MjcfReader, JointsStackedOnABodyGetAuxiliaryBodies) {
  const ModelDescription d = read_mjcf(kZoo, "zoo.xml");
  EXPECT_EQ(d.name, "zoo");
  EXPECT_EQ(joint(d, "first").parent, "world");
  EXPECT_EQ(joint(d, "first").child, "base_aux_1");
  EXPECT_EQ(joint(d, "second").parent, "base_aux_1");
  EXPECT_EQ(joint(d, "third").child, "base");
  EXPECT_EQ(joint(d, "third").type, "spherical");
  EXPECT_TRUE(body(d, "base_aux_1").auxiliary);
  EXPECT_EQ(body(d, "base_aux_2").inertia.mass(), 0.0);
  EXPECT_FALSE(body(d, "base").auxiliary);
}

TEST(MjcfReader, NamelessThingsGetNamesThatNobodyHas) {
  const ModelDescription d =
      read_mjcf(in_world("<body name='body_2'><body><joint name='joint_1'/><geom size='1'/></body>"
                         "<body><joint/><geom size='1'/><site/></body></body>"),
                "m.xml");
  std::map<std::string, int> seen;
  for (const auto& b : d.bodies) ++seen[b.name];
  for (const auto& j : d.joints) ++seen["joint " + j.name];
  for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
  EXPECT_TRUE(seen.contains("body_2") && seen.contains("body_2_2") && seen.contains("body_3"));
  EXPECT_TRUE(seen.contains("joint joint_1") && seen.contains("joint joint_1_2"));
  EXPECT_TRUE(seen.contains("joint body_2_fixed"));
}

TEST(MjcfReader, AFreeJointsCoordinatesAreThePoseInTheWorld) {
  const ModelDescription d = read_mjcf(kZoo, "zoo.xml");
  const JointDescription& free = d.joints[d.joints.size() - 3];
  EXPECT_EQ(free.type, "free");
  EXPECT_EQ(free.X_PF.matrix(), Matrix4<double>(Matrix4<double>::Identity()));
  EXPECT_TRUE(contains(findings(d), "zoo.xml:22: body 'floater': its place in the file is where it starts"));
}

TEST(MjcfReader, LinesAreThoseOfTheFile) {
  const ModelDescription d = read_mjcf(kZoo, "zoo.xml");
  EXPECT_EQ(body(d, "base").line, 8);
  EXPECT_EQ(joint(d, "second").line, 10);
  EXPECT_EQ(joint(d, "elbow").line, 14);
  EXPECT_EQ(joint(d, "post_fixed").line, 25);
}

// ---- numbers of joints

TEST(MjcfReader, JointNumbersAreKept) {
  const ModelDescription d = read_mjcf(
      in_world("<body><joint name='a' range='-1 2' damping='0.5' frictionloss='0.25' armature='0.125' "
               "stiffness='8' "
               "springref='0.75' ref='0.5'/><geom size='1'/></body>"
               "<body><joint name='b' type='ball' damping='3' armature='2' stiffness='4' range='0 1'/>"
               "<geom size='1'/></body><body><joint name='c'/><geom size='1'/></body>"),
      "m.xml");
  const JointProperties& a = joint(d, "a").properties;
  EXPECT_EQ(a.lower, std::vector{-1.0});
  EXPECT_EQ(a.upper, std::vector{2.0});
  EXPECT_EQ(a.damping, std::vector{0.5});
  EXPECT_EQ(a.friction, std::vector{0.25});
  EXPECT_EQ(a.armature, std::vector{0.125});
  EXPECT_EQ(a.stiffness, std::vector{8.0});
  EXPECT_EQ(a.reference, std::vector{0.75});
  const JointProperties& b = joint(d, "b").properties;
  EXPECT_EQ(b.damping, (std::vector{3.0, 3.0, 3.0}));
  EXPECT_EQ(b.armature, (std::vector{2.0, 2.0, 2.0}));
  EXPECT_EQ(b.stiffness, (std::vector{4.0, 4.0, 4.0}));
  EXPECT_TRUE(b.lower.empty());
  EXPECT_TRUE(contains(findings(d), "joint 'b': range of a ball joint: not used"));
  const JointProperties& c = joint(d, "c").properties;
  EXPECT_TRUE(c.lower.empty() && c.damping.empty() && c.effort.empty() && c.stiffness.empty());
}

/// Any drive with a largest force, where there were only motors as long as only they were read.
TEST(MjcfReader, DrivesLimitTheEffortOfTheirJoint) {
  const ModelDescription d = read_mjcf(R"(<mujoco><worldbody>
      <body><joint name="a"/><geom size="1"/></body><body><joint name="b"/><geom size="1"/></body>
      <body><joint name="c"/><geom size="1"/></body><body><joint name="e"/><geom size="1"/></body></worldbody>
    <actuator><motor joint="a" gear="-10" ctrllimited="true" ctrlrange="-2 3"/>
      <motor joint="b" gear="2" forcelimited="true" forcerange="-5 5" ctrllimited="true" ctrlrange="-7 7"/>
      <motor joint="b" forcelimited="true" forcerange="-1 1"/>
      <motor joint="c"/>
      <position joint="e" forcelimited="true" forcerange="-1 1"/>
      <general joint="c" dyntype="integrator"/></actuator></mujoco>)",
                                       "m.xml");
  EXPECT_EQ(joint(d, "a").properties.effort, std::vector{30.0});
  EXPECT_EQ(joint(d, "b").properties.effort, std::vector{11.0});
  EXPECT_TRUE(joint(d, "c").properties.effort.empty());
  EXPECT_EQ(joint(d, "e").properties.effort, std::vector{1.0});
  EXPECT_EQ(d.drives.size(), 6u) << "the integrator without a limit is one of them";
}

TEST(MjcfReader, ARangeIsALimitAsInLaterVersionsOfMujoco) {
  const auto d = read_mjcf(
      "<mujoco><worldbody><body><joint name='a' range='-90 90'/><geom size='1'/></body>"
      "</worldbody></mujoco>",
      "m.xml");
  EXPECT_NEAR(joint(d, "a").properties.upper.at(0), 1.5707963267948966, 1e-15);
}

// ---- the world

TEST(MjcfReader, GravityIsKeptOrSwitchedOff) {
  EXPECT_EQ(read_mjcf("<mujoco><option gravity='1 2 3'/></mujoco>", "m.xml").gravity,
            Vector3<double>(1, 2, 3));
  EXPECT_EQ(read_mjcf("<mujoco><option><flag gravity='disable'/></option></mujoco>", "m.xml").gravity,
            Vector3<double>(0, 0, 0));
  EXPECT_EQ(read_mjcf("<mujoco/>", "m.xml").gravity, Vector3<double>(0, 0, -9.81));
}

TEST(MjcfReader, FlagsSwitchOffWhatTheyName) {
  const auto with = [](const std::string& flag) {
    return read_mjcf(
        "<mujoco><option><flag " + flag +
            "/></option><worldbody><body name='b'>"
            "<joint name='j' limited='true' range='-1 1' damping='1' frictionloss='1' stiffness='1'/>"
            "<geom size='1'/></body></worldbody><equality><connect body1='b' anchor='1 0 "
            "0'/></equality></mujoco>",
        "m.xml");
  };
  EXPECT_EQ(with("").loops.size(), 1u);
  EXPECT_TRUE(with("equality='disable'").loops.empty());
  EXPECT_TRUE(joint(with("limit='disable'"), "j").properties.lower.empty());
  EXPECT_TRUE(joint(with("frictionloss='disable'"), "j").properties.friction.empty());
  EXPECT_TRUE(joint(with("passive='disable'"), "j").properties.damping.empty());
  EXPECT_TRUE(joint(with("passive='disable'"), "j").properties.stiffness.empty());
  EXPECT_EQ(joint(with("contact='disable'"), "j").properties.damping, std::vector{1.0});
}

TEST(MjcfReader, SitesAreFramesAndDoNotClashWithBodies) {
  const ModelDescription d = read_mjcf(
      in_world("<site name='top' pos='0 0 9'/><body name='imu' pos='1 0 0'><site name='imu' pos='0 2 0' "
               "euler='0 0 1.5707963267948966'/></body>"),
      "m.xml");
  ASSERT_EQ(d.frames.size(), 2u);
  EXPECT_EQ(d.frames[0].body, "world");
  EXPECT_EQ(d.frames[1].name, "imu_site");
  EXPECT_EQ(d.frames[1].body, "imu");
  EXPECT_LT((d.frames[1].X_BF * Vector3<double>(1, 0, 0) - Vector3<double>(0, 3, 0)).norm(), 1e-15);
  EXPECT_TRUE(contains(findings(d), "called 'imu_site' here"));
}

TEST(MjcfReader, GeomsBecomeShapes) {
  const ModelDescription d = read_mjcf(
      "<mujoco><asset><material name='blue' rgba='0 0 1 1'/></asset><worldbody>"
      "<geom name='floor' type='plane' size='0 0 1'/><geom size='3' contype='0' conaffinity='0'/><body "
      "name='b'>"
      "<geom name='s' size='0.1' rgba='0.1 0.2 0.3 1'/><geom type='capsule' size='0.1 0.2' contype='0' "
      "conaffinity='0'/>"
      "<geom type='cylinder' size='0.1 0.2' group='3'/><geom type='box' size='1 2 3' material='blue'/>"
      "<geom type='ellipsoid' size='1 2 3' pos='4 5 6'/></body></worldbody></mujoco>",
      "m.xml");
  ASSERT_EQ(d.world_collisions.size(), 1u);
  EXPECT_EQ(d.world_collisions[0].shape.kind, Shape::Kind::plane);
  EXPECT_EQ(d.world_visuals.size(), 2u);
  const BodyDescription& b = body(d, "b");
  ASSERT_EQ(b.visuals.size(), 4u);
  ASSERT_EQ(b.collisions.size(), 4u);
  EXPECT_EQ(b.visuals[0].shape, (Shape{Shape::Kind::sphere, {0.1, 0, 0}, ""}));
  EXPECT_EQ(b.visuals[0].color, (std::array{0.1, 0.2, 0.3, 1.0}));
  EXPECT_EQ(b.visuals[1].shape, (Shape{Shape::Kind::capsule, {0.1, 0.4, 0}, ""}));
  EXPECT_EQ(b.visuals[1].color, std::nullopt);
  EXPECT_EQ(b.collisions[1].shape, (Shape{Shape::Kind::cylinder, {0.1, 0.4, 0}, ""}));
  EXPECT_EQ(b.visuals[2].shape, (Shape{Shape::Kind::box, {2, 4, 6}, ""}));
  EXPECT_EQ(b.visuals[2].color, (std::array{0.0, 0.0, 1.0, 1.0}));
  EXPECT_EQ(b.visuals[3].shape, (Shape{Shape::Kind::ellipsoid, {1, 2, 3}, ""}));
  EXPECT_EQ(b.visuals[3].X_BS.translation(), Vector3<double>(4, 5, 6));
}

// ---- loops and couplings

/// Puts body b where the loop wants it relative to body a, by our reading of the file, and asks MuJoCo how
/// far its own constraint is from holding.
double mujoco_violation(const std::string& equality) {
  const std::string text =
      "<mujoco><worldbody><body name='a' pos='1 2 3' euler='10 20 30'><freejoint/><geom size='1'/>"
      "</body><body name='b' pos='-1 0 2' euler='50 -20 80'><freejoint/><geom size='1'/></body>"
      "</worldbody><equality>" +
      equality + "</equality></mujoco>";
  const ModelDescription d = read_mjcf(text, "m.xml");
  EXPECT_EQ(d.loops.size(), 1u);
  const LoopDescription& loop = d.loops.at(0);
  EXPECT_EQ(loop.body_a, "a");
  EXPECT_EQ(loop.body_b, "b");
  Reference mujoco(text);
  Random random(3);
  mujoco.randomise(random);
  SO3<double> free_turn;
  if (loop.type == "spherical") free_turn = SO3<double>::exp({0.4, -0.7, 1.1});
  const Pose X_WB = Pose(Matrix4<double>(mujoco.pose(1))) * loop.X_AF * Pose(free_turn) * loop.X_BM.inverse();
  const Quaternion<double> q = X_WB.rotation().quaternion();
  double* qpos = mujoco.data->qpos + 7;
  for (int i = 0; i < 3; ++i) qpos[i] = X_WB.translation()[i], qpos[4 + i] = q.v[i];
  qpos[3] = q.w;
  mj_forward(mujoco.model, mujoco.data);
  EXPECT_EQ(mujoco.data->ne, loop.type == "fixed" ? 6 : 3);
  return Eigen::Map<Eigen::VectorXd>(mujoco.data->efc_pos, mujoco.data->ne).cwiseAbs().maxCoeff();
}

TEST(MjcfReader, ConnectAndWeldHoldWhereMujocoSaysSo) {
  EXPECT_LT(mujoco_violation("<connect body1='a' body2='b' anchor='0.3 0.2 0.1'/>"), 1e-13);
  EXPECT_LT(mujoco_violation("<weld body1='a' body2='b'/>"), 1e-13);
  EXPECT_LT(mujoco_violation("<weld body1='a' body2='b' relpose='0.1 0.2 0.3 1 0.5 0.2 0.1'/>"), 1e-13);
  EXPECT_LT(
      mujoco_violation("<weld body1='a' body2='b' relpose='0.1 0.2 0.3 1 0.5 0.2 0.1' anchor='1 2 3'/>"),
      1e-13);
  EXPECT_LT(mujoco_violation("<weld body1='a' body2='b' anchor='1 2 3'/>"), 1e-13);
}

TEST(MjcfReader, WeldToTheWorldNamesTheWorld) {
  const auto d = read_mjcf(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody><equality>"
      "<weld name='glue' body1='a'/></equality></mujoco>",
      "m.xml");
  EXPECT_EQ(d.loops.at(0).name, "glue");
  EXPECT_EQ(d.loops.at(0).type, "fixed");
  EXPECT_EQ(d.loops.at(0).body_b, "world");
}

constexpr const char* kCoupled = R"(<mujoco><compiler angle="radian"/><worldbody>
  <body><joint name="x" ref="0.5"/><geom size="1"/></body>
  <body><joint name="y" ref="0.25"/><geom size="1"/></body>
  <body><joint name="z"/><geom size="1"/></body></worldbody><equality>
    <joint joint1="y" joint2="x" polycoef="0.1 3 0 0 0"/>
    <joint joint1="z" joint2="x" polycoef="0 1 2 0 0"/>
    <joint name="lock" joint1="z"/>
    <connect body1="body_none" body2="world" anchor="0 0 0" active="false"/></equality></mujoco>)";

std::string coupled() {
  std::string text = kCoupled;
  text.replace(text.find("<body><joint name=\"z\""), 6, "<body name=\"body_none\">");
  return text;
}

TEST(MjcfReader, LinearJointEqualitiesAreMimics) {
  const ModelDescription d = read_mjcf(coupled(), "m.xml");
  ASSERT_TRUE(joint(d, "y").mimic);
  EXPECT_EQ(joint(d, "y").mimic->leader, "x");
  EXPECT_EQ(joint(d, "y").mimic->ratio, 3.0);
  EXPECT_NEAR(joint(d, "y").mimic->offset, 0.25 + 0.1 - 3 * 0.5, 1e-15);
  EXPECT_FALSE(joint(d, "z").mimic);
  EXPECT_TRUE(d.loops.empty());
  ASSERT_EQ(d.couplings.size(), 2u) << "the polynomial, and the joint that is held in place";
  EXPECT_EQ(d.couplings[0].y, "z");
  EXPECT_EQ(d.couplings[0].x, "x");
  EXPECT_EQ(d.couplings[0].x0, 0.5);
  EXPECT_EQ(d.couplings[0].coefficients, (std::array{0.0, 1.0, 2.0, 0.0, 0.0}));
  EXPECT_EQ(d.couplings[1].name, "lock");
  EXPECT_EQ(d.couplings[1].x, "");
  EXPECT_TRUE(contains(findings(d), "m.xml:8: connect: not used: it is switched off"));
  const ModelDescription free = read_mjcf(coupled(), "m.xml", {.mimic = false});
  EXPECT_FALSE(joint(free, "y").mimic);
  EXPECT_EQ(free.couplings.size(), 3u) << "both keep their coordinates and are coupled by a constraint";
}

/// Two points on MuJoCo's own constraint give ratio and offset.
TEST(MjcfReader, AMimicIsWhereMujocosConstraintIsZero) {
  Reference mujoco(coupled());
  const Mimic mimic = *joint(read_mjcf(coupled(), "m.xml"), "y").mimic;
  for (const double x : {-0.7, 0.9}) {
    mujoco.data->qpos[0] = x;
    mujoco.data->qpos[1] = mimic.ratio * x + mimic.offset;
    mj_forward(mujoco.model, mujoco.data);
    EXPECT_NEAR(mujoco.data->efc_pos[0], 0.0, 1e-15);
  }
}

// ---- what is not used

TEST(MjcfReader, UnusedContentIsReportedOncePerKindWithItsFirstLine) {
  const ModelDescription d = read_mjcf(R"(<mujoco>
  <size njmax="100"/>
  <option timestep="0.001" gravity="0 0 -1"/>
  <visual><map znear="0.1"/></visual>
  <custom><numeric name="n" data="1"/></custom>
  <worldbody><light pos="0 0 1"/><camera name="c"/>
    <body name="b" mocap="true"><geom name="g" size="1" gap="0.1"/><geom size="1" condim="4" solref="1 1"/>
      <site name="s" size="0.1"/></body></worldbody>
  <sensor><framepos objtype="body" objname="b"/><framequat objtype="body" objname="b"/></sensor>
</mujoco>)",
                                       "m.xml");
  const std::string said = findings(d);
  for (const char* expected :
       {"m.xml:2: sizes of MuJoCo's buffers: not used (1 element)", "m.xml:3: option: not used: timestep",
        "m.xml:4: settings of MuJoCo's viewer: not used (1 element)",
        "m.xml:5: fields of other programs: not used (1 element)", "m.xml:6: lights: not used (1 element)",
        "m.xml:6: cameras: not used (1 element)", "m.xml:7: geom: not used: gap, solref",
        "m.xml:7: geom: condim above 3 (1 element): there is no friction against twisting and rolling here",
        "m.xml:8: site: not used: size", "m.xml:9: sensors: not used (2 elements)",
        "m.xml:7: body 'b': not moved from outside (mocap): fixed"})
    EXPECT_TRUE(contains(said, expected)) << expected << "\n--- in\n" << said;
  EXPECT_FALSE(any_at_least(d.findings, Severity::warning)) << said;
}

TEST(MjcfReader, SettingsThatChangeMassesAreNoted) {
  const auto d = read_mjcf(
      "<mujoco><compiler settotalmass='3'/><worldbody><body name='b'><geom size='1'/></body>"
      "</worldbody></mujoco>",
      "m.xml");
  EXPECT_NEAR(body(d, "b").inertia.mass(), 3.0, 1e-14);
  EXPECT_TRUE(
      contains(findings(d), "m.xml:1: compiler: settotalmass=\"3\": masses or inertias are changed by it"));
}

// ---- manners

TEST(MjcfReader, SeveralThreadsMayReadAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::size_t> bodies(4);
  for (std::size_t& count : bodies)
    threads.emplace_back([&count] {
      for (int i = 0; i < 5; ++i)
        count = read_mjcf(kZoo, "zoo.xml").bodies.size() + 0 * error_of("<mujoco><x/></mujoco>").size();
    });
  for (std::thread& t : threads) t.join();
  for (const std::size_t count : bodies) EXPECT_EQ(count, 9u);
}

/// As MuJoCo turns it to principal axes, which stops early: see principal_axes.hpp. Until Amble read MJCF
/// itself it took the file's own digits here, and so differed from MuJoCo.
TEST(MjcfReader, AFullInertiaIsThatOfItsPrincipalAxes) {
  const ModelDescription d = read_mjcf(R"(
<mujoco><worldbody><body name="a"><freejoint/>
  <inertial pos="0 0 0" mass="0.7" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/></body></worldbody></mujoco>)",
                                       "model.xml");
  Matrix3<double> written;
  written << 0.02, 0.001, 0.002, 0.001, 0.03, 0.003, 0.002, 0.003, 0.04;
  EXPECT_LT((d.bodies.at(0).inertia.about_com() - written).cwiseAbs().maxCoeff(), 1e-8);
  // An entry below 1e-12 kg m^2 is dropped.
  const ModelDescription small = read_mjcf(R"(
<mujoco><worldbody><body name="a"><freejoint/>
  <inertial pos="0 0 0" mass="0.7" fullinertia="2e-11 3e-11 4e-11 9e-13 0 0"/></body></worldbody></mujoco>)",
                                           "model.xml");
  EXPECT_LT(std::abs(small.bodies.at(0).inertia.about_com()(0, 1)), 1e-25);
}

}  // namespace
}  // namespace amble
