#include <gtest/gtest.h>

#include <numbers>

#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/simulation/reduced_momentum_flow.hpp"
#include "amble/simulation/rkmk.hpp"

// DS Example 2.22: the snakeboard in reduced momenta by hand, beside the mechanism and its two knife edges.
namespace amble {
namespace {

using State = Eigen::Matrix<double, 8, 1>;  // x, y, theta, psi, phi, alpha
using Steering = std::function<Eigen::Vector2d(double t)>;

/// DS (2.110) and (2.111), the latter with -sin(phi) / beta as its first entry (see the errata).
struct ByHand : Flow {
  SnakeboardParameters p;
  Steering u;

  double mass() const { return p.board_mass + p.torso_mass + p.wheel_mass; }
  double beta(double phi) const {
    return std::sqrt(mass() * p.radius * p.radius - p.torso_inertia * std::sin(phi) * std::sin(phi));
  }
  Eigen::Matrix<double, 5, 1> velocity(const double* x) const {
    const double theta = x[2], phi = x[4], forward = x[5] / beta(phi), r = p.radius;
    Eigen::Matrix<double, 5, 1> v;
    v << r * std::cos(theta) * std::cos(phi) * forward, r * std::sin(theta) * std::cos(phi) * forward,
        std::sin(phi) * forward, x[6] / p.torso_inertia - std::sin(phi) * forward, x[7] / p.wheel_inertia;
    return v;
  }
  double energy(const State& x) const {
    return 0.5 * (x[5] * x[5] + x[6] * x[6] / p.torso_inertia + x[7] * x[7] / p.wheel_inertia);
  }
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 8; }
  void rates(double t, const double*, const double* x, double*, double* xdot) override {
    Eigen::Map<Eigen::Matrix<double, 5, 1>>(xdot, 5) = velocity(x);
    const Eigen::Vector2d force = u ? u(t) : Eigen::Vector2d::Zero();
    xdot[5] = -std::sin(x[4]) / beta(x[4]) * force[0], xdot[6] = force[0], xdot[7] = force[1];
  }
};

State run_by_hand(ByHand& flow, const State& x, double duration) {
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, Eigen::VectorXd(), x);
  run.run(duration);
  return run.x();
}

Drive drive_of(const Steering& u) {
  return [u](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    if (u) tau.tail<2>() = u(t);
  };
}

State somewhere() { return (State() << 0.2, -0.1, 0.4, 0.3, 0.5, 1.3, 0.2, -0.1).finished(); }

TEST(Snakeboard, ReducedEquationsEqualTheMechanismUnderMultipliersAndUnderReducedMomenta) {
  const Steering u = [](double t) { return Eigen::Vector2d(0.7 * std::sin(2.0 * t), 0.3 * std::cos(3.0 * t)); };
  ByHand hand;
  hand.u = u;
  const State x = somewhere(), end = run_by_hand(hand, x, 5.0);
  const ConstrainedMechanism board = snakeboard(hand.p);
  const OwnedVector q(x.head<5>()), v(hand.velocity(x.data()));
  ConstrainedFlow multipliers(ConstrainedDynamics(board.mechanism, board.constraints), drive_of(u));
  multipliers.dynamics().set_state(q, v);
  EXPECT_LT(multipliers.dynamics().velocity_error().norm(), 1e-15);
  Workspace work(board.mechanism);
  EXPECT_NEAR(kinetic_energy(board.mechanism, work, q, v), hand.energy(x), 1e-14);
  MuntheKaasIntegrator first(multipliers, {.tolerance = 1e-13});
  first.set_state(0.0, q, v);
  first.run(5.0);
  EXPECT_LT((first.q() - end.head<5>()).norm(), 1e-9);
  EXPECT_LT((first.x() - hand.velocity(end.data())).norm(), 1e-9);
  ReducedMomentumFlow reduced(ConstrainedDynamics(board.mechanism, board.constraints), q, drive_of(u));
  EXPECT_EQ(reduced.size(), 3);
  MuntheKaasIntegrator second(reduced, {.tolerance = 1e-13});
  second.set_state(0.0, q, reduced.state(q, v));
  second.run(5.0);
  EXPECT_LT((second.q() - end.head<5>()).norm(), 1e-9);
}

/// With the sign as printed the two would part: this is what the erratum rests on.
TEST(Snakeboard, ThePrintedSignWouldNotConserveEnergy) {
  ByHand hand;
  const State x = somewhere();
  const Eigen::Vector2d force(0.5, 0.0);
  hand.u = [&](double) { return force; };
  State rate;
  hand.rates(0.0, nullptr, x.data(), nullptr, rate.data());
  const auto power_of = [&](double first) {
    return x[5] * first + x[6] / hand.p.torso_inertia * rate[6] + x[7] / hand.p.wheel_inertia * rate[7];
  };
  const double supplied = force[0] * rate[3];  // u1 psi'
  EXPECT_NEAR(power_of(rate[5]), supplied, 1e-14);
  EXPECT_GT(std::abs(power_of(-rate[5]) - supplied), 0.1);
}

TEST(Snakeboard, EnergyIsConstantWithoutInput) {
  ByHand hand;
  const ConstrainedMechanism board = snakeboard(hand.p);
  const State x = somewhere();
  const OwnedVector q(x.head<5>()), v(hand.velocity(x.data()));
  ConstrainedFlow flow(ConstrainedDynamics(board.mechanism, board.constraints));
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, q, v);
  run.run(10.0);
  Workspace work(board.mechanism);
  EXPECT_NEAR(kinetic_energy(board.mechanism, work, run.q(), run.x()), hand.energy(x), 1e-10);
}

/// The rider turns the torso against the steering, in step with it, and never touches the ground.
TEST(Snakeboard, TheRidersGaitGainsForwardSpeedFromRest) {
  constexpr double kAmplitude = 0.4, kRate = 4.0;
  const SnakeboardParameters p;
  const Steering u = [&](double t) {
    return Eigen::Vector2d(-1.5 * std::sin(kRate * t),
                           -p.wheel_inertia * kAmplitude * kRate * kRate * std::sin(kRate * t));
  };
  const ConstrainedMechanism board = snakeboard(p);
  ConstrainedFlow flow(ConstrainedDynamics(board.mechanism, board.constraints), drive_of(u));
  OwnedVector v(5);
  v[4] = kAmplitude * kRate;  // phi = A sin(w t)
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-11});
  run.set_state(0.0, board.q, v);
  double before = 0.0;
  for (int cycle = 1; cycle <= 8; ++cycle) {
    run.run(cycle * 2.0 * std::numbers::pi / kRate);
    const double theta = run.q()[2], forward = std::cos(theta) * run.x()[0] + std::sin(theta) * run.x()[1];
    EXPECT_GT(forward, before + 0.05) << cycle;
    before = forward;
  }
  EXPECT_GT(run.q().head<2>().norm(), 1.0);
}

}  // namespace
}  // namespace amble
