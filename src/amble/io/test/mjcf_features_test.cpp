#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/io/readers.hpp"
#include "amble/io/test/mesh_samples.hpp"
#include "amble/io/test/mjcf_text.hpp"
#include "amble/io/test/temporary_folder.hpp"
#include "amble/mechanism/mechanism.hpp"

// Each feature of the language on a model small enough that its answer is known.
namespace amble {
namespace {

using std::numbers::pi;

ModelDescription read(const std::string& inner) {
  return read_mjcf("<mujoco>" + inner + "</mujoco>", "m.xml");
}

Pose pose_of(const ModelDescription& d, const std::string& child) {
  for (const JointDescription& j : d.joints)
    if (j.child == child) return j.X_PF * j.X_CM.inverse();
  throw std::runtime_error("no joint of " + child);
}

const FrameDescription& frame(const ModelDescription& d, const std::string& name) {
  for (const FrameDescription& f : d.frames)
    if (f.name == name) return f;
  throw std::runtime_error("no frame " + name);
}

void expect_near(const Vector3<double>& a, const Vector3<double>& b, double tolerance = 1e-14) {
  EXPECT_LT((a - b).norm(), tolerance) << a.transpose() << " instead of " << b.transpose();
}

Vector3<double> axis(const Pose& X, int i) { return X.rotation().matrix().col(i); }

// ---- orientations

TEST(MjcfFeatures, EveryWayToSayAQuarterTurnAboutZIsTheSame) {
  for (const char* turn :
       {"quat='1 0 0 1'", "axisangle='0 0 2 90'", "euler='0 0 90'", "xyaxes='0 1 0 -1 0 0'"}) {
    const Pose X =
        pose_of(read("<worldbody><body name='a' pos='1 2 3' " + std::string(turn) + "/></worldbody>"), "a");
    expect_near(axis(X, 0), {0, 1, 0}), expect_near(axis(X, 1), {-1, 0, 0});
    expect_near(X.translation(), {1, 2, 3});
  }
}

TEST(MjcfFeatures, ZaxisIsTheSmallestTurn) {
  const auto z = [](const std::string& to) {
    return pose_of(read("<worldbody><body name='a' zaxis='" + to + "'/></worldbody>"), "a");
  };
  expect_near(axis(z("0 0 5"), 0), {1, 0, 0});
  expect_near(axis(z("1 0 0"), 2), {1, 0, 0}), expect_near(axis(z("1 0 0"), 1), {0, 1, 0});
  expect_near(axis(z("0 0 -1"), 2), {0, 0, -1}), expect_near(axis(z("0 0 -1"), 0), {1, 0, 0});
}

TEST(MjcfFeatures, EulerSequencesTurnAboutMovingAxesInLowerCaseAndFixedOnesInUpperCase) {
  const auto turned = [](const std::string& sequence) {
    return pose_of(read("<compiler eulerseq='" + sequence +
                        "'/><worldbody><body name='a' euler='90 90 0'/></worldbody>"),
                   "a");
  };
  expect_near(axis(turned("xyz"), 0),
              {0, 1, 0});  // about x, then about the new y, which is z of the parent: x to y
  expect_near(axis(turned("XYZ"), 0), {0, 0, -1});  // about x, then about y of the parent
  EXPECT_TRUE(
      contains(error_of("<mujoco>\n<compiler eulerseq='xyw'/></mujoco>"), "model.xml:2: compiler: eulerseq"));
}

TEST(MjcfFeatures, AnOrientationOfTheElementReplacesTheOneOfItsClassButAQuaternionDoesNot) {
  const std::string classes = "<default><default class='c'><site euler='0 0 90'/></default></default>";
  const auto d = read(classes +
                      "<worldbody><site name='own' class='c' zaxis='1 0 0'/>"
                      "<site name='quat' class='c' quat='0 1 0 0'/></worldbody>");
  expect_near(axis(frame(d, "own").X_BF, 2), {1, 0, 0});
  expect_near(axis(frame(d, "quat").X_BF, 0), {0, 1, 0});
}

TEST(MjcfFeatures, BadOrientationsAreRefused) {
  const auto said = [](const std::string& turn) {
    return error_of(in_world("\n<body name='a' " + turn + "/>"));
  };
  EXPECT_TRUE(
      contains(said("quat='0 0 0 0'"), "model.xml:2: body 'a': the quaternion (0, 0, 0, 0) is no rotation"));
  EXPECT_TRUE(
      contains(said("quat='1 0 0 0' euler='0 0 0'"), "model.xml:2: body 'a': has several orientations"));
  EXPECT_TRUE(contains(said("zaxis='0 0 1e-8'"), "model.xml:2: body 'a': zaxis is (0, 0, 1e-08)"));
  EXPECT_TRUE(contains(said("xyaxes='1 0 0 2 0 0'"), "the y axis of xyaxes"));
}

// ---- frames, replicate, attach

TEST(MjcfFeatures, AFramePlacesAllInItButInertia) {
  const auto d = read(R"(<compiler angle="degree"/><worldbody><body name="b">
    <frame pos="1 0 0" euler="0 0 90"><frame pos="0 0 1">
      <joint name="j" pos="1 0 0" axis="1 0 0"/><site name="s" pos="2 0 0"/><geom name="g" size="1" pos="3 0 0"/>
      <body name="c" pos="4 0 0"/></frame></frame>
    <inertial pos="5 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>)");
  expect_near(frame(d, "s").X_BF.translation(), {1, 2, 1});
  expect_near(joint(d, "j").axis, {0, 1, 0}), expect_near(joint(d, "j").X_CM.translation(), {1, 1, 1});
  expect_near(body(d, "b").collisions.at(0).X_BS.translation(), {1, 3, 1});
  expect_near(pose_of(d, "c").translation(), {1, 4, 1});
  expect_near(body(d, "b").inertia.com(), {5, 0, 0});
}

TEST(MjcfFeatures, AFrameMayNameTheClassOfWhatIsInIt) {
  const auto d = read(R"(<default><default class="red"><geom rgba="1 0 0 1"/></default></default>
    <worldbody><frame childclass="red"><geom name="a" size="1"/><geom name="b" class="main" size="1"/></frame>
    </worldbody>)");
  EXPECT_EQ(d.world_collisions.at(0).color, (std::array{1.0, 0.0, 0.0, 1.0}));
  EXPECT_EQ(d.world_collisions.at(1).color, std::nullopt);
}

TEST(MjcfFeatures, ReplicateTurnsAndMovesEachCopyFromTheOneBefore) {
  const auto d = read(R"(<worldbody><replicate count="10" offset="1 0 0" euler="0 0 90" sep="-">
    <body name="b"><joint name="j"/><geom size="1"/></body></replicate></worldbody>
    <actuator><motor name="m" joint="j"/><motor name="x" joint="alone"/></actuator>
    <worldbody><body><joint name="alone"/><geom size="1"/></body></worldbody>)");
  ASSERT_EQ(d.bodies.size(), 11u);
  expect_near(pose_of(d, "b-00").translation(), {0, 0, 0});
  expect_near(pose_of(d, "b-01").translation(), {1, 0, 0});
  expect_near(pose_of(d, "b-02").translation(), {1, 1, 0});
  expect_near(pose_of(d, "b-03").translation(), {0, 1, 0});
  expect_near(axis(pose_of(d, "b-01"), 0), {0, 1, 0});
  ASSERT_EQ(d.drives.size(), 11u);  // what refers to copies is copied, behind the others
  EXPECT_EQ(d.drives[0].name, "x");
  EXPECT_EQ(d.drives[3].name, "m-02");
  EXPECT_EQ(d.drives[3].joint, "j-02");
}

TEST(MjcfFeatures, ReplicateInReplicateNamesTheInnerOneFirst) {
  const auto d =
      read(R"(<worldbody><replicate count="2" offset="1 0 0" sep="o"><replicate count="2" offset="0 1 0"
    sep="i"><body name="b"/></replicate></replicate></worldbody>)");
  expect_near(pose_of(d, "bi1o0").translation(), {0, 1, 0});
  expect_near(pose_of(d, "bi0o1").translation(), {1, 0, 0});
}

TEST(MjcfFeatures, AnAttachedModelKeepsItsUnitsAndClassesAndBringsItsDrives) {
  const TemporaryFolder folder;
  folder.write("arm.xml", R"(<mujoco><compiler angle="radian"/><default><joint damping="3"/></default>
    <worldbody><body name="arm"><joint name="j" range="-1 1"/><geom size="0.1"/></body><body name="other"/></worldbody>
    <actuator><position name="servo" joint="j" kp="7"/></actuator></mujoco>)");
  const std::string text = R"(<mujoco><compiler angle="degree"/><default><joint damping="1"/></default>
    <asset><model name="arm" file="arm.xml"/></asset><worldbody>
      <frame pos="0 0 2"><attach model="arm" body="arm" prefix="left_"/></frame>
      <attach model="arm" prefix="all_"/></worldbody></mujoco>)";
  const auto d = read_mjcf(text, folder.write("m.xml", text));
  ASSERT_EQ(d.bodies.size(), 3u);
  expect_near(pose_of(d, "left_arm").translation(), {0, 0, 2});
  EXPECT_EQ(joint(d, "left_j").properties.upper, std::vector{1.0});
  EXPECT_EQ(joint(d, "left_j").properties.damping, std::vector{3.0});
  EXPECT_EQ(body(d, "all_other").name, "all_other");
  ASSERT_EQ(d.drives.size(), 2u);
  EXPECT_EQ(d.drives[1].name, "all_servo");
  EXPECT_EQ(d.drives[1].joint, "all_j");
}

TEST(MjcfFeatures, AModelThatIsNotNamedIsCalledAsItCallsItself) {
  const TemporaryFolder folder;
  folder.write("a.xml", "<mujoco model='arm'><worldbody><body name='b'/></worldbody></mujoco>");
  const std::string text =
      "<mujoco><asset><model file='a.xml'/></asset><worldbody><attach model='arm' "
      "prefix='x_'/></worldbody></mujoco>";
  EXPECT_EQ(read_mjcf(text, folder.write("m.xml", text)).bodies.at(0).name, "x_b");
}

TEST(MjcfFeatures, AttachingAPartOfTheModelItselfIsLeftOutWithAWarning) {
  const ModelDescription d = read_mjcf(
      "<mujoco><worldbody><body name='a'/>\n<attach body='a' prefix='x_'/></worldbody></mujoco>", "m.xml");
  EXPECT_EQ(d.bodies.size(), 1u);
  EXPECT_TRUE(contains(findings(d), "m.xml:2: attach: not read: it attaches a part of this model itself"));
}

TEST(MjcfFeatures, KeyframesOfAnAttachedModelAreListed) {
  const TemporaryFolder folder;
  folder.write(
      "a.xml",
      "<mujoco><worldbody><body name='b'/></worldbody>\n<keyframe><key name='k'/></keyframe></mujoco>");
  const std::string text =
      "<mujoco><asset><model name='a' file='a.xml'/></asset><worldbody><attach model='a' "
      "prefix=''/></worldbody></mujoco>";
  const std::string said = findings(read_mjcf(text, folder.write("m.xml", text)));
  EXPECT_TRUE(contains(said, "a.xml:2: keyframes of attached models: not used (1 element)")) << said;
}

TEST(MjcfFeatures, AttachingWithoutEndIsRefused) {
  const TemporaryFolder folder;
  const std::string text = R"(<mujoco><asset><model name="m" file="m.xml"/></asset><worldbody>
    <attach model="m" prefix="x"/></worldbody></mujoco>)";
  const std::string file = folder.write("m.xml", text);
  EXPECT_TRUE(contains(error_of(text, file), "attaches itself")) << error_of(text, file);
  EXPECT_TRUE(contains(error_of("<mujoco><worldbody>\n<attach model='x' prefix=''/></worldbody></mujoco>"),
                       "model.xml:2: attach: there is no model 'x' among the assets"));
}

