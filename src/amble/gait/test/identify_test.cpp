#include "amble/gait/identify.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <map>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/constraints/assembly.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/simulation/simulate.hpp"

namespace amble {
namespace {

struct Arm {
  double upper_mass = 2.0, lower_mass = 1.0, lower_com = 0.3, damping = 0.0, friction = 0.0, stiffness = 0.0;

  /// Two links that swing in the plane x-z.
  Mechanism build() const {
    Builder b("arm");
    const Matrix3<double> round = 0.01 * Matrix3<double>::Identity();
    b.body({.name = "upper", .inertia = Inertia<double>::from_com(upper_mass, {0.0, 0.0, -0.25}, round)});
    b.body(
        {.name = "lower", .inertia = Inertia<double>::from_com(lower_mass, {0.0, 0.0, -lower_com}, round)});
    JointDescription shoulder{.name = "shoulder", .type = "revolute", .parent = "world", .child = "upper"};
    shoulder.axis = {0.0, 1.0, 0.0};
    shoulder.properties.damping = {damping};
    JointDescription elbow{.name = "elbow", .type = "revolute", .parent = "upper", .child = "lower"};
    elbow.X_PF = Pose(Vector3<double>(0.0, 0.0, -0.5));
    elbow.axis = {0.0, 1.0, 0.0};
    elbow.properties.damping = {damping}, elbow.properties.friction = {friction},
    elbow.properties.stiffness = {stiffness};
    b.joint(shoulder), b.joint(elbow);
    return b.build();
  }
};

/// Straight lines between times, as identify() takes them.
OwnedRowMatrix pushes(const std::vector<double>& t, int nv) {
  OwnedRowMatrix tau(static_cast<Eigen::Index>(t.size()), nv);
  for (Eigen::Index i = 0; i < tau.rows(); ++i)
    for (int k = 0; k < nv; ++k) tau(i, k) = (k + 1.0) * std::sin((3.0 + 2.0 * k) * t[i]);
  return tau;
}

/// Where the mechanism itself goes, measured at `count` times `interval` apart.
MeasuredMotion motion(const Mechanism& m, const OwnedVector& q0, const OwnedVector& v0, int count,
                      double interval, bool pushed) {
  MeasuredMotion all;
  for (int i = 0; i < count; ++i) all.t.push_back(i * interval);
  all.q = OwnedRowMatrix(count, m.nq()), all.v = OwnedRowMatrix(count, m.nv());
  if (pushed) all.tau = pushes(all.t, m.nv());
  const MotionPieces whole(m, all, 0.0, 1e-13);
  Simulator simulator = whole.simulator(m);
  const MotionPieces::Course course = whole.simulate(simulator, 0, {q0, v0});
  all.q = course.q, all.v = course.v;
  return all;
}

OwnedVector numbers(std::initializer_list<double> all) {
  OwnedVector out(static_cast<Eigen::Index>(all.size()));
  std::copy(all.begin(), all.end(), out.begin());
  return out;
}

void add_noise(MeasuredMotion& m, double q, double v, std::uint64_t seed) {
  Random random(seed);
  const auto normal = [&] {
    return std::sqrt(-2.0 * std::log(1.0 - random.uniform())) * std::cos(2.0 * M_PI * random.uniform());
  };
  for (Eigen::Index i = 0; i < m.q.size(); ++i) m.q.data()[i] += q * normal();
  for (Eigen::Index i = 0; i < m.v.size(); ++i) m.v.data()[i] += v * normal();
}

const IdentifiedValue& value(const Identification& all, const std::string& name) {
  for (const IdentifiedValue& each : all.values)
    if (each.name == name) return each;
  throw Error("no value " + name);
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Identify, ExactMotionGivesTheNumbersBack) {
  const Mechanism truth = Arm{.damping = 0.05}.build();
  const MeasuredMotion m = motion(truth, numbers({0.8, -0.5}), numbers({0.0, 1.0}), 40, 0.025, true);
  const Mechanism guess = Arm{.upper_mass = 1.4, .lower_mass = 1.5, .lower_com = 0.2}.build();
  const Identification found =
      identify(guess, m, {.free = {"upper.mass", "lower.mass", "lower.com", "*.damping"}, .piece = 0.5});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(value(found, "upper.mass").value, 2.0, 1e-8);
  EXPECT_NEAR(value(found, "lower.mass").value, 1.0, 1e-8);
  EXPECT_NEAR(value(found, "lower.com.z").value, -0.3, 1e-8);
  EXPECT_NEAR(value(found, "shoulder.damping").value, 0.05, 1e-8);
  EXPECT_NEAR(value(found, "elbow.damping").value, 0.05, 1e-8);
  // A planar arm does not show where mass lies across its plane.
  EXPECT_EQ(found.rank, 6);
  EXPECT_EQ(found.unseen_names, std::vector<std::string>{"lower.com.y"});
  EXPECT_FALSE(value(found, "lower.com.y").identified);
  EXPECT_EQ(value(found, "lower.com.y").value, 0.0);
}

TEST(Identify, WithoutVelocitiesToo) {
  const Mechanism truth = Arm{}.build();
  MeasuredMotion m = motion(truth, numbers({0.8, -0.5}), numbers({0.0, 1.0}), 40, 0.03, true);
  m.v = OwnedRowMatrix();
  const Identification found =
      identify(Arm{.lower_mass = 1.3}.build(), m, {.free = {"lower.mass", "upper.mass"}, .piece = 0.0});
  EXPECT_NEAR(value(found, "upper.mass").value, 2.0, 1e-7);
  EXPECT_NEAR(value(found, "lower.mass").value, 1.0, 1e-7);
}

TEST(Identify, FrictionAndSpringsAreFound) {
  const Mechanism truth = Arm{.damping = 0.02, .friction = 0.15, .stiffness = 1.5}.build();
  const MeasuredMotion m = motion(truth, numbers({1.2, 0.9}), numbers({0.0, 0.0}), 60, 0.025, false);
  const Identification found = identify(
      Arm{}.build(), m,
      {.free = {"elbow.friction", "elbow.stiffness", "*.damping", "shoulder.friction"}, .piece = 0.0});
  EXPECT_NEAR(value(found, "elbow.friction").value, 0.15, 1e-6);
  EXPECT_NEAR(value(found, "elbow.stiffness").value, 1.5, 1e-6);
  EXPECT_NEAR(value(found, "elbow.damping").value, 0.02, 1e-6);
  EXPECT_NEAR(value(found, "shoulder.friction").value, 0.0, 1e-6);
}

TEST(Identify, APassiveMotionTellsRatiosOfMasses) {
  const Mechanism truth = Arm{}.build();
  // Only masses and the inertias that go with them: weigh all more, and the motion is the same.
  Builder b("points");
  b.body({.name = "a", .inertia = Inertia<double>::from_com(2.0, {0.0, 0.0, -0.5}, Matrix3<double>::Zero())});
  b.body({.name = "b", .inertia = Inertia<double>::from_com(1.0, {0.0, 0.0, -0.4}, Matrix3<double>::Zero())});
  JointDescription one{.name = "one", .type = "revolute", .parent = "world", .child = "a"}, two = one;
  one.axis = two.axis = {0.0, 1.0, 0.0};
  two.name = "two", two.parent = "a", two.child = "b", two.X_PF = Pose(Vector3<double>(0.0, 0.0, -0.5));
  b.joint(one), b.joint(two);
  const Mechanism points = b.build();
  const MeasuredMotion m = motion(points, numbers({0.9, 0.4}), numbers({0.0, 0.0}), 60, 0.03, false);
  const Mechanism guess =
      with_inertia(points, "b", Inertia<double>::from_com(1.7, {0.0, 0.0, -0.4}, Matrix3<double>::Zero()));
  const Identification found = identify(guess, m, {.free = {"a.mass", "b.mass"}});
  EXPECT_EQ(found.rank, 1);
  EXPECT_NEAR(value(found, "a.mass").value / value(found, "b.mass").value, 2.0, 1e-7);
  EXPECT_FALSE(value(found, "a.mass").identified);
  EXPECT_TRUE(std::isinf(value(found, "b.mass").deviation));
  ASSERT_EQ(found.unseen_names.size(), 1u);
  EXPECT_EQ(found.unseen_names[0], "a.mass + 0.5 b.mass");
  ASSERT_EQ(found.combinations.size(), 1u);
  EXPECT_EQ(found.combinations[0].text, "-0.5 a.mass + b.mass");
  EXPECT_NEAR(found.combinations[0].value, 0.0, 1e-7);
}

TEST(Identify, WhatIsFoundCanExist) {
  const Mechanism truth = Arm{}.build();
  MeasuredMotion m = motion(truth, numbers({0.8, -0.5}), numbers({0.0, 1.0}), 40, 0.03, true);
  add_noise(m, 0.02, 0.1, 7);
  const Identification found =
      identify(truth, m, {.free = {"*.mass", "lower.inertia"}, .piece = 0.0, .tolerance = 1e-10});
  const Inertia<double>& inertia = found.mechanism.description().bodies[1].inertia;
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia.about_com()).eigenvalues();
  EXPECT_GT(inertia.mass(), 0.0);
  EXPECT_GT(moments[0], 0.0);
  EXPECT_GE(moments[0] + moments[1], moments[2]);
  // In its plane only one of the six is seen.
  EXPECT_TRUE(value(found, "lower.inertia.yy").identified);
  EXPECT_EQ(found.rank, 3);
}

TEST(Identify, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Mechanism truth = Arm{.damping = 0.1}.build();
  const MeasuredMotion exact = motion(truth, numbers({0.8, -0.5}), numbers({0.0, 1.0}), 50, 0.03, true);
  const std::map<std::string, double> expected{
      {"upper.mass", 2.0}, {"lower.mass", 1.0}, {"elbow.damping", 0.1}};
  constexpr int kSeeds = 40;
  int inside = 0, all = 0;
  double sum = 0.0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    MeasuredMotion m = exact;
    add_noise(m, 0.003, 0.02, seed);
    const Identification found = identify(
        truth, m, {.free = {"upper.mass", "lower.mass", "elbow.damping"}, .piece = 0.0, .tolerance = 1e-8});
    EXPECT_TRUE(found.converged) << "seed " << seed;
    EXPECT_NEAR(found.q_noise, 0.003, 0.001) << "seed " << seed;
    EXPECT_NEAR(found.v_noise, 0.02, 0.006) << "seed " << seed;
    for (const IdentifiedValue& each : found.values) {
      const double t = expected.at(each.name);
      ++all, inside += each.lower <= t && t <= each.upper;
      sum += std::pow((each.value - t) / each.deviation, 2);
    }
  }
  // 120 intervals of 95 %: 114 +- 2.4, three of a seed together; squares of the errors in deviations have the
  // mean one.
  EXPECT_GE(inside, 0.88 * all);
  EXPECT_LE(inside, 0.99 * all);
  EXPECT_NEAR(sum / all, 1.0, 0.4);
}

