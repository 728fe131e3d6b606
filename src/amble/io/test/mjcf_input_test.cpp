#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "amble/base/limits.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/test/mjcf_text.hpp"

// MJCF files and the files they name; and everything that is wrong with either.
namespace amble {
namespace {

namespace fs = std::filesystem;

/// A folder of files that is removed again.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("amble_mjcf_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// ---- files

/// A corner of a box at `at`, as binary STL: the tetrahedron with edges a, b, c along the axes.
std::string tetrahedron(const Eigen::Vector3f& at, float a, float b, float c) {
  const Eigen::Vector3f p[] = {at, at + Eigen::Vector3f(a, 0, 0), at + Eigen::Vector3f(0, b, 0),
                               at + Eigen::Vector3f(0, 0, c)};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string out(80, ' ');
  const auto append = [&](const void* data, std::size_t size) {
    out.append(static_cast<const char*>(data), size);
  };
  const std::uint32_t count = 4;
  append(&count, 4);
  for (const auto& f : faces) {
    const Eigen::Vector3f n = (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).normalized();
    append(n.data(), 12);
    for (const int i : f) append(p[i].data(), 12);
    out.append(2, '\0');
  }
  return out;
}

TEST(MjcfInput, AMeshKeepsItsFrameAndGivesItsInertia) {
  const Folder folder;
  folder.write("meshes/corner.stl", tetrahedron({1, 2, 3}, 0.5f, 0.25f, 1.0f));
  const std::string text = R"(<mujoco><compiler meshdir="meshes" exactmeshinertia="true"/>
    <asset><mesh file="corner.stl" scale="2 2 2"/></asset>
    <worldbody><body name="b"><joint/>
      <geom name="g" type="mesh" mesh="corner" pos="0.1 0 0" density="100"/></body>
    </worldbody></mujoco>)";
  const ModelDescription d = read_mjcf(text, folder.write("m.xml", text));
  const BodyDescription& b = body(d, "b");
  ASSERT_EQ(b.visuals.size(), 1u);
  EXPECT_EQ(b.visuals[0].name, "g");
  EXPECT_EQ(b.visuals[0].shape,
            (Shape{Shape::Kind::mesh, {2, 2, 2}, "meshes/corner.stl", folder.path("meshes/corner.stl")}));
  EXPECT_EQ(b.visuals[0].X_BS.translation(), Vector3<double>(0.1, 0, 0));
  // A tetrahedron of edges 1, 0.5, 2 has volume 1/6 and its centroid a quarter along each edge.
  EXPECT_NEAR(b.inertia.mass(), 100.0 / 6.0, 1e-5);
  EXPECT_LT((b.inertia.com() - Vector3<double>(2.1 + 0.25, 4 + 0.125, 6 + 0.5)).norm(), 1e-5);
  // About the centroid, integral x^2 dm = 3/80 m a^2 for edge a.
  const double m = b.inertia.mass();
  EXPECT_NEAR(b.inertia.about_com()(0, 0), 3.0 / 80.0 * m * (0.25 + 4.0), 1e-4);
  EXPECT_TRUE(d.findings.empty()) << findings(d);
}

TEST(MjcfInput, MissingFilesAreOneWarning) {
  const ModelDescription d = read_mjcf(R"(<mujoco><compiler meshdir="m" texturedir="t"/><asset>
    <mesh name="hull" file="hull.obj" scale="1 1 2"/>
    <texture name="paint" type="2d" file="paint.png"/><material name="mat" texture="paint" rgba="1 0 0 1"/>
    <hfield name="hills" file="hills.png" size="1 1 1 1"/></asset>
    <default><default class="v">
      <geom type="mesh" mesh="hull" contype="0" conaffinity="0"/></default></default>
    <worldbody><geom type="hfield" hfield="hills"/><body name="b" childclass="v">
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/><geom material="mat" pos="1 2 3"/>
      <geom class="main" type="box" size="1 1 1"/></body></worldbody></mujoco>)",
                                       "model.xml");
  const std::string said = findings(d);
  EXPECT_TRUE(contains(said, "model.xml:2: 3 assets: files not found: m/hull.obj, t/paint.png, m/hills.png"))
      << said;
  const BodyDescription& b = body(d, "b");
  ASSERT_EQ(b.visuals.size(), 2u);
  EXPECT_EQ(b.visuals[0].shape, (Shape{Shape::Kind::mesh, {1, 1, 2}, "m/hull.obj"}));
  EXPECT_EQ(b.visuals[0].name, "");
  EXPECT_EQ(b.visuals[0].X_BS.translation(), Vector3<double>(1, 2, 3));
  EXPECT_EQ(b.visuals[0].color, (std::array{1.0, 0.0, 0.0, 1.0}));
  EXPECT_EQ(b.collisions.size(), 1u);
  EXPECT_EQ(b.inertia.mass(), 1.0);
  EXPECT_TRUE(d.world_collisions.empty());
}

