#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "amble/base/random.hpp"
#include "amble/base/test/source_dir.hpp"
#include "amble/io/readers.hpp"
#include "amble/io/writers.hpp"

namespace amble {
namespace {

Vector3<double> random_vector(Random& random) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

Pose random_pose(Random& random) {
  return Pose(SO3<double>::exp(2.0 * random_vector(random)), random_vector(random));
}

Inertia<double> random_inertia(Random& random, double scale) {
  std::vector<PointMass> points;
  for (int i = 0; i < 5; ++i) points.push_back({random.uniform(0.1, 1.0), scale * random_vector(random)});
  return inertia_of_points(points);
}

/// A chain world - b0 - b1 - ..., one joint of each type in turn.
ModelDescription chain(const std::vector<std::string>& types, Random& random) {
  ModelDescription d;
  d.name = "chain";
  d.gravity = {0.1, 0.2, -9.7};
  std::string parent = kWorld;
  for (std::size_t i = 0; i < types.size(); ++i) {
    BodyDescription body;
    body.name = "b" + std::to_string(i);
    body.inertia = random_inertia(random, 0.3);
    JointDescription joint;
    joint.name = "j" + std::to_string(i);
    joint.type = types[i];
    joint.parent = parent;
    joint.child = body.name;
    joint.axis = random_vector(random).normalized();
    if (types[i] != "free") joint.X_PF = random_pose(random);
    if (types[i] == "spherical") joint.X_CM = Pose(random_vector(random));
    if (types[i] == "revolute" || types[i] == "prismatic" || types[i] == "fixed")
      joint.X_CM = random_pose(random);
    parent = body.name;
    d.bodies.push_back(body);
    d.joints.push_back(joint);
  }
  return d;
}

ModelDescription again(const ModelDescription& d) { return read_mjcf(write_mjcf(d), "again.xml"); }

Pose motion(const JointDescription& j, const std::map<std::string, std::vector<double>>& q) {
  if (j.type == "fixed") return Pose();
  const std::vector<double>& x = q.at(j.name);
  if (j.type == "prismatic") return Pose(Vector3<double>(x[0] * j.axis));
  if (j.type == "spherical") return Pose(SO3<double>::exp({x[0], x[1], x[2]}));
  if (j.type == "free") return Pose(SO3<double>::exp({x[0], x[1], x[2]}), Vector3<double>(x[3], x[4], x[5]));
  return Pose(SO3<double>::exp(x[0] * j.axis));
}

std::map<std::string, Pose> poses(const ModelDescription& d,
                                  const std::map<std::string, std::vector<double>>& q) {
  std::map<std::string, Pose> X{{kWorld, Pose()}};
  for (const JointDescription& j : d.joints)
    X[j.child] = X.at(j.parent) * j.X_PF * motion(j, q) * j.X_CM.inverse();
  return X;
}

double distance(const Pose& a, const Pose& b) { return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff(); }

/// Same bodies at the same places with the same inertia at random q, same joints with the same numbers.
void expect_same_mechanism(const ModelDescription& a, const ModelDescription& b) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  ASSERT_EQ(a.joints.size(), b.joints.size());
  EXPECT_LT((a.gravity - b.gravity).norm(), 1e-15);
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const JointDescription &x = a.joints[i], &y = b.joints[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.child, y.child);
    EXPECT_EQ(x.mimic.has_value(), y.mimic.has_value());
    const JointProperties &p = x.properties, &r = y.properties;
    for (auto member : {&JointProperties::lower, &JointProperties::upper, &JointProperties::velocity,
                        &JointProperties::effort, &JointProperties::damping, &JointProperties::friction,
                        &JointProperties::armature, &JointProperties::stiffness, &JointProperties::reference})
      EXPECT_EQ(p.*member, r.*member) << x.name;
  }
  Random random(5);
  std::map<std::string, std::vector<double>> q;
  for (const JointDescription& j : a.joints)
    for (int i = 0; i < 6; ++i) q[j.name].push_back(random.uniform(-1, 1));
  const auto X = poses(a, q), Y = poses(b, q);
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const BodyDescription &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.auxiliary, y.auxiliary);
    if (!x.auxiliary) {
      EXPECT_LT(distance(X.at(x.name), Y.at(y.name)), 1e-13) << x.name;
    }
    const double scale = x.inertia.matrix().cwiseAbs().maxCoeff();
    EXPECT_LE((x.inertia.matrix() - y.inertia.matrix()).cwiseAbs().maxCoeff(), 2e-15 * scale) << x.name;
  }
}

