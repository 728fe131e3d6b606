#include "amble/control/walking/curve_tracking.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "amble/base/test/message_of.hpp"
#include "amble/control/walking/curve_field.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

Inertia<double> ball(double mass, const Vector3<double>& at = Vector3<double>::Zero()) {
  return Inertia<double>::from_com(mass, at, Matrix3<double>::Identity() * 0.1);
}

/// DS Example 5.2.
Mechanism point_mass(double mass) {
  Builder b("point");
  b.body({.name = "rail", .auxiliary = true});
  b.body({.name = "mass", .inertia = ball(mass)});
  b.joint({.name = "x", .type = "prismatic", .parent = "world", .child = "rail", .axis = {1, 0, 0}});
  b.joint({.name = "y", .type = "prismatic", .parent = "rail", .child = "mass", .axis = {0, 1, 0}});
  return b.build();
}

void circles(const OwnedVector& q, OwnedVector& w) { w << -q[1], q[0]; }

Mechanism arm() {
  Builder b("arm");
  b.body({.name = "upper", .inertia = ball(3.0, {0, 0, -0.2})});
  b.body({.name = "lower", .inertia = ball(1.0, {0, 0, -0.3})});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "upper", .axis = {0, 1, 0}});
  JointDescription elbow{
      .name = "elbow", .type = "revolute", .parent = "upper", .child = "lower", .axis = {0, 1, 0}};
  elbow.X_PF = Pose(Vector3<double>(0, 0, -0.5));
  b.joint(elbow);
  return b.build();
}

/// A smooth field on any manifold: it looks at positions of bodies alone.
VelocityField wavy(const Mechanism& m) {
  return [m, work = std::make_shared<Workspace>(m)](const OwnedVector& q, OwnedVector& w) {
    const Eigen::MatrixXd h = momentum_matrix(m, *work, q);
    for (int i = 0; i < w.size(); ++i) w[i] = 1.0 + 0.3 * i + 0.2 * std::sin(h.col(i).sum() + i);
  };
}

SimulatorOptions exact() {
  SimulatorOptions options;
  options.integrator.tolerance = 1e-12;
  return options;
}

MomentumSplit split_of(const Simulator& s, Workspace& work, const VelocityField& field) {
  return {s.mechanism(), work, field, s.q(), s.v()};
}

TEST(CurveTracking, APointMassKeepsItsEnergyAndComesToTheCircleOfTheReference) {
  const Mechanism m = point_mass(1.3);
  const TrackingSettings settings{.transfer = 0.7, .softening = 0.0};
  Simulator s(m, curve_tracking("tracking", m, circles, settings), {}, exact());
  Workspace work(m);
  s.reset(Eigen::Vector2d(1.0, 0.2), Eigen::Vector2d(0.3, 0.9));
  const double energy = s.kinetic_energy();
  s.step(60.0);
  const MomentumSplit split = split_of(s, work, circles);
  EXPECT_NEAR(s.kinetic_energy(), energy, 1e-10 * energy);
  EXPECT_NEAR(s.q().norm(), 1.650141096030, 1e-10);
  EXPECT_LT(split.energy_across(), 1e-20 * energy);
  const Ledger ledger = s.ledger();
  EXPECT_NEAR(ledger.residual(), 0.0, 1e-10 * (1.0 + ledger.exchanged));
  for (const LedgerEntry& e : ledger.entries) EXPECT_NEAR(e.delivered, 0.0, 1e-11) << e.name;
}

TEST(CurveTracking, OnACircleTheForceIsCentripetal) {  // DS (5.23)
  const Mechanism m = point_mass(1.3);
  Workspace work(m);
  const Eigen::Vector2d q(0.6, -0.8), v = 1.7 * Eigen::Vector2d(0.8, 0.6);
  const MomentumSplit split(m, work, circles, q, v);
  const TrackingForces f = tracking_forces(m, work, split, q, v, {});
  EXPECT_NEAR((f.nominal + 1.3 * 1.7 * 1.7 * q).norm(), 0.0, 1e-10);
  EXPECT_NEAR(f.asymptotic.norm(), 0.0, 1e-12);
}

