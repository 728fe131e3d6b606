#include <fmt/format.h>
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <cctype>
#include <cstdlib>
#include <locale>
#include <thread>

#include "amble/io/readers.hpp"
#include "amble/io/source.hpp"
#include "amble/io/test/real_robots.hpp"
#include "amble/io/test/temporary_folder.hpp"
#include "amble/io/urdf/quirks.hpp"

namespace amble {
namespace {

const std::string kLimit = "<limit lower='-1' upper='1' effort='10' velocity='5'/>";

std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }

/// Two links and a joint of the given type with the given elements in it; the joint stands on line 3.
std::string one_joint(const std::string& type, const std::string& inside) {
  return robot("<link name='a'/><link name='b'/>\n<joint name='j' type='" + type +
               "'><parent link='a'/><child link='b'/>" + inside + "</joint>\n");
}

std::string one_link(const std::string& inside) { return robot("<link name='a'>" + inside + "</link>\n"); }

std::string inertial(const std::string& origin, const std::string& mass, const std::string& numbers) {
  return one_link("<inertial>" + origin + "<mass value='" + mass + "'/><inertia " + numbers +
                  "/></inertial>");
}

ModelDescription read(const std::string& text, const LoadOptions& options = {}) {
  return read_urdf(text, "r.urdf", options);
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string findings_of(const std::string& text, const LoadOptions& options = {}) {
  std::string out;
  for (const Problem& p : read(text, options).findings) out += p.text() + "\n";
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(UrdfReader, BodiesAndJointsComeInTheFilesOrderWithTheirLines) {
  const auto m = read(
      robot("<link name='z'/>\n<joint name='q' type='fixed'><parent link='z'/><child link='a'/></joint>\n"
            "<link name='a'/>\n<link name='b'/>\n"
            "<joint name='p' type='fixed'><parent link='z'/><child link='b'/></joint>"));
  ASSERT_EQ(m.bodies.size(), 3u);
  ASSERT_EQ(m.joints.size(), 2u);
  EXPECT_EQ(m.name, "r");
  EXPECT_EQ(m.file, "r.urdf");
  EXPECT_EQ(m.bodies[0].name + m.bodies[1].name + m.bodies[2].name, "zab");
  EXPECT_EQ(m.joints[0].name + m.joints[1].name, "qp");
  EXPECT_EQ(m.joints[0].line, 3);
  EXPECT_EQ(m.bodies[2].line, 5);
  EXPECT_TRUE(m.findings.empty()) << m.findings.front().text();
}

TEST(UrdfReader, TypesKeepTheirNamesButFloatingIsFree) {
  for (const auto& [urdf, ours] :
       std::vector<std::pair<std::string, std::string>>{{"revolute", "revolute"},
                                                        {"continuous", "continuous"},
                                                        {"prismatic", "prismatic"},
                                                        {"planar", "planar"},
                                                        {"floating", "free"},
                                                        {"fixed", "fixed"}}) {
    const bool needs_limit = urdf == "revolute" || urdf == "prismatic";
    EXPECT_EQ(read(one_joint(urdf, needs_limit ? kLimit : "")).joints[0].type, ours);
  }
  EXPECT_EQ(error_of(one_joint("revolut", kLimit)),
            "r.urdf:3: joint 'j': 'revolut' is not a joint type of URDF (did you mean 'revolute'?)");
}

TEST(UrdfReader, OriginsAreFixedAxisRollPitchYaw) {
  const auto j = read(one_joint("fixed", "<origin xyz='1 2 3' rpy='0.1 -0.2 0.3'/>")).joints[0];
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.2, Eigen::Vector3d::UnitY()) *
       Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
  EXPECT_LT((j.X_PF.rotation().matrix() - R).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(j.X_PF.translation(), Vector3<double>(1, 2, 3));
  EXPECT_EQ(j.X_CM.matrix(), (Matrix4<double>::Identity()));
}

TEST(UrdfReader, AQuaternionOriginOfNewerFilesIsRead) {
  const auto j = read(one_joint("fixed", "<origin quat_xyzw='0 0 0.6 0.8'/>")).joints[0];
  EXPECT_LT((j.X_PF.rotation() * Vector3<double>(1, 0, 0) - Vector3<double>(0.28, 0.96, 0)).norm(), 1e-15);
  EXPECT_TRUE(
      has(error_of(one_joint("fixed", "<origin quat_xyzw='0 0 1 1'/>")), "quat_xyzw is not of length one"));
}

TEST(UrdfReader, TheInertiaIsTurnedIntoBodyAxesAndMovedToTheOrigin) {
  // Two balls of 1 kg half a metre to each side of (1, 0, 0) along the direction that yaw makes of x.
  const double yaw = 0.7, d = 0.5;
  const auto m = read(inertial("<origin xyz='1 0 0' rpy='0 0 0.7'/>", "2",
                               "ixx='0' iyy='0.5' izz='0.5' ixy='0' ixz='0' iyz='0'"));
  const Vector3<double> u(std::cos(yaw), std::sin(yaw), 0), c(1, 0, 0);
  const auto expected = inertia_of_points({{1.0, c + d * u}, {1.0, c - d * u}});
  const auto& got = m.bodies[0].inertia;
  EXPECT_EQ(got.mass(), 2.0);
  EXPECT_LT((got.first_moment() - expected.first_moment()).norm(), 1e-15);
  EXPECT_LT((got.about_origin() - expected.about_origin()).norm(), 1e-15);
  EXPECT_EQ(got.about_origin(), got.about_origin().transpose());
}

TEST(UrdfReader, OffDiagonalMomentsAreElementsOfTheMatrix) {
  const auto I =
      read(inertial("", "1", "ixx='1' iyy='2' izz='3' ixy='0.1' ixz='0.2' iyz='0.3'")).bodies[0].inertia;
  EXPECT_EQ(I.about_origin()(0, 1), 0.1);
  EXPECT_EQ(I.about_origin()(2, 0), 0.2);
  EXPECT_EQ(I.about_origin()(1, 2), 0.3);
}

TEST(UrdfReader, ALinkWithoutInertialHasNoMass) {
  const auto I = read(one_link("")).bodies[0].inertia;
  EXPECT_EQ(I.mass(), 0.0);
  EXPECT_TRUE(I.about_origin().isZero(0.0));
}

TEST(UrdfReader, WhatBreaksPhysicsIsLeftToOthers) {
  const auto I =
      read(inertial("", "-1", "ixx='1' iyy='1' izz='9' ixy='0' ixz='0' iyz='0'")).bodies[0].inertia;
  EXPECT_EQ(I.mass(), -1.0);
}

TEST(UrdfReader, LimitsAndDynamicsAreRead) {
  const auto p =
      read(one_joint("revolute", kLimit + "<dynamics damping='0.5' friction='0.25'/>")).joints[0].properties;
  EXPECT_EQ(p.lower, std::vector<double>{-1.0});
  EXPECT_EQ(p.upper, std::vector<double>{1.0});
  EXPECT_EQ(p.effort, std::vector<double>{10.0});
  EXPECT_EQ(p.velocity, std::vector<double>{5.0});
  EXPECT_EQ(p.damping, std::vector<double>{0.5});
  EXPECT_EQ(p.friction, std::vector<double>{0.25});
  EXPECT_TRUE(p.armature.empty());
}

TEST(UrdfReader, InfiniteAndLargestLimitsAreUnlimited) {
  const auto p = read(one_joint("prismatic",
                                "<limit lower='-inf' upper='1.7976931348623157e308' effort='inf' "
                                "velocity='1.7976931348623157e308'/>"))
                     .joints[0]
                     .properties;
  EXPECT_EQ(p.lower, std::vector<double>{-kUnlimited});
  EXPECT_EQ(p.upper, std::vector<double>{kUnlimited});
  EXPECT_EQ(p.effort, std::vector<double>{kUnlimited});
  EXPECT_EQ(p.velocity, std::vector<double>{kUnlimited});
}

TEST(UrdfReader, TheAxisIsXUnlessGivenAndMadeUnit) {
  EXPECT_EQ(read(one_joint("continuous", "")).joints[0].axis, Vector3<double>(1, 0, 0));
  EXPECT_EQ(read(one_joint("continuous", "<axis xyz='0 0 -2'/>")).joints[0].axis, Vector3<double>(0, 0, -1));
  const Vector3<double> rounded =
      read(one_joint("continuous", "<axis xyz='0.57735 0.57735 0.57735'/>")).joints[0].axis;
  EXPECT_NEAR(rounded[0], 1.0 / std::sqrt(3.0), 1e-15);
}

TEST(UrdfReader, MimicIsReadUnlessToldNotTo) {
  const std::string text = robot(
      "<link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic joint='j' multiplier='-2' "
      "offset='0.5'/></joint>");
  const auto mimic = read(text).joints[1].mimic;
  ASSERT_TRUE(mimic);
  EXPECT_EQ(mimic->leader, "j");
  EXPECT_EQ(mimic->ratio, -2.0);
  EXPECT_EQ(mimic->offset, 0.5);
  EXPECT_FALSE(read(text, {.mimic = false}).joints[1].mimic);
}

TEST(UrdfReader, ShapesAreReadWithPosesNamesAndColors) {
  const auto m = read(
      robot("<material name='red'><color rgba='1 0 0 1'/></material>"
            "<link name='a'><visual name='v'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry>"
            "<material name='red'/></visual>"
            "<visual><geometry><sphere radius='0.5'/></geometry><material name='own'><color rgba='0 1 0 "
            "0.5'/></material></visual>"
            "<visual><geometry><cylinder radius='0.1' length='2'/></geometry><material name='own'/></visual>"
            "<collision><geometry><capsule radius='0.1' length='2'/></geometry></collision>"
            "<collision><geometry><mesh filename='package://p/x.stl' scale='1 -1 "
            "2'/></geometry></collision></link>"));
  const auto& visuals = m.bodies[0].visuals;
  const auto& collisions = m.bodies[0].collisions;
  ASSERT_EQ(visuals.size(), 3u);
  ASSERT_EQ(collisions.size(), 2u);
  EXPECT_EQ(visuals[0].name, "v");
  EXPECT_EQ(visuals[0].X_BS.translation(), Vector3<double>(0, 0, 1));
  EXPECT_EQ(visuals[0].shape, (Shape{Shape::Kind::box, {1, 2, 3}, ""}));
  EXPECT_EQ(*visuals[0].color, (std::array<double, 4>{1, 0, 0, 1}));
  EXPECT_EQ(visuals[1].shape, (Shape{Shape::Kind::sphere, {0.5, 0, 0}, ""}));
  EXPECT_EQ(visuals[2].shape, (Shape{Shape::Kind::cylinder, {0.1, 2, 0}, ""}));
  EXPECT_EQ(*visuals[2].color, (std::array<double, 4>{0, 1, 0, 0.5})) << "a material of another visual";
  EXPECT_EQ(collisions[0].shape, (Shape{Shape::Kind::capsule, {0.1, 2, 0}, ""}));
  EXPECT_EQ(collisions[1].shape, (Shape{Shape::Kind::mesh, {1, -1, 2}, "package://p/x.stl"}));
}

TEST(UrdfReader, MissingMeshesAreOneWarningAndNoFailure) {
  std::string shapes;
  for (int i = 0; i < 12; ++i)
    shapes += fmt::format("<visual><geometry><mesh filename='m{}.stl'/></geometry></visual>\n", i % 9);
  const auto m = read(one_link(shapes));
  ASSERT_EQ(m.findings.size(), 1u);
  EXPECT_EQ(m.findings[0].severity, Severity::warning);
  EXPECT_EQ(m.findings[0].text(),
            "r.urdf:2: mesh 'm0.stl': the file is not found beside the model file and in the folders above it; only pictures and collisions need it "
            "(also mesh 'm1.stl', mesh 'm2.stl', mesh 'm3.stl' and 5 more)");
}

TEST(UrdfReader, MeshesThatAreThereAreNoNews) {
  const TemporaryFolder folder;
  folder.write("p/x.stl", "solid");
  const std::string text =
      one_link("<visual><geometry><mesh filename='package://p/x.stl'/></geometry></visual>");
  EXPECT_EQ(findings_of(text, {.package_path = {folder.path()}}), "");
}

TEST(UrdfReader, UnusedContentIsNotedWithItsLineOnceEach) {
  const std::string text = robot(
      "<link name='a'/>\n<transmission name='t'><type>x</type></transmission>\n<transmission/>\n<gazebo/>\n"
      "<link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n"
      "<safety_controller k_velocity='1'/><calibration rising='0'/></joint>");
  EXPECT_EQ(findings_of(text),
            "r.urdf:3: <robot>: <transmission> is not used (2 times, first here)\n"
            "r.urdf:5: <robot>: <gazebo> is not used\n"
            "r.urdf:7: <joint>: <safety_controller> is not used\n"
            "r.urdf:7: <joint>: <calibration> is not used\n");
}

TEST(UrdfReader, ASecondElementWhereOneBelongsIsReported) {
  EXPECT_TRUE(has(findings_of(one_joint("continuous", "<axis xyz='1 0 0'/><axis xyz='0 1 0'/>")),
                  "r.urdf:3: joint 'j': only the first <axis> of <joint> is used"));
}

TEST(UrdfReader, ARootNamedWorldIsABodyAndOthersMayNotBe) {
  const auto m =
      read(robot("<link name='world'/><link name='a'/><joint name='j' type='floating'><parent link='world'/>"
                 "<child link='a'/></joint>"));
  EXPECT_EQ(m.bodies[0].name, "world");
  EXPECT_EQ(m.joints[0].parent, "world");
  EXPECT_TRUE(has(error_of(robot("<link name='a'/><link name='world'/>\n<joint name='j' type='fixed'>"
                                 "<parent link='a'/><child link='world'/></joint>")),
                  "r.urdf:3: joint 'j': the link 'world' is the fixed frame; it cannot be a child"));
}

struct Bad {
  std::string what, text, message;
};

TEST(UrdfReader, EachBadFileGetsOneClearError) {
  const std::string ab = "<link name='a'/><link name='b'/>\n",
                    zeros = "ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'";
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return fmt::format("<joint name='{}' type='fixed'><parent link='{}'/><child link='{}'/></joint>\n", name,
                       parent, child);
  };
  const std::vector<Bad> cases = {
      {"not a robot", "<sdf/>", "r.urdf:1: the root element is <sdf>; a URDF has <robot>"},
      {"no link", robot(""), "r.urdf: the robot has no <link>"},
      {"duplicate link", robot("<link name='a'/>\n<link name='a'/>"),
       "r.urdf:3: link 'a': this name is taken by the link of line 2"},
      {"duplicate joint",
       robot("<link name='a'/><link name='b'/><link name='c'/>\n" + joint("j", "a", "b") +
             joint("j", "b", "c")),
       "r.urdf:4: joint 'j': this name is taken by the joint of line 3"},
      {"unknown parent", robot("<link name='shank'/><link name='b'/>\n" + joint("j", "shankk", "b")),
       "r.urdf:3: joint 'j': there is no link 'shankk', its parent (did you mean 'shank'?)"},
      {"unknown child", robot(ab + joint("j", "a", "elsewhere")),
       "r.urdf:3: joint 'j': there is no link 'elsewhere', its child"},
      {"cycle",
       robot("<link name='r'/><link name='a'/><link name='b'/><link name='c'/>\n" + joint("j", "a", "b") +
             joint("k", "b", "c") + joint("l", "c", "a")),
       "r.urdf:5: joint 'l': the joints 'j', 'k', 'l' form a cycle"},
      {"its own parent", robot(ab + joint("j", "a", "a")),
       "r.urdf:3: joint 'j': the joints 'j' form a cycle"},
      {"two parents",
       robot("<link name='a'/><link name='b'/><link name='c'/>\n" + joint("i", "a", "b") +
             joint("j", "a", "c") + joint("k", "b", "c")),
       "r.urdf:5: joint 'k': the link 'c' is also the child of joint 'j' (line 4); URDF has no loops"},
      {"negative effort", one_joint("continuous", "<limit effort='-1' velocity='1'/>"),
       "r.urdf:3: joint 'j': effort limit -1 is negative; it is a magnitude"},
      {"zero axis", one_joint("continuous", "<axis xyz='0 0 0'/>"),
       "r.urdf:3: joint 'j': the axis is zero; expected a direction"},
      {"axis without numbers", one_joint("continuous", "<axis/>"),
       "r.urdf:3: joint 'j': <axis> has no attribute 'xyz'"},
      {"NaN axis", one_joint("continuous", "<axis xyz='nan 0 0'/>"),
       "r.urdf:3: joint 'j': xyz='nan 0 0' of <axis> is not 3 finite numbers"},
      {"NaN limit", one_joint("revolute", "<limit lower='nan' upper='1' effort='1' velocity='1'/>"),
       "r.urdf:3: joint 'j': lower='nan' of <limit> is not a number"},
      {"comma", one_joint("fixed", "<origin xyz='0,5 0 0'/>"),
       "r.urdf:3: joint 'j': xyz='0,5 0 0' of <origin> is not 3 finite numbers"},
      {"two of three", one_joint("fixed", "<origin rpy='0 0'/>"),
       "r.urdf:3: joint 'j': rpy='0 0' of <origin> is not 3 finite numbers"},
      {"unit", one_joint("continuous", "<dynamics damping='1Nm'/>"),
       "r.urdf:3: joint 'j': damping='1Nm' of <dynamics> is not a finite number"},
      {"NaN mass", inertial("", "nan", zeros),
       "r.urdf:2: link 'a': value='nan' of <mass> is not a finite number"},
      {"infinite inertia", inertial("", "1", "ixx='inf' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'"),
       "r.urdf:2: link 'a': ixx='inf' of <inertia> is not a finite number"},
      {"bad size", one_link("<collision><geometry><box size='1 x 1'/></geometry></collision>"),
       "r.urdf:2: link 'a': size='1 x 1' of <box> is not 3 finite numbers"},
      {"negative size", one_link("<collision><geometry><sphere radius='-1'/></geometry></collision>"),
       "r.urdf:2: link 'a': a sphere of negative size (-1, 0, 0)"},
      {"bad color", robot("<material name='m'><color rgba='1 1'/></material>\n<link name='a'/>"),
       "r.urdf:2: material 'm': rgba='1 1' of <color> is not 4 finite numbers"},
      {"four numbers, one bad", one_joint("fixed", "<origin xyz='0 inf 0 0'/>"),
       "r.urdf:3: joint 'j': xyz='0 inf 0 0' of <origin> is not 3 finite numbers"},
      {"xacro", robot("<xacro:macro name='m'><link name='${n}'/></xacro:macro>\n<xacro:m/><link name='a'/>"),
       "r.urdf:3: robot: <xacro:m> is xacro, which has to be expanded to URDF first: xacro r.urdf > "
       "r_expanded.urdf"},
      {"substitution", one_joint("fixed", "<origin xyz='${x} 0 0'/>"),
       "r.urdf:3: robot: xyz=\"${x} 0 0\" of <origin> is xacro, which has to be expanded to URDF first"},
      {"argument", one_joint("fixed", "<origin xyz='$(arg x)'/>"),
       "r.urdf:3: robot: xyz=\"$(arg x)\" of <origin> is xacro, which has to be expanded to URDF first"},
      {"mesh without name", one_link("<visual><geometry><mesh/></geometry></visual>"),
       "r.urdf:2: link 'a': <mesh> has no attribute 'filename'"},
      {"link without name", robot("<link/>"), "r.urdf:2: link '': <link> has no attribute 'name'"},
      {"empty name", robot("<link name=''/>"), "r.urdf:2: link '': the attribute 'name' of <link> is empty"},
      {"no parent", robot(ab + "<joint name='j' type='fixed'><child link='b'/></joint>"),
       "r.urdf:3: joint 'j': the joint has no <parent>"},
      {"mimic of nothing", one_joint("continuous", "<mimic joint='k'/>"),
       "r.urdf:3: joint 'j': it mimics 'k', but there is no such joint (did you mean 'j'?)"},
      {"mimic of itself", one_joint("continuous", "<mimic joint='j'/>"),
       "r.urdf:3: joint 'j': the joint mimics itself"},
      {"mimic bad number", one_joint("continuous", "<mimic joint='j' multiplier='two'/>"),
       "r.urdf:3: joint 'j': multiplier='two' of <mimic> is not a finite number"},
      {"truncated", robot(ab).substr(0, 40), "r.urdf:2: not well-formed XML"},
      {"not XML", "%PDF-1.4", "r.urdf:1: not well-formed XML"},
      {"empty", "", "r.urdf: the file is empty"},
  };
  for (const Bad& bad : cases) {
    const std::string message = error_of(bad.text);
    EXPECT_TRUE(message.starts_with(bad.message))
        << bad.what << "\n  got:      " << message << "\n  expected: " << bad.message;
  }
}

TEST(UrdfReader, EveryErrorOfAFileIsListedAtOnce) {
  const std::string message =
      error_of(robot("<link name='a'/><link name='b'/>\n<joint name='j' type='continuous'>"
                     "<parent link='a'/><child link='b'/><axis xyz='0 0 0'/>\n<limit effort='x' "
                     "velocity='1'/></joint><link name='b'/>"));
  EXPECT_TRUE(has(message, "the axis is zero"));
  EXPECT_TRUE(has(message, "\nr.urdf:4: joint 'j': effort='x' of <limit> is not a number"));
  EXPECT_TRUE(has(message, "link 'b': this name is taken"));
}

TEST(UrdfReader, EveryQuirkIsReportedByItsIdAndReadOn) {
  const std::string free_limit = "<limit effort='1' velocity='1'/>";
  const std::vector<std::pair<UrdfQuirk, std::string>> cases = {
      {UrdfQuirk::axis_not_unit, one_joint("continuous", "<axis xyz='0 0 2'/>")},
      {UrdfQuirk::continuous_with_range, one_joint("continuous", kLimit)},
      {UrdfQuirk::fixed_with_motion, one_joint("fixed", "<axis xyz='0 0 0'/>")},
      {UrdfQuirk::limit_without_effort, one_joint("revolute", "<limit lower='0' upper='1' velocity='1'/>")},
      {UrdfQuirk::limit_without_velocity, one_joint("revolute", "<limit lower='0' upper='1' effort='1'/>")},
      {UrdfQuirk::material_undefined,
       one_link("<visual><geometry><sphere radius='1'/></geometry><material name='x'/></visual>")},
      {UrdfQuirk::no_range, one_joint("revolute", free_limit)},
      {UrdfQuirk::capsule,
       one_link("<visual><geometry><capsule radius='1' length='1'/></geometry></visual>")},
      {UrdfQuirk::color_out_of_range,
       robot("<material name='m'><color rgba='2 0 0 1'/></material><link name='a'/>")},
      {UrdfQuirk::robot_without_name, "<robot><link name='a'/></robot>"},
      {UrdfQuirk::several_axes_limit, one_joint("floating", free_limit)},
      {UrdfQuirk::shape_without_geometry, one_link("<visual><geometry><torus/></geometry></visual>")},
      {UrdfQuirk::color_without_opacity,
       robot("<material name='m'><color rgba='1 0 0'/></material><link name='a'/>")},
      {UrdfQuirk::inertial_incomplete, one_link("<inertial><mass value='1'/></inertial>")},
      {UrdfQuirk::lower_above_upper,
       one_joint("revolute", "<limit lower='1' upper='-1' effort='1' velocity='1'/>")},
      {UrdfQuirk::no_limit, one_joint("prismatic", "")},
      {UrdfQuirk::scale_of_one_number,
       one_link("<visual><geometry><mesh filename='a.stl' scale='.001'/></geometry></visual>")},
      {UrdfQuirk::several_roots, robot("<link name='a'/><link name='b'/>")},
      {UrdfQuirk::spherical, one_joint("spherical", "")},
      {UrdfQuirk::too_many_numbers, one_joint("fixed", "<origin rpy='1 2 3 4'/>")},
      {UrdfQuirk::xacro_definition, robot("<xacro:property name='x' value='${1}'/><link name='a'/>")},
      {UrdfQuirk::zero_effort, one_joint("continuous", "<limit effort='0' velocity='1'/>")},
      {UrdfQuirk::zero_velocity, one_joint("continuous", "<limit effort='1' velocity='0'/>")},
  };
  ASSERT_EQ(cases.size(), urdf_quirks().size());
  for (const UrdfQuirkInfo& quirk : urdf_quirks()) {
    const auto found =
        std::find_if(cases.begin(), cases.end(), [&](const auto& c) { return c.first == quirk.quirk; });
    ASSERT_NE(found, cases.end()) << quirk.id;
    EXPECT_TRUE(has(findings_of(found->second), fmt::format("[{}]", quirk.id))) << findings_of(found->second);
    EXPECT_FALSE(has(findings_of(one_joint("revolute", kLimit)), std::string(quirk.id))) << "on a good file";
  }
}

TEST(UrdfReader, WhatIsLeftOutOfAnInertialIsZero) {
  const auto inertia = [](const std::string& inside) {
    return read(one_link("<inertial>" + inside + "</inertial>")).bodies[0].inertia;
  };
  const Inertia<double> no_moments = inertia("<origin xyz='1 0 0'/><mass value='2'/>");
  EXPECT_EQ(no_moments.mass(), 2.0);
  EXPECT_TRUE(no_moments.about_com().isZero(1e-15));
  const Inertia<double> no_mass = inertia("<inertia ixx='1' iyy='2' izz='3'/>");
  EXPECT_EQ(no_mass.mass(), 0.0);
  EXPECT_EQ(no_mass.about_origin(), Matrix3<double>(Vector3<double>(1, 2, 3).asDiagonal()));
  EXPECT_TRUE(
      has(findings_of(one_link("<inertial><inertia ixx='1' iyy='2' izz='3'/></inertial>")),
          "r.urdf:2: link 'a': <inertial> leaves out a mass or moments of inertia; taken as 0: mass, ixy, "
          "ixz, iyz [urdf-inertial-incomplete]"));
}

TEST(UrdfReader, JointsWithoutARangeAreUnlimited) {
  for (const char* limit : {"", "<limit lower='1' upper='-1' effort='3' velocity='2'/>"}) {
    const JointProperties p = read(one_joint("revolute", limit)).joints[0].properties;
    EXPECT_TRUE(p.lower.empty() && p.upper.empty()) << limit;
    EXPECT_EQ(p.effort, limit[0] != '\0' ? std::vector<double>{3.0} : std::vector<double>{});
  }
}

TEST(UrdfReader, ASphericalJointHasNoAxisAndNoLimit) {
  const auto j = read(one_joint("spherical", kLimit)).joints[0];
  EXPECT_EQ(j.type, "spherical");
  EXPECT_TRUE(j.properties.lower.empty() && j.properties.effort.empty());
}

TEST(UrdfReader, SeveralRootsAreSeveralTrees) {
  const auto m =
      read(robot("<link name='a'/>\n<link name='b'/><link name='c'/><joint name='j' type='continuous'>"
                 "<parent link='b'/><child link='c'/></joint>"));
  ASSERT_EQ(m.bodies.size(), 3u);
  EXPECT_EQ(m.joints.size(), 1u);
}

TEST(UrdfReader, OfTooManyNumbersTheFirstAreUsed) {
  const auto X = read(one_joint("fixed", "<origin xyz='1 2 3 4' rpy='0 0 0 9'/>")).joints[0].X_PF;
  EXPECT_EQ(X.translation(), Vector3<double>(1, 2, 3));
  EXPECT_EQ(X.rotation().matrix(), Matrix3<double>(Matrix3<double>::Identity()));
  const auto shape =
      read(one_link("<visual><geometry><mesh filename='a.stl' scale='.001'/></geometry></visual>"))
          .bodies[0]
          .visuals[0];
  EXPECT_EQ(shape.shape.size, Vector3<double>(0.001, 0.001, 0.001));
}

TEST(UrdfReader, ZeroEffortIsKeptAndSaidOnceForAllJoints) {
  std::string inside = "<link name='l0'/>";
  for (int i = 1; i <= 6; ++i)
    inside += fmt::format(
        "<link name='l{1}'/><joint name='j{1}' type='continuous'><parent link='l{0}'/>"
        "<child link='l{1}'/><limit effort='0' velocity='1'/></joint>\n",
        i - 1, i);
  const auto m = read(robot(inside));
  ASSERT_EQ(m.findings.size(), 1u);
  EXPECT_TRUE(has(m.findings[0].text(), "(also joint 'j2', joint 'j3', joint 'j4' and 2 more)"))
      << m.findings[0].text();
  EXPECT_EQ(m.joints[3].properties.effort, std::vector<double>{0.0});
}

TEST(UrdfReader, ARobotWithoutANameIsNamedAfterItsFile) {
  EXPECT_EQ(read_urdf("<robot><link name='a'/></robot>", "/some/where/spot.urdf").name, "spot");
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(UrdfReader, NumbersDoNotDependOnTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const auto m = read(one_joint("fixed", "<origin xyz='0.5 0 0'/>"));
  std::locale::global(before);
  EXPECT_EQ(m.joints[0].X_PF.translation()[0], 0.5);
  EXPECT_TRUE(m.findings.empty()) << m.findings.front().text();
}

TEST(UrdfReader, ThreadsMayReadAtTheSameTime) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 20; ++i) good[t] += read(one_joint("revolute", kLimit)).findings.empty();
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(good, std::vector<int>(4, 20));
}

std::string without_comments(std::string text) {
  for (auto start = text.find("<!--"); start != std::string::npos; start = text.find("<!--", start))
    text.erase(start, text.find("-->", start) + 3 - start);
  return text;
}

int elements_in(const std::string& text, const std::string& name) {
  int count = 0;
  for (auto at = text.find("<" + name); at != std::string::npos; at = text.find("<" + name, at + 1))
    count += std::isspace(static_cast<unsigned char>(text.at(at + 1 + name.size()))) != 0;
  return count;
}

/// Sum of the values of all <mass value="...">, by looking at the characters alone.
double mass_in(const std::string& text) {
  double sum = 0.0;
  for (auto at = text.find("<mass"); at != std::string::npos; at = text.find("<mass", at + 1)) {
    const auto quote = text.find_first_of("\"'", at);
    sum += std::strtod(text.c_str() + quote + 1, nullptr);
  }
  return sum;
}

TEST(UrdfFiles, CountsAndMassAgreeWithTheBareText) {
  for (const std::string& file : all_models()) {
    const std::string text = without_comments(read_text(file));
    const auto m = read_urdf(read_text(file), file);
    double mass = 0.0;
    for (const auto& b : m.bodies) mass += b.inertia.mass();
    EXPECT_EQ(static_cast<int>(m.bodies.size()), elements_in(text, "link")) << file;
    EXPECT_EQ(static_cast<int>(m.joints.size()), elements_in(text, "child")) << file;
    EXPECT_NEAR(mass, mass_in(text), 1e-12) << file;
  }
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
}

/// A second reader's view of the same joint, down to the last few bits (it goes through quaternions).
void expect_same_joint(const JointDescription& ours, const urdf::Joint& theirs) {
  const auto& t = theirs.parent_to_joint_origin_transform;
  const Vector3<double> p(t.position.x, t.position.y, t.position.z);
  const Eigen::Quaterniond q(t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z);
  EXPECT_EQ(ours.parent, theirs.parent_link_name) << ours.name;
  EXPECT_EQ(ours.child, theirs.child_link_name) << ours.name;
  EXPECT_EQ(ours.X_PF.translation(), p) << ours.name;
  EXPECT_LT((ours.X_PF.rotation().matrix() - q.toRotationMatrix()).cwiseAbs().maxCoeff(), 2e-15) << ours.name;
  if (ours.type == "fixed" || ours.type == "free") return;
  const Eigen::Vector3d axis(theirs.axis.x, theirs.axis.y, theirs.axis.z);
  EXPECT_LT((ours.axis - axis.normalized()).norm(), 1e-15) << ours.name;
  if (ours.type != "revolute" && ours.type != "prismatic") return;
  EXPECT_EQ(ours.properties.lower, std::vector<double>{theirs.limits->lower}) << ours.name;
  EXPECT_EQ(ours.properties.upper, std::vector<double>{theirs.limits->upper}) << ours.name;
  EXPECT_EQ(ours.properties.effort, std::vector<double>{theirs.limits->effort}) << ours.name;
  EXPECT_EQ(ours.properties.velocity, std::vector<double>{theirs.limits->velocity}) << ours.name;
  ASSERT_EQ(ours.mimic.has_value(), theirs.mimic != nullptr) << ours.name;
  if (!ours.mimic) return;
  EXPECT_EQ(ours.mimic->ratio, theirs.mimic->multiplier) << ours.name;
}

TEST(UrdfFiles, AgreeWithUrdfdomJointByJointAndLinkByLink) {
  for (const std::string& file : all_models()) {
    const std::string text = read_text(file);
    const auto theirs = urdf::parseURDF(text);
    ASSERT_TRUE(theirs) << file;
    const auto ours = read_urdf(text, file);
    ASSERT_EQ(ours.joints.size(), theirs->joints_.size()) << file;
    ASSERT_EQ(ours.bodies.size(), theirs->links_.size()) << file;
    for (const auto& j : ours.joints) expect_same_joint(j, *theirs->getJoint(j.name));
    for (const auto& b : ours.bodies) {
      const auto link = theirs->getLink(b.name);
      EXPECT_EQ(b.inertia.mass(), link->inertial ? link->inertial->mass : 0.0) << b.name;
      EXPECT_EQ(b.visuals.size(), link->visual_array.size()) << b.name;
      EXPECT_EQ(b.collisions.size(), link->collision_array.size()) << b.name;
    }
  }
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
}

TEST(UrdfFiles, FindingsOfABigRobotStayFew) {
  for (const std::string& file : all_models()) {
    const auto m = read_urdf(read_text(file), file);
    EXPECT_LE(m.findings.size(), 10u) << file;
    for (const Problem& p : m.findings) EXPECT_TRUE(p.line > 0 && p.file == file) << p.text();
  }
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
}

/// Moments about the centre of a uniform solid with this shape.
Vector3<double> uniform_moments(const Shape& s, double m) {
  const double r = s.size[0], l = s.size[1], x = s.size[0], y = s.size[1], z = s.size[2];
  if (s.kind == Shape::Kind::sphere) return Vector3<double>::Constant(0.4 * m * r * r);
  if (s.kind == Shape::Kind::cylinder)
    return {m * (3 * r * r + l * l) / 12, m * (3 * r * r + l * l) / 12, m * r * r / 2};
  return m / 12 * Vector3<double>(y * y + z * z, x * x + z * z, x * x + y * y);
}

TEST(OwnModels, WeighAsTheUniformPrimitivesTheyAreDrawnWith) {
  for (const std::string& file : own_models()) {
    const auto m = read_urdf(read_text(file), file);
    EXPECT_TRUE(m.findings.empty()) << m.findings.front().text();
    for (const auto& b : m.bodies) {
      ASSERT_EQ(b.collisions.size(), 1u) << b.name;
      const PlacedShape& s = b.collisions[0];
      const Matrix3<double> R = s.X_BS.rotation().matrix();
      const Matrix3<double> I = R * uniform_moments(s.shape, b.inertia.mass()).asDiagonal() * R.transpose();
      EXPECT_LT((b.inertia.com() - s.X_BS.translation()).norm(), 1e-12) << b.name;
      EXPECT_LT((b.inertia.about_com() - I).norm(), 1e-7 * I.norm()) << b.name;
      EXPECT_EQ(b.visuals.at(0).shape, s.shape) << b.name;
      EXPECT_TRUE(b.visuals.at(0).color) << b.name;
    }
  }
}

TEST(OwnModels, HaveTheJointsTheyAreNamedFor) {
  const auto moving = [](const std::string& file) {
    const auto m = read_urdf(read_text(file), file);
    return std::count_if(m.joints.begin(), m.joints.end(), [](const auto& j) { return j.type != "fixed"; });
  };
  EXPECT_EQ(moving(own_models()[0]), 2);
  EXPECT_EQ(moving(own_models()[1]), 12);
  EXPECT_EQ(moving(own_models()[2]), 7);
}

}  // namespace
}  // namespace amble
