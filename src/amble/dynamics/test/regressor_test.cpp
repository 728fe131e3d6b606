#include "amble/dynamics/regressor.hpp"

#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"
#include "amble/mechanism/edit.hpp"

namespace amble {
namespace {

TEST(Regressor, TenParametersAreAnInertia) {
  Random random(1);
  const Inertia<double> I = random_inertia(random), back = inertia_of_parameters(inertial_parameters(I));
  EXPECT_LT((back.matrix() - I.matrix()).cwiseAbs().maxCoeff(), 1e-15);
  InertialParameters p;
  p << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
  EXPECT_EQ(inertial_parameters(inertia_of_parameters(p)), p);
  EXPECT_EQ(inertia_of_parameters(p).about_origin()(1, 2), 9.0);
}

TEST(Regressor, ParametersTimesTheRegressorAreTheForces) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const Eigen::MatrixXd Y = inverse_dynamics_regressor(s.m, work, s.q, s.v, s.a);
    const Eigen::VectorXd ours = Y * inertial_parameters(s.m) + armature_forces(s.m, s.v, s.a);
    const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    EXPECT_LT((ours - tau).norm(), 1e-12 * (1.0 + tau.norm())) << "seed " << seed;
  }
}

TEST(Regressor, AnotherInertiaOfABodyChangesForcesByItsColumns) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const RandomState s = random_state(seed);
    Workspace work(s.m);
    Random random(seed);
    const Eigen::MatrixXd Y = inverse_dynamics_regressor(s.m, work, s.q, s.v, s.a);
    const Eigen::VectorXd before = inverse_dynamics(s.m, work, s.q, s.v, s.a);
    for (std::size_t b = 0; b < s.m.bodies().size(); ++b) {
      const Inertia<double> other = random_inertia(random);
      const Mechanism changed = with_inertia(s.m, s.m.bodies()[b].name, other);
      Workspace elsewhere(changed);
      const Eigen::VectorXd after = inverse_dynamics(changed, elsewhere, s.q, s.v, s.a);
      const Eigen::VectorXd change = Y.middleCols<10>(10 * b) * inertial_parameters(other - s.m.bodies()[b].inertia);
      ASSERT_LT((after - before - change).norm(), 1e-11 * (1.0 + after.norm())) << "seed " << seed << " body " << b;
    }
  }
}

TEST(Regressor, ParametersTimesTheEnergyRowsAreTheEnergies) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const OwnedVector pi = inertial_parameters(s.m);
    const double kinetic =
        kinetic_energy_regressor(s.m, work, s.q, s.v).dot(pi) + 0.5 * s.v.dot(s.m.armature().cwiseProduct(s.v));
    const double expected = 0.5 * s.v.dot(mass_matrix(s.m, work, s.q) * s.v);
    EXPECT_NEAR(kinetic, expected, 1e-12 * (1.0 + expected)) << "seed " << seed;
    double potential = 0.0, size = 1.0;
    for (const Body& b : s.m.bodies()) {
      const double one = -b.inertia.mass() * s.m.gravity().dot(pose(s.m, work, s.q, b.name) * b.inertia.com());
      potential += one, size += std::abs(one);
    }
    EXPECT_NEAR(potential_energy_regressor(s.m, work, s.q).dot(pi), potential, 1e-13 * size) << "seed " << seed;
  }
}

/// Column by column, for any inertias at all: v^T Y = d/dt (kinetic row + potential row).
TEST(Regressor, PowerIsTheRateOfTheEnergyRows) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomState s = any_state(seed);
    Workspace work(s.m);
    const auto rows = [&](double t) {
      const OwnedVector q = s.m.integrate(s.q, t * s.v + 0.5 * t * t * s.a);
      return Eigen::VectorXd(kinetic_energy_regressor(s.m, work, q, s.v + t * s.a) +
                             potential_energy_regressor(s.m, work, q));
    };
    const Eigen::VectorXd power = inverse_dynamics_regressor(s.m, work, s.q, s.v, s.a).transpose() * s.v;
    EXPECT_LT((power - slope_at_zero(rows)).norm(), 1e-9 * (1.0 + power.norm())) << "seed " << seed;
  }
}

TEST(Regressor, BodiesThatCannotMoveNeedNoForceButHaveHeight) {
  Builder b("post");
  b.body({.name = "post", .inertia = Inertia<double>::from_com(3, {0, 0, 0.5}, Matrix3<double>::Identity())});
  b.body({.name = "arm", .inertia = Inertia<double>::from_com(1, {0.5, 0, 0}, Matrix3<double>::Identity())});
  b.joint(
      {.name = "foot", .type = "fixed", .parent = "world", .child = "post", .X_PF = Pose(Vector3<double>(0, 0, 2))});
  b.joint({.name = "shoulder", .type = "revolute", .parent = "post", .child = "arm", .axis = {0, 1, 0}});
  const Mechanism m = b.build();
  Workspace work(m);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  EXPECT_EQ(inverse_dynamics_regressor(m, work, one, one, one).leftCols<10>(), Eigen::MatrixXd::Zero(1, 10));
  EXPECT_EQ(kinetic_energy_regressor(m, work, one, one).head<10>(), Eigen::VectorXd::Zero(10));
  EXPECT_DOUBLE_EQ(
      potential_energy_regressor(m, work, one).head<10>().dot(inertial_parameters(m.bodies()[0].inertia)),
      3 * 9.81 * 2.5);
}

TEST(Regressor, WrongStatesAreRefusedByName) {
  const RandomState s = random_state(7), other = random_state(8);
  Workspace work(s.m);
  Eigen::VectorXd bad = s.v;
  bad[0] = std::nan("");
  const std::string size = " numbers, but 'random_7' needs ";
  EXPECT_EQ(message_of([&] { inverse_dynamics_regressor(s.m, work, s.q, s.v, bad); }), "a[0] is nan");
  EXPECT_EQ(message_of([&] { inverse_dynamics_regressor(s.m, work, s.q, bad, s.a); }), "v[0] is nan");
  EXPECT_EQ(message_of([&] { kinetic_energy_regressor(s.m, work, s.q, s.v.head(3)); }),
            "v has 3" + size + std::to_string(s.m.nv()));
  EXPECT_EQ(message_of([&] { potential_energy_regressor(s.m, work, s.q.head(2)); }),
            "q has 2" + size + std::to_string(s.m.nq()));
  EXPECT_THROW(potential_energy_regressor(other.m, work, other.q), Error);
}

}  // namespace
}  // namespace amble
