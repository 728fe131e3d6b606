#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "amble/geometry/se2.hpp"
#include "amble/geometry/test/quad.hpp"
#include "amble/geometry/test/random_geometry.hpp"

// Sweeps across every series switch, and up to and beyond pi, against 113-bit arithmetic.
namespace amble::test {

namespace {

constexpr double kPi = M_PI;

/// Angles from 1e-12 up, dense everywhere and crowded on both sides of each of `seams`.
std::vector<double> angles_up_to(double last, const std::vector<double>& seams) {
  std::vector<double> angles;
  for (double e = -12.0; e < 0.0; e += 0.25) angles.push_back(std::pow(10.0, e));
  for (double a = 0.01; a < last; a += 0.05) angles.push_back(a);
  for (double s : seams) {
    angles.push_back(s);
    for (int k = 1; k <= 16; ++k)
      for (double side : {-1.0, 1.0}) angles.push_back(s + side * std::pow(10.0, -k));
  }
  std::erase_if(angles, [&](double a) { return a > last; });
  return angles;
}

/// Where formulas switch: angle 2 (Stumpff), 4 (the same for a half angle), 2 atan 0.1 (log), and pi.
const std::vector<double> kSeams{2.0, 4.0, 2.0 * std::atan(0.1), kPi};

void sweep(double last,
           const std::function<void(double, const Vector3<double>&, const Vector3<double>&)>& check) {
  Random random(7);
  for (double angle : angles_up_to(last, kSeams))
    for (int k = 0; k < 2; ++k) {
      const Vector3<double> w = angle * random_direction(random);
      check(angle, w, random_vector<3>(random, std::pow(10.0, random.integer(-3, 3))));
      if (testing::Test::HasFailure()) {
        std::cerr << "at angle " << angle << ", w = " << w.transpose() << "\n";
        return;
      }
    }
}

constexpr double kTolerance = 1e-14;  // relative, Frobenius norm

double distance_to_two_pi(double angle) { return std::abs(2.0 * kPi - angle); }

}  // namespace

TEST(Seam, StumpffFunctionsAreGoodToAFewUlp) {
  double worst[7] = {};  // in units of c_k(0) = 1/k!
  for (double angle : angles_up_to(2.0 * kPi, kSeams)) {
    const double x = angle * angle;
    const Stumpff<double> s = stumpff(x);
    const double ours[] = {s.c0, s.c1, s.c2, s.c3, s.c4, s.c5, s.c6};
    for (int k = 0; k < 7; ++k) {
      Quad term = 1, sum = 1;  // sum of (-x)^j k! / (2j + k)!
      for (int j = 1; j < 60; ++j) sum += (term *= -Quad(x) / ((2 * j + k) * (2 * j + k - 1)));
      Quad factorial = 1;
      for (int i = 2; i <= k; ++i) factorial *= i;
      worst[k] = std::max(worst[k], std::abs(static_cast<double>(ours[k] * factorial - sum)));
    }
  }
  for (int k = 0; k <= 3; ++k) EXPECT_LT(worst[k], 1e-15) << k;
  for (int k = 4; k <= 6; ++k) EXPECT_LT(worst[k], 4e-15) << k;
}

TEST(Seam, RotationExponential) {
  sweep(9.0, [](double, const Vector3<double>& w, const Vector3<double>&) {
    const QuadMatrix<3> exact = exponential_series(quad_skew(w), 0);
    EXPECT_LT((deviation<3, 3>(SO3<double>::exp(w).matrix(), exact).relative()), kTolerance);
    EXPECT_LT((deviation<3, 3>(Quaternion<double>::exp(w).matrix(), exact).relative()), kTolerance);
  });
}

TEST(Seam, RotationLogarithm) {
  sweep(kPi, [](double angle, const Vector3<double>& w, const Vector3<double>&) {
    const Vector3<double> log = SO3<double>(rounded(exponential_series(quad_skew(w), 0))).log();
    double error = (log - w).norm();
    // A matrix in doubles cannot tell angles this close to pi from the same beyond it: both signs are right.
    if (kPi - angle < 1e-15) error = std::min(error, (log + w).norm());
    EXPECT_LT(error, kTolerance * angle);
  });
}

TEST(Seam, LogarithmBeyondPiIsTheShorterWayRound) {
  Random random(8);
  for (double beyond : {1e-12, 1e-6, 1e-3, 0.5, 2.0, 3.0}) {
    const Vector3<double> axis = random_direction(random), w = (kPi + beyond) * axis;
    const Vector3<double> log = SO3<double>(rounded(exponential_series(quad_skew(w), 0))).log();
    EXPECT_LT((log - (beyond - kPi) * axis).norm(), 4e-15) << beyond;
  }
}

TEST(Seam, RotationJacobians) {
  sweep(9.0, [](double, const Vector3<double>& w, const Vector3<double>&) {
    const Matrix3<double> left = SO3<double>::left_jacobian(w), right = SO3<double>::right_jacobian(w);
    EXPECT_LT((deviation<3, 3>(left, exponential_series(quad_skew(w), 1)).relative()), kTolerance);
    EXPECT_LT((deviation<3, 3>(right, exponential_series(quad_skew(-w), 1)).relative()), kTolerance);
  });
}

TEST(Seam, RotationJacobianInverses) {
  sweep(2.0 * kPi - 0.25, [](double, const Vector3<double>& w, const Vector3<double>&) {
    const QuadMatrix<3> left = inverse(exponential_series(quad_skew(w), 1));
    const QuadMatrix<3> right = inverse(exponential_series(quad_skew(-w), 1));
    EXPECT_LT((deviation<3, 3>(SO3<double>::left_jacobian_inverse(w), left).relative()), kTolerance);
    EXPECT_LT((deviation<3, 3>(SO3<double>::right_jacobian_inverse(w), right).relative()), kTolerance);
  });
}

// There the inverse grows as 1/delta with delta = 2 pi - |w|, and one ulp of |w| alone changes it by
// 9e-16/delta relative. The bound allows two ulp.
TEST(Seam, JacobianInversesNearTwoPiAreAsGoodAsTheirConditionAllows) {
  Random random(9);
  for (int k = 1; k <= 13; ++k)
    for (double side : {-1.0, 1.0}) {
      const double angle = 2.0 * kPi + side * std::pow(10.0, -k), delta = distance_to_two_pi(angle);
      const Twist<double> V(random_vector<3>(random), angle * random_direction(random));
      const double bound = kTolerance + 2e-15 / delta;
      const QuadMatrix<3> rotation = inverse(exponential_series(quad_skew(V.angular()), 1));
      EXPECT_LT((deviation<3, 3>(SO3<double>::left_jacobian_inverse(V.angular()), rotation).relative()),
                bound)
          << delta;
      const QuadMatrix<6> pose = inverse(exponential_series(quad_ad(V), 1));
      EXPECT_LT((deviation<6, 6>(SE3<double>::left_jacobian_inverse(V), pose).relative()), 2.0 * bound)
          << delta;
    }
}

TEST(Seam, PoseExponential) {
  sweep(9.0, [](double, const Vector3<double>& w, const Vector3<double>& u) {
    const Twist<double> V(u, w);
    const Matrix4<double> ours = SE3<double>::exp(V).matrix();
    const QuadMatrix<4> exact = exponential_series(quad_twist(V), 0);
    EXPECT_LT((deviation<3, 3>(ours, exact).relative()), kTolerance);
    // Near full turns the translation may be much smaller than the velocity that makes it.
    EXPECT_LT((deviation<3, 1>(ours, exact, 0, 3).error), kTolerance * u.norm());
  });
}

TEST(Seam, PoseLogarithm) {
  sweep(kPi - 1e-15, [](double angle, const Vector3<double>& w, const Vector3<double>& u) {
    const Twist<double> log = SE3<double>(rounded(exponential_series(quad_twist({u, w}), 0))).log();
    EXPECT_LT((log.angular() - w).norm(), kTolerance * angle);
    EXPECT_LT((log.linear() - u).norm(), kTolerance * u.norm());
  });
}

// The block that couples rotation into translation is compared by itself: it must not hide behind larger
// ones.
TEST(Seam, PoseJacobians) {
  sweep(2.0 * kPi, [](double, const Vector3<double>& w, const Vector3<double>& u) {
    const Twist<double> V(u, w);
    const QuadMatrix<6> left = exponential_series(quad_ad(V), 1), right = exponential_series(quad_ad(-V), 1);
    for (int col : {0, 3}) {
      EXPECT_LT((deviation<3, 3>(SE3<double>::left_jacobian(V), left, 0, col).relative()), kTolerance);
      EXPECT_LT((deviation<3, 3>(SE3<double>::right_jacobian(V), right, 0, col).relative()), kTolerance);
    }
  });
}

TEST(Seam, PoseJacobianInverses) {
  sweep(2.0 * kPi - 0.25, [](double, const Vector3<double>& w, const Vector3<double>& u) {
    const Twist<double> V(u, w);
    const QuadMatrix<6> left = inverse(exponential_series(quad_ad(V), 1));
    const QuadMatrix<6> right = inverse(exponential_series(quad_ad(-V), 1));
    for (int col : {0, 3}) {
      EXPECT_LT((deviation<3, 3>(SE3<double>::left_jacobian_inverse(V), left, 0, col).relative()),
                kTolerance);
      EXPECT_LT((deviation<3, 3>(SE3<double>::right_jacobian_inverse(V), right, 0, col).relative()),
                kTolerance);
    }
  });
}

// A motion in the plane is a motion in space that keeps z: rows and columns 0, 1 and 5 of its matrices.
TEST(Seam, ThePlaneIsExactWhereSpaceIs) {
  const auto planar = [](const Matrix6<double>& m) { return Matrix3<double>(m({0, 1, 5}, {0, 1, 5})); };
  sweep(2.0 * kPi - 0.25, [&](double angle, const Vector3<double>& w, const Vector3<double>& u) {
    const double turn = w[0] < 0.0 ? -angle : angle;
    const Vector3<double> v(u[0], u[1], turn);
    const Twist<double> V({u[0], u[1], 0.0}, {0.0, 0.0, turn});
    const QuadMatrix<6> left = exponential_series(quad_ad(V), 1);
    const Matrix3<double> J = planar(rounded(left)), Jinv = planar(rounded(inverse(left)));
    EXPECT_LT((SE2<double>::left_jacobian(v) - J).norm(), kTolerance * J.norm());
    EXPECT_LT((SE2<double>::left_jacobian_inverse(v) - Jinv).norm(), kTolerance * Jinv.norm());
    const Matrix4<double> X = rounded(exponential_series(quad_twist(V), 0));
    EXPECT_LT((SE2<double>::exp(v).matrix() - X({0, 1, 3}, {0, 1, 3})).norm(), kTolerance * (1.0 + u.norm()));
    if (angle < kPi) {
      EXPECT_LT((SE2<double>::exp(v).log() - v).norm(), kTolerance * v.norm());
    }
  });
}

TEST(Seam, ZeroAndDenormalsAreExact) {
  for (double tiny : {0.0, -0.0, 5e-324, 1e-310, 2.3e-308, 1e-200, 1e-155}) {
    const Vector3<double> w(tiny, -tiny, 0.5 * tiny), u(1.0, 2.0, 3.0);
    const Twist<double> V(u, w);
    Matrix3<double> first_order = Matrix3<double>::Identity() + skew<double>(w);
    EXPECT_EQ(SO3<double>::exp(w).matrix(), first_order) << tiny;
    EXPECT_LE((SO3<double>::exp(w).log() - w).norm(), 1e-15 * std::abs(tiny) + 5e-324) << tiny;
    EXPECT_EQ(SO3<double>::left_jacobian(w).diagonal(), Vector3<double>::Ones());
    EXPECT_EQ(SE3<double>::exp(V).translation(), u);
    EXPECT_EQ(SE3<double>::exp(V).log().linear(), u);
    EXPECT_TRUE(SE3<double>::left_jacobian(V).allFinite());
    EXPECT_TRUE(SE3<double>::left_jacobian_inverse(V).allFinite());
    const Matrix3<double> corner = SE3<double>::left_jacobian_inverse(V).topRightCorner<3, 3>();
    EXPECT_LE((corner + 0.5 * skew<double>(u)).cwiseAbs().maxCoeff(), 2.0 * std::abs(tiny)) << tiny;
  }
}

TEST(Seam, AHalfTurnHasTheAxisWhoseLargestComponentIsPositive) {
  Random random(10);
  for (int k = 0; k < 200; ++k) {
    const Vector3<double> axis = random_direction(random);
    const Matrix3<double> R = 2.0 * axis * axis.transpose() - Matrix3<double>::Identity();
    const Vector3<double> log = SO3<double>(R).log();
    int largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    const double sign = axis[largest] > 0.0 ? 1.0 : -1.0;
    EXPECT_LT((log - sign * kPi * axis).norm(), 4e-15) << axis.transpose();
  }
}

TEST(Seam, HalfTurnsAboutTheCoordinateAxesAreExact) {
  for (int i = 0; i < 3; ++i) {
    Matrix3<double> R = -Matrix3<double>::Identity();
    R(i, i) = 1.0;
    EXPECT_EQ(SO3<double>(R).log(), Vector3<double>(kPi * Vector3<double>::Unit(i)));
  }
}

TEST(Seam, QuaternionLogarithmTakesEitherSign) {
  Random random(11);
  for (double angle : angles_up_to(kPi - 1e-9, kSeams)) {
    const Vector3<double> w = angle * random_direction(random);
    const Quaternion<double> q = Quaternion<double>::exp(w), minus{-q.v, -q.w};
    EXPECT_LT((q.log() - w).norm(), kTolerance * angle) << angle;
    EXPECT_EQ(q.log(), minus.log());
  }
}

TEST(Seam, QuaternionOfAMatrixGivesTheMatrixBack) {
  Random random(12);
  for (int k = 0; k < 2000; ++k) {
    const SO3<double> R = random_rotation(random);
    const Quaternion<double> q = R.quaternion();
    EXPECT_GE(q.w, 0.0);
    EXPECT_NEAR(q.squared_norm(), 1.0, 2e-15);
    EXPECT_LT((q.matrix() - R.matrix()).norm(), 4e-15);
  }
}

}  // namespace amble::test
