#include "amble/report/model_stream.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/mesh/load_mesh.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/joints/custom.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/report/model_shapes.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/simplified_mesh.hpp"

namespace amble {
namespace {

using Json = nlohmann::json;

/// Reads a stream by its description in docs/viewer.md, apart from the code that wrote it.
struct Read {
  explicit Read(const std::string& stream) : bytes(stream) {
    EXPECT_EQ(stream.substr(0, 8), "AMBLESCN");
    std::uint64_t length = 0;
    std::memcpy(&length, stream.data() + 8, 8);
    head = Json::parse(stream.substr(16, length));
    base = 16 + length;
    EXPECT_EQ(head["format"], "amble model");
  }
  template <class T>
  T number(const Json& offset, std::size_t i) const {
    T out;
    const std::size_t at = base + offset.get<std::size_t>() + i * sizeof(T);
    EXPECT_LE(at + sizeof(T), bytes.size());
    std::memcpy(&out, bytes.data() + at, sizeof(T));
    return out;
  }
  std::string bytes;
  Json head;
  std::size_t base = 0;
};

Inertia<double> heavy(double mass = 1.0) {
  return Inertia<double>::from_com(mass, {0, 0, 0}, 0.01 * Matrix3<double>::Identity());
}

PlacedShape box(const Vector3<double>& size, const Pose& X = {}) {
  return {"", {Shape::Kind::box, size, {}}, X, {}};
}

/// A box that a free joint holds.
Mechanism free_box(const PlacedShape& shape) {
  Builder b("box");
  b.body({.name = "box", .inertia = heavy(), .visuals = {shape}, .collisions = {shape}});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "box"});
  return b.build();
}

OwnedVector at_height(double z) {
  OwnedVector q = OwnedVector::Zero(7);
  q[2] = z, q[6] = 1.0;
  return q;
}

// ---- postures

TEST(ModelStream, ReferencesArePosesOfTheLibrary) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Mechanism m = random_mechanism(seed, {.bodies = 12, .mimic = 0.3}).mechanism;
    const Read read(model_stream(m));
    Workspace work(m);
    ASSERT_EQ(read.head["references"].size(), 4u);
    for (const Json& reference : read.head["references"]) {
      OwnedVector q(m.nq());
      for (int k = 0; k < m.nq(); ++k) q[k] = reference["q"][static_cast<std::size_t>(k)];
      for (std::size_t body = 0; body < m.bodies().size(); ++body) {
        const Pose X = pose(m, work, q, m.bodies()[body].name);
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_NEAR(read.number<double>(reference["poses"], 7 * body + k),
                      X.translation()[static_cast<Eigen::Index>(k)], 1e-13);  // products in another order
      }
      if (m.mass() > 0.0) {
        EXPECT_EQ(reference["com"][0].get<double>(), center_of_mass(m, work, q)[0]);
      }
    }
  }
}

TEST(ModelStream, KeyframeHomeIsShownFirst) {
  Builder b("arm");
  b.body({.name = "arm", .inertia = heavy()})
      .joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "arm"});
  ModelDescription d = b.build().description();
  EXPECT_EQ(nominal_posture(compile(d))[0], 0.0);
  d.keyframes.push_back({.name = "rest", .joints = {{"pin", {0.25}, {}}}});
  EXPECT_EQ(nominal_posture(compile(d))[0], 0.25);
  d.keyframes.push_back({.name = "home", .joints = {{"pin", {0.5}, {}}}});
  EXPECT_EQ(nominal_posture(compile(d))[0], 0.5);
  const Read read(model_stream(compile(d)));
  EXPECT_EQ(read.head["keyframes"][1]["name"], "home");
  EXPECT_EQ(read.head["q"][0], 0.5);
}

TEST(ModelStream, APostureThatIsNoneIsRefused) {
  const Mechanism m = free_box(box({1, 1, 1}));
  EXPECT_THROW(model_stream(m, {.q = OwnedVector::Zero(6)}), Error);
  EXPECT_THROW(model_stream(m, {.q = OwnedVector::Zero(7)}), Error);  // no quaternion
  EXPECT_THROW(model_stream(m, {.q = OwnedVector::Constant(7, NAN)}), Error);
}

/// Slides along x by the square of its coordinate.
struct Squared : CustomJointOf<Squared, 1> {
  std::string name() const override { return "squared"; }
  template <class T>
  SE3<T> motion(const T* q) const {
    return SE3<T>(Vector3<T>(q[0] * q[0], T(0.0), T(0.0)));
  }
};