std::string error_of(const ModelDescription& d) {
  try {
    write_mjcf(d);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MjcfWriter, AChainOfEveryTypeReadsBackAsTheSameMechanism) {
  Random random(11);
  for (int trial = 0; trial < 10; ++trial) {
    const auto d = chain({"free", "revolute", "prismatic", "fixed", "spherical", "revolute"}, random);
    expect_same_mechanism(d, again(d));
  }
}

TEST(MjcfWriter, WrittenTwiceIsTheSameMechanism) {
  Random random(12);
  const auto once = again(chain({"revolute", "spherical", "prismatic"}, random));
  expect_same_mechanism(once, again(once));
  for (std::size_t i = 0; i < once.joints.size(); ++i) {
    EXPECT_LT(distance(once.joints[i].X_PF, again(once).joints[i].X_PF), 1e-15);
    EXPECT_LT(distance(once.joints[i].X_CM, again(once).joints[i].X_CM), 1e-15);
    EXPECT_LT((once.joints[i].axis - again(once).joints[i].axis).norm(), 1e-15);
  }
}

TEST(MjcfWriter, SmallInertiasKeepTheirDigits) {
  Random random(13);
  for (const double scale : {1e-3, 1e-2, 1.0, 100.0}) {
    auto d = chain({"revolute"}, random);
    const Inertia<double> I = d.bodies[0].inertia = random_inertia(random, scale);
    const Inertia<double> J = again(d).bodies[0].inertia;
    EXPECT_LE((I.about_origin() - J.about_origin()).cwiseAbs().maxCoeff(),
              2e-15 * I.about_origin().maxCoeff());
  }
}

TEST(MjcfWriter, DiagonalInertiasAreWrittenToTheBit) {
  Random random(14);
  auto d = chain({"revolute"}, random);
  const Vector3<double> moments(0.1, 0.2, 0.3 * (1 - 1e-16));
  d.bodies[0].inertia =
      Inertia<double>::from_com(0.7, Vector3<double>::Zero(), Matrix3<double>(moments.asDiagonal()));
  EXPECT_EQ(again(d).bodies[0].inertia.matrix(), d.bodies[0].inertia.matrix());
}

/// a + b < c by rounding, which MuJoCo would refuse.
TEST(MjcfWriter, FlatBodiesOnTheEdgeOfTheTriangleInequalityPass) {
  Random random(15);
  for (int trial = 0; trial < 50; ++trial) {
    auto d = chain({"revolute"}, random);
    const double a = random.uniform(), b = random.uniform();
    const Vector3<double> moments(a, b, std::nextafter(a + b, 3.0));
    d.bodies[0].inertia =
        Inertia<double>::from_com(1.0, random_vector(random), Matrix3<double>(moments.asDiagonal()));
    const Matrix6<double> defect = again(d).bodies[0].inertia.matrix() - d.bodies[0].inertia.matrix();
    EXPECT_LT(defect.cwiseAbs().maxCoeff(), 4e-15);
  }
}

TEST(MjcfWriter, JointNumbersAreKept) {
  Random random(16);
  auto d = chain({"revolute", "prismatic", "spherical", "free"}, random);
  d.joints[3].parent = kWorld;
  JointProperties& p = d.joints[0].properties;
  p.lower = {-1.25}, p.upper = {kUnlimited}, p.velocity = {3.5}, p.effort = {40.0}, p.damping = {0.1};
  p.friction = {0.2}, p.armature = {0.3}, p.stiffness = {7.0}, p.reference = {-0.4};
  d.joints[1].properties.lower = {-0.1}, d.joints[1].properties.upper = {0.2},
  d.joints[1].properties.effort = {0.0};
  d.joints[2].properties.effort = {1.0, 2.0, 3.0}, d.joints[2].properties.stiffness = {5.0, 5.0, 5.0};
  d.joints[2].properties.reference = {0.0, 0.0, 0.0},
  d.joints[2].properties.velocity = {1.0, kUnlimited, 2.0};
  d.joints[3].properties.armature.assign(6, 0.5), d.joints[3].properties.damping.assign(6, 0.25);
  expect_same_mechanism(d, again(d));
}

TEST(MjcfWriter, FixedJointsKeepTheirNames) {
  Random random(17);
  auto d = chain({"fixed", "revolute", "fixed"}, random);
  d.joints[2].name = "b2_fixed";
  const auto e = again(d);
  EXPECT_EQ(e.joints[0].name, "j0");
  EXPECT_EQ(e.joints[2].name, "b2_fixed");
}

TEST(MjcfWriter, MimicIsAnEqualityOfJoints) {
  Random random(18);
  auto d = chain({"revolute", "prismatic"}, random);
  d.joints[1].mimic = Mimic{"j0", 0.3, -0.7};
  const auto e = again(d);
  ASSERT_TRUE(e.joints[1].mimic);
  EXPECT_EQ(e.joints[1].mimic->leader, "j0");
  EXPECT_EQ(e.joints[1].mimic->ratio, 0.3);
  EXPECT_EQ(e.joints[1].mimic->offset, -0.7);
}

TEST(MjcfWriter, AuxiliaryBodiesFoldIntoJointsOnOneBody) {
  Random random(19);
  auto d = chain({"revolute", "prismatic", "revolute", "revolute", "spherical"}, random);
  for (const int i : {1, 2}) d.bodies[i].auxiliary = true, d.bodies[i].inertia = {};
  d.bodies[1].name = d.joints[1].child = d.joints[2].parent = "b3_aux_1";
  d.bodies[2].name = d.joints[2].child = d.joints[3].parent = "b3_aux_2";
  const std::string text = write_mjcf(d);
  EXPECT_FALSE(contains(text, "aux")) << text;
  expect_same_mechanism(d, again(d));
}

TEST(MjcfWriter, LoopsAreKept) {
  Random random(20);
  auto d = chain({"revolute", "revolute", "revolute"}, random);
  const auto X = poses(d, {{"j0", {0.0}}, {"j1", {0.0}}, {"j2", {0.0}}});
  LoopDescription ball;
  ball.name = "ball", ball.type = "spherical", ball.body_a = "b2", ball.body_b = kWorld;
  ball.X_AF = Pose(random_vector(random)),
  ball.X_BM = Pose(Vector3<double>(X.at("b2") * ball.X_AF.translation()));
  LoopDescription weld;
  weld.name = "weld", weld.type = "fixed", weld.body_a = "b0", weld.body_b = "b2";
  weld.X_AF = random_pose(random), weld.X_BM = random_pose(random);
  d.loops = {ball, weld};
  const auto e = again(d);
  ASSERT_EQ(e.loops.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(e.loops[i].name, d.loops[i].name);
    EXPECT_EQ(e.loops[i].type, d.loops[i].type);
    EXPECT_EQ(e.loops[i].body_a, d.loops[i].body_a);
    EXPECT_EQ(e.loops[i].body_b, d.loops[i].body_b);
    EXPECT_LT(
        distance(e.loops[i].X_AF * e.loops[i].X_BM.inverse(), d.loops[i].X_AF * d.loops[i].X_BM.inverse()),
        1e-14);
  }
  EXPECT_LT(distance(e.loops[0].X_AF, ball.X_AF), 1e-15);
  d.loops[0].X_BM = Pose();
  EXPECT_TRUE(contains(error_of(d), "loop 'ball': MJCF cannot say a ball joint that is open at q = 0"))
      << error_of(d);
  d.loops = {weld};
  d.loops[0].type = "revolute";
  EXPECT_TRUE(contains(error_of(d), "loop 'weld': MJCF cannot say a loop of type revolute"));
}

TEST(MjcfWriter, AJointWhoseChildIsHeldAlreadyIsALoop) {
  Random random(21);
  auto d = chain({"revolute", "revolute"}, random);
  JointDescription second;
  second.name = "second", second.type = "fixed", second.parent = "b0", second.child = "b1";
  second.X_PF = random_pose(random);
  d.joints.push_back(second);
  const auto e = again(d);
  ASSERT_EQ(e.loops.size(), 1u);
  EXPECT_EQ(e.loops[0].name, "second");
  EXPECT_LT(distance(e.loops[0].X_AF, second.X_PF), 1e-15);
}

TEST(MjcfWriter, FramesAreKept) {
  Random random(22);
  auto d = chain({"revolute", "revolute"}, random);
  d.frames = {{"ground", kWorld, random_pose(random), 0}, {"tool", "b1", random_pose(random), 0}};
  const auto e = again(d);
  ASSERT_EQ(e.frames.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(e.frames[i].name, d.frames[i].name);
    EXPECT_EQ(e.frames[i].body, d.frames[i].body);
    EXPECT_LT(distance(e.frames[i].X_BF, d.frames[i].X_BF), 1e-15);
  }
}

void expect_same_shapes(const std::vector<PlacedShape>& a, const std::vector<PlacedShape>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].shape, b[i].shape);
    EXPECT_EQ(a[i].color, b[i].color);
    EXPECT_LT(distance(a[i].X_BS, b[i].X_BS), 1e-15);
  }
}

