#include "amble/verify/simulation/elliptic.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace amble {
namespace {

TEST(Elliptic, JacobisFunctionsInvertTheIntegralOfTheFirstKind) {
  for (const double m : {0.0, 1e-9, 0.2, 0.7, 0.999})
    for (double u = -9.0; u < 9.0; u += 0.37) {
      const Jacobi e = jacobi(u, m);
      EXPECT_NEAR(std::ellint_1(std::sqrt(m), e.am), u, 1e-13 * (1.0 + std::abs(u))) << m;
      EXPECT_NEAR(e.sn * e.sn + e.cn * e.cn, 1.0, 1e-15);
      EXPECT_NEAR(m * e.sn * e.sn + e.dn * e.dn, 1.0, 1e-15);
    }
}

TEST(Elliptic, TheirSlopesAreTheProductsOfTheOthers) {
  constexpr double kStep = 1e-5;
  for (const double m : {0.1, 0.6})
    for (double u = 0.1; u < 6.0; u += 0.5) {
      const Jacobi a = jacobi(u - kStep, m), e = jacobi(u, m), b = jacobi(u + kStep, m);
      EXPECT_NEAR((b.sn - a.sn) / (2 * kStep), e.cn * e.dn, 1e-9);
      EXPECT_NEAR((b.cn - a.cn) / (2 * kStep), -e.sn * e.dn, 1e-9);
      EXPECT_NEAR((b.dn - a.dn) / (2 * kStep), -m * e.sn * e.cn, 1e-9);
      EXPECT_NEAR((b.am - a.am) / (2 * kStep), e.dn, 1e-9);
    }
}

/// The sign of its parameter differs between books: 1 - n sin^2 is in the denominator here.
TEST(Elliptic, TheStandardLibrarysThirdKindIsTheIntegral) {
  constexpr int kPoints = 2000;
  const double k = 0.6, n = -0.4, end = 4.0;
  double sum = 0.0;  // Simpson's rule
  for (int i = 0; i <= kPoints; ++i) {
    const double s = std::sin(end * i / kPoints), weight = i == 0 || i == kPoints ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight / ((1.0 - n * s * s) * std::sqrt(1.0 - k * k * s * s));
  }
  EXPECT_NEAR(std::ellint_3(k, n, end), sum * end / kPoints / 3.0, 1e-12);
}

}  // namespace
}  // namespace amble