// ---- classes

TEST(MjcfFeatures, ClassesAreCopiedFromTheirParentsAndOverlaidNumberByNumber) {
  const auto d = read(R"(<default>
      <default class="leg"><joint damping="2" armature="0.5"/><default class="knee"><joint damping="4"/></default></default>
      <joint frictionloss="0.25"/></default>
    <worldbody><body childclass="leg"><joint name="hip"/><geom size="1"/>
      <body><joint name="knee" class="knee"/><geom size="1"/></body>
      <body><joint name="own" damping="8"/><geom size="1"/></body></body>
      <body><joint name="main"/><geom size="1"/></body></worldbody>)");
  EXPECT_EQ(joint(d, "hip").properties.damping, std::vector{2.0});
  EXPECT_EQ(joint(d, "hip").properties.friction, std::vector{0.25});  // the class's own elements count first
  EXPECT_EQ(joint(d, "knee").properties.damping, std::vector{4.0});
  EXPECT_EQ(joint(d, "knee").properties.armature, std::vector{0.5});
  EXPECT_EQ(joint(d, "own").properties.damping, std::vector{8.0});
  EXPECT_TRUE(joint(d, "main").properties.damping.empty());
}

TEST(MjcfFeatures, AShorterListKeepsTheRestOfItsClass) {
  const auto d =
      read(R"(<default><geom type="box" size="1 2 3"/></default><worldbody><geom size="4"/></worldbody>)");
  EXPECT_EQ(d.world_collisions.at(0).shape.size, Vector3<double>(8, 4, 6));
}

