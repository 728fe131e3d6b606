#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "amble/base/test/count_allocations.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/simulation/time_stepping.hpp"

// Shapes that are no boxes, in steps: cans, capsules and meshes stand, roll and are stacked.
namespace amble {
namespace {

using V = Vector3<double>;
constexpr double kG = 9.81;
constexpr double kRadius = 0.033, kLength = 0.12;

struct Thing {
  Shape shape;
  Pose X;
  V inertia = V(4e-4, 4e-4, 2e-4);
  double mass = 0.35;
};

Shape can() { return {.kind = Shape::Kind::cylinder, .size = {kRadius, kLength, 0.0}}; }
Pose at(double x, double y, double z, const V& turn = V::Zero()) { return Pose(SO3<double>::exp(turn), V(x, y, z)); }

/// A box of these half edges as a file of corners and triangles.
Shape mesh_box(const V& half) {
  const std::string file = testing::TempDir() + fmt::format("box_{}_{}_{}.obj", half[0], half[1], half[2]);
  std::ofstream out(file);
  for (int i = 0; i < 8; ++i)
    out << fmt::format("v {} {} {}\n", i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
  for (const char* face : {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"}) out << "f " << face << "\n";
  return {.kind = Shape::Kind::mesh, .size = V::Ones(), .file = file};
}

struct Scene {
  Mechanism m;
  OwnedVector q;
};

/// Things on the plane z = 0, or on a slope of that plane.
Scene scene(const std::vector<Thing>& things, double slope = 0.0) {
  Builder b("things");
  b.gravity({kG * std::sin(slope), 0.0, -kG * std::cos(slope)});
  for (std::size_t i = 0; i < things.size(); ++i) {
    const std::string name = fmt::format("thing{}", i);
    BodyDescription body{.name = name, .inertia = Inertia<double>::from_com(things[i].mass, V::Zero(), things[i].inertia.asDiagonal())};
    body.collisions.push_back({.name = name, .shape = things[i].shape});
    b.body(std::move(body));
    b.joint({.name = "root" + name, .type = "free", .parent = kWorld, .child = name});
  }
  Scene out{b.build(), {}};
  out.q = out.m.neutral();
  for (std::size_t i = 0; i < things.size(); ++i) {
    out.q.segment<3>(7 * i) = things[i].X.translation();
    things[i].X.rotation().quaternion().to_xyzw(out.q.data() + 7 * i + 3);
  }
  return out;
}

Simulator stepping(const Scene& scene, double friction = 0.5, double step = 1e-3) {
  return Simulator(scene.m, {contact_scene("contacts", scene.m, {.material = {.friction = friction}})}, {},
                   {.integrator = {.step = step}, .method = "time_stepping"});
}

void expect_stands(const Scene& scene, double seconds, const std::string& trace, double friction = 0.5) {
  Simulator s = stepping(scene, friction, 2e-3);
  s.reset(scene.q, OwnedVector(scene.m.nv()));
  s.advance(seconds);
  EXPECT_LT((s.q() - scene.q).norm() / seconds, 1e-9) << trace;
  EXPECT_LT((s.q() - scene.q).norm(), 1e-10) << trace;
  EXPECT_LT(s.v().norm(), 1e-8) << trace;
  EXPECT_EQ(s.contact_report()->unsolved_steps, 0) << trace;
}

TEST(Cans, StandStillForAMinute) {
  for (const double turn : {0.0, 0.7})
    for (const double slope : {0.0, 0.2, 0.999 * std::atan(0.5)})
      expect_stands(scene({{can(), at(0.1, 0.2, 0.5 * kLength, {0, 0, turn})}}, slope), 60.0,
                    fmt::format("turn {} slope {}", turn, slope));
  expect_stands(scene({{can(), at(0, 0, 0.5 * kLength, {std::numbers::pi, 0, 0})}}), 60.0, "upside down");
}

TEST(Cans, StandOnEachOtherAndOnBoxes) {
  const Shape box{.kind = Shape::Kind::box, .size = {0.1, 0.1, 0.1}};
  expect_stands(scene({{can(), at(0, 0, 0.06)}, {can(), at(0.01, 0.004, 0.18, {0, 0, 0.5})}, {can(), at(0, 0, 0.30)}}), 10.0, "tower");
  expect_stands(scene({{box, at(0, 0, 0.05)}, {can(), at(0.01, 0.02, 0.16, {0, 0, 0.5})}}), 10.0, "on a box");
  expect_stands(scene({{can(), at(0, 0, 0.06)}, {box, at(0.01, 0, 0.17, {0, 0, 0.5})}}), 10.0, "under a box");
}

TEST(Cans, FallFlatFromATilt) {
  for (const double tilt : {0.001, 0.02, 0.3}) {
    const Scene tilted = scene({{can(), at(0, 0, 0.09, {tilt, 0.2 * tilt, 0})}});
    Simulator s = stepping(tilted);
    s.reset(tilted.q, OwnedVector(6));
    s.advance(5.0);
    EXPECT_NEAR(s.q()[2], 0.5 * kLength, 1e-9) << tilt;
    EXPECT_LT(s.q().segment<2>(3).norm(), 1e-8) << tilt;
    EXPECT_LT(s.v().norm(), 1e-8) << tilt;
  }
}

TEST(Cans, RollOnTheirSideWithoutDrift) {
  const double omega = 10.0, way = 0.3, seconds = 10.0;
  for (const Shape& shape : {can(), Shape{.kind = Shape::Kind::capsule, .size = {kRadius, kLength, 0.0}}}) {
    const SO3<double> R = SO3<double>::exp(V(0, 0, way)) * SO3<double>::exp(V(std::numbers::pi / 2, 0, 0));
    const Scene lying = scene({{shape, Pose(R, V(0, 0, kRadius))}});
    Simulator s = stepping(lying);
    OwnedVector v(6);
    v[0] = omega * kRadius, v[5] = -omega;
    s.reset(lying.q, v);
    s.advance(seconds);
    const double went = omega * kRadius * seconds;
    EXPECT_LT((s.q().head<3>() - V(went * std::cos(way), went * std::sin(way), kRadius)).norm(), 1e-9);
    EXPECT_NEAR(s.v()[5], -omega, 1e-9);
    const V axis = Quaternion<double>::from_xyzw(s.q().data() + 3).matrix().col(2);
    EXPECT_LT((axis - V(std::sin(way), -std::cos(way), 0.0)).norm(), 1e-9);
  }
}

TEST(Cans, RollDownASlopeAsTheirInertiaSays) {
  const double slope = 0.1, J = 0.5 * 0.35 * kRadius * kRadius;
  const Scene lying = scene({{can(), at(0, 0, kRadius, {std::numbers::pi / 2, 0, 0}), V(4e-4, 4e-4, J)}}, slope);
  Simulator s = stepping(lying);
  s.reset(lying.q, OwnedVector(6));
  s.advance(2.0);
  const double a = kG * std::sin(slope) * 2.0 / 3.0;
  EXPECT_NEAR(s.v().head<3>().norm(), 2.0 * a, 1e-9);
  EXPECT_NEAR(s.q()[0], 0.5 * a * 2.0 * (2.0 + 1e-3), 1e-9);  // the scheme takes the velocity of the end
}

TEST(Meshes, ABoxOfTrianglesStandsAndIsStackedLikeABox) {
  const V half(0.1, 0.06, 0.05), J = 1.0 / 3.0 * (half.squaredNorm() * V::Ones() - half.cwiseProduct(half));
  const Shape box{.kind = Shape::Kind::box, .size = 2.0 * half}, mesh = mesh_box(half);
  for (const double turn : {0.0, 0.5}) {
    const auto two = [&](const Shape& lower, const Shape& upper) {
      return scene({{lower, at(0, 0, 0.05), J, 1.0}, {upper, at(0.03, 0.01, 0.15, {0, 0, turn}), J, 1.0}});
    };
    expect_stands(two(mesh, mesh), 20.0, "mesh on mesh");
    expect_stands(two(box, mesh), 20.0, "mesh on box");
    expect_stands(two(mesh, box), 20.0, "box on mesh");
  }
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(Meshes, ThingsThatRollAndSlideOnOthersAllocateNothing) {
  const V half(0.5, 0.3, 0.05);
  const Shape plank{.kind = Shape::Kind::box, .size = 2.0 * half}, slab = mesh_box(half), brick = mesh_box({0.05, 0.04, 0.03});
  OwnedVector v(12);
  v[6] = 0.33, v[11] = -10.0;
  for (const auto& [lower, upper, z, turn] :
       {std::tuple(plank, can(), kRadius, std::numbers::pi / 2), {slab, can(), kRadius, std::numbers::pi / 2},
        {slab, brick, 0.03, 0.0}, {plank, brick, 0.03, 0.0}, {slab, can(), 0.5 * kLength, 0.0}}) {
    const Scene on = scene({{lower, at(0, 0, 0.05), V(0.3, 0.8, 1.0), 10.0}, {upper, at(-0.3, 0, 0.1 + z, {turn, 0, 0})}});
    Simulator s = stepping(on, 0.1);
    s.reset(on.q, turn > 0.0 ? v : OwnedVector(v.cwiseProduct(Eigen::VectorXd::Unit(12, 6))));
    s.step(0.05);
    EXPECT_EQ(allocations_of([&] { s.step(0.2); }), 0) << z;
    EXPECT_GT(s.q()[7], -0.3 + 0.02) << "it moves";
  }
}
#endif

}  // namespace
}  // namespace amble
