#include <fmt/format.h>
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "amble/base/random.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/source.hpp"
#include "amble/io/test/real_robots.hpp"
#include "amble/io/urdf/inertial.hpp"
#include "amble/io/urdf/rotation.hpp"
#include "amble/io/writers.hpp"

namespace amble {
namespace {

BodyDescription body(const std::string& name, double mass = 1.0) {
  BodyDescription b;
  b.name = name;
  const Matrix3<double> I = Vector3<double>(0.1, 0.2, 0.25).asDiagonal();
  b.inertia = Inertia<double>::from_com(mass, {0.1, -0.2, 0.3}, mass * I);
  return b;
}

JointDescription joint(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child) {
  JointDescription j;
  j.name = name, j.type = type, j.parent = parent, j.child = child;
  return j;
}

/// Base, one joint, one body.
ModelDescription two_bodies(const std::string& type) {
  ModelDescription m;
  m.name = "m";
  m.bodies = {body("a"), body("b")};
  m.joints = {joint("j", type, "a", "b")};
  return m;
}

ModelDescription reread(const ModelDescription& m) { return read_urdf(write_urdf(m), "again.urdf"); }

std::string refusal(const ModelDescription& m) {
  try {
    write_urdf(m);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

void expect_same_shape(const PlacedShape& a, const PlacedShape& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.color, b.color);
  EXPECT_EQ(a.X_BS.translation(), b.X_BS.translation());
  EXPECT_LT((a.X_BS.rotation().matrix() - b.X_BS.rotation().matrix()).cwiseAbs().maxCoeff(), 1e-15);
}

void expect_same_shapes(const std::vector<PlacedShape>& a, const std::vector<PlacedShape>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same_shape(a[i], b[i]);
}

void expect_same_body(const BodyDescription& a, const BodyDescription& b) {
  SCOPED_TRACE(a.name);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.inertia.mass(), b.inertia.mass());
  EXPECT_EQ(a.inertia.first_moment(), b.inertia.first_moment());
  EXPECT_EQ(a.inertia.about_origin(), b.inertia.about_origin());
  expect_same_shapes(a.visuals, b.visuals);
  expect_same_shapes(a.collisions, b.collisions);
}

void expect_same_properties(const JointProperties& a, const JointProperties& b) {
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.effort, b.effort);
  EXPECT_EQ(a.damping, b.damping);
  EXPECT_EQ(a.friction, b.friction);
}

void expect_same_joint(const JointDescription& a, const JointDescription& b) {
  SCOPED_TRACE(a.name);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.X_PF.translation(), b.X_PF.translation());
  EXPECT_LT((a.X_PF.rotation().matrix() - b.X_PF.rotation().matrix()).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(a.axis, b.axis);
  expect_same_properties(a.properties, b.properties);
  ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value());
  if (!a.mimic) return;
  EXPECT_EQ(a.mimic->leader, b.mimic->leader);
  EXPECT_EQ(a.mimic->ratio, b.mimic->ratio);
  EXPECT_EQ(a.mimic->offset, b.mimic->offset);
}

void expect_same(const ModelDescription& a, const ModelDescription& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) expect_same_body(a.bodies[i], b.bodies[i]);
  for (std::size_t i = 0; i < a.joints.size(); ++i) expect_same_joint(a.joints[i], b.joints[i]);
}

/// One of everything that URDF can say.
ModelDescription everything() {
  ModelDescription m = two_bodies("revolute");
  m.name = "every <thing> & \"more\"";
  JointDescription& j = m.joints[0];
  j.X_PF = Pose(SO3<double>::exp({0.3, -1.2, 2.1}), {0.1, 1.0 / 3.0, -1e-9});
  j.axis = Vector3<double>(0.6, 0.0, -0.8);
  j.properties = {{-1.0 / 3.0}, {2.0}, {3.5}, {1e5}, {0.1}, {0.01}, {}, {}, {}};
  for (const char* type : {"continuous", "prismatic", "planar", "fixed", "free"}) {
    m.bodies.push_back(body(fmt::format("child_{}", type), 0.7));
    m.joints.push_back(joint(type, type, "b", m.bodies.back().name));
  }
  m.joints[1].mimic = Mimic{"j", -0.1, 1.0 / 7.0};
  m.joints[2].properties = {{-kUnlimited}, {kUnlimited}, {kUnlimited}, {kUnlimited}, {}, {}, {}, {}, {}};
  m.joints[3].axis = {0.0, 1.0, 0.0};
  m.bodies[1].visuals = {
      {"skin",
       {Shape::Kind::box, {0.1, 0.2, 0.3}, ""},
       Pose(SO3<double>::about(1, 0.4), {0, 0, 1}),
       {{1, 0.5, 0.25, 1}}},
      {"", {Shape::Kind::mesh, {1, -1, 0.001}, "package://p/a & b.stl"}, Pose(), {{1, 0.5, 0.25, 1}}}};
  m.bodies[1].collisions = {{"", {Shape::Kind::sphere, {0.1, 0, 0}, ""}, Pose(), {}},
                            {"", {Shape::Kind::cylinder, {0.1, 0.5, 0}, ""}, Pose(), {}},
                            {"", {Shape::Kind::capsule, {0.1, 0.5, 0}, ""}, Pose(), {}},
                            {"", {Shape::Kind::mesh, {1, 1, 1}, "b.stl"}, Pose(), {}}};
  return m;
}