TEST(MjcfFeatures, BadClassesAreRefused) {
  EXPECT_TRUE(
      contains(error_of("<mujoco><default><joint damping='1'/>\n<joint armature='1'/></default></mujoco>"),
               "model.xml:2: joint: stands twice in its class; expected once"));
  EXPECT_TRUE(contains(error_of("<mujoco><default>\n<default><geom/></default></default></mujoco>"),
                       "model.xml:2: default: a nested class has no name"));
  EXPECT_TRUE(
      contains(error_of("<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>"),
               "model.xml:2: default: class 'a' is there already"));
  EXPECT_TRUE(contains(error_of("<mujoco><default><default class='leg'/></default><worldbody>\n"
                                "<geom class='lag' size='1'/></worldbody></mujoco>"),
                       "model.xml:2: geom: there is no class 'lag' (did you mean 'leg'?)"));
}

// ---- joints

TEST(MjcfFeatures, AnglesOfHingesAreConvertedWhereTheyAreLimited) {
  const auto d =
      read(R"(<worldbody><body><joint name="h" range="-90 180" ref="30" springref="60" stiffness="1"/>
    <geom size="1"/></body><body><joint name="s" type="slide" range="-90 180"/><geom size="1"/></body>
    <body><joint name="u" range="-90 180" limited="false"/><geom size="1"/></body></worldbody>
    <actuator><position name="free" joint="u" inheritrange="1"/><position name="held" joint="h" inheritrange="0.5"/>
    </actuator>)");
  EXPECT_NEAR(joint(d, "h").properties.lower.at(0), -pi / 2, 1e-15);
  EXPECT_NEAR(joint(d, "h").properties.reference.at(0), pi / 3, 1e-15);
  EXPECT_EQ(joint(d, "s").properties.upper, std::vector{180.0});
  EXPECT_TRUE(joint(d, "u").properties.lower.empty());
  EXPECT_EQ(d.drives.at(0).control,
            (std::vector{-90.0, 180.0}));  // never converted, which MuJoCo then inherits
  EXPECT_NEAR(d.drives.at(1).control.at(0), pi / 4 - 0.375 * pi, 1e-15);
}