/// DS (5.5), (5.12) as printed but for the sign of Y + Z (errata), by matrices S and differences of them.
VectorXd nominal_of_the_book(const Mechanism& m, Workspace& work, const VelocityField& field,
                             const VectorXd& q, const VectorXd& v) {
  const auto S_T = [&](const VectorXd& at) -> MatrixXd {
    OwnedVector w(2);
    field(at, w);
    return momentum_frame(MatrixXd(mass_matrix(m, work, at)), w);
  };
  const MatrixXd S = S_T(q).transpose(), inverse = S.inverse();
  const VectorXd alpha = inverse.transpose() * (MatrixXd(mass_matrix(m, work, q)) * v);
  MatrixXd slope(2, 2);  // of S^T alpha in q
  constexpr double h = 1e-3;
  for (int k = 0; k < 2; ++k) {
    const VectorXd e = h * VectorXd::Unit(2, k);
    slope.col(k) = (45.0 * (S_T(q + e) - S_T(q - e)) - 9.0 * (S_T(q + 2 * e) - S_T(q - 2 * e)) +
                    S_T(q + 3 * e) - S_T(q - 3 * e)) *
                   alpha / (60.0 * h);
  }
  const MatrixXd middle = inverse.transpose() * (slope.transpose() - slope) * inverse;
  const double X = middle(0, 1);
  return -X * (S.row(0).transpose() * S.row(1) - S.row(1).transpose() * S.row(0)) * v;
}

TEST(CurveTracking, TheNominalForceIsThatOfTheBooksMatrices) {
  const Mechanism m = arm();
  Workspace work(m);
  const VelocityField field = [](const OwnedVector& q, OwnedVector& w) {
    w << 1.0 + 0.3 * q[1], std::sin(q[0]);
  };
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Eigen::Vector2d q(random.uniform(-2, 2), random.uniform(-2, 2)),
        v(random.uniform(-3, 3), random.uniform(-3, 3));
    const MomentumSplit split(m, work, field, q, v);
    const VectorXd ours = tracking_forces(m, work, split, q, v, {}).nominal;
    EXPECT_NEAR((ours - nominal_of_the_book(m, work, field, q, v)).norm(), 0.0, 1e-8 * (1.0 + ours.norm()))
        << i;
  }
}

TEST(CurveTracking, MomentaOfAFreePointMassChangeAsExample52SaysButForItsRowsOfQ) {  // DS (5.11)
  constexpr double mass = 1.3;
  const Eigen::Vector2d q(0.9, 0.4), v(0.7, -0.3);
  const auto alpha = [&](double t) -> Eigen::Vector2d {
    const Eigen::Vector2d at = q + t * v;
    Eigen::Matrix2d S;
    S << -at[1], at[0], at[0], at[1];
    return mass / at.norm() * S * v;
  };
  const Eigen::Vector2d a = alpha(0.0), rate = (alpha(1e-5) - alpha(-1e-5)) / 2e-5;
  EXPECT_NEAR(rate[0], -a[0] / q.norm() * a[1] / mass, 1e-9);
  EXPECT_NEAR(rate[1], a[0] / q.norm() * a[0] / mass, 1e-9);
  EXPECT_GT((v - a / mass).norm(), 0.1);  // as printed, dq/dt = alpha / m
}

