#include "amble/dynamics/line_coordinates.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/geometry/line.hpp"

namespace amble {
namespace {

double energy(const RandomState& s, Workspace& work, const OwnedVector& q) {
  return 0.5 * s.v.dot(mass_matrix(s.m, work, q) * s.v);
}

/// The largest error against differences of the energy along integrate(q, e_k), relative to the energy.
double gradient_error(const RandomState& s) {
  Workspace work(s.m);
  const Eigen::VectorXd gradient = kinetic_energy_gradient(s.m, work, s.q, s.v);
  double worst = 0.0;
  for (int k = 0; k < s.m.nv(); ++k) {
    const Eigen::VectorXd e = Eigen::VectorXd::Unit(s.m.nv(), k);
    const double slope = slope_at_zero([&](double t) { return energy(s, work, s.m.integrate(s.q, t * e)); });
    worst = std::max(worst, std::abs(gradient[k] - slope));
  }
  return worst / (1.0 + energy(s, work, s.q));
}

TEST(LineCoordinates, GradientIsTheSlopeOfTheKineticEnergyOnTheManifold) {
  for (std::uint64_t seed = 0; seed < 90; ++seed)
    EXPECT_LT(gradient_error(random_state(seed)), 1e-10) << "seed " << seed;
}

TEST(LineCoordinates, GradientHoldsForEachJointTypeByItself) {
  for (const char* type :
       {"revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const RandomState s = random_state(seed, {.bodies = 4, .types = {type}, .branching = 0.0});
      EXPECT_LT(gradient_error(s), 1e-11) << type << ", seed " << seed;
    }
}

TEST(LineCoordinates, GradientHoldsForCustomJointsOfBothKinds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_LT(gradient_error(custom_state(seed)), 1e-10) << "seed " << seed;
}

TEST(LineCoordinates, GradientAlongTheMotionIsTheRateOfTheEnergyAtHeldVelocities) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = random_state(seed);
    Workspace work(s.m);
    const double along = kinetic_energy_gradient(s.m, work, s.q, s.v).dot(s.v);
    const double rate = slope_at_zero([&](double t) { return energy(s, work, s.m.integrate(s.q, t * s.v)); });
    EXPECT_NEAR(along, rate, 1e-9 * (1.0 + energy(s, work, s.q))) << "seed " << seed;
  }
}

/// Where joint coordinates add, Kool (1) is the whole equation of motion.
TEST(LineCoordinates, LagrangesEquationGivesTheForces) {
  const std::vector<std::string> types{"revolute", "prismatic", "helical", "cylindrical", "universal", "planar"};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 8, .types = types, .mimic = 0.2});
    Workspace work(s.m);
    const auto momentum = [&](double t) {
      const OwnedVector q = s.m.integrate(s.q, t * s.v + 0.5 * t * t * s.a);
      return Eigen::VectorXd(mass_matrix(s.m, work, q) * (s.v + t * s.a));
    };
    const Eigen::VectorXd rate = slope_at_zero(momentum), gravity = gravity_forces(s.m, work, s.q);
    const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    const Eigen::VectorXd expected = rate - kinetic_energy_gradient(s.m, work, s.q, s.v) + gravity;
    EXPECT_LT((tau - expected).norm(), 1e-9 * (1.0 + expected.norm())) << "seed " << seed;
  }
}

/// Kool (6), (7): the line vector of a joint's axis in the world.
Vector6<double> line_vector(const RandomState& s, Workspace& work, const OwnedVector& q, int joint) {
  const Joint& j = s.m.joints()[joint];
  const JointDescription& given = s.m.description().joints[joint];
  const Pose X_WF = (j.parent < 0 ? Pose() : pose(s.m, work, q, given.parent)) * j.X_PF;
  if (j.type == "prismatic") return Twist<double>(X_WF.rotation() * given.axis, Vector3<double>::Zero()).vector();
  const Line line = Line::through(X_WF.translation(), X_WF.rotation() * given.axis);
  const double pitch = j.type == "helical" ? given.pitch : 0.0;
  return Twist<double>(line.moment() + pitch * line.direction(), line.direction()).vector();
}