TEST(MjcfFeatures, LimitsOnAutoNeedARangeThatIsOne) {
  const auto limited = [](const std::string& joint_text) {
    return !joint(read_mjcf(in_world("<body><joint name='j' " + joint_text + "/><geom size='1'/></body>"),
                            "m.xml"),
                  "j")
                .properties.lower.empty();
  };
  EXPECT_TRUE(limited("range='-1 1'"));
  EXPECT_FALSE(limited("range='0 0'"));
  EXPECT_FALSE(limited("range='1 -1'"));
  EXPECT_FALSE(limited("range='-1 1' limited='false'"));
  EXPECT_TRUE(
      contains(error_of("<mujoco><compiler autolimits='false'/><worldbody><body>\n<joint range='-1 1'/>"
                        "<geom size='1'/></body></worldbody></mujoco>"),
               "model.xml:2: joint: has range but not limited"));
}

TEST(MjcfFeatures, JointsThatCannotBeStackedAreRefused) {
  const auto said = [](const std::string& joints) {
    return error_of(in_world("<body>\n" + joints + "</body>"));
  };
  EXPECT_TRUE(contains(said("<joint type='ball'/><joint/>"), "a ball joint must be the last one that turns"));
  EXPECT_TRUE(contains(said("<freejoint/><joint/>"), "a free joint must be the only one"));
  EXPECT_TRUE(contains(said("<joint type='ball'/><joint type='slide'/><joint type='slide' axis='1 0 0'/>"
                            "<joint type='slide' axis='0 1 0'/><joint type='slide'/>"),
                       "has 7 degrees of freedom"));
  EXPECT_TRUE(contains(error_of("<mujoco><worldbody>\n<joint/></worldbody></mujoco>"),
                       "the world cannot have a joint"));
}