TEST(MjcfInput, WhatStandsInForMeshesCausesNoWarningsOfItsOwn) {
  std::string text = "<mujoco><asset><mesh name='m' file='none.stl'/></asset><worldbody>";
  for (int i = 0; i < 40; ++i)
    text +=
        "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><freejoint/><geom type='mesh' "
        "mesh='m'/></body>";
  const ModelDescription d = read_mjcf(text + "</worldbody></mujoco>", "model.xml");
  EXPECT_EQ(d.findings.size(), 1u) << findings(d);
}

TEST(MjcfInput, AMissingMeshThatDecidesAnInertiaIsRefused) {
  const std::string asset =
      "<mujoco><asset><mesh name='hull' file='hull.stl'/></asset><worldbody><body><joint/>";
  EXPECT_EQ(error_of(asset + "<geom name='g' type='mesh' mesh='hull'/></body></worldbody></mujoco>"),
            "model.xml:1: geom 'g': the inertia of its body is to come from mesh 'hull', whose file "
            "'hull.stl' is missing");
  EXPECT_EQ(error_of(asset +
                     "<geom type='mesh' mesh='hull' mass='0'/><geom size='1'/></body></worldbody></mujoco>"),
            "no error");
  EXPECT_EQ(error_of(asset + "<geom type='mesh' mesh='hut'/></body></worldbody></mujoco>"),
            "model.xml:1: geom: mesh 'hut' does not exist (did you mean 'hull'?)");
}

TEST(MjcfInput, IncludedFilesArePutInPlace) {
  const Folder folder;
  folder.write("parts/leg.xml",
               "<mujoco>\n<body name='leg'><joint name='hip'/><geom size='0.1'/>"
               "<include file='parts/foot.xml'/></body></mujoco>");
  folder.write("parts/foot.xml", "<any><body name='foot'><geom size='0.1' gap='1'/></body></any>");
  const std::string text = "<mujoco><worldbody><include file='parts/leg.xml'/></worldbody></mujoco>";
  const ModelDescription d = read_mjcf(text, folder.write("m.xml", text));
  EXPECT_EQ(joint(d, "foot_fixed").parent, "leg");
  EXPECT_EQ(body(d, "leg").line, 0) << "a line of another file would mislead";
  EXPECT_TRUE(contains(findings(d), "foot.xml:1: geom: not used: gap")) << findings(d);
}

TEST(MjcfInput, IncludesAndElementsAreBoundedTogether) {
  const Folder folder;
  std::string includes;
  for (const char* name : {"a.xml", "b.xml", "c.xml"}) {
    folder.write(name, "<any><geom size='0.1'/></any>");
    includes += std::string("<include file='") + name + "'/>\n";
  }
  const std::string text = "<mujoco><worldbody><body>\n" + includes + "</body></worldbody></mujoco>",
                    file = folder.write("m.xml", text);
  EXPECT_EQ(error_of(text, file), "no error");
  set_limit("included_files", 2);
  EXPECT_TRUE(
      contains(error_of(text, file),
               "m.xml:4: include: the number of included files is 3; at most 2 (limit 'included_files')"));
  reset_limits();
  set_limit("elements", 8);
  EXPECT_TRUE(contains(error_of(text, file), "(limit 'elements')"));
  reset_limits();
  set_limit("file_bytes", 150);
  EXPECT_TRUE(contains(error_of(text, file),
                       "the size of the file with its includes is 155 bytes; at most 150 bytes"))
      << error_of(text, file);
  reset_limits();
}