/// Kool (8): the momentum of the chain from a body to its end, about the world's origin.
Vector6<double> momentum_beyond(const RandomState& s, Workspace& work, int body) {
  Wrench<double> sum;
  for (int b = body; b < static_cast<int>(s.m.bodies().size()); ++b) {
    const Body& at = s.m.bodies()[b];
    const Twist<double> V(Vector6<double>(jacobian(s.m, work, s.q, at.name) * s.v));
    sum += pose(s.m, work, s.q, at.name) * (at.inertia * V);
  }
  return sum.vector();
}

TEST(LineCoordinates, GradientIsTheMomentumBeyondTimesTheRateOfTheLine) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomState s = random_state(
        seed, {.bodies = 6, .types = {"revolute", "prismatic", "helical"}, .branching = 0.0, .properties = false});
    Workspace work(s.m);
    const Eigen::VectorXd gradient = kinetic_energy_gradient(s.m, work, s.q, s.v);
    for (int i = 0; i < s.m.nv(); ++i) {
      const auto line = [&](double t) { return line_vector(s, work, s.m.integrate(s.q, t * s.v), i); };
      const double expected = slope_at_zero(line).dot(momentum_beyond(s, work, i));
      EXPECT_NEAR(gradient[i], expected, 1e-9 * (1.0 + energy(s, work, s.q))) << "seed " << seed << " joint " << i;
    }
  }
}

TEST(LineCoordinates, ASphericalPendulumHasTheGradientOfTheTextbook) {
  Builder b("pendulum");  // m l^2 / 2 (sin^2(theta) phidot^2 + thetadot^2), theta measured from the axis of phi
  b.body({.name = "bob", .inertia = inertia_of_points({{2.0, {0, 0, -0.7}}})});
  b.joint({.name = "pivot",
           .type = "universal",
           .parent = "world",
           .child = "bob",
           .axis = {0, 0, 1},
           .axis2 = {1, 0, 0}});
  const Mechanism m = b.build();
  Workspace work(m);
  const Eigen::Vector2d q(0.4, 1.1), v(1.5, -0.8);
  const OwnedVector gradient = kinetic_energy_gradient(m, work, q, v);
  EXPECT_NEAR(gradient[0], 0.0, 1e-15);
  EXPECT_NEAR(gradient[1], 2.0 * 0.49 * std::sin(1.1) * std::cos(1.1) * 1.5 * 1.5, 1e-14);
}

TEST(LineCoordinates, AFreeBodyAndAMechanismThatCannotMoveHaveNoGradient) {
  const RandomState free = random_state(3, {.bodies = 1, .types = {"free"}});
  Workspace work(free.m);
  EXPECT_EQ(kinetic_energy_gradient(free.m, work, free.q, free.v), Eigen::VectorXd::Zero(6));
  const RandomState post = random_state(3, {.bodies = 2, .types = {"fixed"}});
  Workspace none(post.m);
  EXPECT_EQ(kinetic_energy_gradient(post.m, none, post.q, post.v).size(), 0);
}

TEST(LineCoordinates, WrongStatesAreRefusedByName) {
  const RandomState s = random_state(7), other = random_state(8);
  Workspace work(s.m);
  Eigen::VectorXd bad = s.v;
  bad[1] = std::nan("");
  const auto of = [&](const VectorRef& q, const VectorRef& v) {
    return message_of([&] { kinetic_energy_gradient(s.m, work, q, v); });
  };
  EXPECT_EQ(of(s.q, bad), "v[1] is nan");
  EXPECT_EQ(of(s.q, s.v.head(2)), "v has 2 numbers, but 'random_7' needs " + std::to_string(s.m.nv()));
  EXPECT_EQ(of(s.q.head(1), s.v), "q has 1 numbers, but 'random_7' needs " + std::to_string(s.m.nq()));
  EXPECT_THROW(kinetic_energy_gradient(other.m, work, other.q, other.v), Error);
}

}  // namespace
}  // namespace amble