/// k = m/(t r)^2 and d = 2 m/t for one mass.
TEST(MjcfFeatures, SpringdamperIsATimeConstantAndADampingRatio) {
  const auto d = read(R"(<worldbody><body><joint name="j" type="slide" springdamper="0.5 2"/>
    <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body></worldbody>)");
  EXPECT_NEAR(joint(d, "j").properties.stiffness.at(0), 3.0, 1e-14);
  EXPECT_NEAR(joint(d, "j").properties.damping.at(0), 12.0, 1e-14);
}

// ---- masses

TEST(MjcfFeatures, ShapesHaveTheMassAndInertiaOfSolids) {
  const auto of = [](const std::string& geom) {
    return body(read("<worldbody><body name='b'><geom density='1' " + geom + "/></body></worldbody>"), "b")
        .inertia;
  };
  const Inertia<double> box = of("type='box' size='1 2 3'");
  EXPECT_NEAR(box.mass(), 48.0, 1e-13);
  expect_near(box.about_com().diagonal(), {16.0 * 13, 16.0 * 10, 16.0 * 5}, 1e-12);
  EXPECT_NEAR(of("size='2'").mass(), 32.0 / 3.0 * pi, 1e-13);
  EXPECT_NEAR(of("type='cylinder' size='2 3'").mass(), 24.0 * pi, 1e-12);
  EXPECT_NEAR(of("type='capsule' size='2 3'").mass(), 24.0 * pi + 32.0 / 3.0 * pi, 1e-12);
  EXPECT_NEAR(of("type='ellipsoid' size='1 2 3'").mass(), 8.0 * pi, 1e-12);
  // A capsule without length is a sphere: its inertia goes over into that one.
  const Inertia<double> ball = of("size='2'"), short_capsule = of("type='capsule' size='2 1e-9'");
  EXPECT_LT((ball.about_com() - short_capsule.about_com()).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MjcfFeatures, ShellsHaveTheMassOfTheirSurface) {
  const auto of = [](const std::string& geom) {
    return body(read("<worldbody><body name='b'><geom density='1' shellinertia='true' " + geom +
                     "/></body></worldbody>"),
                "b")
        .inertia;
  };
  EXPECT_NEAR(of("size='2'").mass(), 16.0 * pi, 1e-12);
  EXPECT_NEAR(of("size='2'").about_com()(0, 0), 2.0 / 3.0 * 16.0 * pi * 4.0, 1e-12);
  EXPECT_NEAR(of("type='box' size='1 1 1'").mass(), 24.0, 1e-13);
  EXPECT_NEAR(of("type='box' size='1 1 1'").about_com()(0, 0), 4.0 * (4 * (1.0 / 3 + 1) + 2 * (2.0 / 3)),
              1e-12);
  EXPECT_NEAR(of("type='cylinder' size='1 2'").mass(), 8.0 * pi + 2.0 * pi, 1e-12);
  EXPECT_NEAR(of("type='capsule' size='1 2'").mass(), 8.0 * pi + 4.0 * pi, 1e-12);
  EXPECT_NEAR(of("type='ellipsoid' size='1 1 1'").mass(), 4.0 * pi, 1e-12);
  EXPECT_NEAR(of("type='ellipsoid' size='1 1 1'").about_com()(0, 0), 8.0 / 3.0 * pi,
              1e-4);  // two solids, 1e-6 apart
}

TEST(MjcfFeatures, FromtoPointsFromTheSecondToTheFirstPoint) {
  const auto d = read(R"(<worldbody><body name="b"><geom type="capsule" size="0.1" fromto="0 0 0 0 4 0"/>
    <geom type="box" size="0.1" fromto="0 0 0 6 0 0"/></body></worldbody>)");
  const auto& shapes = body(d, "b").collisions;
  EXPECT_NEAR(shapes.at(0).shape.size[1], 4.0, 1e-15);
  expect_near(axis(shapes.at(0).X_BS, 2), {0, -1, 0}),
      expect_near(shapes.at(0).X_BS.translation(), {0, 2, 0});
  expect_near(shapes.at(1).shape.size, {0.2, 0.2, 6.0});
  EXPECT_TRUE(contains(error_of(in_world("<geom type='capsule' size='1' pos='1 0 0' fromto='0 0 0 1 0 0'/>")),
                       "has both pos and fromto"));
  EXPECT_TRUE(
      contains(error_of(in_world("<geom size='1' fromto='0 0 0 1 0 0'/>")), "fromto is for capsules"));
}

TEST(MjcfFeatures, GroupsMassesAndBoundsDecideWhatCounts) {
  const auto mass = [](const std::string& compiler, const std::string& geoms) {
    return body(
               read("<compiler " + compiler + "/><worldbody><body name='b'>" + geoms + "</body></worldbody>"),
               "b")
        .inertia.mass();
  };
  const std::string two = "<geom size='1' mass='2' density='9'/><geom size='1' mass='5' group='4'/>";
  EXPECT_EQ(mass("", two), 7.0);
  EXPECT_EQ(mass("inertiagrouprange='0 3'", two), 2.0);
  EXPECT_EQ(mass("boundmass='10'", two), 10.0);
  EXPECT_EQ(mass("inertiafromgeom='false'", two), 0.0);
  const std::string given = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  EXPECT_EQ(mass("", two + given), 1.0);
  EXPECT_EQ(mass("inertiafromgeom='true'", two + given), 7.0);
  EXPECT_EQ(mass("inertiafromgeom='true'", given), 1.0);
}

TEST(MjcfFeatures, MomentsThatNoBodyCanHaveAreBalancedWhereTheFileAsks) {
  const std::string inertial =
      "<worldbody><body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/></body></worldbody>";
  const auto balanced = read("<compiler balanceinertia='true'/>" + inertial);
  expect_near(body(balanced, "b").inertia.about_com().diagonal(), {2, 2, 2});
  EXPECT_TRUE(contains(findings(read(inertial)), "break A + B >= C"));
}

TEST(MjcfFeatures, MeshesGiveTheirInertiaInFourWays) {
  const TemporaryFolder folder;
  folder.write("box.obj", obj_text(box_mesh()));  // edges 1, 2, 3
  const auto of = [&](const std::string& mode) {
    const std::string text =
        "<mujoco><asset><mesh name='m' file='box.obj' inertia='" + mode +
        "'/></asset><worldbody><body name='b'><geom type='mesh' mesh='m' density='1'/></body>"
        "</worldbody></mujoco>";
    return body(read_mjcf(text, folder.write("m.xml", text)), "b").inertia;
  };
  for (const char* solid : {"legacy", "exact", "convex"}) {
    EXPECT_NEAR(of(solid).mass(), 6.0, 1e-12) << solid;
    expect_near(of(solid).about_com().diagonal(), {6.5, 5.0, 2.5}, 1e-11);
  }
  EXPECT_NEAR(of("shell").mass(), 22.0, 1e-12);
  expect_near(of("shell").com(), {0.5, 1.0, 1.5}, 1e-12);
}

/// What a face turned over does: nothing to legacy volumes, which are those of the solid of all pyramids.
TEST(MjcfFeatures, AMeshWithADentDiffersBetweenLegacyAndConvex) {
  const auto of = [](const std::string& mode) {
    return body(read("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' inertia='" + mode +
                     "'/></asset><worldbody><body name='b'><geom type='mesh' mesh='m' "
                     "density='6'/></body></worldbody>"),
                "b")
        .inertia;
  };
  EXPECT_NEAR(of("legacy").mass(), 1.0, 1e-14);  // without faces: of its hull
  EXPECT_NEAR(of("convex").mass(), 1.0, 1e-14);
  expect_near(of("convex").com(), {0.25, 0.25, 0.25});
}

TEST(MjcfFeatures, ShapesAreFittedToMeshesByInertiaOrByBox) {
  const TemporaryFolder folder;
  folder.write("box.obj", obj_text(box_mesh()));
  const auto of = [&](const std::string& compiler, const std::string& type) {
    const std::string text = "<mujoco><compiler " + compiler +
                             "/><asset><mesh name='m' file='box.obj'/></asset>" + "<worldbody><geom type='" +
                             type + "' mesh='m' pos='9 0 0'/></worldbody></mujoco>";
    return read_mjcf(text, folder.write("m.xml", text)).world_collisions.at(0);
  };
  for (const char* compiler : {"", "fitaabb='true'"}) {
    Vector3<double> size = of(compiler, "box").shape.size;
    std::sort(size.begin(), size.end());
    expect_near(size, {1, 2, 3}, 1e-6);
    expect_near(of(compiler, "box").X_BS.translation(), {9.5, 1.0, 1.5}, 1e-6);
  }
  EXPECT_NEAR(of("", "sphere").shape.size[0], 1.0, 1e-6);
  EXPECT_NEAR(of("fitaabb='true'", "sphere").shape.size[0], 1.5, 1e-6);
  EXPECT_NEAR(of("", "cylinder").shape.size[1], 3.0, 1e-6);  // along the axis of the smallest moment
}

// ---- drives

TEST(MjcfFeatures, DrivesAreResolvedToGainAndBias) {
  const auto d = read(R"(<compiler angle="radian"/><worldbody><body><joint name="j" type="slide"/>
      <inertial pos="0 0 0" mass="4" diaginertia="1 1 1"/></body></worldbody><actuator>
    <motor name="motor" joint="j" gear="3" ctrlrange="-1 2" forcerange="-5 6"/>
    <position name="position" joint="j" kp="10" kv="2"/>
    <position name="critical" joint="j" kp="100" dampratio="0.5" gear="2"/>
    <velocity name="velocity" joint="j" kv="7"/>
    <damper name="damper" joint="j" kv="5" ctrlrange="0 1"/>
    <general name="general" joint="j" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5 6"/>
    <intvelocity name="integrated" joint="j" kp="1"/></actuator>)");
  const auto& x = d.drives;
  ASSERT_EQ(x.size(), 7u);
  EXPECT_EQ(x[0].gear[0], 3.0);
  EXPECT_EQ(x[0].control, (std::vector{-1.0, 2.0}));
  EXPECT_EQ(x[0].force, (std::vector{-5.0, 6.0}));
  EXPECT_EQ(x[1].gain, (std::array{10.0, 0.0, 0.0}));
  EXPECT_EQ(x[1].bias, (std::array{0.0, -10.0, -2.0}));
  EXPECT_NEAR(x[2].bias[2], -2.0 * 0.5 * std::sqrt(100.0 * 4.0 / 4.0),
              1e-13);  // the mass as seen through the gear
  EXPECT_EQ(x[3].bias, (std::array{0.0, 0.0, -7.0}));
  EXPECT_EQ(x[4].gain, (std::array{0.0, 0.0, -5.0}));
  EXPECT_EQ(x[5].gain, (std::array{1.0, 2.0, 3.0}));
  EXPECT_EQ(x[5].bias, (std::array{4.0, 5.0, 6.0}));
  EXPECT_EQ(x[6].name, "integrated");
  EXPECT_EQ(x[6].joint, "j");
  EXPECT_EQ(x[6].dynamics, DriveDynamics::integrator);
}

TEST(MjcfFeatures, AllDrivesOfAClassWriteTheSameNumbers) {
  const auto d =
      read(R"(<default><default class="c"><general gainprm="50"/><position kv="3"/></default></default>
    <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
    <actuator><position class="c" joint="j"/></actuator>)");
  EXPECT_EQ(d.drives.at(0).gain[0], 50.0);
  EXPECT_EQ(d.drives.at(0).bias, (std::array{0.0, -50.0, -3.0}));
}

TEST(MjcfFeatures, DrivesHaveNamesOfTheirOwn) {
  const std::string start =
      "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>";
  EXPECT_TRUE(contains(
      error_of(start + "<motor name='m' joint='j'/>\n<motor name='m' joint='j'/></actuator></mujoco>"),
      "model.xml:2: motor 'm': repeated name 'm'"));
  EXPECT_TRUE(contains(error_of(start + "\n<motor name='m' joint='k'/></actuator></mujoco>"),
                       "model.xml:2: motor 'm': there is no joint 'k'"));
  const auto d =
      read_mjcf(start + "<motor name='drive_1' joint='j'/><motor joint='j'/></actuator></mujoco>", "m.xml");
  EXPECT_EQ(d.drives.at(1).name, "drive_1_");
}

TEST(MjcfFeatures, TheForceThatAJointAllowsLimitsItsDrives) {
  const auto d =
      read(R"(<worldbody><body><joint name="j" actuatorfrcrange="-2 3"/><geom size="1"/></body></worldbody>
    <actuator><motor joint="j" forcerange="-9 9"/></actuator>)");
  EXPECT_EQ(joint(d, "j").properties.effort, std::vector{3.0});
}

// ---- equalities by sites

TEST(MjcfFeatures, SitesMayNameTheEndsOfAConnection) {
  const auto d =
      read(R"(<worldbody><body name="a"><freejoint/><geom size="1"/><site name="p" pos="1 0 0"/></body>
    <body name="b"><freejoint/><geom size="1"/><site name="q" pos="0 1 0"/></body></worldbody>
    <equality><connect site1="p" site2="q"/><weld site1="p" site2="q" active="false"/></equality>)");
  ASSERT_EQ(d.loops.size(), 1u);
  expect_near(d.loops[0].X_AF.translation(), {1, 0, 0}),
      expect_near(d.loops[0].X_BM.translation(), {0, 1, 0});
}

// ---- keyframes

constexpr const char* kKeys = R"(<compiler angle="radian"/><worldbody>
    <body name="slider"><joint name="s" type="slide" ref="0.5"/><geom size="1"/></body>
    <body name="base" pos="0 0 2"><freejoint name="root"/><geom size="1"/>
      <body><joint name="ball" type="ball"/><geom size="1"/></body></body></worldbody>
  <actuator><motor joint="s"/><motor name="t" joint="s"/></actuator>)";