TEST(MjcfInput, BadIncludesAreRefused) {
  const Folder folder;
  const std::string self = "<mujoco>\n<include file='m.xml'/></mujoco>";
  EXPECT_TRUE(
      contains(error_of(self, folder.write("m.xml", self)),
               "m.xml:2: include: 'm.xml' is read already: a file includes itself or is included twice"));
  folder.write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  folder.write("b.xml", "<mujoco>\n\n<include file='a.xml'/></mujoco>");
  EXPECT_TRUE(contains(error_of("<mujoco><include file='a.xml'/></mujoco>", folder.path("m2.xml")),
                       "b.xml:3: include: 'a.xml' is read already"));
  EXPECT_TRUE(contains(error_of("<mujoco><include file='none.xml'/></mujoco>", folder.path("m.xml")),
                       "m.xml:1: include: "));
  EXPECT_TRUE(
      contains(error_of("<mujoco><include/></mujoco>"), "model.xml:1: include: has no attribute file"));
  EXPECT_TRUE(contains(error_of("<mujoco><include file='a.xml'><geom/></include></mujoco>"),
                       "model.xml:1: include: cannot have children"));
  folder.write("broken.xml", "<mujoco>\n<body>");
  EXPECT_TRUE(contains(error_of("<mujoco><include file='broken.xml'/></mujoco>", folder.path("m.xml")),
                       "broken.xml:"));
}

// ---- bad input

TEST(MjcfInput, BadTextIsRefusedWithItsLine) {
  EXPECT_TRUE(contains(error_of("<mujoco>\n<worldbody>\n<body name='a'"), "model.xml:"));
  EXPECT_TRUE(
      contains(error_of("<robot name='r'/>"), "model.xml:1: the root element is <robot>; expected <mujoco>"));
  EXPECT_TRUE(contains(error_of("not xml at all"), "model.xml"));
  EXPECT_TRUE(contains(error_of(""), "model.xml"));
}

TEST(MjcfInput, BadNumbersAreRefusedWithTheirLine) {
  EXPECT_EQ(error_of("<mujoco>\n<worldbody><body name='b' pos='0 nan 0'/></worldbody></mujoco>"),
            "model.xml:2: body 'b': pos is '0 nan 0'; expected 3 numbers");
  EXPECT_EQ(error_of("<mujoco><worldbody><body name='nan'/></worldbody></mujoco>"), "no error");
  EXPECT_TRUE(contains(error_of(in_world("<body>\n<joint axis='0 0 0'/><geom size='1'/></body>")),
                       "model.xml:2: joint: axis is (0, 0, 0), too short for a direction"));
  EXPECT_TRUE(
      contains(error_of(in_world("<body>\n<joint range='1 -1' limited='true'/><geom size='1'/></body>")),
               "model.xml:2: joint: range is (1, -1); expected a lower and a higher number"));
  EXPECT_TRUE(contains(
      error_of(in_world("<body name='b'>\n<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>")),
      "model.xml:2: inertial: mass -1 is negative"));
  EXPECT_TRUE(
      contains(error_of(in_world("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 -1'/></body>")),
               "model.xml:1: inertial: diaginertia -1 is negative"));
  EXPECT_TRUE(contains(error_of(in_world("<body><joint name='j'/><geom size='1'/>\n<body><joint name='j'/>"
                                         "<geom size='1'/></body></body>")),
                       "model.xml:2: joint 'j': repeated name"));
}

TEST(MjcfInput, UnknownElementsAndAttributesAreWarningsWithTheNearestName) {
  const ModelDescription d = read_mjcf(
      "<mujoco>\n<worldbdy/><worldbody>\n<body nam='a' pos='1 2 3'>\n<jiont/></body></worldbody>\n"
      "<default group='1'/></mujoco>",
      "model.xml");
  const std::string said = findings(d);
  for (const char* expected :
       {"model.xml:2: worldbdy: not read: MJCF has no <worldbdy> in <mujoco> (did you mean 'worldbody'?)",
        "model.xml:3: body: not read: MJCF has no attribute 'nam' here (did you mean 'name'?)",
        "model.xml:4: jiont: not read: MJCF has no <jiont> in <body> (did you mean 'joint'?)",
        "model.xml:5: default: not read: MJCF has no attribute 'group' here"})
    EXPECT_TRUE(contains(said, expected)) << expected << "\n--- in\n" << said;
  EXPECT_EQ(d.bodies.size(), 1u);
}