TEST(CurveTracking, EnergyGoesFromAcrossToAlongAtTheRateOfInverseMasses) {  // DS (5.19), (5.20)
  const Mechanism m = point_mass(1.3);
  Workspace work(m);
  const Eigen::Vector2d q(0.9, 0.4), v(0.7, -0.3);
  const MomentumSplit split(m, work, circles, q, v);
  const TrackingForces f = tracking_forces(m, work, split, q, v, {.transfer = 0.7, .softening = 0.0});
  const Eigen::Vector2d e = Eigen::Vector2d(-q[1], q[0]) / q.norm(), n = q / q.norm();
  const double a1 = 1.3 * e.dot(v), a2 = 1.3 * n.dot(v), flow = 0.7 * (a1 * a1 / 1.3) * (a2 * a2 / 1.3);
  EXPECT_NEAR(f.asymptotic.dot(split.along), flow, 1e-13);
  EXPECT_NEAR(f.asymptotic.dot(split.across), -flow, 1e-13);
}

TEST(CurveTracking, TheForceThatBringsEnergyAcceleratesAlongTheField) {  // DS (5.27)
  const Mechanism m = arm();
  Workspace work(m);
  const VelocityField field = [](const OwnedVector& q, OwnedVector& w) {
    w << 1.0 + 0.3 * q[1], std::sin(q[0]);
  };
  const Eigen::Vector2d q(0.3, 1.2), v(1.0, -2.0);
  const MomentumSplit split(m, work, field, q, v);
  const TrackingForces f = tracking_forces(m, work, split, q, v, {.energy_gain = 0.5, .energy = 10.0});
  const MatrixXd inverse = inverse_mass_matrix(m, work, q);
  const auto beside = [&](const VectorXd& x) { return std::abs(x[0] * split.w[1] - x[1] * split.w[0]); };
  EXPECT_LT(beside(inverse * f.energy), 1e-12 * (inverse * f.energy).norm());
  EXPECT_GT(beside(inverse * split.w), 0.1 * (inverse * split.w).norm());  // as printed, a force w
}

TEST(CurveTracking, FramesOfMomentaAreOrthonormalAndStartWithTheField) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomState r = random_state(seed, 8);
    Workspace work(r.m);
    const MatrixXd M = mass_matrix(r.m, work, r.q), S_T = momentum_frame(M, r.v);
    EXPECT_NEAR((S_T.transpose() * M.inverse() * S_T - MatrixXd::Identity(r.m.nv(), r.m.nv())).norm(), 0.0,
                1e-8)
        << seed;
    EXPECT_NEAR((S_T.col(0) - M * r.v / std::sqrt(r.v.dot(M * r.v))).norm(), 0.0, 1e-10 * M.norm()) << seed;
  }
}

/// Without gravity and without laws of its joints.
RandomState bare(std::uint64_t seed) {
  RandomState r = random_state(seed, {.bodies = 1 + static_cast<int>(seed % 4), .properties = false});
  return {with_gravity(r.m, Vector3<double>::Zero()), r.q, r.v, r.a};
}

TEST(CurveTracking, KineticEnergyAlongAndAcrossStaySeparateForEveryJointType) {  // DS Theorem 5.3
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const RandomState r = bare(seed);
    if (r.m.nv() < 2) continue;
    ++tried;
    const VelocityField field = wavy(r.m);
    Simulator s(r.m, curve_tracking("tracking", r.m, field, {.transfer = 0.0, .compensate = false}), {},
                exact());
    Workspace work(r.m);
    s.reset(r.q, 0.3 * r.v);
    const MomentumSplit before = split_of(s, work, field);
    s.step(0.3);
    const MomentumSplit after = split_of(s, work, field);
    const double energy = before.energy_along() + before.energy_across();
    EXPECT_NEAR(after.energy_along(), before.energy_along(), 1e-8 * energy) << seed;
    EXPECT_NEAR(after.energy_across(), before.energy_across(), 1e-8 * energy) << seed;
  }
  EXPECT_GE(tried, 8);
}