TEST(Identify, ABallJointIsNoDifferent) {
  Builder b("top");
  const Matrix3<double> I = Eigen::Vector3d(0.02, 0.03, 0.04).asDiagonal();
  b.body({.name = "top", .inertia = Inertia<double>::from_com(1.0, {0.0, 0.02, 0.3}, I)});
  JointDescription ball{.name = "ball", .type = "spherical", .parent = "world", .child = "top"};
  b.joint(ball);
  const Mechanism top = b.build();
  const MeasuredMotion m = motion(top, top.neutral(), numbers({0.5, 0.3, 6.0}), 50, 0.02, true);
  const Mechanism guess = with_inertia(top, "top", Inertia<double>::from_com(1.3, {0.0, 0.0, 0.25}, I));
  const Identification found = identify(guess, m, {.free = {"top.mass", "top.com"}, .piece = 0.0});
  EXPECT_NEAR(value(found, "top.mass").value, 1.0, 1e-6);
  EXPECT_NEAR(value(found, "top.com.y").value, 0.02, 1e-7);
  EXPECT_NEAR(value(found, "top.com.z").value, 0.3, 1e-7);
}

/// Crank, coupler and rocker on a ground link of 2 m, in the plane x-z.
struct FourBar {
  double crank = 1.0, coupler = 2.0, rocker = 1.5, damping = 0.2;

