#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "amble/base/limits.hpp"
#include "amble/io/mesh/mesh_files.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/test/mesh_samples.hpp"
#include "amble/io/test/mjcf_text.hpp"
#include "amble/io/test/temporary_folder.hpp"

// Meshes that give bodies their inertia.
namespace amble {
namespace {

class MjcfMeshes : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }

  /// A body whose inertia is that of the mesh; `asset` completes <mesh name="m".
  std::string model(const std::string& asset, const std::string& geom = "",
                    const std::string& compiler = "") const {
    return folder_.write(
        "m.xml", "<mujoco><compiler " + compiler + "/>\n<asset><mesh name='m' " + asset +
                     "/></asset><worldbody>\n<body name='b'><joint/><geom type='mesh' mesh='m' " + geom +
                     "/></body></worldbody></mujoco>");
  }
  ModelDescription read(const std::string& file) const {
    std::ifstream in(file);
    return read_mjcf(std::string((std::istreambuf_iterator<char>(in)), {}), file);
  }
  /// The message without the folder.
  std::string error(const std::string& file) const {
    try {
      read(file);
    } catch (const Error& e) {
      std::string text = e.what();
      for (auto at = text.find(folder_.path() + "/"); at != text.npos; at = text.find(folder_.path() + "/"))
        text.erase(at, folder_.path().size() + 1);
      return text;
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

/// Of the box with edges 1, 2 and 3 m, density 1000 kg/m^3.
void expect_box(const BodyDescription& b) {
  EXPECT_NEAR(b.inertia.mass(), 6000.0, 1e-2);
  EXPECT_LT((b.inertia.com() - Vector3<double>(0.5, 1.0, 1.5)).norm(), 1e-6);
  EXPECT_LT((b.inertia.about_com().diagonal() - Vector3<double>(6500.0, 5000.0, 2500.0)).norm(), 0.05);
}

TEST_F(MjcfMeshes, EveryFormatGivesTheInertiaOfTheSolid) {
  const TriangleMesh box = box_mesh();
  folder_.write("box.obj", obj_text(box)), folder_.write("box.stl", stl_bytes(box));
  folder_.write("text.stl", stl_text(box)), folder_.write("box.msh", write_msh(box));
  for (const char* file : {"box.obj", "box.stl", "text.stl", "box.msh"}) {
    const ModelDescription d = read(model(fmt::format("file='{}'", file)));
    expect_box(body(d, "b"));
    EXPECT_EQ(body(d, "b").collisions[0].shape.path, folder_.path() + "/" + file);
    EXPECT_TRUE(d.findings.empty()) << findings(d);
  }
}

TEST_F(MjcfMeshes, VerticesInTheModelGiveTheirInertiaWithAndWithoutFaces) {
  std::string vertices, faces;
  for (const Vector3<double>& v : box_mesh().vertices) vertices += fmt::format("{} {} {} ", v[0], v[1], v[2]);
  for (const auto& [a, b, c] : box_mesh().triangles) faces += fmt::format("{} {} {} ", a, b, c);
  expect_box(body(read(model("vertex='" + vertices + "' face='" + faces + "'")), "b"));
  expect_box(body(read(model("vertex='" + vertices + "'")), "b"));
}

TEST_F(MjcfMeshes, ANegativeScaleTurnsTheFacesOver) {
  folder_.write("box.stl", stl_bytes(box_mesh()));
  const ModelDescription d = read(model("file='box.stl' scale='-1 1 1'", "", "exactmeshinertia='true'"));
  EXPECT_NEAR(body(d, "b").inertia.mass(), 6000.0, 1e-2);
  EXPECT_LT((body(d, "b").inertia.com() - Vector3<double>(-0.5, 1.0, 1.5)).norm(), 1e-6);
}

TEST_F(MjcfMeshes, AShapeFittedToAMeshIsSizedByIt) {
  folder_.write("box.obj", obj_text(box_mesh()));
  const std::string text = folder_.write(
      "fit.xml", R"(<mujoco><compiler fitaabb="true"/><asset><mesh name="m" file="box.obj"/></asset>
    <worldbody><body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/>
    <geom type="box" mesh="m"/></body></worldbody></mujoco>)");
  const PlacedShape shape = body(read(text), "b").collisions.at(0);
  EXPECT_EQ(shape.shape.kind, Shape::Kind::box);
  Vector3<double> size = shape.shape.size;
  std::sort(size.begin(), size.end());
  EXPECT_LT((size - Vector3<double>(1, 2, 3)).norm(), 1e-5);
}

TEST_F(MjcfMeshes, OfSeveralObjectsTheFirstGivesTheInertiaWithAWarning) {
  TriangleMesh two = box_mesh();
  std::string text = obj_text(two) + "o other\n";
  for (Vector3<double>& v : two.vertices) v += Vector3<double>(9, 9, 9);
  const std::string second = obj_text(two);
  std::string lines = second.substr(second.find("v "));
  text += lines.substr(0, lines.find("vn"));
  for (const auto& [a, b, c] : two.triangles) text += fmt::format("f {} {} {}\n", a + 9, b + 9, c + 9);
  folder_.write("two.obj", text);
  const ModelDescription d = read(model("file='two.obj'"));
  expect_box(body(d, "b"));
  EXPECT_TRUE(
      contains(findings(d),
               "m.xml:2: mesh 'm': the file has 2 objects; its inertia is that of the first, as in MuJoCo"))
      << findings(d);
}

TEST_F(MjcfMeshes, DamagedFilesAreRefusedWithModelAndMesh) {
  folder_.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 99\n");
  EXPECT_EQ(error(model("file='bad.obj'")),
            "m.xml:2: mesh 'm': bad.obj:5: the face names vertex 99, but there are 4");
  TriangleMesh box = box_mesh();
  box.triangles[0][0] = 1 << 30;
  folder_.write("bad.msh", write_msh(box));
  EXPECT_EQ(error(model("file='bad.msh'")),
            "m.xml:2: mesh 'm': bad.msh: byte 112: a triangle names vertex 1073741824 of 8, counted from 0");
  folder_.write("box.dae", dae_text(box_mesh()));
  EXPECT_EQ(error(model("file='box.dae'")),
            "m.xml:2: mesh 'm': file 'box.dae': expected a name that ends in .obj, .stl or .msh");
}

TEST_F(MjcfMeshes, MeshesWithoutVolumeAreRefused) {
  folder_.write("three.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(error(model("file='three.obj'")),
            "m.xml:2: mesh 'm': a mesh of 3 vertices has no inertia; expected 4 or more");
  EXPECT_EQ(error(model("")), "m.xml:2: mesh 'm': has neither a file nor vertices");
  const std::string flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
  for (const char* faces : {"f 1 2 3\nf 2 4 3\n", "", "f 1 1 1\n", "f 1 2 2\nf 3 3 4\n"}) {
    folder_.write("flat.obj", flat + faces);
    EXPECT_TRUE(error(model("file='flat.obj'")).starts_with("m.xml:")) << faces;
  }
  folder_.write("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nv 4 0 0\n");
  folder_.write("point.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\n");
  for (const char* file : {"line.obj", "point.obj"})
    EXPECT_EQ(
        error(model(fmt::format("file='{}'", file))),
        "m.xml:2: mesh 'm': the points have no convex hull: expected four or more that do not lie in one "
        "plane");
}

/// Only for inertia="exact": by default the volumes that faces make count without their sign.
TEST_F(MjcfMeshes, FacesThatAreTurnedOverAreRefusedWhereTheyCount) {
  TriangleMesh box = box_mesh();
  std::swap(box.triangles[3][0], box.triangles[3][1]);
  folder_.write("turned.obj", obj_text(box)), folder_.write("turned.stl", stl_bytes(box));
  EXPECT_EQ(error(model("file='turned.obj' inertia='exact'")),
            "m.xml:2: mesh 'm': some faces are turned over: neighbors do not agree which side is outside");
  EXPECT_EQ(error(model("file='turned.stl'")), "no error");
  expect_box(body(read(model("file='turned.obj'")), "b"));
}

TEST_F(MjcfMeshes, ListsInTheModelMustBeWhatTheySeem) {
  const std::string v = "vertex='0 0 0 1 0 0 0 1 0 0 0 1' ";
  const auto said = [&](const std::string& asset) { return error(model(asset)); };
  EXPECT_EQ(said(v + "face='0 1 x'"), "m.xml:2: mesh 'm': face is '0 1 x'; expected numbers");
  EXPECT_EQ(said(v + "face='0 1'"), "m.xml:2: mesh 'm': face has 2 numbers; expected a multiple of 3");
  EXPECT_EQ(said(v + "face='0 1 2.5'"), "m.xml:2: mesh 'm': face names vertex 2.5; expected a whole number");
  EXPECT_EQ(said(v + "face='0 1 -1'"), "m.xml:2: mesh 'm': face names vertex -1 of 4");
  EXPECT_EQ(said("vertex='0 0 0 1 0 0 0 1 0 0 0 1e40' face='0 1 2'"),
            "m.xml:2: mesh 'm': vertex (0, 0, 1e+40) m; a coordinate is " + limit_text(Limit::length));
  folder_.write("box.stl", stl_bytes(box_mesh()));
  EXPECT_EQ(said(v + "file='box.stl'"), "m.xml:2: mesh 'm': has both a file and vertices; expected one");
}

TEST_F(MjcfMeshes, AScaleThatBringsVerticesOutOfBoundsIsRefused) {
  folder_.write("box.stl", stl_bytes(box_mesh()));
  EXPECT_EQ(
      error(model("file='box.stl' scale='1e9 1 1'")),
      "m.xml:2: mesh 'm': scale and refpos bring a vertex to (1e+09, 2, 0) m; " + limit_text(Limit::length));
  EXPECT_TRUE(contains(error(model("file='box.stl' refpos='0 1e300 0'")), "bring a vertex to"));
}

TEST_F(MjcfMeshes, DamagedMeshesCrashNothing) {
  const TriangleMesh box = box_mesh();
  const std::string files[] = {obj_text(box), stl_bytes(box), write_msh(box)};
  const char* const names[] = {"d.obj", "d.stl", "d.msh"};
  Random random(29);
  int read_ = 0;
  for (int i = 0; i < 600; ++i) {
    folder_.write(names[i % 3], damaged(files[i % 3], random));
    const std::string e = error(model(fmt::format("file='{}'", names[i % 3])));
    ASSERT_TRUE(e == "no error" || e.starts_with("m.xml:")) << e;
    read_ += e == "no error";
  }
  EXPECT_GT(read_, 20);
  EXPECT_LT(read_, 580);
}

}  // namespace
}  // namespace amble