TEST(UrdfWriter, EverythingUrdfCanSayReadsBack) {
  ModelDescription m = everything();
  m.joints[0].axis.normalize();
  ModelDescription again = reread(m);
  // Axes of joints that have none are not written.
  for (std::size_t i : {4u, 5u}) again.joints[i].axis = m.joints[i].axis;
  expect_same(m, again);
}

TEST(UrdfWriter, WritingTwiceGivesTheSameText) {
  const std::string once = write_urdf(everything());
  EXPECT_EQ(write_urdf(read_urdf(once, "x.urdf")), once);
}

TEST(UrdfWriter, UrdfdomReadsTheSameNumbers) {
  ModelDescription m = everything();
  m.bodies[1].collisions.erase(m.bodies[1].collisions.begin() + 2);  // it knows no capsules
  const auto theirs = urdf::parseURDF(write_urdf(m));
  ASSERT_TRUE(theirs);
  ASSERT_EQ(theirs->joints_.size(), m.joints.size());
  const auto j = theirs->getJoint("j");
  EXPECT_EQ(j->limits->lower, -1.0 / 3.0);
  EXPECT_EQ(j->parent_to_joint_origin_transform.position.y, 1.0 / 3.0);
  const auto& q = j->parent_to_joint_origin_transform.rotation;
  const Eigen::Matrix3d R = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
  EXPECT_LT((R - m.joints[0].X_PF.rotation().matrix()).cwiseAbs().maxCoeff(), 2e-15);
  EXPECT_EQ(theirs->getJoint("prismatic")->limits->effort, std::numeric_limits<double>::max());
  EXPECT_EQ(theirs->getLink("b")->collision_array.size(), 3u);
  EXPECT_EQ(theirs->getLink("b")->visual_array[1]->material->color.g, 0.5f) << "a material named before";
}

TEST(UrdfWriter, ATurningJointIsRevoluteExactlyWhenItHasARange) {
  ModelDescription m = two_bodies("revolute");
  EXPECT_EQ(reread(m).joints[0].type, "continuous");
  EXPECT_TRUE(reread(m).joints[0].properties.effort.empty());
  m.joints[0].properties.effort = {7.0};
  EXPECT_EQ(reread(m).joints[0].properties.effort, std::vector<double>{7.0});
  EXPECT_EQ(reread(m).joints[0].properties.velocity, std::vector<double>{kUnlimited});
  m.joints[0].properties.upper = {1.0};
  EXPECT_EQ(reread(m).joints[0].type, "revolute");
  EXPECT_EQ(reread(m).joints[0].properties.lower, std::vector<double>{-kUnlimited});
}

TEST(UrdfWriter, AFreeRootHangsOnALinkNamedWorld) {
  ModelDescription m;
  m.name = "m";
  m.bodies = {body("trunk")};
  m.joints = {joint("root_joint", "free", kWorld, "trunk")};
  const auto again = reread(m);
  ASSERT_EQ(again.bodies.size(), 2u);
  EXPECT_EQ(again.bodies[0].name, kWorld);
  expect_same_body(m.bodies[0], again.bodies[1]);
  EXPECT_EQ(again.joints[0].type, "free");
  EXPECT_EQ(again.joints[0].parent, kWorld);
  EXPECT_EQ(write_urdf(again), write_urdf(m));
}