TEST(ModelStream, ACustomJointStaysWhereItIsInThePostureShownFirst) {
  Builder b("custom");
  b.body({.name = "cart", .inertia = heavy()});
  b.joint({.name = "rail",
           .type = "custom",
           .parent = kWorld,
           .child = "cart",
           .custom = std::make_shared<Squared>()});
  const Read read(model_stream(b.build(), {.q = OwnedVector::Constant(1, 0.5)}));
  EXPECT_EQ(read.head["links"][1]["held"][0], 0.25);
  EXPECT_EQ(read.head["references"].size(), 1u);
  ASSERT_EQ(read.head["notes"].size(), 1u);
  EXPECT_NE(read.head["notes"][0].get<std::string>().find("custom joints stay"), std::string::npos);
}

TEST(ModelStream, LoopsAreClosedInThePostureShownFirst) {
  Builder b("triangle");
  for (const char* name : {"left", "right"}) {
    b.body({.name = name, .inertia = heavy()});
    const double side = name[0] == 'l' ? -0.3 : 0.3;
    b.joint({.name = std::string(name) + "_pin",
             .type = "revolute",
             .parent = kWorld,
             .child = name,
             .X_PF = Pose(Vector3<double>(side, 0.0, 0.0)),
             .axis = {0.0, 1.0, 0.0}});
  }
  b.loop({.name = "tip",
          .type = "spherical",
          .body_a = "left",
          .body_b = "right",
          .X_AF = Pose(Vector3<double>(0.0, 0.0, -0.5)),
          .X_BM = Pose(Vector3<double>(0.0, 0.0, -0.5))});
  const Mechanism m = b.build();
  const Json head = Read(model_stream(m)).head;
  EXPECT_LT(head["references"][0]["violation"].get<double>(), 1e-9);
  EXPECT_NEAR(std::abs(head["q"][0].get<double>() - head["q"][1].get<double>()), 2.0 * std::asin(0.6), 1e-8);
  const Json open = Read(model_stream(m, {.q = OwnedVector::Zero(2)})).head;
  EXPECT_NEAR(open["references"][0]["violation"].get<double>(), 0.6, 1e-12);
}

// ---- contacts

TEST(ModelStream, ABoxThatStandsTouchesTheGroundAtItsCorners) {
  const Mechanism m = free_box(box({0.4, 0.2, 0.1}));
  const Read read(model_stream(m, {.q = at_height(0.05)}));
  ASSERT_EQ(read.head["contacts"].size(), 4u);
  for (const Json& c : read.head["contacts"]) {
    EXPECT_NEAR(std::abs(c["point"][0].get<double>()), 0.2, 1e-12);
    EXPECT_NEAR(std::abs(c["point"][1].get<double>()), 0.1, 1e-12);
    EXPECT_NEAR(c["point"][2].get<double>(), 0.0, 1e-12);
    EXPECT_NEAR(c["distance"].get<double>(), 0.0, 1e-12);
  }
  EXPECT_EQ(Read(model_stream(m, {.q = at_height(0.06)})).head["contacts"].size(), 0u);
}

TEST(ModelStream, ARobotThatReachesBelowZeroStandsOnItsLowestPoint) {
  const Mechanism m = free_box(box({0.4, 0.2, 1.0}));
  const Read read(model_stream(m));  // its middle is at the origin
  EXPECT_EQ(read.head["ground"]["solid"], false);
  EXPECT_NEAR(read.head["ground"]["pose"][2].get<double>(), -0.5, 1e-12);
  EXPECT_EQ(read.head["contacts"].size(), 0u);
}

TEST(ModelStream, APlaneOfTheSceneryIsTheGround) {
  ModelDescription d = free_box(box({0.4, 0.2, 0.1})).description();
  PlacedShape plane{"floor", {Shape::Kind::plane, {0, 0, 0}, {}}, Pose(Vector3<double>(0, 0, -2)), {}};
  d.world_visuals = d.world_collisions = {plane};
  const Read read(model_stream(compile(d), {.q = at_height(-1.95)}));
  EXPECT_EQ(read.head["ground"]["pose"][2], -2.0);
  EXPECT_EQ(read.head["contacts"].size(), 4u);
  for (const Json& shape : read.head["shapes"]) EXPECT_NE(shape["kind"], "plane");
}

// ---- inertias