TEST(CurveTracking, TransferLeadsEnergyAlongAndTakesNone) {  // DS (5.19), (5.20)
  const Mechanism m = with_gravity(arm(), Vector3<double>::Zero());
  const VelocityField field = [](const OwnedVector& q, OwnedVector& w) {
    w << 1.0 + 0.3 * std::sin(q[1]), 0.5;
  };
  Simulator s(m, curve_tracking("tracking", m, field, {.transfer = 2.0}), {}, exact());
  Workspace work(m);
  s.reset(Eigen::Vector2d(0.1, 0.4), Eigen::Vector2d(0.5, -1.5));
  const double energy = s.kinetic_energy();
  double last = split_of(s, work, field).energy_across();
  EXPECT_GT(last, 0.2 * energy);
  while (last > 1e-20 * energy && s.t() < 20.0) {
    s.step(0.25);
    const double now = split_of(s, work, field).energy_across();
    EXPECT_LT(now, last) << s.t();
    last = now;
  }
  EXPECT_LE(last, 1e-20 * energy);
  EXPECT_NEAR(s.kinetic_energy(), energy, 1e-10 * energy);
}

TEST(CurveTracking, DampingTurnsEnergyAcrossIntoHeat) {  // DS (5.17)
  const Mechanism m = with_gravity(arm(), Vector3<double>::Zero());
  const VelocityField field = [](const OwnedVector&, OwnedVector& w) { w << 1.0, 0.5; };
  Simulator s(m, curve_tracking("tracking", m, field, {.transfer = 0.0, .damping = 1.5, .compensate = false}),
              {}, exact());
  Workspace work(m);
  s.reset(Eigen::Vector2d(0.1, 0.4), Eigen::Vector2d(0.5, 1.5));
  const MomentumSplit before = split_of(s, work, field);
  s.step(2.0);
  const MomentumSplit after = split_of(s, work, field);
  EXPECT_NEAR(after.energy_across(), before.energy_across() * std::exp(-2.0 * 1.5 * 2.0), 1e-9);
  EXPECT_NEAR(after.energy_along(), before.energy_along(), 1e-9);
  const Ledger ledger = s.ledger();
  EXPECT_NEAR(ledger.entries.back().dissipated, before.energy_across() - after.energy_across(), 1e-9);
  EXPECT_NEAR(ledger.residual(), 0.0, 1e-10);
}

TEST(CurveTracking, CompensationLeavesTheMotionAcrossWithoutGravity) {  // DS (5.26)
  const Mechanism m = arm();
  const VelocityField field = [](const OwnedVector& q, OwnedVector& w) {
    w << 1.0 + 0.3 * std::sin(q[1]), 0.5;
  };
  Simulator s(m, curve_tracking("tracking", m, field, {.transfer = 0.0}), {}, exact());
  Workspace work(m);
  s.reset(Eigen::Vector2d(0.1, 0.4), Eigen::Vector2d(2.5, 1.5));
  const double across = split_of(s, work, field).energy_across(),
               along = split_of(s, work, field).energy_along();
  s.step(0.5);
  EXPECT_NEAR(split_of(s, work, field).energy_across(), across, 1e-9);
  EXPECT_GT(std::abs(split_of(s, work, field).energy_along() - along), 0.1);  // gravity does act along
}

TEST(CurveTracking, OnANaturalMotionNothingIsAskedFor) {  // DS 5.2.2: nominal and potential forces cancel
  const Mechanism m = arm();
  Simulator free(m, {}, {}, exact());
  free.reset(Eigen::Vector2d(0.9, 0.4), Eigen::Vector2d(0.5, 0.2));
  std::vector<OwnedVector> samples, speeds;
  for (int i = 0; i <= 100; ++i) {
    samples.push_back(free.q());
    speeds.push_back(free.v());
    free.step(0.004);
  }
  const VelocityField field = field_towards(curve_through(m, samples), {.attraction = 2.0});
  Workspace work(m);
  for (const int i : {10, 35, 60, 90}) {
    const MomentumSplit split(m, work, field, samples[i], speeds[i]);
    const TrackingForces f = tracking_forces(m, work, split, samples[i], speeds[i], {});
    EXPECT_GT(f.nominal.norm(), 0.1);
    EXPECT_LT(f.total().norm(), 1e-4 * f.nominal.norm()) << i;
  }
}

