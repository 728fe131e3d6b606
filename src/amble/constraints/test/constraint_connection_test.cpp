#include "amble/constraints/constraint_connection.hpp"

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/constraints/test/constrained_state.hpp"

namespace amble {
namespace {

struct Case {
  Mechanism m;
  std::vector<ConstraintPtr> constraints;
  OwnedVector q;
};

/// Without gravity, with loops, wheels and joints on groups.
std::vector<Case> cases() {
  std::vector<Case> out;
  const auto weightless = [&](const Mechanism& m, const OwnedVector& q,
                              const std::function<std::vector<ConstraintPtr>(const Mechanism&)>& f) {
    ModelDescription d = m.description();
    d.gravity.setZero();
    const Mechanism still = compile(d, Physics::warn);
    out.push_back({still, f(still), q});
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 6, .loops = 1});
    weightless(r.mechanism, r.q, loop_constraints);
  }
  const ConstrainedMechanism disc = rolling_disc(1.0, 0.5), loop = bricard();
  OwnedVector leaning = disc.q;
  SO3<double>::about(0, 1.1).quaternion().to_xyzw(leaning.data() + 3);
  leaning[2] = 0.5 * std::sin(1.1);
  weightless(disc.mechanism, leaning, [](const Mechanism& m) {
    return std::vector{rolling_disc_constraint(m, "ground", {}, link_frame(m, "disc"), 0.5)};
  });
  weightless(loop.mechanism, loop.q, loop_constraints);
  return out;
}

Eigen::VectorXd contract(const Christoffel& gamma, const Eigen::VectorXd& y, const Eigen::VectorXd& x) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(x.size());
  for (int i = 0; i < gamma.nv(); ++i)
    for (int j = 0; j < gamma.nv(); ++j)
      for (int k = 0; k < gamma.nv(); ++k) out[i] += gamma(i, j, k) * y[j] * x[k];
  return out;
}

/// ZB (25): its geodesics are the motions that the constraints leave when no force acts.
TEST(ConstraintConnection, ItsGeodesicsAreTheConstrainedMotionsWithoutForces) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.m.name());
    const int n = c.m.nv();
    ConstrainedDynamics d(c.m, c.constraints);
    Christoffel gamma(n);
    constraint_connection(d, c.q, gamma);
    Random random(7);
    for (int trial = 0; trial < 5; ++trial) {
      Eigen::VectorXd v(n);
      for (double& x : v) x = random.uniform(-1, 1);
      d.set_state(c.q, v);
      v = d.project_velocity(v);
      d.set_state(c.q, v);
      const Eigen::VectorXd a = d.accelerations(Eigen::VectorXd::Zero(n));
      EXPECT_LT((a + contract(gamma, v, v)).norm(), 1e-8 * (1.0 + a.norm()));
    }
  }
}

/// ZB (27): for a field y that the constraints allow everywhere, along any direction x.
TEST(ConstraintConnection, OnAllowedFieldsItIsTheProjectionOfLeviCivita) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.m.name());
    const int n = c.m.nv();
    ConstrainedDynamics d(c.m, c.constraints);
    Christoffel gamma(n), levi_civita(n);
    constraint_connection(d, c.q, gamma);
    d.set_state(c.q, Eigen::VectorXd::Zero(n));
    if (!d.redundant_rows().empty()) continue;  // then there is no P off the manifold that all would agree on
    Workspace work(c.m);
    christoffel(c.m, work, c.q, levi_civita, ChristoffelKind::second);
    Random random(11);
    Eigen::VectorXd w(n), x(n);
    for (double& e : w) e = random.uniform(-1, 1);
    for (double& e : x) e = random.uniform(-1, 1);
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(n);
    const auto field = [&](double t) -> Eigen::VectorXd {  // P w, allowed everywhere
      d.set_state(c.m.integrate(c.q, t * x), still);
      return d.projector() * w;
    };
    const Eigen::VectorXd change = slope_at_zero(field), y = field(0.0);
    const Eigen::MatrixXd P = (d.set_state(c.q, still), d.projector());
    const Eigen::VectorXd whole = change + contract(gamma, y, x),
                          projected = P * (change + contract(levi_civita, y, x));
    EXPECT_LT((whole - projected).norm(), 1e-8 * (1.0 + projected.norm()));
  }
}

TEST(ConstraintConnection, SpeedsOfTheirOwnAreRefused) {
  const ConstrainedMechanism x = slider_crank();
  const ConstraintPtr motor = velocity_constraint(
      x.mechanism, "motor", 1, [](const VectorRef&) { return OwnedMatrix(Eigen::RowVector3d(1, 0, 0)); },
      [](const VectorRef&) { return OwnedVector(Eigen::VectorXd::Ones(1)); });
  ConstrainedDynamics d(x.mechanism, {motor});
  Christoffel gamma(3);
  EXPECT_NE(message_of([&] { constraint_connection(d, x.q, gamma); }).find("without a b"), std::string::npos);
}

}  // namespace
}  // namespace amble