TEST(ModelStream, TheEllipsoidOfASolidEllipsoidIsItself) {
  const Vector3<double> a(0.1, 0.2, 0.35);
  const double m = 3.0;
  const Vector3<double> I(m / 5.0 * (a[1] * a[1] + a[2] * a[2]), m / 5.0 * (a[0] * a[0] + a[2] * a[2]),
                          m / 5.0 * (a[0] * a[0] + a[1] * a[1]));
  EXPECT_TRUE(inertia_ellipsoid(m, I).isApprox(a, 1e-14));
  EXPECT_TRUE(inertia_ellipsoid(0.0, I).isZero(0.0));
}

// ---- meshes

/// A ball of triangles, `around` of them around.
Triangles ball(double radius, int around) {
  return triangles_of({.kind = Shape::Kind::sphere, .size = {radius, 0, 0}}, around);
}

double volume(const Triangles& t) {
  double sum = 0.0;
  for (const auto& [a, b, c] : t.faces)
    sum += t.corners[static_cast<std::size_t>(a)].dot(cross<double>(t.corners[static_cast<std::size_t>(b)],
                                                                    t.corners[static_cast<std::size_t>(c)])) /
           6.0;
  return sum;
}

TEST(SimplifiedMesh, CornersMoveByLessThanTheDiagonalOfACell) {
  const Triangles fine = ball(1.0, 200);
  for (const double cell : {0.02, 0.05, 0.2}) {
    const Triangles coarse = clustered(fine, cell);
    EXPECT_LT(coarse.faces.size(), fine.faces.size());
    for (const Vector3<double>& p : fine.corners) {
      double nearest = INFINITY;
      for (const Vector3<double>& c : coarse.corners) nearest = std::min(nearest, (c - p).norm());
      EXPECT_LE(nearest, std::sqrt(3.0) * cell) << cell;
    }
    for (const Vector3<double>& c : coarse.corners)  // corners of the mesh itself
      EXPECT_NEAR(c.norm(), 1.0, 1e-12);
    EXPECT_NEAR(volume(coarse), volume(fine), 3.0 * cell * cell * 4.0 * M_PI) << cell;
  }
}

TEST(SimplifiedMesh, AllTogetherKeepTheBound) {
  const auto meshes = [](std::size_t uses) {
    return std::vector<MeshUse>{
        {ball(1.0, 120), 1.0, 1}, {ball(500.0, 80), 1e-3, uses}, {ball(0.01, 16), 1.0, 1}};
  };
  std::vector<MeshUse> same = meshes(3);
  const std::size_t corners = same[0].mesh.corners.size();
  EXPECT_EQ(simplify(same, 1'000'000), 0.0);
  EXPECT_EQ(same[0].mesh.corners.size(), corners);
  for (const std::size_t uses : {1, 30}) {
    std::vector<MeshUse> fewer = meshes(uses);
    EXPECT_GT(simplify(fewer, 5000), 0.0);
    std::size_t in_files = 0, drawn = 0;
    for (const MeshUse& m : fewer) in_files += m.mesh.faces.size(), drawn += m.uses * m.mesh.faces.size();
    EXPECT_LE(in_files, 5000u);
    EXPECT_LE(drawn, 10000u);
    EXPECT_TRUE(in_files > 2500 || drawn > 5000) << in_files << " " << drawn;  // and no fewer than needed
  }
}

/// A folder that is gone afterwards.
struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("amble_model_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

std::string write_obj(const Folder& folder, const std::string& name, const Triangles& mesh) {
  const std::string path = folder.path / name;
  std::ofstream out(path);
  out.precision(17);
  for (const Vector3<double>& p : mesh.corners) out << "v " << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
  for (const auto& [a, b, c] : mesh.faces) out << "f " << a + 1 << ' ' << b + 1 << ' ' << c + 1 << '\n';
  return path;
}

Mechanism with_shapes(std::vector<PlacedShape> visuals, std::vector<PlacedShape> collisions) {
  Builder b("robot");
  b.body({.name = "part",
          .inertia = heavy(2.0),
          .visuals = std::move(visuals),
          .collisions = std::move(collisions)});
  b.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "part"});
  return b.build();
}

