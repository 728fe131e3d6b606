#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "amble/base/limits.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/io/source.hpp"
#include "amble/io/test/sdf_text.hpp"

namespace amble {
namespace {

using namespace sdf_test;

namespace fs = std::filesystem;

/// A folder of its own that is gone afterwards.
class Sdf : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("amble_sdf_{}_{}", ::getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

ModelDescription read_our_model(const std::string& name) {
  const std::string file = source_dir() + "/models/" + name;
  return read_sdf(read_text(file), file);
}

// ---- shapes
// ----------------------------------------------------------------------------------------------------------

TEST_F(Sdf, ShapesKeepTheirSizesPlacesAndColours) {
  const std::string mesh = write("part.stl", "solid\n");
  const auto d = read_sdf(in_model(R"(<link name='a'>
    <collision name='1'><pose>1 0 0 0 0 0.5</pose><geometry><box><size>1 2 3</size></box></geometry></collision>
    <collision name='2'><geometry><sphere><radius>4</radius></sphere></geometry></collision>
    <collision name='3'><geometry><cylinder><radius>5</radius><length>6</length></cylinder></geometry></collision>
    <collision name='4'><geometry><capsule><radius>7</radius><length>8</length></capsule></geometry></collision>
    <collision name='5'><geometry><ellipsoid><radii>9 10 11</radii></ellipsoid></geometry></collision>
    <collision name='6'><geometry><plane><normal>0 1 0</normal></plane></geometry></collision>
    <collision name='7'><geometry><heightmap><uri>h.png</uri></heightmap></geometry></collision>
    <visual name='8'><geometry><mesh><uri>part.stl</uri><scale>1 2 0.5</scale></mesh></geometry>
      <material><diffuse>0.1 0.2 0.3</diffuse></material><transparency>0.25</transparency></visual></link>)"),
                          (folder_ / "m.sdf").string());
  const auto& c = body(d, "a").collisions;
  ASSERT_EQ(c.size(), 6u);
  using Kind = Shape::Kind;
  EXPECT_EQ(c[0].shape, (Shape{Kind::box, {1, 2, 3}, ""}));
  EXPECT_EQ(c[0].name, "1");
  expect_pose(c[0].X_BS, sdf_pose(1, 0, 0, 0, 0, 0.5));
  EXPECT_EQ(c[1].shape, (Shape{Kind::sphere, {4, 0, 0}, ""}));
  EXPECT_EQ(c[2].shape, (Shape{Kind::cylinder, {5, 6, 0}, ""}));
  EXPECT_EQ(c[3].shape, (Shape{Kind::capsule, {7, 8, 0}, ""}));
  EXPECT_EQ(c[4].shape, (Shape{Kind::ellipsoid, {9, 10, 11}, ""}));
  EXPECT_EQ(c[5].shape.kind, Kind::plane);
  expect_vector(c[5].X_BS.rotation() * Vector3<double>(0, 0, 1), {0, 1, 0});
  const auto& v = body(d, "a").visuals.at(0);
  EXPECT_EQ(v.shape, (Shape{Kind::mesh, {1, 2, 0.5}, "part.stl", mesh}));
  EXPECT_EQ(v.color.value(), (std::array{0.1, 0.2, 0.3, 0.75}));
  EXPECT_SAYS(findings(d), "<heightmap> is not used");
  EXPECT_EQ(findings(d).find("mesh file"), std::string::npos) << findings(d);
}

TEST(SdfShapes, MissingMeshesAreOneWarning) {
  std::string visuals;
  for (int i = 0; i < 3; ++i)
    visuals += fmt::format(
        "<visual name='v{0}'><geometry><mesh><uri>model://x/{0}.dae</uri></mesh></geometry></visual>", i);
  const auto d = read(in_model("<link name='a'>" + visuals + kInertial + "</link>"));
  EXPECT_EQ(body(d, "a").visuals.size(), 3u);
  ASSERT_EQ(d.findings.size(), 1u) << findings(d);
  EXPECT_EQ(d.findings[0].severity, Severity::warning);
  EXPECT_SAYS(findings(d), "mesh 'model://x/0.dae': mesh file is not found in the folders above the model file (no package path is given) (also");
}

// ---- what is not used
// ------------------------------------------------------------------------------------------------

TEST(SdfUnused, WhatIsNotUsedIsNotedOncePerKindWithItsLine) {
  const auto d =
      read(in_model("<link name='a'>\n<sensor name='s' type='imu'/>\n<sensor name='t' type='imu'/>" +
                    kInertial + "</link>\n<plugin name='p' filename='f'/>\n<nonsense/>"));
  EXPECT_EQ(d.findings.size(), 3u) << findings(d);
  EXPECT_SAYS(findings(d), "test.sdf:4: <link>: <sensor> is not used (2 times, first here)");
  EXPECT_SAYS(findings(d), "test.sdf:6: <model>: <plugin> is not used");
  EXPECT_SAYS(findings(d), "test.sdf:7: <model>: <nonsense> is not used");
}

TEST(SdfUnused, WhatChangesTheMotionIsAWarning) {
  const auto d = read(in_model("<link name='a'><gravity>false</gravity>" + kInertial + "</link>"));
  ASSERT_EQ(d.findings.size(), 1u) << findings(d);
  EXPECT_EQ(d.findings[0].severity, Severity::warning);
  EXPECT_SAYS(findings(d), "test.sdf:3: link 'a': its <gravity> false is not used");
}

TEST(SdfUnused, EverythingThatChangesTheMotionIsToldOf) {
  const auto d =
      read("<sdf version='1.11'><world name='w'><gravity>0 0 -9.81</gravity><model name='m'>" + link("a") +
           "<link name='b'><kinematic>true</kinematic><inertial auto='true'><pose relative_to='a'/>"
           "<mass>1</mass><inertia/></inertial></link></model><joint name='j' type='fixed'>"
           "<parent>m</parent><child>m::b</child></joint></world></sdf>");
  EXPECT_SAYS(findings(d), "link 'b': its <kinematic> true is not used");
  EXPECT_SAYS(findings(d), "link 'b': its inertia is not computed from the collisions");
  EXPECT_SAYS(findings(d), "world 'w': a <joint> directly in a world is not used");
  EXPECT_SAYS(findings(d), "relative_to is not used here");
}

TEST(SdfUnused, ALinkWithoutInertialGetsTheFormatsKilogramAndAWarning) {
  const auto d = read(in_model("<link name='a'/>"));
  EXPECT_EQ(body(d, "a").inertia.mass(), 1.0);
  EXPECT_SAYS(findings(d), "test.sdf:3: link 'a': has no <inertial>");
}

TEST(SdfUnused, AFileThatIsUsedWhollyLeavesNothingToSay) {
  EXPECT_EQ(findings(read_our_model("four_bar.sdf")), "");
  const auto rover = read_our_model("rover.sdf");
  ASSERT_EQ(rover.findings.size(), 1u) << findings(rover);
  EXPECT_SAYS(findings(rover), "link 'cart': its place in the file is where it starts");
}

// ---- our models
// ------------------------------------------------------------------------------------------------------

TEST(SdfModels, TheFourBarClosesWhereItSaysItDoes) {
  const auto d = read_our_model("four_bar.sdf");
  EXPECT_EQ(d.bodies.size(), 3u);
  ASSERT_EQ(d.joints.size(), 4u);
  expect_vector(joint(d, "pin_c").X_PF.translation(), {0, 0, 0.9});
  expect_vector(joint(d, "pin_c").X_CM.translation(), {0, 0, 1.3});
}

TEST(SdfModels, TheRoverHasTheJointsThatUrdfHasNot) {
  const auto d = read_our_model("rover.sdf");
  EXPECT_EQ(joint(d, "mast_base").type, "universal");
  EXPECT_EQ(joint(d, "neck").type, "spherical");
  EXPECT_NEAR(joint(d, "lift_screw").pitch * 2.0 * std::numbers::pi, 0.01, 1e-16);
  EXPECT_EQ(joint(d, "rear_axle").mimic->ratio, -2.0);
}

// ---- includes
// --------------------------------------------------------------------------------------------------------

TEST_F(Sdf, IncludedModelsAreFoundByFolderAndByPath) {
  write("library/box/model.config", "<model><name>box</name><sdf version='1.9'>box.sdf</sdf></model>");
  write("library/box/box.sdf", "<sdf version='1.9'><model name='box'>" + link("b") +
                                   "<plugin name='x' filename='y'/></model></sdf>");
  const std::string file = write("world/w.sdf", "<sdf version='1.9'><world name='w'>\n" + std::string(R"(
    <include><uri>model://box</uri><name>one</name><pose>1 0 0 0 0 0</pose></include>
    <include><uri>../library/box/box.sdf</uri><name>two</name><static>true</static></include></world></sdf>)"));
  LoadOptions options;
  options.package_path = {(folder_ / "library").string()};
  const auto d = read_sdf(read_text(file), file, options);
  ASSERT_EQ(d.bodies.size(), 2u);
  EXPECT_EQ(d.bodies[0].name, "one::b");
  EXPECT_EQ(d.bodies[1].name, "two::b");
  EXPECT_EQ(d.bodies[0].line, 0);  // it stands in another file
  ASSERT_EQ(d.joints.size(), 1u);
  expect_pose(start(d, "one::b"), sdf_pose(1, 0, 0, 0, 0, 0));
  EXPECT_SAYS(findings(d), "box.sdf:2: <model>: <plugin> is not used");
}

TEST_F(Sdf, AnIncludeInsideAnIncludedFileIsFollowed) {
  write("leaf.sdf", "<sdf version='1.9'><model name='leaf'>" + link("l") + "</model></sdf>");
  write("twig.sdf", "<sdf version='1.9'><model name='twig'>" + link("t") +
                        "<include><uri>leaf.sdf</uri></include></model></sdf>");
  const std::string file = write("tree.sdf", in_model(link("a") + "<include><uri>twig.sdf</uri></include>"));
  const auto d = read_sdf(read_text(file), file);
  ASSERT_EQ(d.bodies.size(), 3u);
  EXPECT_EQ(d.bodies[2].name, "twig::leaf::l");
}

TEST_F(Sdf, AMeshOfAnIncludedFileIsFoundBesideIt) {
  write("parts/wheel.stl", "solid\n");
  write("parts/wheel.sdf",
        "<sdf version='1.9'><model name='wheel'><link name='l'>" + kInertial +
            "<visual name='v'><geometry><mesh><uri>wheel.stl</uri></mesh></geometry></visual>"
            "</link></model></sdf>");
  const std::string file =
      write("car.sdf", in_model(link("a") + "<include><uri>parts/wheel.sdf</uri></include>"));
  const auto d = read_sdf(read_text(file), file);
  const Shape& shape = body(d, "wheel::l").visuals.at(0).shape;
  EXPECT_EQ(shape.file, (folder_ / "parts/wheel.stl").string());
  EXPECT_EQ(shape.path, shape.file);
  EXPECT_EQ(findings(d), "");
}

TEST_F(Sdf, ProblemsOfAnIncludedFileCarryItsNameAndLineAndNothingIsPrinted) {
  write("part.sdf",
        "<sdf version='1.9'>\n<model name='part'>\n<link name='l'><pose>1 2</pose></link></model></sdf>");
  const std::string file = write("m.sdf", in_model(link("a") + "<include><uri>part.sdf</uri></include>"));
  ::testing::internal::CaptureStderr();
  const std::string text = message([&] { read_sdf(read_text(file), file); });
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(text,
            (folder_ / "part.sdf").string() + ":3: link 'l': <pose> cannot be read: its value is '1 2'");
}

/// Each file includes the next one ten times: a few lines that ask for a million models.
TEST_F(Sdf, IncludesThatMultiplyAreBounded) {
  for (int i = 0; i < 6; ++i) {
    std::string inside = link("l");
    for (int k = 0; k < 10 && i < 5; ++k)
      inside += "<include><uri>" + std::to_string(i + 1) + ".sdf</uri><name>n" + std::to_string(k) +
                "</name></include>";
    write(std::to_string(i) + ".sdf", in_model(inside));
  }
  const std::string file = (folder_ / "0.sdf").string();
  const auto refused = [&] { return message([&] { read_sdf(read_text(file), file); }); };
  EXPECT_SAYS(refused(), "include: the number of includes is 1001; at most 1000 (limit 'included_files')");
  set_limit("included_files", 1e9);
  EXPECT_SAYS(refused(), "(limit 'sdf_elements')");
  set_limit("sdf_elements", 1e9);
  EXPECT_SAYS(refused(), "(limit 'library_elements')");
  set_limit("file_bytes", 5000);
  EXPECT_SAYS(refused(), "the size of the file with its includes is");
  reset_limits();
}

TEST_F(Sdf, WhatCannotBeIncludedIsSaidWithItsLine) {
  const auto included = [&](const std::string& inside) {
    const std::string file = write("m.sdf", in_model(link("a") + "<include>" + inside + "</include>"));
    return message([&] { read_sdf(read_text(file), file); });
  };
  EXPECT_SAYS(included("<uri/>"), "m.sdf:4: include: <uri> is empty");
  EXPECT_SAYS(included(""), "m.sdf:4: include: has no <uri>");
  EXPECT_SAYS(included("<uri x='1'>m.sdf</uri>"), "<uri> has the unknown attribute 'x'");
  EXPECT_SAYS(included("<uri>m.sdf</uri>"), "includes itself");
  write("broken.sdf", "<sdf version='1.9'><model");
  EXPECT_SAYS(included("<uri>broken.sdf</uri>"), "broken.sdf:1: not well-formed XML");
}

TEST_F(Sdf, WhatIsMissingIsLeftOutWithWhatHoldsIt) {
  write("robot.urdf", "<robot name='r'><link name='l'/></robot>");
  write("sun.sdf", "<sdf version='1.9'><light name='sun' type='directional'/></sdf>");
  const std::string joint_to_box =
      "\n<joint name='j' type='fixed'><parent>a</parent><child>box::l</child></joint>"
      "<frame name='f' attached_to='box::l'/>";
  const auto included = [&](const std::string& uri) {
    const std::string file = write("m.sdf", in_model(link("a") + "<include><uri>" + uri +
                                                     "</uri><name>box</name></include>" + joint_to_box));
    const auto d = read_sdf(read_text(file), file);
    EXPECT_EQ(d.bodies.size(), 1u);
    EXPECT_EQ(d.frames.size(), 0u);
    EXPECT_SAYS(findings(d), "m.sdf:5: joint: 'j' holds what is missing: left out");
    EXPECT_SAYS(findings(d), "m.sdf:5: frame: 'f' holds what is missing: left out");
    return findings(d);
  };
  EXPECT_SAYS(included("model://nowhere"), "m.sdf:4: include: 'model://nowhere' is not found in");
  EXPECT_SAYS(included("https://example.org/box"),
              "m.sdf:4: include: 'https://example.org/box' is on a network");
  EXPECT_SAYS(included("robot.urdf"), "is not SDFormat");
  EXPECT_SAYS(included("sun.sdf"), "has no model: left out");
}

TEST_F(Sdf, AWorldOfWhichNothingIsFoundIsRefusedWithAllThatIsMissing) {
  const std::string file = write("w.sdf",
                                 "<sdf version='1.9'><world name='w'>\n<include><uri>https://x.org/a</uri>"
                                 "</include>\n<include><uri>model://b</uri></include></world></sdf>");
  const std::string text = message([&] { read_sdf(read_text(file), file); });
  EXPECT_SAYS(text, "w.sdf:2: include: 'https://x.org/a' is on a network");
  EXPECT_SAYS(text, "w.sdf:3: include: 'model://b' is not found");
}

TEST_F(Sdf, ModelsAreFoundInTheModelsFoldersAboveTheFile) {
  for (const char* place : {"models/box/", "world/models/ball/"}) {
    const std::string name = fs::path(place).parent_path().filename().string();
    write(std::string(place) + "model.config", "<model><name>b</name><sdf version='1.9'>b.sdf</sdf></model>");
    write(std::string(place) + "b.sdf",
          "<sdf version='1.9'><model name='" + name + "'>" + link("b") + "</model></sdf>");
  }
  const std::string file =
      write("world/w.sdf",
            "<sdf version='1.9'><world name='w'><include><uri>model://box</uri></include>"
            "<include><uri>https://host/1.0/owner/models/ball/3</uri></include>"
            "<include><uri>model://ball</uri></include></world></sdf>");
  const auto d = read_sdf(read_text(file), file);
  ASSERT_EQ(d.bodies.size(), 3u);
  EXPECT_EQ(d.bodies[0].name, "box::b");
  EXPECT_EQ(d.bodies[1].name, "ball::b");
  EXPECT_EQ(d.bodies[2].name, "ball_2::b");
  EXPECT_SAYS(findings(d), "include: the name 'ball' is used twice: this one is 'ball_2'");
}

/// Equal relative names in two folders are two files.
TEST_F(Sdf, RelativeIncludesAreRelativeToTheFileThatHasThem) {
  for (const char* side : {"left", "right"}) {
    const std::string folder = side;
    write(folder + "/part.sdf", "<sdf version='1.9'><model name='part'>" + link(folder) + "</model></sdf>");
    write(folder + "/arm.sdf", "<sdf version='1.9'><model name='arm'>" + link("a") +
                                   "<include><uri>part.sdf</uri></include></model></sdf>");
  }
  const std::string file =
      write("m.sdf", in_model(link("a") + "<include><uri>left/arm.sdf</uri><name>l</name></include>"
                                          "<include><uri>right/arm.sdf</uri><name>r</name></include>"));
  const auto d = read_sdf(read_text(file), file);
  EXPECT_EQ(body(d, "l::part::left").name, "l::part::left");
  EXPECT_EQ(body(d, "r::part::right").name, "r::part::right");
}

/// Of processor time; it was a minute, and 10 GB of memory.
TEST(SdfSpeed, AWorldOfAThousandModelsTakesSeconds) {
  std::string models;
  for (int i = 0; i < 1000; ++i)
    models += fmt::format(
        "<model name='m{}'><link name='l'>{}<collision name='c'><geometry><box><size>1 1 "
        "1</size></box></geometry>"
        "</collision></link></model>\n",
        i, kInertial);
  const std::clock_t start = std::clock();
  EXPECT_EQ(read("<sdf version='1.9'><world name='w'>" + models + "</world></sdf>").bodies.size(), 1000u);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20.0);
}

}  // namespace
}  // namespace amble
