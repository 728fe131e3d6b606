#include "amble/constraints/coupling_constraints.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "amble/base/slope.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {
namespace {

constexpr const char* kModel =
    R"(<mujoco><compiler angle="radian"/><worldbody><site name="hook" pos="0.3 0.2 1"/>
  <body name="a"><joint name="x" ref="0.2"/><geom size="0.1"/><site name="s" pos="0.2 0 0"/>
    <body name="b" pos="0.5 0 0"><joint name="y" axis="0 1 0" ref="-0.1"/><geom size="0.1"/><site name="t" pos="0.3 0.1 0"/></body></body></worldbody>
  <tendon><spatial name="p"><site site="hook"/><site site="s"/></spatial><spatial name="r"><site site="hook"/><site site="t"/></spatial></tendon>
  <equality><joint name="curve" joint1="y" joint2="x" polycoef="0.1 0.5 -0.3 0.2 0.4"/>
    <tendon name="belt" tendon1="p" tendon2="r" polycoef="0.01 -0.7 0.2 0 0"/><tendon name="rope" tendon1="r"/>
    <joint name="off" joint1="y" active="false"/></equality></mujoco>)";

OwnedVector at_qpos0(const Mechanism& m) {
  OwnedVector q(m.nq());
  q[0] = 0.2, q[1] = -0.1;
  return q;
}

struct Rows {
  OwnedVector A;
  double bias = 0.0, violation = 0.0;
};

Rows rows_of(const Mechanism& m, const Constraint& c, const OwnedVector& q, const OwnedVector& v) {
  ConstraintKinematics at(m);
  at.set_state(q, v);
  Rows out{OwnedVector(m.nv())};
  double target = 0.0;
  c.evaluate(at, {out.A.data(), &out.bias, &out.violation, &target});
  return out;
}

TEST(CouplingConstraints, OfAFileAreCarried) {
  const Mechanism m = load_text(kModel, "m.xml");
  const auto all = constraints_of(m);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]->name(), "curve");
  EXPECT_EQ(all[1]->name(), "belt");
  EXPECT_EQ(all[2]->name(), "rope");
  // At qpos0 all displacements are zero, so that phi is -c0.
  const OwnedVector q = at_qpos0(m), rest(m.nv());
  EXPECT_NEAR(rows_of(m, *all[0], q, rest).violation, -0.1, 1e-15);
  EXPECT_NEAR(rows_of(m, *all[1], q, rest).violation, -0.01, 1e-15);
  EXPECT_NEAR(rows_of(m, *all[2], q, rest).violation, 0.0, 1e-15);
}

TEST(CouplingConstraints, RowsAndBiasesAreDerivatives) {
  const Mechanism m = load_text(kModel, "m.xml");
  for (const ConstraintPtr& c : coupling_constraints(m))
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      const OwnedVector q = m.random(random);
      OwnedVector v(m.nv());
      for (double& x : v) x = random.uniform(-1.0, 1.0);
      const auto along = [&](double t) { return OwnedVector(m.integrate(q, t * v)); };
      const Rows at = rows_of(m, *c, q, v);
      EXPECT_NEAR(at.A.dot(v), slope_at_zero([&](double t) { return rows_of(m, *c, along(t), v).violation; }),
                  1e-9)
          << c->name();
      EXPECT_NEAR(at.bias, slope_at_zero([&](double t) { return rows_of(m, *c, along(t), v).A.dot(v); }),
                  1e-8)
          << c->name();
    }
}

TEST(CouplingConstraints, ALockedJointLeavesTheOtherWhereTheCurveHasIt) {
  const Mechanism m = load_text(kModel, "m.xml"), locked = with_locked(m, {{"x", {0.5}}});
  OwnedVector q(1);
  const double x = 0.3;
  q[0] = -0.1 + 0.1 + x * (0.5 + x * (-0.3 + x * (0.2 + x * 0.4)));
  EXPECT_NEAR(rows_of(locked, *coupling_constraints(locked)[0], q, OwnedVector(1)).violation, 0.0, 1e-15);
  EXPECT_EQ(with_locked(locked, {{"y", {0.0}}}).description().couplings.size(), 2u)
      << "nothing is left of the curve";
}

}  // namespace
}  // namespace amble