TEST(MjcfWriter, ShapesAreKept) {
  Random random(23);
  auto d = chain({"revolute"}, random);
  const auto placed = [&](const char* name, Shape::Kind kind, Vector3<double> size, const char* file = "") {
    return PlacedShape{name, {kind, size, file}, random_pose(random), std::array{0.1, 0.25, 0.7, 1.0}};
  };
  const PlacedShape box = placed("box", Shape::Kind::box, {0.1, 0.2, 0.3});
  const PlacedShape ball = placed("ball", Shape::Kind::sphere, {0.1, 0, 0});
  const PlacedShape rod = placed("", Shape::Kind::capsule, {0.1, 0.7, 0});
  PlacedShape can = placed("", Shape::Kind::cylinder, {0.1, 0.7, 0});
  PlacedShape egg = placed("egg", Shape::Kind::ellipsoid, {0.1, 0.7, 0.3});
  const PlacedShape mesh = placed("mesh", Shape::Kind::mesh, {1, 2, 3}, "some/file.stl");
  can.color = {};
  egg.color = std::array{0.5, 0.5, 0.5, 1.0};
  d.bodies[0].visuals = {box, can, egg, mesh};
  d.bodies[0].collisions = {ball, box, rod, egg};
  d.world_visuals = d.world_collisions = {placed("floor", Shape::Kind::plane, {0, 0, 0})};
  const auto e = again(d);
  expect_same_shapes(e.bodies[0].visuals, d.bodies[0].visuals);
  expect_same_shapes(e.bodies[0].collisions, d.bodies[0].collisions);
  expect_same_shapes(e.world_visuals, d.world_visuals);
  expect_same_shapes(e.world_collisions, d.world_collisions);
}

