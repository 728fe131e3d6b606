#include "amble/io/test/sdf_text.hpp"

namespace amble {
namespace {

using namespace sdf_test;

// ---- bad input
// -------------------------------------------------------------------------------------------------------

TEST(SdfBadInput, EmptyTruncatedOrForeignTextIsRefused) {
  EXPECT_SAYS(refusal(""), "test.sdf: the file is empty");
  EXPECT_SAYS(refusal("<sdf version='1.9'>\n<model name='m'>\n<link name='a'"), "not well-formed XML");
  EXPECT_SAYS(refusal("<robot name='r'/>"), "expected <sdf>");
  EXPECT_SAYS(refusal("<sdf version='1.9'/>"), "has neither a <world> nor a <model>");
  EXPECT_SAYS(refusal("<sdf><model name='m'><link name='a'/></model></sdf>"),
              "test.sdf:1: sdf: has no version");
  EXPECT_SAYS(refusal("<sdf version='1.9'><world name='w'/></sdf>"), "world 'w': has no model");
  EXPECT_SAYS(refusal("<sdf version='1.9'><model name='m'/></sdf>"), "test.sdf:1: model 'm': has no link");
}

TEST(SdfBadInput, AnUnknownJointTypeIsNamedWithASuggestion) {
  EXPECT_SAYS(
      refusal(two_links("revolut", "<axis><xyz>0 0 1</xyz></axis>")),
      "test.sdf:5: joint 'j': unknown joint type 'revolut' (did you mean 'revolute'?); known are ball,");
}

TEST(SdfBadInput, AZeroOrMissingAxisIsRefused) {
  EXPECT_EQ(refusal(two_links("revolute", "<axis><xyz>0 0 0</xyz></axis>")),
            "test.sdf:5: joint 'j': axis: (0, 0, 0) has no direction");
  EXPECT_EQ(refusal(two_links("revolute", "")), "test.sdf:5: joint 'j': a revolute joint needs an <axis>");
  EXPECT_EQ(refusal(two_links("universal", "<axis><xyz>0 0 1</xyz></axis>")),
            "test.sdf:5: joint 'j': a universal joint needs an <axis2>");
}

TEST(SdfBadInput, DuplicateNamesAreOneErrorEach) {
  EXPECT_EQ(refusal(in_model(link("a") + link("b") + link("a"))),
            "test.sdf:5: link 'a': the name is used twice");
  EXPECT_EQ(refusal(in_model(link("a") + link("b") +
                             "<joint name='b' type='fixed'><parent>a</parent><child>b</child></joint>")),
            "test.sdf:5: joint 'b': the name is used twice");
}

TEST(SdfBadInput, ANameCannotContainTheSeparatorOfNames) {
  EXPECT_EQ(refusal(in_model(link("a::b"))), "test.sdf:3: link 'a::b': a name cannot contain '::'");
}

TEST(SdfBadInput, ANameLongerThanItsLimitIsRefused) {
  EXPECT_SAYS(refusal(in_model(link(std::string(1000, 'x')) + link(std::string(1000, 'x')))),
              "the name is used twice");
  EXPECT_EQ(
      refusal(in_model(link(std::string(1 << 20, 'x')))),
      "test.sdf:3: the length of the name of this <link> is 1.04858e+06 bytes; at most 1000 bytes (limit "
      "'name_bytes')");
}

TEST(SdfBadInput, ElementsAreCountedBeforeTheLibraryCopiesThem) {
  std::string links, poses;
  for (int i = 0; i < 20'000; ++i) links += "<link name='l" + std::to_string(i) + "'/>";
  for (int i = 0; i < 200'000; ++i) poses += "<pose/>";
  EXPECT_EQ(refusal(in_model(links)),
            "test.sdf:1: sdf: the number of links, joints, frames and the like with those of included files "
            "is 20001; at "
            "most 20000 (limit 'sdf_elements')");
  EXPECT_SAYS(refusal(in_model(link("a") + poses)), "(limit 'library_elements')");
}

TEST(SdfBadInput, NamesOfNestedModelsAreBoundedTogether) {
  const std::string name(300, 'm');
  std::string nested = link("a");
  for (int i = 0; i < 4; ++i) nested = "<model name='" + name + "'>" + nested + "</model>";
  EXPECT_SAYS(refusal(in_model(link("base") + nested)),
              "the length of the name with those of the models around it is 1206 bytes");
}

TEST(SdfBadInput, AnUnknownVersionIsAWarning) {
  std::string text = in_model(link("a"));
  text.replace(text.find("1.9"), 3, "7");
  EXPECT_SAYS(findings(read(text)), "test.sdf:1: sdf: unknown version '7' is read as version 1.9");
}

TEST(SdfBadInput, AnUnknownParentOrChildIsOneErrorEach) {
  EXPECT_EQ(refusal(in_model(link("a") +
                             "<joint name='j' type='fixed'><parent>x</parent><child>a</child></joint>")),
            "test.sdf:4: joint 'j': parent frame 'x' not found in model 'm'");
  EXPECT_EQ(refusal(in_model(link("a") +
                             "<joint name='j' type='fixed'><parent>a</parent><child>y</child></joint>")),
            "test.sdf:4: joint 'j': child frame 'y' not found in model 'm'");
  EXPECT_SAYS(refusal(in_model(link("a") +
                               "<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>")),
              "test.sdf:4: joint 'j': must specify different frame names");
}

TEST(SdfBadInput, PosesThatReferToNothingOrInACircleAreRefused) {
  EXPECT_SAYS(refusal(in_model("<link name='a'><pose relative_to='x'/></link>")),
              "test.sdf:3: link 'a': relative_to 'x'");
  EXPECT_EQ(
      refusal(in_model(
          "<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>")),
      "test.sdf:3: link 'a': its pose is given relative to itself through other frames");
}

TEST(SdfBadInput, ReversedLimitsAreNoLimits) {
  const auto d = read(
      two_links("revolute", "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>-1</upper></limit></axis>"));
  EXPECT_SAYS(findings(d),
              "test.sdf:5: joint 'j': axis: lower limit 1 is above upper limit -1; taken as unlimited");
  EXPECT_TRUE(joint(d, "j").properties.lower.empty() && joint(d, "j").properties.upper.empty());
}

TEST(SdfBadInput, WhatIsNoPhysicsIsNotRead) {
  const auto d = read(in_model("<link name='a'>" + kInertial + R"(
    <sensor name='s' type='telepathy'><update_rate>often</update_rate></sensor>
    <visual name='v'><geometry><box><size>1 1 1</size></box></geometry>
      <material><script><name>Gazebo/Grey</name></script></material></visual></link>
    <plugin filename='x'><script/>text</plugin>)"));
  EXPECT_EQ(body(d, "a").visuals.size(), 1u);
  EXPECT_SAYS(findings(d), "test.sdf:4: <link>: <sensor> is not used");
  EXPECT_SAYS(findings(d), "test.sdf:6: <material>: <script> is not used");
}

TEST(SdfBadInput, LinesAreTheFilesWhateverIsLeftOutBefore) {
  EXPECT_EQ(
      refusal("<sdf version='1.9'>\n<!-- a\ncomment -->\n<model name='m'>\n<plugin name='p'>\n<x>\n</x>\n"
              "</plugin>\n<link name='a'>\n<inertial>\n<mass>heavy</mass></inertial></link></model></sdf>"),
      "test.sdf:11: link 'a': <mass> cannot be read: its value is 'heavy'");
}

TEST(SdfBadInput, TheOldNameOfTheRootIsRead) {
  const auto d = read("<gazebo version='1.2'>\n<model name='m'>" + link("a") + "</model></gazebo>");
  EXPECT_EQ(d.bodies.size(), 1u);
  EXPECT_EQ(refusal("<gazebo version='1.0'><model name='m'><link name='a'><inertial "
                    "mass='2'/></link></model></gazebo>"),
            "test.sdf:1: sdf: version 1.0 keeps its numbers in attributes, which is not read; expected 1.2 "
            "or later");
}

TEST(SdfBadInput, SeveralModelsAreAWorld) {
  const auto d = read("<sdf version='1.9'><model name='m'>" + link("a") + "</model>\n<model name='n'>" +
                      link("a", "1 0 0 0 0 0") + "</model></sdf>");
  ASSERT_EQ(d.bodies.size(), 2u);
  EXPECT_EQ(d.bodies[1].name, "n::a");
  EXPECT_SAYS(findings(d), "test.sdf:1: sdf: has 2 models; read as one world");
}

TEST(SdfBadInput, ALinkCalledWorldIsTheWorld) {
  const std::string held =
      "<joint name='j' type='continuous'><parent>world</parent><child>a</child>"
      "<axis><xyz>0 0 1</xyz></axis></joint>";
  const auto empty = read(in_model("<link name='world'/>" + link("a") + held));
  ASSERT_EQ(empty.bodies.size(), 1u);
  EXPECT_EQ(joint(empty, "j").parent, kWorld);
  EXPECT_SAYS(findings(empty), "test.sdf:3: link 'world': is taken for the world itself");

  const auto full = read(in_model("<link name='world'>" + kInertial + "</link>" + link("a") + held));
  EXPECT_EQ(joint(full, "world_link_fixed").type, "fixed");
  EXPECT_SAYS(findings(full), "this name is the world's: read as 'world_link', fixed to the world");

  const auto child =
      read(in_model("<link name='world'/>" + link("a") +
                    "<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>"));
  EXPECT_EQ(joint(child, "j").child, "world_link");
}

TEST(SdfBadInput, NamesOfShapesAndModelsThatAreTakenGetANumber) {
  const std::string shape = "<visual name='v'><geometry><box><size>1 1 1</size></box></geometry></visual>";
  const auto d =
      read("<sdf version='1.9'><world name='w'><model name='m'><link name='a'>" + kInertial + shape + shape +
           "</link></model>\n<model name='m'>" + link("a") + "</model>\n<model name='none'/></world></sdf>");
  ASSERT_EQ(d.bodies.size(), 2u);
  EXPECT_EQ(d.bodies[0].visuals.at(1).name, "v_2");
  EXPECT_EQ(d.bodies[1].name, "m_2::a");
  EXPECT_SAYS(findings(d),
              "test.sdf:1: visual 'v': the name is used twice: this one gets a number (also model 'm')");
  EXPECT_SAYS(findings(d), "test.sdf:4: model 'none': has no link: left out");
}

TEST(SdfBadInput, WhatIsNoNumberIsRefused) {
  const auto with_mass = [](const std::string& mass) {
    return in_model("<link name='a'><inertial><mass>" + mass + "</mass></inertial></link>");
  };
  EXPECT_EQ(refusal(with_mass("heavy")), "test.sdf:3: link 'a': <mass> cannot be read: its value is 'heavy'");
  EXPECT_EQ(refusal(with_mass("nan")), "test.sdf:3: link 'a': mass or inertia is not finite (mass nan)");
  EXPECT_EQ(refusal(in_model(link("a", "nan 0 0 0 0 0"))),
            "test.sdf:3: link 'a': <pose> cannot be read: its value is 'nan 0 0 0 0 0'");
  EXPECT_EQ(refusal(two_links("revolute", "<axis><xyz>0 nan 0</xyz></axis>")),
            "test.sdf:5: joint 'j': <xyz> cannot be read: its value is '0 nan 0'");
  EXPECT_EQ(refusal(two_links("revolute", "<axis><xyz>0 0 1</xyz><limit><lower>nan</lower></limit></axis>")),
            "test.sdf:5: joint 'j': axis: lower limit is not a number (nan)");
}

TEST(SdfBadInput, AllProblemsAreToldAtOnce) {
  const std::string text = refusal(in_model(link("a") + link("a") + link("b") + R"(
    <joint name='j' type='hinge'><parent>a</parent><child>b</child></joint>
    <joint name='k' type='fixed'><parent>x</parent><child>b</child></joint>)"));
  EXPECT_SAYS(text, "unknown joint type 'hinge'");
  EXPECT_SAYS(text, "link 'a': the name is used twice");
  EXPECT_SAYS(text, "joint 'k': parent frame 'x' not found");
}

TEST(SdfBadInput, ImpossibleInertiasAreLeftToTheCompiler) {
  const auto d = read(in_model(R"(<link name='a'><inertial><mass>-3</mass>
    <inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz></inertia></inertial></link>)"));
  EXPECT_EQ(body(d, "a").inertia.mass(), -3.0);
  EXPECT_EQ(body(d, "a").inertia.about_com()(2, 2), 9.0);
}

/// libsdformat asserts this with an exception that is not of the standard library.
TEST(SdfBadInput, FlatNamesThatDoNotBelongTogetherAreRefused) {
  const std::string text = refusal(R"(<sdf version='1.7'><world name='w'><model name='m'>
    <frame name='n::__model__' attached_to='n::a'><pose relative_to='__model__'>0 0 0 0 0 0</pose></frame>
    <link name='n::a'/><link name='b'/>
    <joint name='n::j' type='fixed'><parent>n::a</parent><child>b</child></joint></model></world></sdf>)");
  EXPECT_EQ(text, "test.sdf: Joint's <child> value does not start with n");
}

TEST(SdfBadInput, NothingIsPrinted) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  for (const char* text : {"<sdf version='1.9'><model name='m'><link/></model></sdf>",
                           "<sdf version='1.9'><model name='m'><link name='a::b'/></model></sdf>",
                           "<sdf version='7'><model name='m'><link name='a' x='y'/><z/></model></sdf>"})
    refusal(text);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace amble
