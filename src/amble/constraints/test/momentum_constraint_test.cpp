#include "amble/base/test/source_dir.hpp"
#include "amble/constraints/momentum_constraint.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {
namespace {

Mechanism adrift() {
  return with_gravity(load(source_dir() + "/models/quadruped.urdf", {.base = Base::floating}), Vector3<double>::Zero());
}

TEST(MomentumConstraint, CostsNothingWhereNothingActsFromOutside) {
  const Mechanism m = adrift();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const OwnedVector q = m.random(random), v = random_numbers(random, m.nv());
    Workspace work(m);
    ConstrainedDynamics d(m, {momentum_constraint(m, "drift", momentum(m, work, q, v))});
    d.set_state(q, v);
    EXPECT_LT(d.velocity_error().norm(), 1e-12);
    OwnedVector tau = random_numbers(random, m.nv());
    tau.head<6>().setZero();  // the base is not driven
    const OwnedVector a = d.accelerations(tau);
    const OwnedVector free = forward_dynamics(m, work, q, v, tau);
    EXPECT_LT((a - free).norm(), 1e-9 * (1.0 + free.norm())) << "seed " << seed;
    EXPECT_LT(d.multipliers().norm(), 1e-9) << "seed " << seed;
  }
}

TEST(MomentumConstraint, GivesTheBaseTheMotionThatTheJointsAskFor) {
  const Mechanism m = adrift();
  Random random(3);
  const OwnedVector q = m.random(random), v = random_numbers(random, m.nv());
  Workspace work(m);
  ConstrainedDynamics d(m, {momentum_constraint(m, "drift")});
  d.set_state(q, v);
  const OwnedVector fitting = d.project_velocity(v);
  EXPECT_LT(Vector6<double>(momentum(m, work, q, fitting)).norm(), 1e-12);
}

TEST(MomentumConstraint, RefusesWhatIsNoNumber) {
  const Mechanism m = adrift();
  EXPECT_NE(message_of([&] { momentum_constraint(m, "drift", Vector6<double>::Constant(std::nan(""))); }).find("'drift'"),
            std::string::npos);
}

}  // namespace
}  // namespace amble