TEST(MjcfWriter, NamesMayContainMarkup) {
  Random random(24);
  auto d = chain({"revolute"}, random);
  d.joints[0].name = "a<b> & \"c\" 'd'";
  EXPECT_EQ(again(d).joints[0].name, d.joints[0].name);
}

TEST(MjcfWriter, BodiesWithoutAJointAndTheWorldItselfAreWritten) {
  Random random(25);
  auto d = chain({"revolute"}, random);
  BodyDescription post, world;
  post.name = "post", post.inertia = random_inertia(random, 1.0), world.name = kWorld;
  d.bodies.push_back(post), d.bodies.push_back(world);
  const auto e = again(d);
  ASSERT_EQ(e.bodies.size(), 2u);
  EXPECT_EQ(e.bodies[0].name, "post");
  EXPECT_EQ(e.joints[0].type, "fixed");
}

TEST(MjcfWriter, AMasslessBodyMayMoveWhenAFixedOneLendsItsMass) {
  Random random(26);
  auto d = chain({"revolute", "fixed"}, random);
  d.bodies[0].inertia = {};
  expect_same_mechanism(d, again(d));
}

TEST(MjcfWriter, WhatMjcfCannotSayIsNamed) {
  Random random(27);
  const auto with = [&](const std::vector<std::string>& types, auto change) {
    auto d = chain(types, random);
    change(d);
    return error_of(d);
  };
  for (const char* type : {"helical", "cylindrical", "universal", "planar"})
    EXPECT_EQ(with({type}, [](auto&) {}), std::string("joint 'j0': MJCF cannot say the type ") + type);
  EXPECT_TRUE(contains(with({"revolute"}, [](auto& d) { d.bodies[0].inertia = {}; }),
                       "body 'b0': MJCF cannot say a body that moves with mass 0 kg"));
  EXPECT_TRUE(
      contains(with({"revolute"},
                    [](auto& d) {
                      d.bodies[0].inertia = Inertia<double>::from_com(1, {0, 0, 1}, Matrix3<double>::Zero());
                    }),
               "body 'b0': MJCF cannot say a body that moves with mass 1 kg and principal moments 0, 0, 0"));
  EXPECT_TRUE(contains(with({"revolute"},
                            [](auto& d) {
                              d.bodies[0].inertia = Inertia<double>::from_com(
                                  1, {0, 0, 0}, Matrix3<double>(Vector3<double>(1, 1, 3).asDiagonal()));
                            }),
                       "body 'b0': MJCF cannot say principal moments of inertia 1, 1, 3"));
  EXPECT_TRUE(contains(with({"spherical"}, [&](auto& d) { d.joints[0].X_CM = random_pose(random); }),
                       "joint 'j0': MJCF cannot say a ball joint whose axes differ from its body's"));
  EXPECT_TRUE(contains(with({"revolute", "free"}, [](auto&) {}),
                       "joint 'j1': MJCF cannot say a free joint that does not start from the world"));
  EXPECT_TRUE(contains(with({"free"}, [&](auto& d) { d.joints[0].X_PF = random_pose(random); }),
                       "joint 'j0': MJCF cannot say a free joint with frames other than"));
  EXPECT_TRUE(contains(with({"spherical"},
                            [](auto& d) {
                              d.joints[0].properties.damping = {1, 2, 3};
                            }),
                       "joint 'j0': MJCF cannot say damping that differs between the freedoms of a joint"));
  EXPECT_TRUE(contains(
      with({"revolute"}, [](auto& d) { d.joints[0].properties.lower = d.joints[0].properties.upper = {1}; }),
      "joint 'j0': MJCF cannot say limits 1 and 1 that leave no range"));
  EXPECT_TRUE(contains(with({"free"}, [](auto& d) { d.joints[0].properties.stiffness.assign(6, 1.0); }),
                       "joint 'j0': MJCF cannot say a spring on a free joint"));
  EXPECT_TRUE(contains(with({"spherical"},
                            [](auto& d) {
                              d.joints[0].properties.stiffness.assign(3, 1.0),
                                  d.joints[0].properties.reference.assign(3, 1.0);
                            }),
                       "joint 'j0': MJCF cannot say a spring of a ball joint that rests away from zero"));
  EXPECT_TRUE(contains(with({"revolute"},
                            [](auto& d) {
                              d.bodies[0].visuals = {{"", {Shape::Kind::plane, {0, 0, 0}, ""}, Pose(), {}}};
                            }),
                       "body 'b0': MJCF cannot say a plane on a body that moves"));
  EXPECT_TRUE(contains(with({"revolute"},
                            [](auto& d) {
                              d.bodies[0].visuals = {{"", {Shape::Kind::sphere, {0, 0, 0}, ""}, Pose(), {}}};
                            }),
                       "body 'b0': MJCF cannot say a sphere of size (0, 0, 0)"));
  EXPECT_TRUE(
      contains(with({"revolute", "revolute"}, [](auto& d) { d.joints[1].parent = "nobody"; }), "nobody"));
}

