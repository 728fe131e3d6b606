#include "amble/dynamics/placement_derivatives.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

/// The forces in the mechanism that has a joint's frame moved by d.
Eigen::VectorXd forces_moved(const RandomState& s, const std::string& joint, const Vector6<double>& d) {
  ModelDescription changed = s.m.description();
  for (JointDescription& j : changed.joints)
    if (j.name == joint) j.X_PF = j.X_PF * Pose::exp(Twist<double>(d));
  const Mechanism m = compile(std::move(changed));
  Workspace work(m);
  return inverse_dynamics(m, work, s.q, s.v, s.a);
}

void expect_derivatives_at(const RandomState& s, const std::string& joint) {
  Workspace work(s.m);
  const Eigen::MatrixXd D = inverse_dynamics_placement_derivatives(s.m, work, s.q, s.v, s.a, joint);
  const double size = 1.0 + inverse_dynamics(s.m, work, s.q, s.v, s.a).norm();
  for (int c = 0; c < 6; ++c) {
    const Vector6<double> e = Vector6<double>::Unit(c);
    const Eigen::VectorXd slope = slope_at_zero([&](double t) { return forces_moved(s, joint, t * e); });
    EXPECT_LT((D.col(c) - slope).norm(), 1e-10 * (size + slope.norm()))
        << s.m.name() << ", " << joint << ", column " << c;
  }
}

TEST(PlacementDerivatives, AreTheSlopesOfTheForcesInMovedMechanisms) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const RandomState s =
        random_state(seed, {.bodies = 9, .roots = 2, .mimic = seed % 2 == 0 ? 0.3 : 0.0, .fixed = 0.3});
    for (std::size_t j = seed % 3; j < s.m.joints().size(); j += 3) expect_derivatives_at(s, s.m.joints()[j].name);
  }
}

TEST(PlacementDerivatives, HoldForJointsOfEachType) {
  for (const char* type :
       {"fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"}) {
    const RandomState base = random_state(5, {.bodies = 4, .types = {"revolute", "universal"}, .branching = 0.0});
    ModelDescription changed = base.m.description();
    changed.joints[2].type = type;
    changed.joints[2].properties = {};
    const Mechanism m = compile(std::move(changed));
    expect_derivatives_at(in_motion(m, m.random(5), 5), "joint2");
  }
}

TEST(PlacementDerivatives, HoldForCustomJoints) {
  const RandomState s = custom_state(4);
  for (const Joint& j : s.m.joints()) expect_derivatives_at(s, j.name);
}

TEST(PlacementDerivatives, CarryingAMechanismElsewhereChangesNoForceButTiltingItDoes) {
  const RandomState s = random_state(2, {.bodies = 5, .types = {"revolute"}, .branching = 0.0});
  Workspace work(s.m);
  const OwnedMatrix D = inverse_dynamics_placement_derivatives(s.m, work, s.q, s.v, s.a, "joint0");
  EXPECT_LT(D.leftCols<3>().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(D.rightCols<3>().cwiseAbs().maxCoeff(), 1.0);
}

TEST(PlacementDerivatives, UnknownJointsAndWrongStatesAreRefused) {
  const RandomState s = random_state(7);
  Workspace work(s.m);
  Eigen::VectorXd bad = s.v;
  bad[0] = std::nan("");
  const auto of = [&](const VectorRef& v, const VectorRef& a, const char* joint) {
    return message_of([&] { inverse_dynamics_placement_derivatives(s.m, work, s.q, v, a, joint); });
  };
  EXPECT_EQ(of(s.v, s.a, "joint33").substr(0, 27), "there is no joint 'joint33'");
  EXPECT_EQ(of(bad, s.a, "joint3"), "v[0] is nan");
  EXPECT_EQ(of(s.v, bad, "joint3"), "a[0] is nan");
}

}  // namespace
}  // namespace amble