TEST(UrdfWriter, AFixedJointTakesInTheChildsFrame) {
  ModelDescription m = two_bodies("fixed");
  m.joints[0].X_PF = Pose(SO3<double>::about(2, 0.3), {1, 2, 3});
  m.joints[0].X_CM = Pose(SO3<double>::about(0, -0.8), {0, 0.5, 0});
  const Matrix4<double> expected = (m.joints[0].X_PF * m.joints[0].X_CM.inverse()).matrix();
  EXPECT_LT((reread(m).joints[0].X_PF.matrix() - expected).cwiseAbs().maxCoeff(), 2e-15);
}

TEST(UrdfWriter, RotationsReadBackTo1e15AlsoAtAndNearTheSingularity) {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    SO3<double> R = SO3<double>::exp({random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)});
    if (i % 3 == 1) {  // pitch within 10^-k of a right angle, from either side
      const double off = std::pow(10.0, -random.uniform(0, 18)) * (i % 2 == 0 ? 1 : -1);
      R = rotation_of_rpy({random.uniform(-3, 3), std::numbers::pi / 2 + off, random.uniform(-3, 3)});
    }
    const SO3<double> back = rotation_of_rpy(rpy_of_rotation(R));
    EXPECT_LT((R.matrix() - back.matrix()).cwiseAbs().maxCoeff(), 1.5e-15) << i;
  }
}

TEST(UrdfWriter, RotationsOfSimpleAnglesKeepTheirBits) {
  for (const Vector3<double>& rpy :
       {Vector3<double>(0, 0, 0), Vector3<double>(0.1, 0.2, 0.3), Vector3<double>(-1.5707963, 0, 3.1415),
        Vector3<double>(1.5707963267948966, 0.25, -2)}) {
    EXPECT_EQ(rpy_of_rotation(rotation_of_rpy(rpy)), rpy);
  }
}

TEST(UrdfWriter, InertiasKeepTheirBits) {
  Random random(8);
  int exact = 0;
  constexpr int kTrials = 500;
  for (int i = 0; i < kTrials; ++i) {
    const auto number = [&] { return std::round(random.uniform(-1, 1) * 1e6) / 1e6; };
    Matrix3<double> A;
    for (int k = 0; k < 9; ++k) A(k / 3, k % 3) = number();
    const Inertia<double> I =
        Inertia<double>::from_com(1.0 + random.uniform(), {number(), number(), number()}, A + A.transpose());
    const Inertial out = exact_inertial(I);
    const auto back = Inertia<double>::from_com(out.mass, out.com, out.about_com);
    exact += back.first_moment() == I.first_moment() && back.about_origin() == I.about_origin();
    EXPECT_LT((back.about_origin() - I.about_origin()).cwiseAbs().maxCoeff(), 1e-15);
  }
  EXPECT_GE(exact, kTrials * 99 / 100);
}

TEST(UrdfWriter, OwnModelsAndRealRobotsReadBack) {
  for (const std::string& file : all_models()) {
    SCOPED_TRACE(file);
    const auto m = read_urdf(read_text(file), file);
    auto again = read_urdf(write_urdf(m), file);
    for (std::size_t i = 0; i < m.joints.size(); ++i)
      if (m.joints[i].type == "fixed" || m.joints[i].type == "free") again.joints[i].axis = m.joints[i].axis;
    expect_same(m, again);
  }
  AMBLE_SAY_IF_WITHOUT_ROBOTS();
}

TEST(XmlNames, CharactersThatXmlCannotSayAreRefusedByBothWriters) {
  for (const std::string bad : {"a\x01", "a\n", "a\x7F", "a\xC3", "a\xFF"}) {
    ModelDescription m;
    m.name = "m";
    m.bodies.emplace_back().name = bad;
    for (const auto& write : {write_urdf, write_mjcf})
      try {
        write(m, nullptr);
        ADD_FAILURE() << "accepted " << bad;
      } catch (const Error& e) {
        EXPECT_EQ(std::string(e.what()), fmt::format("body '{}': XML cannot say \\x{:02X} in a name", bad,
                                                     static_cast<unsigned char>(bad.back())));
      }
  }
  ModelDescription m;
  m.name = "m";
  m.bodies.emplace_back().name = "K\xC3\xB6rper <&> \"1\"";
  EXPECT_EQ(read_urdf(write_urdf(m), "m.urdf").bodies.at(0).name, m.bodies[0].name);
  EXPECT_EQ(read_mjcf(write_mjcf(m), "m.xml").bodies.at(0).name, m.bodies[0].name);
}

