#include "amble/simulation/variational.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

Mechanism free_body() {
  Builder b("body");
  b.gravity({0, 0, 0});
  b.body({.name = "body", .inertia = Inertia<double>::from_com(1.3, {0.1, -0.2, 0.05}, Vector3<double>(0.3, 0.5, 0.7).asDiagonal())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "body"});
  return b.build();
}

Mechanism double_pendulum() {
  Builder b("double pendulum");
  const Inertia<double> rod = Inertia<double>::from_com(1.0, {0, 0, -0.5}, Matrix3<double>::Identity() / 12.0);
  b.body({.name = "upper", .inertia = rod}).body({.name = "lower", .inertia = rod});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "world", .child = "upper", .axis = {0, 1, 0}});
  b.joint({.name = "elbow", .type = "revolute", .parent = "upper", .child = "lower", .X_PF = Pose(Vector3<double>(0, 0, -1)), .axis = {0, 1, 0}});
  return b.build();
}

double energy(const Mechanism& m, Workspace& work, const VariationalIntegrator& run) {
  return kinetic_energy(m, work, run.q(), run.v()) + potential_energy(m, work, run.q());
}

/// How far from the motion that the adaptive integrator gives.
double error_at(const Mechanism& m, const OwnedVector& q, const OwnedVector& v, const Drive& drive, int steps) {
  constexpr double kEnd = 0.4;
  VelocityFlow flow(m, drive);
  MuntheKaasIntegrator exact(flow, {.tolerance = 1e-13});
  exact.set_state(0.0, q, v);
  exact.run(kEnd);
  VariationalIntegrator run(m, kEnd / steps, drive);
  run.set_state(0.0, q, v);
  run.run(steps);
  return m.difference(exact.q(), run.q()).norm() + (exact.x() - run.v()).norm();
}

TEST(Variational, IsOfOrderTwoForEveryJointType) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed % 5)});
    Random random(seed);
    const OwnedVector q = r.mechanism.random(random), v = random_numbers(random, r.mechanism.nv());
    const Drive drive = [](double t, const OwnedVector&, const OwnedVector& speed, OwnedVector& tau) {
      tau = std::sin(5.0 * t) * Eigen::VectorXd::Ones(tau.size()) - 0.2 * speed;
    };
    const double coarse = error_at(r.mechanism, q, v, drive, 200), fine = error_at(r.mechanism, q, v, drive, 400);
    EXPECT_NEAR(coarse / fine, 4.0, 0.25) << "seed " << seed << ": " << coarse << ", " << fine;
  }
}

/// Linear, and angular about the world's origin: those that the symmetry of the discrete action keeps.
Vector6<double> momentum_of(const Mechanism& m, Workspace& work, const VariationalIntegrator& run) {
  Vector6<double> h = momentum(m, work, run.q(), run.v());
  h.tail<3>() += cross<double>(center_of_mass(m, work, run.q()), Vector3<double>(h.head<3>()));
  return h;
}

TEST(Variational, MomentumOfAFreeBodyIsConservedToRounding) {
  const Mechanism m = free_body();
  Workspace work(m);
  VariationalIntegrator run(m, 0.05);
  const OwnedVector v = (Vector6<double>() << 0.3, -0.2, 0.1, 2.0, 0.1, -1.0).finished();
  run.set_state(0.0, m.neutral(), v);
  const Vector6<double> before = momentum_of(m, work, run);
  run.run(2000);
  EXPECT_LT((momentum_of(m, work, run) - before).norm(), 1e-10);
}

/// The energy of the first tenth of the steps bounds that of all.
void expect_energy_in_a_band(const Mechanism& m, const OwnedVector& q, const OwnedVector& v, double h, long steps) {
  Workspace work(m);
  VariationalIntegrator run(m, h);
  run.set_state(0.0, q, v);
  const double start = energy(m, work, run);
  double early = 0.0, all = 0.0;
  for (long i = 0; i < steps; ++i) {
    run.step();
    if (i % 10 != 0) continue;
    all = std::max(all, std::abs(energy(m, work, run) - start));
    if (i < steps / 10) early = all;
  }
  EXPECT_LT(all, 1.5 * early);
}

TEST(Variational, EnergyStaysInABand) {
  const OwnedVector spin = (Vector6<double>() << 0, 0, 0, 0.1, 2.0, 0.1).finished();  // about the middle axis: it tumbles
  expect_energy_in_a_band(free_body(), free_body().neutral(), spin, 0.05, 50000);
  expect_energy_in_a_band(double_pendulum(), Eigen::Vector2d(0.8, 0.5), Eigen::Vector2d::Zero(), 0.01, 50000);
}

TEST(Variational, TooLongAStepIsAnError) {
  const Mechanism m = double_pendulum();
  VariationalIntegrator run(m, 5.0);
  EXPECT_NE(message_of([&] { run.step(); }).find("set_state()"), std::string::npos);
  run.set_state(0.0, Eigen::Vector2d(2.0, 1.0), Eigen::Vector2d(90.0, -200.0));
  EXPECT_NE(message_of([&] { run.run(50); }).find("too long"), std::string::npos);
  EXPECT_NE(message_of([&] { VariationalIntegrator(m, 0.0); }).find("step of 0 s"), std::string::npos);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(Variational, StepsDoNotAllocate) {
  const RandomMechanism r = random_mechanism(3, {.bodies = 8});
  Random random(3);
  VariationalIntegrator run(r.mechanism, 1e-3);
  run.set_state(0.0, r.mechanism.random(random), random_numbers(random, r.mechanism.nv()));
  EXPECT_EQ(allocations_of([&] { run.step(); }), 0);
}
#endif

}  // namespace
}  // namespace amble
