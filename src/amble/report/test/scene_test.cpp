#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/geometry/ground_description.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/report/scene_model.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/report/synthetic.hpp"

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
    EXPECT_EQ(base % 8, 0u);
  }
  template <class T>
  T number(std::size_t offset, std::size_t i) const {
    T out;
    EXPECT_LE(base + offset + (i + 1) * sizeof(T), bytes.size());
    std::memcpy(&out, bytes.data() + base + offset + i * sizeof(T), sizeof(T));
    return out;
  }
  double state(const std::string& name, std::size_t row, const char* which = "value") const {
    for (const Json& c : head["states"]["columns"])
      if (c["name"] == name)
        return head["states"]["exact"] == true ? number<double>(c[which], row) : number<float>(c[which], row);
    ADD_FAILURE() << name;
    return NAN;
  }
  std::string bytes;
  Json head;
  std::size_t base = 0;
};

TEST(Scene, HasTheRecordingsNumbersToTheLastBitWhenTheyFit) {
  const Recording r = synthetic_recording(1.0);
  const Read read(scene_stream(r));
  ASSERT_EQ(read.head["states"]["rows"], r.rows());
  EXPECT_EQ(read.head["states"]["exact"], true);
  Workspace work(r.mechanism());
  for (std::size_t i = 0; i < r.t().size(); i += 17) {
    EXPECT_EQ(read.number<double>(read.head["states"]["time"], i), r.t()[i]);
    EXPECT_EQ(read.state("q:elbow", i), r.q()(static_cast<Eigen::Index>(i), 1));
    EXPECT_EQ(read.state("v:shoulder", i), r.v()(static_cast<Eigen::Index>(i), 0));
    EXPECT_EQ(read.state("kinetic + potential", i), r.kinetic()[i] + r.potential()[i]);
    EXPECT_EQ(read.state("centre of mass x", i),
              center_of_mass(r.mechanism(), work, r.q().row(static_cast<Eigen::Index>(i)).transpose())[0]);
  }
}

TEST(Scene, FramesArePosesOfLinks) {
  const Recording r = synthetic_recording(1.0);
  const Read read(scene_stream(r, {.frame_rate = 50.0}));
  const Json& frames = read.head["frames"];
  EXPECT_EQ(frames["rows"], 51);
  const std::size_t columns = frames["columns"];
  ASSERT_EQ(columns, 7u * 2u + 3u);
  Workspace work(r.mechanism());
  for (std::size_t i = 0; i < 51; i += 5) {
    const double t = read.number<double>(frames["time"], i);
    const auto row = static_cast<Eigen::Index>(std::llround(1000.0 * t));
    const LinkPoses poses = forward_kinematics(r.mechanism(), work, r.q().row(row).transpose());
    for (std::size_t link = 1; link <= 2; ++link)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(read.number<float>(frames["poses"], i * columns + 7 * (link - 1) + k),
                    poses[link].translation()[static_cast<Eigen::Index>(k)], 1e-6);
  }
}

TEST(Scene, RowsThatDoNotFitAreGatheredWithTheirExtremes) {
  const Recording r = synthetic_recording(20.0);
  const Read read(scene_stream(r, {.state_bytes = 200000}));
  const Json& states = read.head["states"];
  const std::size_t stride = states["stride"], rows = states["rows"];
  ASSERT_GT(stride, 1u);
  EXPECT_EQ(states["samples"], r.rows());
  EXPECT_EQ(rows, (r.t().size() + stride - 1) / stride);
  EXPECT_LE(read.bytes.size(), 200000u + 100000u + 6u * 1024u * 1024u);
  for (std::size_t row = 0; row < rows; row += 13) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = row * stride; i < std::min((row + 1) * stride, r.t().size()); ++i)
      low = std::min(low, r.v()(static_cast<Eigen::Index>(i), 0)),
      high = std::max(high, r.v()(static_cast<Eigen::Index>(i), 0));
    EXPECT_EQ(read.state("v:shoulder", row, "low"), static_cast<float>(low));
    EXPECT_EQ(read.state("v:shoulder", row, "high"), static_cast<float>(high));
    EXPECT_EQ(read.state("v:shoulder", row),
              static_cast<float>(r.v()(static_cast<Eigen::Index>(row * stride), 0)));
  }
}

TEST(Scene, WhatIsLaterGoesOnWhereTheRestEnded) {
  const Recording r = synthetic_recording(2.0);
  const Read whole(scene_stream(r)), later(scene_stream(r, {.after = 1.5}));
  EXPECT_EQ(later.head["states"]["rows"], 500);
  EXPECT_EQ(later.number<double>(later.head["states"]["time"], 0), r.t()[1501]);
  EXPECT_EQ(later.state("q:elbow", 3), whole.state("q:elbow", 1504));
  for (const Json& e : later.head["events"]) EXPECT_GT(e["t"].get<double>(), 1.5);
}

TEST(Scene, ContactsStandWithTheirFrames) {
  Recording r = synthetic_recording(0.5);
  Recording touched(r.mechanism());
  for (Eigen::Index i = 0; i < r.rows(); ++i) {
    const double t = r.t()[static_cast<std::size_t>(i)];
    touched.add(t, r.q().row(i).transpose(), r.v().row(i).transpose(), 1.0, 1.0);
    touched.add_ledger(t, {.initial = 0.0, .final = t, .entries = {}});
    if (t >= 0.2 && t < 0.3)
      touched.add_contacts(t, std::vector{ContactForce{0, 2, {t, 0, 0}, {3, 0, 4}, {0, 0, 1}, 0.5}});
  }
  const Read read(scene_stream(touched));
  const Json& frames = read.head["frames"];
  for (std::size_t i = 0; i < frames["rows"].get<std::size_t>(); ++i) {
    const double t = read.number<double>(frames["time"], i);
    const auto first = read.number<std::uint32_t>(frames["contact_first"], i),
               last = read.number<std::uint32_t>(frames["contact_first"], i + 1);
    ASSERT_EQ(last - first, t >= 0.2 && t < 0.3 ? 1u : 0u) << t;
    if (last > first) {
      EXPECT_EQ(read.number<float>(frames["contacts"], first * 12 + 2), static_cast<float>(t));
    }
  }
  EXPECT_EQ(read.state("contact force on lower", 250), 5.0);
  EXPECT_EQ(read.state("contact force on lower", 150), 0.0);
}