TEST(MjcfFeatures, KeyframesAreFoundByNameInAmblesCoordinates) {
  const Mechanism m = compile(read(std::string(kKeys) + R"(<keyframe>
    <key name="home" time="3" qpos="0.1  1 2 3 2 0 0 2  0 1 0 0" qvel="0.2  1 0 0 0 0 5  7 8 9" ctrl="4 6"/>
    <key name="short" qpos="0.7"/></keyframe>)"));
  const Keyframe& home = m.keyframe("home");
  EXPECT_EQ(home.time, 3.0);
  EXPECT_EQ(home.ctrl, (std::vector{4.0, 6.0}));
  EXPECT_EQ(home.q[m.q_slice("s").start], 0.1);
  const int root = m.q_slice("root").start, ball = m.q_slice("ball").start;
  const double half = std::sqrt(0.5);
  const double expected[] = {1, 2, 3, 0, 0, half, half};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(home.q[root + i], expected[i], 1e-15) << i;
  EXPECT_EQ(home.q[ball], 1.0);
  // Linear velocity along x of the world is along -y of a body that is turned a quarter about z.
  const int v = m.v_slice("root").start;
  EXPECT_NEAR(home.v[v + 1], -1.0, 1e-15);
  EXPECT_EQ(home.v[v + 5], 5.0);
  const Keyframe& shorter = m.keyframe("short");
  EXPECT_EQ(shorter.q[m.q_slice("s").start], 0.7);
  EXPECT_EQ(shorter.q[root + 2], 2.0) << "what is left out is where the file draws it";
  EXPECT_TRUE(shorter.ctrl.empty());
  EXPECT_THROW(m.keyframe("hom"), Error);
}

TEST(MjcfFeatures, KeyframesThatDoNotFitAreLeftOutWithAWarning) {
  const auto d = read(std::string(kKeys) + "<keyframe>\n<key name='long' ctrl='1 2 3'/><key qvel='" +
                      "0 0 0 0 0 0 0 0 0 0 0'/></keyframe>");
  ASSERT_EQ(d.keyframes.size(), 1u);
  EXPECT_EQ(d.keyframes[0].name, "long");
  EXPECT_TRUE(contains(findings(d), "key 'long': ctrl is not read: it has 3 numbers; expected at most 2"))
      << findings(d);
  EXPECT_TRUE(contains(findings(d), "key: qvel is not read: it has 11 numbers; expected at most 10"))
      << findings(d);
}

// ---- what is not read

TEST(MjcfFeatures, WhatIsNoRigidBodyIsListedAndTheRestIsRead) {
  const auto d = read(R"(<extension><plugin plugin="mujoco.elasticity.cable"/></extension>
    <worldbody><body name="b"><geom size="1"/>
      <composite type="cable" count="3 1 1"/><flexcomp name="f" type="grid"/></body></worldbody>
    <deformable><skin/></deformable>)");
  EXPECT_EQ(d.bodies.size(), 1u);
  EXPECT_TRUE(contains(findings(d), "m.xml:3: deformable bodies: not used (3 elements)")) << findings(d);
  EXPECT_TRUE(contains(findings(d), "m.xml:1: plugins: not used (1 element)")) << findings(d);
}

TEST(MjcfFeatures, WhatNamesThePartsThatAreNotReadIsLeftOutToo) {
  const std::string soft =
      "<worldbody><body name='b'><geom size='1'/><composite type='cable'/></body></worldbody>";
  const std::string tied = "\n<equality><connect body1='b' body2='B_last' anchor='0 0 0'/></equality>";
  EXPECT_TRUE(contains(findings(read(soft + tied)), "m.xml:2: connect: not used: it names what is not read"));
  EXPECT_TRUE(contains(error_of("<mujoco><worldbody><body name='b'/></worldbody>" + tied + "</mujoco>"),
                       "connect: there is no body 'B_last'"));
}

}  // namespace
}  // namespace amble