  Mechanism build() const {
    Builder b("four_bar");
    const auto link = [&](const char* name, double mass, double length) {
      const Matrix3<double> round = 0.05 * length * Matrix3<double>::Identity();  // whatever the mass
      b.body({.name = name, .inertia = Inertia<double>::from_com(mass, {0.5 * length, 0.0, 0.0}, round)});
    };
    link("crank", crank, 1.0), link("coupler", coupler, 2.0), link("rocker", rocker, 1.5);
    const auto pin = [&](const char* name, const char* parent, const char* child, double x) {
      JointDescription j{.name = name, .type = "revolute", .parent = parent, .child = child};
      j.X_PF = Pose(Vector3<double>(x, 0.0, 0.0)), j.axis = {0.0, -1.0, 0.0};
      return j;
    };
    JointDescription a = pin("a", "world", "crank", 0.0);
    a.properties.damping = {damping};
    b.joint(a), b.joint(pin("b", "crank", "coupler", 1.0)), b.joint(pin("d", "world", "rocker", 2.0));
    LoopDescription closure{.name = "c", .type = "revolute", .body_a = "rocker", .body_b = "coupler"};
    closure.X_AF = Pose(Vector3<double>(1.5, 0.0, 0.0)), closure.X_BM = Pose(Vector3<double>(2.0, 0.0, 0.0));
    closure.axis = {0.0, -1.0, 0.0};
    b.loop(closure);
    return b.build();
  }
};