TEST(CurveTracking, EnergyIsBroughtToWhatIsAskedForAndBooked) {  // DS (5.27)
  const Mechanism m = point_mass(1.3);
  const TrackingSettings settings{.transfer = 2.0, .energy_gain = 0.8, .energy = 3.0};
  Simulator s(m, curve_tracking("tracking", m, circles, settings), {}, exact());
  s.reset(Eigen::Vector2d(1.0, 0.2), Eigen::Vector2d(0.3, 0.9));
  const double before = s.kinetic_energy();
  s.step(30.0);
  EXPECT_NEAR(s.kinetic_energy(), 3.0, 1e-3);
  const Ledger ledger = s.ledger();
  EXPECT_EQ(ledger.entries.back().name, "tracking energy");
  EXPECT_NEAR(ledger.entries.back().supplied, s.kinetic_energy() - before, 1e-9);
}

TEST(CurveTracking, LimitsWeakenAllLawsAlikeAndMissingActuatorsAreTold) {
  const Mechanism m = arm();
  Workspace work(m);
  const VelocityField field = [](const OwnedVector& q, OwnedVector& w) {
    w << 1.0 + 0.3 * q[1], std::sin(q[0]);
  };
  const Eigen::Vector2d q(0.3, 1.2), v(1.0, -2.0);
  const MomentumSplit split(m, work, field, q, v);
  const TrackingForces all = tracking_forces(m, work, split, q, v, {});
  EXPECT_EQ(all.scale, 1.0);
  EXPECT_EQ(all.missing, 0.0);
  const OwnedVector half = 0.5 * all.total().cwiseAbs();
  const TrackingForces weak = tracking_forces(m, work, split, q, v, {.limit = half});
  EXPECT_NEAR(weak.scale, 0.5, 1e-12);
  EXPECT_NEAR((weak.nominal - 0.5 * all.nominal).norm(), 0.0, 1e-12);
  EXPECT_NEAR(weak.nominal.dot(v), 0.0, 1e-12);
  const TrackingForces hip = tracking_forces(m, work, split, q, v, {.unactuated = {0}});
  EXPECT_EQ(hip.total()[0], 0.0);
  EXPECT_EQ(hip.total()[1], all.total()[1]);
  EXPECT_GT(hip.missing, 0.01);
}

TEST(CurveTracking, WhatMakesNoSenseIsRefused) {
  const Mechanism m = arm();
  const VelocityField none = [](const OwnedVector&, OwnedVector&) {};
  Workspace work(m);
  EXPECT_EQ(message_of([&] { MomentumSplit(m, work, none, m.neutral(), VectorXd::Zero(2)); }),
            "a velocity field is zero where the mechanism is: it says nothing of where to move, DS (5.2)");
  EXPECT_EQ(message_of([&] { curve_tracking("t", m, {}, {}); }), "'t' has no field to track");
  EXPECT_EQ(message_of([&] {
              curve_tracking("t", m, none, {.decouple = false, .transfer = 0.0, .compensate = false});
            }),
            "'t' has no law that acts");
  EXPECT_EQ(message_of([&] { curve_tracking("t", m, none, {.transfer = -1.0}); }),
            "'curve tracking' has a transfer of -1: expected a number, not negative");
  EXPECT_EQ(message_of([&] { curve_tracking("t", m, none, {.unactuated = {2}}); }),
            "curve tracking: there is no velocity 2 to be without actuator, 'arm' has 2");
  EXPECT_EQ(message_of([&] { curve_tracking("t", m, none, {.limit = VectorXd::Ones(3)}); }),
            "limit of curve tracking: expected 2 numbers, not negative");
}

}  // namespace
}  // namespace amble
