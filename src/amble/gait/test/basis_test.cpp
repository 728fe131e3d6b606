#include "amble/gait/basis.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "amble/base/random.hpp"
#include "amble/base/test/message_of.hpp"

namespace amble {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

TEST(Basis, ChebyshevsPolynomialsAreCosines) {
  const Vector theta = Vector::LinSpaced(41, 0.05, 3.1);
  const Vector s = (1.0 + theta.array().cos()) / 2.0;
  const BasisMatrices B = basis_matrices(Basis::chebyshev, 12, s);
  for (int i = 0; i < s.size(); ++i)
    for (int j = 0; j <= 12; ++j) {
      const double t = theta[i], sine = std::sin(t), d = j * std::sin(j * t) / sine;  // dT/dx
      EXPECT_NEAR(B.value(i, j), std::cos(j * t), 1e-13);
      EXPECT_NEAR(B.first(i, j), 2.0 * d, 1e-10);
      EXPECT_NEAR(B.second(i, j), 4.0 * (std::cos(t) * d - j * j * std::cos(j * t)) / (sine * sine), 1e-7);
    }
}

TEST(Basis, MonomialsArePowers) {
  const Vector s = Vector::LinSpaced(5, 0.0, 1.0);
  const BasisMatrices B = basis_matrices(Basis::monomial, 6, s);
  for (int i = 0; i < s.size(); ++i)
    for (int j = 0; j <= 6; ++j) {
      EXPECT_NEAR(B.value(i, j), std::pow(s[i], j), 1e-15);
      EXPECT_NEAR(B.first(i, j), j == 0 ? 0.0 : j * std::pow(s[i], j - 1), 1e-14);
      EXPECT_NEAR(B.second(i, j), j < 2 ? 0.0 : j * (j - 1) * std::pow(s[i], j - 2), 1e-13);
    }
}

TEST(Basis, ConversionsGiveTheSamePolynomialAndUndoEachOther) {
  Random random(5);
  for (int order : {0, 1, 2, 5, 10, 14}) {
    const OwnedMatrix out = conversion(Basis::chebyshev, Basis::monomial, order),
                      back = conversion(Basis::monomial, Basis::chebyshev, order);
    const double size = out.cwiseAbs().maxCoeff();  // digits that monomials cost
    EXPECT_LT((out * back - Matrix::Identity(order + 1, order + 1)).cwiseAbs().maxCoeff(), 1e-15 * size);
    Vector c(order + 1);
    for (double& x : c) x = random.uniform(-1.0, 1.0);
    const Vector s = Vector::LinSpaced(9, 0.0, 1.0);
    const BasisMatrices A = basis_matrices(Basis::chebyshev, order, s),
                        B = basis_matrices(Basis::monomial, order, s);
    EXPECT_LT((A.value * c - B.value * (out * c)).cwiseAbs().maxCoeff(), 1e-14 * size);
    EXPECT_LT((A.first * c - B.first * (out * c)).cwiseAbs().maxCoeff(), 1e-13 * size);
    EXPECT_LT((A.second * c - B.second * (out * c)).cwiseAbs().maxCoeff(), 1e-11 * size);
  }
}

TEST(Basis, ChebyshevIsBetterConditionedThanMonomial) {
  const Vector s = Vector::LinSpaced(21, 0.0, 1.0);
  const auto condition = [&](Basis basis) {
    const Vector sigma = Matrix(basis_matrices(basis, 10, s).value).jacobiSvd().singularValues();
    return sigma[0] / sigma[sigma.size() - 1];
  };
  EXPECT_GT(condition(Basis::monomial), 1e6);
  EXPECT_LT(condition(Basis::chebyshev), 20.0);
}

TEST(Basis, GaussQuadratureIsExactForPolynomials) {
  for (int n : {1, 2, 3, 7, 20, 41}) {
    const Quadrature rule = gauss_quadrature(n);
    for (int j = 0; j < 2 * n; ++j)
      EXPECT_NEAR(rule.weights.dot(rule.nodes.array().pow(j).matrix()), 1.0 / (j + 1), 1e-14)
          << n << " " << j;
  }
}

struct Motion : testing::Test {
  double T = 0.7;
  Trajectory motion = [this] {
    const OwnedVector s = interpolation_nodes(14);
    OwnedMatrix samples(2, 15);
    for (int i = 0; i < 15; ++i)
      samples(0, i) = std::sin(2.0 * T * s[i]), samples(1, i) = std::exp(-T * s[i]);
    return interpolate(T, samples);
  }();
};

TEST_F(Motion, InterpolatesASmoothMotionAndItsDerivatives) {
  for (double t : {0.0, 0.1, 0.35, 0.7}) {
    EXPECT_NEAR(motion.position(t)[0], std::sin(2.0 * t), 1e-14);
    EXPECT_NEAR(motion.velocity(t)[0], 2.0 * std::cos(2.0 * t), 1e-12);
    // Rounding of the coefficients times the sum of T_j'' = j^2 (j^2 - 1) / 3 at the ends, 4 / T^2: 1e-15 *
    // 3e5.
    EXPECT_NEAR(motion.acceleration(t)[0], -4.0 * std::sin(2.0 * t), 3e-10);
    EXPECT_NEAR(motion.position(t)[1], std::exp(-t), 1e-14);
    EXPECT_NEAR(motion.acceleration(t)[1], std::exp(-t), 3e-10);
  }
}

TEST_F(Motion, IsTheSameInAnyBasisAndOrder) {
  const Trajectory other = motion.raised(18).in(Basis::monomial);
  EXPECT_EQ(other.order(), 18);
  for (double t : {0.0, 0.2, 0.7}) {
    EXPECT_LT((other.position(t) - motion.position(t)).norm(), 1e-9);
    EXPECT_LT((other.velocity(t) - motion.velocity(t)).norm(), 1e-8);
  }
}

TEST_F(Motion, PowersOfTimeAreTheTaylorSeries) {
  const OwnedMatrix b = motion.powers_of_time();
  EXPECT_NEAR(b(0, 0), 0.0, 1e-14);
  EXPECT_NEAR(b(0, 1), 2.0, 1e-12);
  EXPECT_NEAR(b(0, 3), -8.0 / 6.0, 1e-8);
  EXPECT_NEAR(b(1, 2), 0.5, 1e-9);
}

TEST_F(Motion, MistakesOfTheCallerAreRefused) {
  EXPECT_EQ(message_of([&] { motion.raised(3); }), "order 14 is raised to 3, expected at least 14");
  EXPECT_EQ(message_of([&] { basis_matrices(Basis::monomial, -1, Vector::Zero(1)); }),
            "order is -1, expected at least 0");
  EXPECT_EQ(message_of([&] { gauss_quadrature(0); }), "a quadrature of 0 nodes, expected at least 1");
}

}  // namespace
}  // namespace amble