/// A closed loop moves in one way; of its six numbers at the start two are free.
TEST(Identify, ALoopIsHeldWhileItsNumbersAreFound) {
  const Mechanism truth = FourBar{}.build();
  ASSERT_EQ(truth.loops().size(), 1u);
  const OwnedVector q0 = assemble(truth, numbers({0.9, 0.2, 1.7})).q;
  const MeasuredMotion exact = motion(truth, q0, numbers({0.5, 0.0, 0.0}), 60, 0.02, true);
  const Mechanism guess = FourBar{.coupler = 1.5, .rocker = 2.0, .damping = 0.0}.build();
  const IdentifyOptions options{.free = {"coupler.mass", "rocker.mass", "a.damping"}, .piece = 0.4};
  const Identification found = identify(guess, exact, options);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.rank, 3);
  EXPECT_NEAR(value(found, "coupler.mass").value, 2.0, 1e-6);
  EXPECT_NEAR(value(found, "rocker.mass").value, 1.5, 1e-6);
  EXPECT_NEAR(value(found, "a.damping").value, 0.2, 1e-6);

  // Three pins measured one by one tell the noise well, though none of them moves by itself.
  MeasuredMotion noisy = exact;
  add_noise(noisy, 0.002, 0.02, 3);
  const Identification rough = identify(guess, noisy, {.free = options.free, .piece = 0.0, .tolerance = 1e-9});
  EXPECT_TRUE(rough.converged);
  EXPECT_NEAR(rough.q_noise, 0.002, 0.0005);
  EXPECT_NEAR(rough.v_noise, 0.02, 0.005);
  for (const auto& [name, real] : {std::pair{"coupler.mass", 2.0}, {"rocker.mass", 1.5}, {"a.damping", 0.2}})
    EXPECT_NEAR(value(rough, name).value, real, 4.0 * value(rough, name).deviation) << name;

  MeasuredMotion few = exact;
  few.t.resize(3), few.q = OwnedRowMatrix(exact.q.topRows(3)), few.v = OwnedRowMatrix(exact.v.topRows(3));
  few.tau = OwnedRowMatrix(exact.tau.topRows(3));
  EXPECT_NO_THROW(identify(truth, few, {.free = {"a.damping"}, .piece = 0.0}));  // 18 numbers for 1 + 4
}

TEST(Identify, WrongInputIsNamed) {
  const Mechanism arm = Arm{}.build();
  const MeasuredMotion m = motion(arm, numbers({0.8, -0.5}), numbers({0.0, 1.0}), 30, 0.03, false);
  const auto says = [&](const IdentifyOptions& options, const MeasuredMotion& motion) {
    return message_of([&] { identify(arm, motion, options); });
  };
  EXPECT_NE(says({.free = {"uper.mass"}}, m).find("no body 'uper'"), std::string::npos);
  EXPECT_NE(says({.free = {"elbow.mass"}}, m).find("no body 'elbow'"), std::string::npos);
  EXPECT_NE(says({.free = {"elbow.colour"}}, m).find("expected mass, com or inertia"), std::string::npos);
  EXPECT_NE(says({.free = {"mass"}}, m).find("expected BODY.mass"), std::string::npos);
  EXPECT_NE(says({.free = {}}, m).find("nothing is free"), std::string::npos);
  EXPECT_NE(says({.free = {"upper.mass", "*.mass"}}, m).find("free twice"), std::string::npos);
  EXPECT_NE(says({.free = {"upper.mass"}, .confidence = 1.0}, m).find("confidence is 1"), std::string::npos);
  MeasuredMotion wrong = m;
  wrong.q = OwnedRowMatrix(30, 3);
  EXPECT_NE(says({.free = {"upper.mass"}}, wrong).find("q of the motion is 30 x 3: expected 30 x 2"),
            std::string::npos);
  wrong = m, wrong.t[4] = wrong.t[3];
  EXPECT_NE(says({.free = {"upper.mass"}}, wrong).find("do not increase at row 4"), std::string::npos);
  wrong = m, wrong.v(7, 1) = std::nan("");
  EXPECT_NE(says({.free = {"upper.mass"}}, wrong).find("v of the motion is not finite in row 7"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
