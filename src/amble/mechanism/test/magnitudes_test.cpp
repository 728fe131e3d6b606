#include "amble/mechanism/magnitudes.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "amble/base/limits.hpp"
#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/mechanism/mechanism.hpp"
#include "amble/mechanism/serialize.hpp"

namespace amble {
namespace {

constexpr double kHuge = 1e308;
const Vector3<double> kZero = Vector3<double>::Zero();

class Magnitudes : public testing::Test {
 protected:
  void TearDown() override { reset_limits(); }
};

ModelDescription two_bodies() {
  ModelDescription d;
  d.file = "m.urdf";
  const Inertia<double> block = Inertia<double>::from_com(1.0, {0.1, 0, 0}, Matrix3<double>::Identity());
  for (const char* name : {"a", "b"}) d.bodies.push_back({.name = name, .inertia = block, .line = 3});
  d.joints.push_back({.name = "j", .type = "revolute", .parent = "a", .child = "b", .line = 7});
  return d;
}

std::string refusal(const std::function<void(ModelDescription&)>& change) {
  ModelDescription d = two_bodies();
  change(d);
  return message_of([&] { compile(std::move(d), Physics::warn); });
}

TEST_F(Magnitudes, EveryNumberIsRefusedAboveItsLimitWithFileLineAndElement) {
  using D = ModelDescription;
  const std::pair<std::function<void(D&)>, const char*> cases[] = {
      {[](D& d) { d.gravity[2] = -2e9; },
       "m.urdf: gravity: gravity is 2e+09 m/s^2; at most 1e+06 m/s^2 (limit 'acceleration')"},
      {[](D& d) {
         d.bodies[1].inertia = {kHuge, kZero, Matrix3<double>::Identity()};
       },
       "m.urdf:3: body 'b': mass is 1e+308 kg; at most 1e+12 kg (limit 'mass')"},
      {[](D& d) {
         d.bodies[1].inertia = {1e-300, {1e-3, 0, 0}, Matrix3<double>::Identity()};
       },
       "center of mass is 1e+297 m or rad; at most 1e+08 m or rad (limit 'length')"},
      {[](D& d) {
         d.bodies[1].inertia = {1.0, kZero, kHuge * Matrix3<double>::Identity()};
       },
       "(limit 'inertia')"},
      {[](D& d) {
         d.bodies[0].visuals.push_back({.shape = {.size = {1, kHuge, 1}}});
       },
       "m.urdf:3: body 'a': size of a shape is 1e+308 m or rad"},
      {[](D& d) { d.bodies[0].collisions.push_back({.X_BS = Pose(Vector3<double>(0, 0, -kHuge))}); },
       "the place of a shape is 1e+308"},
      {[](D& d) {
         d.world_visuals.push_back({.shape = {Shape::Kind::mesh, {1, 1, kHuge}, "f"}});
       },
       "m.urdf: scenery: scale of a mesh is 1e+308; at most 1e+09 (limit 'ratio')"},
      {[](D& d) { d.joints[0].X_PF = Pose(Vector3<double>(kHuge, 0, 0)); },
       "m.urdf:7: joint 'j': a coordinate of its place is 1e+308 m or rad; at most 1e+08"},
      {[](D& d) { d.joints[0].X_CM = Pose(Vector3<double>(kHuge, 0, 0)); }, "(limit 'length')"},
      {[](D& d) { d.joints[0].properties.damping = {kHuge}; }, "(limit 'damping')"},
      {[](D& d) { d.joints[0].properties.friction = {kHuge}; }, "(limit 'force')"},
      {[](D& d) { d.joints[0].properties.armature = {kHuge}; }, "(limit 'inertia')"},
      {[](D& d) { d.joints[0].properties.stiffness = {kHuge}; }, "(limit 'stiffness')"},
      {[](D& d) { d.joints[0].properties.reference = {-kHuge}; }, "(limit 'length')"},
      {[](D& d) { d.joints[0].properties.lower = {1e9}; }, "lower limit is 1e+09 m or rad"},
      {[](D& d) { d.springs.push_back({.name = "s", .body_a = "a", .body_b = "b", .stiffness = kHuge}); },
       "spring 's': stiffness is 1e+308"},
      {[](D& d) { d.rollings.push_back({.name = "r", .body = "b", .radius = kHuge}); },
       "rolling 'r': radius is 1e+308"},
      {[](D& d) {
         d.frames.push_back({.name = "f", .body = "b", .X_BF = Pose(Vector3<double>(kHuge, 0, 0))});
       },
       "frame 'f': a coordinate of its place is 1e+308"},
      {[](D& d) {
         d.loops.push_back({.name = "l", .type = "fixed", .body_a = "a", .body_b = "b", .pitch = kHuge});
       },
       "loop 'l': pitch is 1e+308"},
  };
  for (const auto& [change, expected] : cases) {
    const std::string message = refusal(change);
    EXPECT_NE(message.find(expected), std::string::npos) << expected << " is not in: " << message;
  }
}

TEST_F(Magnitudes, ShapesThatAreNotFiniteAreRefused) {
  EXPECT_NE(refusal([](auto& d) {
              d.bodies[0].visuals.push_back({.name = "v", .shape = {.size = {NAN, 1, 1}}});
            }).find("m.urdf:3: body 'a': size or place of box 'v' is not finite"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& d) {
              d.bodies[0].visuals.push_back({.color = {{0, 0, INFINITY, 1}}});
            }).find("color of box '' is not finite"),
            std::string::npos);
}

TEST_F(Magnitudes, LimitsOfJointsMayBeOfAnySizeAndAreNoneFromTenToTheSixteen) {
  for (const double big : {1e12, 1e16, kHuge, kUnlimited}) {
    ModelDescription d = two_bodies();
    d.joints[0].properties = {.lower = {-big}, .upper = {big}, .velocity = {big}, .effort = {big}};
    const Mechanism m = compile(d, Physics::refuse);
    EXPECT_EQ(m.lower()[0], big < 1e16 ? -big : -kUnlimited);
    EXPECT_EQ(m.upper()[0], big < 1e16 ? big : kUnlimited);
    EXPECT_EQ(m.effort_limit()[0], big);
    EXPECT_EQ(m.description().joints[0].properties.upper[0], big)
        << "the description stays as the file says it";
  }
}

TEST_F(Magnitudes, RatiosThatMultiplyAlongFollowersAreBoundedTogether) {
  ModelDescription d = two_bodies();
  for (int i = 0; i < 40; ++i) {
    d.bodies.push_back({.name = "b" + std::to_string(i), .inertia = d.bodies[0].inertia});
    d.joints.push_back({.name = "j" + std::to_string(i),
                        .type = "revolute",
                        .parent = "b",
                        .child = d.bodies.back().name,
                        .mimic = Mimic{i == 0 ? "j" : "j" + std::to_string(i - 1), 1e8, 0.0},
                        .line = 100 + i});
  }
  const std::string message = message_of([&] { compile(d, Physics::warn); });
  EXPECT_TRUE(message.starts_with(
      "m.urdf:101: joint 'j1': ratio to the joint that it follows in the end is 1e+16; at most 1e+09"))
      << message;
}

TEST_F(Magnitudes, NamesAndCountsAreBounded) {
  EXPECT_EQ(refusal([](auto& d) { d.bodies[0].name = d.joints[0].parent = std::string(2000, 'x'); }),
            "m.urdf:3: body '" + std::string(40, 'x') +
                "...': the length of its name is 2000 bytes; at most 1000 bytes (limit 'name_bytes')");
  set_limit("bodies", 2);
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_EQ(refusal([](auto& d) { d.bodies.push_back({.name = "c"}); }),
            "m.urdf: model: the number of bodies is 3; at most 2 (limit 'bodies')");
  EXPECT_EQ(refusal([](auto& d) { d.bodies[0].visuals.resize(2), d.bodies[1].collisions.resize(1); }),
            "m.urdf: model: the number of shapes is 3; at most 2 (limit 'bodies')");
}

TEST_F(Magnitudes, JsonIsBoundedBeforeItIsTakenApart) {
  const std::string text = serialize(two_bodies());
  const auto refused = [](const std::string& json) { return message_of([&] { deserialize(json); }); };
  EXPECT_EQ(refused(text), "");
  EXPECT_EQ(refused(std::string(1'000'000, '[')),
            "not a serialized mechanism: it is nested more than 20 deep");
  EXPECT_NE(refused("{\"amble_description\": 1e300}").find("a whole number is expected"), std::string::npos);
  EXPECT_NE(refused("{\"amble_description\": 4294967298}").find("too large"), std::string::npos);
  set_limit("elements", 50);
  EXPECT_EQ(refused(text),
            "not a serialized mechanism: the number of its values is 51; at most 50 (limit 'elements')");
  set_limit("file_bytes", 100);
  EXPECT_NE(refused(text).find("(limit 'file_bytes')"), std::string::npos);
}

/// Whatever is read can be compiled or is refused: an Error is the only exception, and no number is lost.
TEST_F(Magnitudes, DamagedJsonIsReadOrRefused) {
  const std::string text = serialize(two_bodies());
  const char* const pieces[] = {"1e308",   "-1",    "1e-320", "null", "[]", "{}",
                                "\"inf\"", "\"a\"", "[",      "}",    ",",  "true"};
  Random random(26);
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string json = text;
    for (int k = random.integer(1, 3); k > 0; --k) {
      const bool number = random.integer(0, 3) > 0;
      const std::size_t at = json.find_first_of(number ? "0123456789" : "\"[]{},",
                                                random.integer(0, static_cast<int>(json.size()) - 1));
      if (at == std::string::npos) continue;
      const std::size_t end = number ? json.find_first_not_of("0123456789.eE+-", at) : at + 1;
      json.replace(at, end - at, pieces[random.integer(0, std::size(pieces) - 1)]);
    }
    message_of([&] {
      const Mechanism m = compile(deserialize(json), Physics::warn);
      EXPECT_TRUE(std::isfinite(m.mass())) << json;
      ++read;
    });
  }
  EXPECT_GT(read, 100) << "most of them are no JSON, but some are";
}

}  // namespace
}  // namespace amble