TEST(MjcfInput, UnknownNamesAreListedOnceEachAndNotWithoutEnd) {
  std::string inner;
  for (int i = 0; i < 500; ++i) inner += "<x" + std::to_string(i % 300) + "/>";
  const ModelDescription d = read_mjcf("<mujoco><worldbody>" + inner + "</worldbody></mujoco>", "m.xml");
  EXPECT_EQ(d.findings.size(), 201u);
  EXPECT_TRUE(contains(findings(d), "what else is not, from here on, is not listed"));
}

TEST(MjcfInput, ValuesThatAreNotOfTheirTypeAreRefusedTogether) {
  const std::string error = error_of(in_world(
      "\n<body><joint type='hing' limited='yes' axis='1 0'/>\n<geom size='1 2 3 4' contype='1.5'/></body>"));
  for (const char* expected :
       {"model.xml:2: joint: type is 'hing'; expected free or ball or slide or hinge (did you mean 'hinge'?)",
        "model.xml:2: joint: limited is 'yes'; expected true or false or auto",
        "model.xml:2: joint: axis is '1 0'; expected 3 numbers",
        "model.xml:3: geom: size is '1 2 3 4'; expected 1 to 3 numbers",
        "model.xml:3: geom: contype is '1.5'; expected a whole number"})
    EXPECT_TRUE(contains(error, expected)) << expected << "\n--- in\n" << error;
}

/// Public robots have them, and MuJoCo's parser lets them pass.
TEST(MjcfInput, WhatStandsAfterTheModelIsAWarning) {
  const ModelDescription d =
      read_mjcf("<mujoco><worldbody><body name='a'/></worldbody></mujoco>\n<mujoco/>\n", "m.xml");
  EXPECT_EQ(d.bodies.size(), 1u);
  EXPECT_TRUE(contains(findings(d), "m.xml:2: mujoco: stands after the end of the model: not read"))
      << findings(d);
}

TEST(MjcfInput, WhatWouldExhaustMemoryIsRefused) {
  const auto copies = [](const std::string& count, const std::string& inside) {
    return "<replicate count='" + count + "' offset='1 0 0'>" + inside + "</replicate>";
  };
  EXPECT_TRUE(contains(error_of(in_world(copies("100000", "<geom size='1'/>"))),
                       "replicate: count is 100000; at most 10000 (limit 'replicates')"));
  EXPECT_TRUE(contains(error_of(in_world(copies("1000", copies("1000", "<geom size='1'/>")))),
                       "the number of elements that are copied"));
  EXPECT_EQ(error_of("<mujoco><size nconmax='2000000000' njmax='2000000000' nstack='2000000000'/></mujoco>"),
            "no error");
  set_limit("file_bytes", 2000);  // classes that inherit much
  std::string classes;
  for (int i = 0; i < 40; ++i) classes += "<default class='c" + std::to_string(i) + "'/>";
  EXPECT_TRUE(contains(
      error_of("<mujoco><default><geom user='1 2 3 4 5 6 7 8 9 10'/>" + classes + "</default></mujoco>"),
      "the size of all classes with what they inherit is"));
  reset_limits();
  set_limit("keyframe_numbers", 10);
  EXPECT_TRUE(contains(error_of("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody>"
                                "<keyframe><key/><key/></keyframe></mujoco>"),
                       "(limit 'keyframe_numbers')"));
  reset_limits();
}

TEST(MjcfInput, FacesOfAnInlineMeshMustExist) {
  EXPECT_TRUE(contains(
      error_of("<mujoco><asset><mesh name='x' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 99'/></asset>"
               "<worldbody><body><geom type='mesh' mesh='x'/></body></worldbody></mujoco>"),
      "model.xml:1: mesh 'x': face names vertex 99 of 4"));
}

}  // namespace
}  // namespace amble