TEST(ModelStream, CornersOfMeshesAreThoseOfTheFileToHalfAStep) {
  const Folder folder;
  const Triangles mesh = ball(0.3, 40);
  const Shape shape = mesh_file_shape(write_obj(folder, "ball.obj", mesh), {2.0, 2.0, 2.0});
  const Read read(
      model_stream(with_shapes({{"", shape, {}, {}}, {"", shape, Pose(Vector3<double>(1, 0, 0)), {}}}, {})));
  ASSERT_EQ(read.head["meshes"].size(), 1u);  // a file is there once
  ASSERT_EQ(read.head["shapes"].size(), 2u);
  const Json& written = read.head["meshes"][0];
  const Triangles expected = shared_corners(load_mesh(mesh_file_shape(shape.file)));
  ASSERT_EQ(written["corner_count"], expected.corners.size());
  for (std::size_t i = 0; i < expected.corners.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double step = written["step"][k], at = written["low"][k];
      EXPECT_NEAR(at + step * read.number<std::uint16_t>(written["corners"], 3 * i + k),
                  expected.corners[i][static_cast<Eigen::Index>(k)], 0.5001 * step);
      EXPECT_LT(step, 0.61 / 65535.0);
    }
  for (std::size_t i = 0; i < expected.faces.size(); ++i)
    EXPECT_EQ(read.number<std::uint16_t>(written["faces"], 3 * i), expected.faces[i][0]);
}

TEST(ModelStream, MeshesThatAreTooLargeAreSimplifiedAndThePageSaysSo) {
  const Folder folder;
  const Shape shape = mesh_file_shape(write_obj(folder, "ball.obj", ball(0.3, 100)));
  const Read read(model_stream(with_shapes({{"", shape, {}, {}}}, {}), {.most_triangles = 1000}));
  EXPECT_LE(read.head["meshes"][0]["face_count"], 1000);
  EXPECT_GT(read.head["meshes"][0]["face_count"], 500);
  ASSERT_EQ(read.head["notes"].size(), 1u);
  EXPECT_NE(read.head["notes"][0].get<std::string>().find("triangles of meshes"), std::string::npos);
}

TEST(ModelStream, AMissingMeshIsDrawnAsItsCollisionShapeOrAsAWireBox) {
  const PlacedShape missing{"", {Shape::Kind::mesh, {1, 1, 1}, "no/such.stl"}, {}, {}};
  const Json with = Read(model_stream(with_shapes({missing}, {box({0.1, 0.2, 0.3})}))).head;
  ASSERT_EQ(with["missing"].size(), 1u);
  EXPECT_EQ(with["missing"][0]["body"], "part");
  EXPECT_EQ(with["missing"][0]["file"], "no/such.stl");
  ASSERT_EQ(with["shapes"].size(), 2u);
  EXPECT_EQ(with["shapes"][0]["collision"], true);
  EXPECT_EQ(with["shapes"][1]["collision"], false);
  EXPECT_EQ(with["shapes"][1]["kind"], "box");
  EXPECT_EQ(with["shapes"][1]["wire"], false);
  const Json without = Read(model_stream(with_shapes({missing}, {missing}))).head;
  ASSERT_EQ(without["missing"].size(), 1u);
  ASSERT_EQ(without["shapes"].size(), 1u);
  EXPECT_EQ(without["shapes"][0]["wire"], true);
  const double edge = 2.0 * std::sqrt(2.5 * 0.01 / 2.0);
  EXPECT_NEAR(without["shapes"][0]["size"][0].get<double>(), edge, 1e-12);
}

TEST(ModelStream, ABodyWithoutShapesIsDrawnBySticks) {
  const Json head = Read(model_stream(with_shapes({}, {}))).head;
  ASSERT_FALSE(head["shapes"].empty());
  for (const Json& shape : head["shapes"]) EXPECT_EQ(shape["made_up"], true);
}

// ---- untrusted names

TEST(ModelStream, NamesAreTextsWhateverTheySay) {
  Builder b("</script><script>alert(1)</script>\xff");
  BodyDescription body{.name = "\"><img>", .inertia = heavy()};
  body.visuals.push_back({"</script>", {Shape::Kind::mesh, {1, 1, 1}, "</script><script>alert(2)"}, {}, {}});
  b.body(body).joint({.name = "\x01\n", .type = "revolute", .parent = kWorld, .child = "\"><img>"});
  const std::string page = scene_page(model_stream(b.build(), {.file = "</script>"}));
  EXPECT_EQ(page.find("alert("), std::string::npos);
  EXPECT_EQ(page.find("\"><img>"), std::string::npos);
}

}  // namespace
}  // namespace amble
