#include <cmath>
#include <numbers>

#include "amble/io/test/sdf_text.hpp"
#include "amble/io/writers.hpp"

namespace amble {
namespace {

using namespace sdf_test;

// ---- joints
// ----------------------------------------------------------------------------------------------------------

TEST(SdfJoints, ARevoluteJointKeepsAxisLimitsAndDynamics) {
  const auto d = read(two_links("revolute", R"(<axis><xyz>0 1 0</xyz>
    <limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity></limit>
    <dynamics><damping>0.5</damping><friction>0.25</friction><spring_stiffness>7</spring_stiffness>
      <spring_reference>0.1</spring_reference></dynamics></axis>)"));
  const JointDescription& j = joint(d, "j");
  EXPECT_EQ(j.type, "revolute");
  EXPECT_EQ(j.parent, "a");
  EXPECT_EQ(j.child, "b");
  EXPECT_EQ(j.line, 5);
  expect_vector(j.axis, {0, 1, 0});
  EXPECT_EQ(j.properties.lower, std::vector{-1.0});
  EXPECT_EQ(j.properties.upper, std::vector{2.0});
  EXPECT_EQ(j.properties.effort, std::vector{30.0});
  EXPECT_EQ(j.properties.velocity, std::vector{4.0});
  EXPECT_EQ(j.properties.damping, std::vector{0.5});
  EXPECT_EQ(j.properties.friction, std::vector{0.25});
  EXPECT_EQ(j.properties.stiffness, std::vector{7.0});
  EXPECT_EQ(j.properties.reference, std::vector{0.1});
}

TEST(SdfJoints, WithoutLimitsEverythingIsUnlimited) {
  const auto bare = read(two_links("revolute", "<axis><xyz>1 0 0</xyz></axis>"));
  const auto huge =
      read(two_links("prismatic", R"(<axis><xyz>1 0 0</xyz><limit><lower>-1e16</lower><upper>1e16</upper>
    <effort>-1</effort><velocity>-1</velocity></limit></axis>)"));
  for (const auto& d : {bare, huge}) {
    const JointProperties& p = joint(d, "j").properties;
    EXPECT_TRUE(p.lower.empty() && p.upper.empty() && p.velocity.empty() && p.effort.empty());
    EXPECT_TRUE(p.damping.empty() && p.friction.empty() && p.stiffness.empty() && p.reference.empty());
  }
  const auto half =
      read(two_links("prismatic", "<axis><xyz>1 0 0</xyz><limit><lower>-2</lower></limit></axis>"));
  EXPECT_EQ(joint(half, "j").properties.lower, std::vector{-2.0});
  EXPECT_TRUE(joint(half, "j").properties.upper.empty());
}

TEST(SdfJoints, EveryTypeHasItsCounterpart) {
  const std::string axis = "<axis><xyz>1 0 0</xyz></axis>", axis2 = "<axis2><xyz>0 1 0</xyz></axis2>";
  const auto type = [](const std::string& sdf, const std::string& inside) {
    return joint(read(two_links(sdf, inside)), "j").type;
  };
  EXPECT_EQ(type("revolute", axis), "revolute");
  EXPECT_EQ(type("continuous", axis), "continuous");
  EXPECT_EQ(type("prismatic", axis), "prismatic");
  EXPECT_EQ(type("ball", ""), "spherical");
  EXPECT_EQ(type("fixed", ""), "fixed");
  EXPECT_EQ(type("universal", axis + axis2), "universal");
  EXPECT_EQ(type("revolute2", axis + axis2), "universal");
  EXPECT_EQ(type("screw", axis + "<thread_pitch>3</thread_pitch>"), "helical");
}

TEST(SdfJoints, UniversalJointsHaveTwoAxesAndTheirNumbers) {
  const auto d = read(two_links("universal", R"(
    <axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>
      <dynamics><damping>2</damping></dynamics></axis>
    <axis2><xyz>0 0.6 0.8</xyz><limit><upper>3</upper></limit></axis2>)"));
  const JointDescription& j = joint(d, "j");
  expect_vector(j.axis, {1, 0, 0});
  expect_vector(j.axis2, {0, 0.6, 0.8});
  EXPECT_EQ(j.properties.lower, (std::vector{-1.0, -kUnlimited}));
  EXPECT_EQ(j.properties.upper, (std::vector{1.0, 3.0}));
  EXPECT_EQ(j.properties.damping, (std::vector{2.0, 0.0}));
}

TEST(SdfJoints, Revolute2IsNotedToBeReadAsUniversal) {
  const auto d = read(two_links("revolute2", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"));
  EXPECT_SAYS(findings(d), "test.sdf:5: joint 'j': type revolute2 is read as universal");
}

TEST(SdfJoints, TheOldThreadPitchIsRadiansPerMetreLeftHanded) {
  const auto d = read(two_links("screw", "<thread_pitch>-400</thread_pitch><axis><xyz>0 0 1</xyz></axis>"));
  EXPECT_DOUBLE_EQ(joint(d, "j").pitch, 1.0 / 400.0);  // 400 rad turn it 1 m along its axis
}

TEST(SdfJoints, TheNewThreadPitchIsMetresPerTurnRightHandedAndWins) {
  const auto d = read(two_links("screw", R"(<thread_pitch>-400</thread_pitch>
    <screw_thread_pitch>0.01</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis>)"));
  EXPECT_DOUBLE_EQ(joint(d, "j").pitch, 0.01 / (2.0 * std::numbers::pi));
}

TEST(SdfJoints, AScrewNeedsAPitch) {
  const std::string axis = "<axis><xyz>0 0 1</xyz></axis>";
  EXPECT_SAYS(refusal(two_links("screw", axis)),
              "test.sdf:5: joint 'j': a screw joint needs a <screw_thread_pitch>");
  EXPECT_SAYS(refusal(two_links("screw", axis + "<thread_pitch>0</thread_pitch>")), "thread_pitch is 0");
  EXPECT_SAYS(refusal(two_links("screw", axis + "<screw_thread_pitch>x</screw_thread_pitch>")),
              "<screw_thread_pitch> cannot be read: its value is 'x'");
}

TEST(SdfJoints, ANonUnitAxisIsNormalisedAndNoted) {
  const auto d = read(two_links("revolute", "<axis><xyz>3 0 4</xyz></axis>"));
  expect_vector(joint(d, "j").axis, {0.6, 0, 0.8});
  EXPECT_SAYS(findings(d), "test.sdf:5: joint 'j': axis is not a unit vector");
}

TEST(SdfJoints, LimitsOfAContinuousJointAreReported) {
  const auto d =
      read(two_links("continuous", "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower></limit></axis>"));
  EXPECT_TRUE(joint(d, "j").properties.lower.empty());
  EXPECT_SAYS(findings(d), "its limits are not used");
}

TEST(SdfJoints, AnAxisNobodyNeedsIsReported) {
  EXPECT_SAYS(findings(read(two_links("ball", "<axis><xyz>0 0 1</xyz></axis>"))),
              "a spherical joint has only 0 axes");
}

// ---- poses
// -----------------------------------------------------------------------------------------------------------

TEST(SdfPoses, JointFramesCoincideWhereTheFilePlacesTheBodies) {
  const auto d = read(in_model(R"(<pose>1 2 3 0.1 0.2 0.3</pose>)" + link("a", "0.4 0.5 0.6 -0.3 0.2 0.7") +
                               link("b", "-1 0.2 0.9 0.5 -0.6 0.8") + R"(
    <joint name='j' type='revolute'><pose>0.1 -0.2 0.3 0.9 0.4 -0.5</pose><parent>a</parent><child>b</child>
      <axis><xyz>0 0 1</xyz></axis></joint>)"));
  const auto X_MA = sdf_pose(0.4, 0.5, 0.6, -0.3, 0.2, 0.7), X_MB = sdf_pose(-1, 0.2, 0.9, 0.5, -0.6, 0.8);
  const auto X_BJ = sdf_pose(0.1, -0.2, 0.3, 0.9, 0.4, -0.5);
  expect_pose(joint(d, "j").X_CM, X_BJ);
  expect_pose(joint(d, "j").X_PF, X_MA.inverse() * X_MB * X_BJ);
}

TEST(SdfPoses, RelativeToIsFollowedThroughFramesAndJoints) {
  const auto d = read(in_model(link("a", "1 0 0 0 0 0.5") + R"(
    <frame name='f' attached_to='a'><pose>0 1 0 0.3 0 0</pose></frame>
    <joint name='j' type='revolute'><pose relative_to='f'>0 0 1 0 0.4 0</pose><parent>a</parent><child>b</child>
      <axis><xyz>0 0 1</xyz></axis></joint>
    <link name='b'><pose relative_to='j'>0.1 0.2 0.3 0 0 -0.2</pose>)" +
                               kInertial + "</link>"));
  const auto X_AF = sdf_pose(0, 1, 0, 0.3, 0, 0), X_FJ = sdf_pose(0, 0, 1, 0, 0.4, 0);
  const auto X_JB = sdf_pose(0.1, 0.2, 0.3, 0, 0, -0.2);
  expect_pose(joint(d, "j").X_PF, X_AF * X_FJ);
  expect_pose(joint(d, "j").X_CM, X_JB.inverse());
  ASSERT_EQ(d.frames.size(), 1u);
  EXPECT_EQ(d.frames[0].name, "f");
  EXPECT_EQ(d.frames[0].body, "a");
  expect_pose(d.frames[0].X_BF, X_AF);
}

TEST(SdfPoses, AnAxisMayBeExpressedInAnotherFrame) {
  const auto d = read(in_model(link("a") + link("b", "0 0 1 0.3 -0.2 0.9") + R"(
    <joint name='j' type='prismatic'><pose>0 0 0 0.4 0.1 0</pose><parent>a</parent><child>b</child>
      <axis><xyz expressed_in='__model__'>1 0 0</xyz></axis></joint>)"));
  const Eigen::Matrix3d R_MJ =
      (sdf_pose(0, 0, 1, 0.3, -0.2, 0.9) * sdf_pose(0, 0, 0, 0.4, 0.1, 0)).rotation();
  expect_vector(joint(d, "j").axis, R_MJ.transpose() * Eigen::Vector3d::UnitX());
}

TEST(SdfPoses, InVersion14AnAxisIsInTheModelsFrame) {
  auto text = two_links("revolute", "<pose>0 0 0 0 0 0.7</pose><axis><xyz>1 0 0</xyz><limit/></axis>");
  text.replace(text.find("1.9"), 3, "1.4");
  expect_vector(joint(read(text), "j").axis, {std::cos(0.7), -std::sin(0.7), 0.0});
}

TEST(SdfPoses, DegreesAndQuaternionsAreUnderstood) {
  const auto d = read(in_model(R"(<link name='a'><pose degrees='true'>0 0 0 0 0 90</pose></link>
    <link name='b'><pose rotation_format='quat_xyzw'>1 0 0 0 0 0.6 0.8</pose></link>)"));
  expect_pose(start(d, "a"), sdf_pose(0, 0, 0, 0, 0, std::numbers::pi / 2));
  expect_pose(start(d, "b"), sdf_pose(1, 0, 0, 0, 0, 2.0 * std::atan2(0.6, 0.8)));
}

TEST(SdfPoses, AQuaternionFarFromUnitIsRefused) {
  EXPECT_SAYS(
      refusal(in_model("<link name='a'><pose rotation_format='quat_xyzw'>1 0 0 0 0 0.6 0.9</pose></link>")),
      "test.sdf:3: link 'a': the quaternion of its pose has length");
}

TEST(SdfPoses, TheInertiaIsTurnedIntoTheLinksAxes) {
  const auto d =
      read(in_model(R"(<link name='a'><inertial><pose>0.1 0.2 0.3 0.4 -0.5 0.6</pose><mass>2.5</mass>
    <inertia><ixx>3</ixx><ixy>0.1</ixy><ixz>-0.2</ixz>
      <iyy>4</iyy><iyz>0.3</iyz><izz>5</izz></inertia></inertial></link>)"));
  const Inertia<double>& I = body(d, "a").inertia;
  EXPECT_EQ(I.mass(), 2.5);
  expect_vector(I.com(), {0.1, 0.2, 0.3});
  Eigen::Matrix3d own;
  own << 3, 0.1, -0.2, 0.1, 4, 0.3, -0.2, 0.3, 5;
  const Eigen::Matrix3d R = sdf_pose(0, 0, 0, 0.4, -0.5, 0.6).rotation();
  EXPECT_LT((I.about_com() - R * own * R.transpose()).cwiseAbs().maxCoeff(), 1e-14);
}

// ---- what holds the bodies
// -------------------------------------------------------------------------------------------

TEST(SdfRoots, OneFreeRootIsNamedRootJoint) {
  const auto d = read(two_links("fixed", ""));
  EXPECT_EQ(d.joints.front().name, "root_joint");
  EXPECT_EQ(joint(d, "root_joint").type, "free");
  EXPECT_EQ(joint(d, "root_joint").parent, "world");
  EXPECT_EQ(joint(d, "root_joint").child, "a");
}

TEST(SdfRoots, SeveralFreeBodiesAreNamedAfterTheirBodies) {
  const auto d = read(in_model(link("a") + link("b", "1 0 0 0 0 0")));
  EXPECT_EQ(joint(d, "a_free").type, "free");
  EXPECT_EQ(joint(d, "b_free").type, "free");
  expect_pose(start(d, "b"), sdf_pose(1, 0, 0, 0, 0, 0));
}

TEST(SdfRoots, TheQOfAFreeBodyIsItsPoseInTheWorldAndItsPlaceInTheFileIsNoted) {
  const auto d = read(in_model("<pose>1 2 3 0.1 0.2 0.3</pose>" + link("a", "0.4 0.5 0.6 -0.3 0.2 0.7")));
  const JointDescription& root = joint(d, "root_joint");
  EXPECT_EQ(root.X_PF.matrix(), Eigen::Matrix4d::Identity());
  EXPECT_EQ(root.X_CM.matrix(), Eigen::Matrix4d::Identity());
  expect_pose(start(d, "a"), sdf_pose(1, 2, 3, 0.1, 0.2, 0.3) * sdf_pose(0.4, 0.5, 0.6, -0.3, 0.2, 0.7));
  EXPECT_SAYS(findings(d), "test.sdf:3: link 'a': its place in the file is where it starts, not part of the");
  EXPECT_EQ(findings(read(in_model(link("a")))), "");
}

TEST(SdfRoots, AFreeBodyCanBeWrittenAsMjcfWhereverTheFilePlacesIt) {
  const auto d = read(in_model(link("a", "1 2 3 0 0 0.4")));
  const auto again = read_mjcf(write_mjcf(d), "again.xml");
  EXPECT_EQ(joint(again, "root_joint").X_PF.matrix(), joint(d, "root_joint").X_PF.matrix());
}

TEST(SdfRoots, ManyFreeBodiesGetDifferentJointsAlsoWhereTheFileHasTheName) {
  const auto d = read(in_model(link("a") + link("b") + link("c") +
                               "<joint name='a_free' type='ball'><parent>b</parent><child>c</child></joint>"));
  EXPECT_EQ(joint(d, "a_free_").child, "a");
  EXPECT_EQ(joint(d, "b_free").child, "b");
}

TEST(SdfRoots, ABodyJoinedToTheWorldIsNotFree) {
  const auto d = read(in_model("<pose>0 0 2 0 0 0.3</pose>" + link("a", "1 0 0 0 0 0") + R"(
    <joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>)"));
  ASSERT_EQ(d.joints.size(), 1u);
  EXPECT_EQ(joint(d, "j").parent, "world");
  expect_pose(joint(d, "j").X_PF, sdf_pose(0, 0, 2, 0, 0, 0.3) * sdf_pose(1, 0, 0, 0, 0, 0));
}

TEST(SdfRoots, AFixedBaseStaysWhereTheFilePlacesIt) {
  LoadOptions fixed;
  fixed.base = Base::fixed;
  EXPECT_FALSE(
      has_joint(read(two_links("fixed", ""), fixed), "root_joint"));  // at the origin: nothing to say
  const auto moved = read(in_model(link("a", "1 2 3 0 0 0")), fixed);
  EXPECT_EQ(joint(moved, "a_fixed").type, "fixed");
  expect_pose(joint(moved, "a_fixed").X_PF, sdf_pose(1, 2, 3, 0, 0, 0));
}

TEST(SdfRoots, BodiesOfStaticModelsAreFixedAndTheirJointsAreNoted) {
  const auto d =
      read(in_model("<static>true</static>" + link("a") + link("b", "0 0 1 0 0 0") + R"(<link name='c'/>
    <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>)"));
  ASSERT_EQ(d.joints.size(), 1u);
  EXPECT_EQ(d.joints[0].type, "fixed");
  EXPECT_EQ(d.joints[0].child, "b");
  EXPECT_EQ(body(d, "c").inertia.mass(), 0.0);
  EXPECT_SAYS(findings(d), "joint 'j': does not move: its model is static");
}

TEST(SdfRoots, AJointWhoseChildIsHeldAlreadyStays) {
  const auto d = read(in_model(link("a") + link("b") + R"(
    <joint name='j' type='fixed'><parent>world</parent><child>a</child></joint>
    <joint name='k' type='ball'><parent>a</parent><child>b</child></joint>
    <joint name='l' type='ball'><parent>world</parent><child>b</child></joint>)"));
  EXPECT_EQ(d.joints.size(), 3u);
  EXPECT_EQ(joint(d, "l").child, "b");
}

TEST(SdfRoots, ARingThatNothingHoldsFliesFree) {
  const auto d = read(in_model(link("a") + link("b") + R"(
    <joint name='j' type='ball'><parent>a</parent><child>b</child></joint>
    <joint name='k' type='ball'><parent>b</parent><child>a</child></joint>)"));
  ASSERT_EQ(d.joints.size(), 3u);
  EXPECT_EQ(d.joints[0].name, "root_joint");
  EXPECT_EQ(d.joints[0].child, "a");
}

// ---- gearboxes and followers
// -----------------------------------------------------------------------------------------

/// A frame `r` that holds wheels p and c, whose hinges and gearbox axes are given.
std::string geared(const std::string& hinge_p, const std::string& hinge_c, const std::string& axis,
                   const std::string& axis2) {
  return in_model(link("r") + link("p", "1 0 0 0.5 0 0") + link("c", "-1 0 0 0 0 0.8") + hinge_p + hinge_c +
                  fmt::format(R"(<joint name='g' type='gearbox'><parent>p</parent><child>c</child>
    <gearbox_reference_body>r</gearbox_reference_body><gearbox_ratio>3</gearbox_ratio>
    <axis><xyz expressed_in='__model__'>{}</xyz></axis>
      <axis2><xyz expressed_in='__model__'>{}</xyz></axis2></joint>)",
                              axis, axis2));
}
std::string hinge(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& axis) {
  return fmt::format(
      "<joint name='{}' type='revolute'><parent>{}</parent><child>{}</child><axis><xyz "
      "expressed_in='__model__'>{}</xyz></axis></joint>\n",
      name, parent, child, axis);
}

TEST(SdfGearbox, TheChildTurnsAgainstTheParentByTheRatio) {
  const auto d =
      read(geared(hinge("h1", "r", "p", "0 1 0"), hinge("h2", "r", "c", "0 1 0"), "0 1 0", "0 1 0"));
  EXPECT_FALSE(has_joint(d, "g"));
  EXPECT_FALSE(joint(d, "h1").mimic);
  ASSERT_TRUE(joint(d, "h2").mimic);
  EXPECT_EQ(joint(d, "h2").mimic->leader, "h1");
  EXPECT_EQ(joint(d, "h2").mimic->ratio, -3.0);
  EXPECT_EQ(joint(d, "h2").mimic->offset, 0.0);
}

TEST(SdfGearbox, EachReversedAxisOrHingeTurnsTheSign) {
  const std::string up = "0 1 0", down = "0 -1 0";
  // theta_i = s_i q_i, so that q_2 = -ratio s_1 s_2 q_1.
  for (int bits = 0; bits < 16; ++bits) {
    const bool turn1 = bits & 1, turn2 = bits & 2, swap = bits & 4, oppose = bits & 8;
    const std::string h1 = swap ? hinge("h1", "p", "r", up) : hinge("h1", "r", "p", up);
    const std::string h2 = hinge("h2", "r", "c", oppose ? down : up);
    const auto d = read(geared(h1, h2, turn1 ? down : up, turn2 ? down : up));
    const double sign = (turn1 != turn2) != (swap != oppose) ? -1.0 : 1.0;
    ASSERT_TRUE(joint(d, "h2").mimic);
    EXPECT_EQ(joint(d, "h2").mimic->ratio, -3.0 * sign) << bits;
  }
}

TEST(SdfGearbox, AGearboxWithoutItsHingesIsRefused) {
  EXPECT_SAYS(refusal(geared(hinge("h1", "r", "p", "0 1 0"), "", "0 1 0", "0 1 0")),
              "joint 'g': no revolute joint connects its gearbox_reference_body 'r' and 'c'");
  EXPECT_SAYS(
      refusal(geared(hinge("h1", "r", "p", "0 1 0"), hinge("h2", "r", "c", "0 1 0"), "1 0 0", "0 1 0")),
      "joint 'g': its axis is not that of joint 'h1'");
}

TEST(SdfMimic, FollowsVersion111) {
  auto text = in_model(link("a") + link("b") + link("c") + R"(
    <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
    <joint name='k' type='revolute'><parent>b</parent><child>c</child><axis><xyz>0 1 0</xyz>
      <mimic joint='j'><multiplier>2</multiplier><offset>0.5</offset>
      <reference>0.25</reference></mimic></axis></joint>)");
  text.replace(text.find("1.9"), 3, "1.11");
  const auto d = read(text);
  ASSERT_TRUE(joint(d, "k").mimic);
  EXPECT_EQ(joint(d, "k").mimic->leader, "j");
  EXPECT_EQ(joint(d, "k").mimic->ratio, 2.0);
  EXPECT_EQ(joint(d, "k").mimic->offset, 0.5 - 2.0 * 0.25);
  EXPECT_SAYS(findings(d), "version 1.11 is read as version 1.9");
}

// ---- worlds, nested models, frames
// -----------------------------------------------------------------------------------

TEST(SdfWorlds, SeveralModelsAreScopedAndGravityIsTheFiles) {
  const auto d = read(
      "<sdf version='1.9'><world name='w'><gravity>0 1 -2</gravity><frame name='spot'><pose>1 0 0 0 0 0"
      "</pose></frame><model name='m'>" +
      link("a") + "</model><model name='n'><pose>5 0 0 0 0 0</pose>" + link("a") + link("b") +
      "<joint name='j' type='ball'><parent>a</parent><child>b</child></joint>" +
      "<frame name='f' attached_to='b'/></model></world></sdf>");
  EXPECT_EQ(d.name, "w");
  expect_vector(d.gravity, {0, 1, -2});
  ASSERT_EQ(d.bodies.size(), 3u);
  EXPECT_EQ(d.bodies[1].name, "n::a");
  EXPECT_EQ(joint(d, "n::j").child, "n::b");
  expect_pose(start(d, "n::a"), sdf_pose(5, 0, 0, 0, 0, 0));
  EXPECT_EQ(d.frames.at(0).name, "n::f");
  EXPECT_EQ(d.frames.at(0).body, "n::b");
  EXPECT_EQ(d.frames.at(1).name, "spot");
  EXPECT_EQ(d.frames.at(1).body, "world");
}

TEST(SdfWorlds, OneModelInAWorldKeepsItsNames) {
  const auto d =
      read("<sdf version='1.9'><world name='w'><model name='m'>" + link("a") +
           "</model><frame name='f' attached_to='m'><pose>0 0 1 0 0 0</pose></frame></world></sdf>");
  EXPECT_EQ(d.name, "m");
  EXPECT_EQ(d.bodies.at(0).name, "a");
  EXPECT_EQ(d.frames.at(0).body, "a");
  expect_vector(d.gravity, {0, 0, -9.8});
  EXPECT_SAYS(findings(d), "world 'w': has no <gravity>");
}

TEST(SdfWorlds, NestedModelsAreScopedPlacedAndJoined) {
  const auto d =
      read(in_model(link("a") + "<model name='arm'><pose>0 0 1 0 0 0.5</pose>" + link("z", "1 0 0 0 0 0") +
                    R"(<frame name='tip'><pose>0 0 3 0 0 0</pose></frame></model>
    <joint name='j' type='revolute'><parent>a</parent><child>arm::tip</child>
      <axis><xyz>0 1 0</xyz></axis></joint>)"));
  EXPECT_EQ(d.bodies.at(1).name, "arm::z");
  EXPECT_EQ(joint(d, "j").child, "arm::z");
  const auto X_MZ = sdf_pose(0, 0, 1, 0, 0, 0.5) * sdf_pose(1, 0, 0, 0, 0, 0);
  const auto X_MT = sdf_pose(0, 0, 1, 0, 0, 0.5) * sdf_pose(0, 0, 3, 0, 0, 0);
  expect_pose(joint(d, "j").X_PF, X_MT);
  expect_pose(joint(d, "j").X_CM, X_MZ.inverse() * X_MT);
}

TEST(SdfWorlds, AModelOnItsOwnHasAmblesGravity) {
  expect_vector(read(in_model(link("a"))).gravity, {0, 0, -9.81});
}

}  // namespace
}  // namespace amble
