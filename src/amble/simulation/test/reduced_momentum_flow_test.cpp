#include "amble/simulation/reduced_momentum_flow.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/constraints/coordinate_constraints.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {
namespace {

struct End {
  OwnedVector q;
  Eigen::VectorXd v;
};

struct Start {
  const Mechanism& m;
  std::vector<ConstraintPtr> constraints;
  OwnedVector q, v;
};

/// With a velocity that the constraints allow.
Start start(const Mechanism& m, std::vector<ConstraintPtr> constraints, const OwnedVector& q, std::uint64_t seed) {
  Random random(seed);
  OwnedVector v(m.nv());
  for (double& x : v) x = random.uniform(-1, 1);
  ConstrainedDynamics d(m, constraints);
  d.set_state(q, v);
  return {m, std::move(constraints), q, d.project_velocity(v)};
}

const Drive kSwing = [](double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
  for (Eigen::Index i = 0; i < tau.size(); ++i) tau[i] = std::sin(2.0 * t + i) - 0.1 * v[i];
  tau[0] += 0.1 * q[0];
};

End by_multipliers(const Start& s, double duration) {
  ConstrainedFlow flow(ConstrainedDynamics(s.m, s.constraints), kSwing);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, s.q, s.v);
  run.run(duration);
  return {run.q(), run.x()};
}

End by_reduced_momenta(const Start& s, double duration, long* changes = nullptr) {
  ReducedMomentumFlow flow(ConstrainedDynamics(s.m, s.constraints), s.q, kSwing);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-13});
  run.set_state(0.0, s.q, flow.state(s.q, s.v));
  run.run(duration);
  if (changes != nullptr) *changes = flow.changes();
  return {run.q(), flow.velocity(run.q(), run.x())};
}

void expect_same(const Start& s, double duration) {
  const End a = by_multipliers(s, duration), b = by_reduced_momenta(s, duration);
  EXPECT_LT(s.m.difference(a.q, b.q).norm(), 1e-9);
  EXPECT_LT((a.v - b.v).norm(), 1e-9 * (1.0 + a.v.norm()));
  EXPECT_GT(s.m.difference(s.q, a.q).norm(), 0.05);
}

TEST(ReducedMomentumFlow, MovesClassicMechanismsAsMultipliersDo) {
  const ConstrainedMechanism all[] = {slider_crank(),      four_bar(),   bricard(), stewart_platform(),
                                      differential_gear(), snakeboard(), car(),     rolling_disc()};
  for (const ConstrainedMechanism& x : all) {
    SCOPED_TRACE(x.mechanism.name());
    expect_same(start(x.mechanism, x.constraints, x.q, 5), 0.4);
  }
}

TEST(ReducedMomentumFlow, MovesRandomLoopsWithJointsOnGroupsAsMultipliersDo) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const RandomMechanism r =
        random_mechanism(seed, {.bodies = 6, .types = {"revolute", "spherical", "free", "universal"}, .loops = 1});
    SCOPED_TRACE(seed);
    const Start s = start(r.mechanism, loop_constraints(r.mechanism), r.q, seed);
    const End a = by_multipliers(s, 0.1), b = by_reduced_momenta(s, 0.1);
    EXPECT_LT(s.m.difference(a.q, b.q).norm(), 1e-9);
    EXPECT_LT((a.v - b.v).norm(), 1e-8 * (1.0 + a.v.norm()));
  }
}

/// No bar of this four-bar can go all the way round, so each of its angles stops and turns back while the others move on.
TEST(ReducedMomentumFlow, TakesOtherCoordinatesWhenItsOwnBecomePoor) {
  const ConstrainedMechanism x = four_bar({.ground = 1.0, .crank = 0.7, .coupler = 0.65, .rocker = 0.65});
  OwnedVector v(x.mechanism.nv());
  v[x.mechanism.v_slice("rocker").start] = -5.0;
  ConstrainedDynamics d(x.mechanism, x.constraints);
  d.set_state(x.q, v);
  const Start s{x.mechanism, x.constraints, x.q, d.project_velocity(v)};
  long changes = 0;
  const End a = by_multipliers(s, 1.5), b = by_reduced_momenta(s, 1.5, &changes);
  EXPECT_LT((a.q - b.q).norm(), 1e-9);
  EXPECT_LT((a.v - b.v).norm(), 1e-9 * (1.0 + a.v.norm()));
  EXPECT_GE(changes, 1);
}

TEST(ReducedMomentumFlow, SpeedsOfTheirOwnAreRefused) {
  const ConstrainedMechanism x = slider_crank();
  const auto one = [&](const VectorRef&) { return OwnedMatrix(Eigen::RowVector3d(1, 0, 0)); };
  const auto speed = [](const VectorRef&) { return OwnedVector(Eigen::VectorXd::Ones(1)); };
  const ConstraintPtr motor = velocity_constraint(x.mechanism, "motor", 1, one, speed);
  EXPECT_NE(message_of([&] {
              ReducedMomentumFlow(ConstrainedDynamics(x.mechanism, {motor}), x.q);
            }).find("speed of its own"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