TEST(MjcfWriter, DepthIsLimitedByTheReadersOfXml) {
  Random random(28);
  const auto deep = chain(std::vector<std::string>(92, "revolute"), random);
  EXPECT_EQ(again(deep).bodies.size(), 92u);
  EXPECT_TRUE(contains(error_of(chain(std::vector<std::string>(93, "revolute"), random)),
                       "body 'b92': MJCF cannot say more than 92 bodies nested in each other"));
}

TEST(MjcfWriter, OurHopperReadsBackTheSame) {
  std::ifstream file(source_dir() + "/models/hopper.xml");
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  const auto d = read_mjcf(text.str(), "hopper.xml");
  EXPECT_EQ(d.joints.size(), 4u);
  EXPECT_FALSE(any_at_least(d.findings, Severity::warning));
  const auto e = again(d);
  expect_same_mechanism(d, e);
  double mass = 0.0;
  for (const auto& b : d.bodies) mass += b.inertia.mass();
  EXPECT_NEAR(mass, 12.0, 1e-13);
  EXPECT_NEAR(d.bodies[0].inertia.about_com()(0, 0), 10.0 / 12.0 * 0.13, 1e-15);
  for (std::size_t i = 0; i < d.bodies.size(); ++i) {
    expect_same_shapes(d.bodies[i].visuals, e.bodies[i].visuals);
    expect_same_shapes(d.bodies[i].collisions, e.bodies[i].collisions);
  }
}

}  // namespace
}  // namespace amble