TEST(UrdfWriter, WhatUrdfCannotSayIsRefusedByName) {
  const auto with = [](const std::string& type, auto change) {
    ModelDescription m = two_bodies(type);
    change(m);
    return refusal(m);
  };
  const double nan = std::nan("");
  EXPECT_EQ(with("helical", [](auto&) {}), "joint 'j': URDF has no joint of type 'helical'");
  EXPECT_EQ(with("universal", [](auto&) {}), "joint 'j': URDF has no joint of type 'universal'");
  EXPECT_EQ(with("revolute", [](auto& m) { m.joints[0].X_CM = Pose(Vector3<double>(0, 0, 1)); }),
            "joint 'j': in URDF a joint's frame is its child's frame; this one stands elsewhere in the child "
            "(X_CM)");
  EXPECT_EQ(with("revolute", [](auto& m) { m.joints[0].properties.armature = {0.1}; }),
            "joint 'j': URDF has no armature");
  EXPECT_EQ(with("revolute", [](auto& m) { m.joints[0].properties.stiffness = {1.0}; }),
            "joint 'j': URDF has no joint springs");
  EXPECT_EQ(with("planar",
                 [](auto& m) {
                   m.joints[0].properties.damping = {1, 1, 1};
                 }),
            "joint 'j': URDF gives a planar joint no limits, damping or friction");
  EXPECT_EQ(with("free", [](auto& m) { m.joints[0].mimic = Mimic{"x"}; }),
            "joint 'j': URDF has no mimic for a free joint");
  EXPECT_EQ(with("revolute",
                 [](auto& m) {
                   m.joints[0].properties.effort = {1, 2};
                 }),
            "joint 'j': 2 numbers for one axis");
  EXPECT_EQ(with("revolute", [&](auto& m) { m.joints[0].axis[1] = nan; }),
            "joint 'j': a number that is not finite cannot be written to URDF");
  EXPECT_EQ(with("revolute",
                 [&](auto& m) {
                   m.bodies[1].inertia = {nan, {0, 0, 0}, Matrix3<double>::Zero()};
                 }),
            "body 'b': a number that is not finite cannot be written to URDF");
  EXPECT_EQ(with("revolute",
                 [](auto& m) {
                   m.bodies[1].inertia = {0.0, {1, 0, 0}, Matrix3<double>::Zero()};
                 }),
            "body 'b': a first moment without mass is not for URDF");
  EXPECT_EQ(with("revolute", [](auto& m) { m.bodies[1].auxiliary = true; }),
            "body 'b': a massless frame between stacked joints would become a link of its own in URDF");
  EXPECT_EQ(with("revolute",
                 [](auto& m) {
                   m.bodies[1].visuals = {{"", {Shape::Kind::plane, {0, 0, 0}, ""}, Pose(), {}}};
                 }),
            "body 'b': URDF has no shape 'plane'");
  EXPECT_EQ(
      with("revolute",
           [](auto& m) {
             m.bodies[1].collisions = {{"", {Shape::Kind::sphere, {1, 0, 0}, ""}, Pose(), {{1, 1, 1, 1}}}};
           }),
      "body 'b': a collision shape has no color in URDF");
  EXPECT_EQ(with("revolute",
                 [](auto& m) {
                   m.gravity = {0, 0, -1.62};
                 }),
            "model 'm': URDF cannot say its gravity (0, 0, -1.62)");
  EXPECT_EQ(with("revolute",
                 [](auto& m) {
                   m.frames = {{"tool", "b", Pose(), 0}};
                 }),
            "frame 'tool': URDF has no named frames on a body");
  EXPECT_EQ(with("revolute", [](auto& m) { m.loops.emplace_back().name = "closure"; }),
            "loop 'closure': URDF has no loops");
  EXPECT_EQ(with("revolute", [](auto& m) { m.world_visuals.emplace_back(); }),
            "model 'm': URDF has no scenery; give its shapes to a body");
  EXPECT_EQ(with("revolute", [](auto& m) { m.bodies.push_back(body("c")); }),
            "body 'c': URDF has one root, and that is 'a'");
  EXPECT_EQ(with("revolute", [](auto& m) { m.joints.push_back(joint("k", "fixed", "a", "b")); }),
            "joint 'k': body 'b' already hangs on joint 'j', and URDF has no loops");
}

}  // namespace
}  // namespace amble