TEST(Scene, NamesAreTextsWhateverTheySay) {
  Builder b("</script><script>alert(1)</script>\xff");
  b.body({.name = "\"><img>",
          .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "\x01\n", .type = "revolute", .parent = kWorld, .child = "\"><img>"});
  Recording r(b.build());
  r.add(0.0, OwnedVector::Zero(1), OwnedVector::Zero(1), 0.0, 0.0);
  const std::string page = scene_page(scene_stream(r));
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  EXPECT_EQ(page.find("\"><img>"), std::string::npos);
}

TEST(Scene, ContactsCountAmongTheFrames) {
  Recording r = synthetic_recording(4.0);
  for (double t : std::vector(r.t()))
    r.add_contacts(t, std::vector(50, ContactForce{0, 2, {t, 0, 0}, {3, 0, 4}, {0, 0, 1}, 0.5}));
  const std::size_t bytes = 200000;
  const Json frames = Read(scene_stream(r, {.frame_bytes = bytes})).head["frames"];
  const std::size_t rows = frames["rows"], columns = frames["columns"], contacts = frames["contact_rows"];
  EXPECT_EQ(contacts, 50 * rows);
  EXPECT_NEAR(4.0 * (columns * rows + (RecordedContacts::kColumns.size() - 1) * contacts), bytes,
              0.1 * bytes);
}

TEST(Scene, Base64IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

TEST(Scene, BodiesWithoutShapesAreDrawnBySticks) {
  const SceneModel model = scene_model(synthetic_recording(0.1).mechanism());
  ASSERT_EQ(model.links.size(), 3u);
  for (std::size_t link : {1, 2}) {
    ASSERT_FALSE(model.links[link].empty());
    EXPECT_TRUE(model.links[link][0].made_up);
  }
}

TEST(Scene, CarriersBesideDrawnBodiesAreNotDrawn) {
  const auto drawn = [](std::vector<PlacedShape> visuals) {
    Builder b("cart");
    b.body({.name = "carrier"});
    b.body({.name = "ball",
            .inertia = Inertia<double>(1.0, Vector3<double>::Zero(), Matrix3<double>::Identity()),
            .visuals = visuals});
    b.joint({.name = "x", .type = "prismatic", .parent = kWorld, .child = "carrier"});
    b.joint({.name = "turn",
             .type = "revolute",
             .parent = "carrier",
             .child = "ball",
             .X_PF = Pose(Vector3<double>(0, 0, 1))});
    return scene_model(b.build()).links[1].size();
  };
  EXPECT_EQ(drawn({}), 1u);  // nothing has a shape: the stick to the ball's joint
  EXPECT_EQ(drawn({{.shape = {.kind = Shape::Kind::sphere, .size = {0.1, 0.0, 0.0}}}}), 0u);
}

/// The volume that triangles enclose: the sum of the tetrahedra with the origin. Positive when faces turn
/// left seen from outside.
double volume(const Triangles& t) {
  double sum = 0.0;
  for (const auto& [a, b, c] : t.faces)
    sum += t.corners[a].dot(cross<double>(t.corners[b], t.corners[c])) / 6.0;
  return sum;
}

TEST(Scene, TrianglesEncloseTheVolumeOfTheirShape) {
  const auto of = [](Shape::Kind kind, const Vector3<double>& size) {
    return volume(triangles_of({.kind = kind, .size = size}, 200));
  };
  EXPECT_NEAR(of(Shape::Kind::box, {1, 2, 3}), 6.0, 1e-12);
  EXPECT_NEAR(of(Shape::Kind::sphere, {0.5, 0, 0}), M_PI / 6.0, 1e-3);
  EXPECT_NEAR(of(Shape::Kind::cylinder, {0.5, 2, 0}), M_PI / 2.0, 1e-3);
  EXPECT_NEAR(of(Shape::Kind::capsule, {0.5, 2, 0}), M_PI / 2.0 + M_PI / 6.0, 2e-3);
  EXPECT_NEAR(of(Shape::Kind::ellipsoid, {1, 2, 3}), 8.0 * M_PI, 3e-2);
}

TEST(Scene, AMadeUpRecordingThatCannotBeIsRefused) {
  EXPECT_THROW(synthetic_recording(-1.0), Error);
  EXPECT_THROW(synthetic_recording(NAN), Error);
  EXPECT_THROW(synthetic_recording(1.0, 0.0), Error);
}

TEST(Scene, MeshFilesThatAreNotThereAreANote) {
  Builder b("robot");
  BodyDescription body{.name = "part",
                       .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())};
  body.visuals.push_back({"look", {Shape::Kind::mesh, {1, 1, 1}, "no/such.stl"}, Pose(), {}});
  b.body(body).joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "part"});
  const SceneModel model = scene_model(b.build());
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_NE(model.notes[0].find("no/such.stl"), std::string::npos);
}

}  // namespace
}  // namespace amble
