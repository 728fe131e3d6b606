#include "amble/base/test/message_of.hpp"
#include "amble/geometry/chart.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "amble/base/error.hpp"
#include "amble/geometry/test/random_geometry.hpp"

namespace amble::test {

namespace {

constexpr int kCases = 10;

ChartVector vector(std::initializer_list<double> numbers) {
  ChartVector v(numbers.size());
  std::copy(numbers.begin(), numbers.end(), v.begin());
  return v;
}

/// Any numbers near a rotation: formulas hold off the constraint too.
ChartVector random_theta(const Chart& chart, Random& random) {
  ChartVector theta = chart.from_rotation(random_rotation(random).matrix());
  for (double& x : theta) x += 0.1 * random.normal();
  return theta;
}

ChartVector random_rates(const Chart& chart, Random& random) {
  ChartVector v(chart.size());
  for (double& x : v) x = random.normal();
  return v;
}

/// rho of every built-in chart written once more, for any scalar, from the definitions in the documentation.
template <class T>
Matrix3<T> definition(const std::string& name, const T* t) {
  const auto turn = [](char axis, const T& angle) { return SO3<T>::about(axis - 'x', angle).matrix(); };
  if (name == "rpy") return turn('z', t[2]) * turn('y', t[1]) * turn('x', t[0]);
  if (name == "quaternion") {  // v -> q v q*
    const Quaternion<T> q{{t[1], t[2], t[3]}, t[0]};
    Matrix3<T> R;
    for (int i = 0; i < 3; ++i) R.col(i) = (q * Quaternion<T>{Vector3<T>::Unit(i), T(0.0)} * q.conjugate()).v;
    return R;
  }
  if (name == "matrix") return Eigen::Map<const Eigen::Matrix<T, 3, 3>>(t);
  if (name == "exponential") return Quaternion<T>::exp({t[0], t[1], t[2]}).matrix();
  return turn(name[0], t[0]) * turn(name[1], t[1]) * turn(name[2], t[2]);
}

class EveryChart : public testing::TestWithParam<std::string> {
 protected:
  ChartPtr c = chart(GetParam());
  Random random{42};
};

std::string named(const testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Chart, EveryChart, testing::ValuesIn(chart_names()), named);

}  // namespace

TEST_P(EveryChart, IsItsDefinition) {
  for (int k = 0; k < kCases; ++k) {
    const ChartVector theta = random_theta(*c, random);
    EXPECT_LT((c->rho(theta) - definition<double>(c->name(), theta.data())).norm(), 1e-14);
  }
}

TEST_P(EveryChart, PartialsAgreeWithAutomaticDifferentiation) {
  using D = Dual<double, 9>;
  for (int k = 0; k < kCases; ++k) {
    const ChartVector theta = random_theta(*c, random);
    D x[9];
    for (int i = 0; i < c->size(); ++i) x[i] = D::variable(theta[i], i);
    const Matrix3<D> R = definition<D>(c->name(), x);
    const ChartPartials partials = c->partials(theta);
    for (int i = 0; i < c->size(); ++i) {
      const Matrix3<double> expected = R.unaryExpr([i](const D& e) { return e.grad[i]; });
      EXPECT_LT((partials[i] - expected).norm(), 1e-13) << i;
    }
  }
}

TEST_P(EveryChart, PartialsAgreeWithCentralDifferences) {
  constexpr double h = 1e-5;
  for (int k = 0; k < kCases; ++k) {
    const ChartVector theta = random_theta(*c, random);
    const ChartPartials first = c->partials(theta);
    const ChartSecondPartials second = c->second_partials(theta);
    for (int i = 0; i < c->size(); ++i) {
      ChartVector plus = theta, minus = theta;
      plus[i] += h, minus[i] -= h;
      EXPECT_LT((first[i] - (c->rho(plus) - c->rho(minus)) / (2 * h)).norm(), 1e-9);
      const ChartPartials at_plus = c->partials(plus), at_minus = c->partials(minus);
      for (int j = 0; j < c->size(); ++j)
        EXPECT_LT((second[i][j] - (at_plus[j] - at_minus[j]) / (2 * h)).norm(), 1e-9) << i << " " << j;
    }
  }
}

// BK (3): [omega x] = Rdot R^T for any motion that stays on the manifold.
TEST_P(EveryChart, AngularVelocityIsThatOfTheMovingMatrix) {
  constexpr double h = 1e-5;
  for (int k = 0; k < kCases; ++k) {
    const SO3<double> R = random_rotation(random);
    const Vector3<double> w = random_vector<3>(random);
    const ChartVector theta = c->from_rotation(R.matrix());
    const auto at = [&](double t) { return c->from_rotation((R * SO3<double>::exp(t * w)).matrix(), theta); };
    const ChartVector thetadot = (at(h) - at(-h)) / (2 * h);
    const double tolerance = 1e-8 * (1.0 + thetadot.squaredNorm());
    EXPECT_LT((c->angular_velocity_jacobian_base(theta) * thetadot - w).norm(), tolerance);
    EXPECT_LT((c->angular_velocity_jacobian_global(theta) * thetadot - R * w).norm(), tolerance);
    const ChartVector exact = c->rates(theta, w);
    EXPECT_LT((exact - thetadot).norm(), 10.0 * tolerance * (1.0 + thetadot.norm()));
    Matrix3<double> Rdot = Matrix3<double>::Zero();
    const ChartPartials partials = c->partials(theta);
    for (int i = 0; i < c->size(); ++i) Rdot += exact[i] * partials[i];
    EXPECT_LT((unskew<double>(Rdot * R.matrix().transpose()) - R * w).norm(), 1e-12);
  }
}

TEST_P(EveryChart, JacobianRatesAgreeWithCentralDifferences) {
  constexpr double h = 1e-5;
  for (int k = 0; k < kCases; ++k) {
    const ChartVector theta = random_theta(*c, random), v = random_rates(*c, random);
    const ChartVector plus = theta + h * v, minus = theta - h * v;
    const auto slope = [&](auto f) {
      return (((c.get()->*f)(plus) - (c.get()->*f)(minus)) / (2 * h)).eval();
    };
    const auto expect_near = [](const auto& a, const auto& b) {
      EXPECT_LT((a - b).norm(), 1e-7 * (1.0 + b.norm()));
    };
    expect_near(c->angular_velocity_jacobian_global_dot(theta, v),
                slope(&Chart::angular_velocity_jacobian_global));
    expect_near(c->angular_velocity_jacobian_base_dot(theta, v),
                slope(&Chart::angular_velocity_jacobian_base));
    expect_near(c->constraint_bias(theta, v), ChartVector(slope(&Chart::constraint_jacobian) * v));
  }
}

TEST_P(EveryChart, ConstraintsVanishOnRotationsAndTheirJacobianIsTheirDerivative) {
  constexpr double h = 1e-6;
  for (int k = 0; k < kCases; ++k) {
    EXPECT_LT(c->constraints(c->from_rotation(random_rotation(random).matrix())).norm(), 1e-14);
    const ChartVector theta = random_theta(*c, random);
    const ChartMatrix G = c->constraint_jacobian(theta);
    ASSERT_EQ(G.rows(), c->size() - 3);
    ASSERT_EQ(c->constraint_count(), c->size() - 3);
    for (int i = 0; i < c->size(); ++i) {
      ChartVector plus = theta, minus = theta;
      plus[i] += h, minus[i] -= h;
      EXPECT_LT((G.col(i) - (c->constraints(plus) - c->constraints(minus)) / (2 * h)).norm(), 1e-8);
    }
  }
}

TEST_P(EveryChart, ConvertsToEveryOtherAndBack) {
  for (const std::string& name : chart_names()) {
    const ChartPtr other = chart(name);
    for (int k = 0; k < kCases; ++k) {
      const Matrix3<double> R = random_rotation(random).matrix();
      const ChartVector theta = c->from_rotation(R);
      const ChartVector there = convert(*c, theta, *other);
      EXPECT_LT((other->rho(there) - R).norm(), 1e-14 * 2) << name;
      const ChartVector back = convert(*other, there, *c, theta);
      // Coordinates may be as badly conditioned as the chart is near its singularity.
      EXPECT_LT((back - theta).norm(), 1e-14 / c->singularity_measure(theta) * 4) << name;
      if (std::min(c->singularity_measure(theta), other->singularity_measure(there)) < 0.05) continue;
      const ChartVector v = c->rates(theta, random_vector<3>(random));
      const ChartVector v_there = convert_rates(*c, theta, v, *other, there);
      EXPECT_LT((other->angular_velocity_jacobian_base(there) * v_there -
                 c->angular_velocity_jacobian_base(theta) * v)
                    .norm(),
                1e-12);
      EXPECT_LT((convert_rates(*other, there, v_there, *c, theta) - v).norm(), 1e-11);
    }
  }
}

TEST_P(EveryChart, ReadsRotationsAtAndNearItsSingularitiesAndHalfTurns) {
  const auto check = [&](const Matrix3<double>& R) {
    EXPECT_LT((c->rho(c->from_rotation(R)) - R).norm(), 1e-14) << R;
  };
  for (int first = 0; first < 3; ++first)
    for (int second = 0; second < 3; ++second)
      for (double angle : {0.0, M_PI_2, M_PI, -M_PI_2})
        for (double off : {0.0, 1e-17, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3})
          check((SO3<double>::about(first, 0.3) * SO3<double>::about(second, angle + off) *
                 SO3<double>::about(first, 0.7))
                    .matrix());
}

TEST_P(EveryChart, AHintPicksTheNearestCoordinates) {
  for (int k = 0; k < kCases; ++k) {
    // A long continuous motion: coordinates followed with hints never jump, whatever the principal range.
    SO3<double> R = random_rotation(random);
    const Vector3<double> w = random_direction(random);
    ChartVector theta = c->from_rotation(R.matrix());
    for (int step = 0; step < 400; ++step) {
      R = R * SO3<double>::exp(0.01 * w);
      const ChartVector next = c->from_rotation(R.matrix(), theta);
      ASSERT_LT((c->rho(next) - R.matrix()).norm(), 1e-13);
      ASSERT_LT((next - theta).norm(), 0.02 / c->singularity_measure(theta) + 0.02) << "step " << step;
      theta = next;
    }
  }
}

TEST_P(EveryChart, RefusesWhatDoesNotFit) {
  const ChartVector wrong = ChartVector::Zero(c->size() == 9 ? 8 : c->size() + 1);
  EXPECT_EQ(message_of([&] { c->rho(wrong); }), "theta of chart '" + c->name() + "' has " +
                                                 std::to_string(wrong.size()) + " numbers: expected " +
                                                 std::to_string(c->size()));
  EXPECT_NE(message_of([&] { c->from_rotation(2.0 * Matrix3<double>::Identity()); })
                .find("the rotation given to chart '" + c->name() +
                      "' is not a rotation: R^T R differs from the identity"),
            std::string::npos);
  EXPECT_NE(message_of([&] { c->from_rotation(-Matrix3<double>::Identity()); }).find("is a reflection"),
            std::string::npos);
  ChartVector bad = c->from_rotation(Matrix3<double>::Identity());
  EXPECT_NE(message_of([&] { c->from_rotation(Matrix3<double>::Identity(), wrong); }).find("the hint of chart"),
            std::string::npos);
  bad[0] = NAN;
  EXPECT_EQ(message_of([&] { c->rotation(bad); }),
            "theta of chart '" + c->name() + "' has a number that is not finite");
}

TEST(Chart, QuaternionJacobianAnnihilatesTheta) {
  Random random(1);
  const ChartPtr c = chart("quaternion");
  for (int k = 0; k < 50; ++k) {
    const ChartVector theta = random_vector<4>(random);  // of any norm
    EXPECT_LT((c->angular_velocity_jacobian_base(theta) * theta).norm(), 1e-13 * std::pow(theta.norm(), 6));
    EXPECT_LT((c->angular_velocity_jacobian_global(theta) * theta).norm(), 1e-13 * std::pow(theta.norm(), 4));
  }
}

TEST(Chart, QuaternionRatesAreHalfTheProductWithTheBodyVelocity) {
  Random random(2);
  const ChartPtr c = chart("quaternion");
  for (int k = 0; k < 50; ++k) {
    const Vector4<double> q = random_vector<4>(random).normalized();
    const Vector3<double> w = random_vector<3>(random);
    const Quaternion<double> product = Quaternion<double>{q.tail<3>(), q[0]} * Quaternion<double>{w, 0.0};
    const Vector4<double> expected =
        0.5 * Vector4<double>(product.w, product.v[0], product.v[1], product.v[2]);
    EXPECT_LT((c->rates(q, w) - expected).norm(), 1e-14);
  }
}

TEST(Chart, ExponentialPartialsAreTheLeftJacobian) {
  Random random(3);
  const ChartPtr c = chart("exponential");
  for (double angle : {0.0, 1e-12, 1e-3, 1.0, 2.0, 3.0, 5.0}) {
    const Vector3<double> w = angle * random_direction(random);
    const Matrix3<double> R = SO3<double>::exp(w).matrix(), J = SO3<double>::left_jacobian(w);
    const ChartPartials partials = c->partials(w);
    for (int i = 0; i < 3; ++i) EXPECT_LT((partials[i] - skew<double>(J.col(i)) * R).norm(), 1e-14);
    EXPECT_LT((c->angular_velocity_jacobian_global(w) - J).norm(), 1e-14);
    EXPECT_LT((c->angular_velocity_jacobian_base(w) - SO3<double>::right_jacobian(w)).norm(), 1e-14);
  }
}

TEST(Chart, SingularityMeasureIsWhatTheHeaderSays) {
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    const Matrix3<double> R = random_rotation(random).matrix();
    for (auto [name, expected] : {std::pair{"quaternion", 2.0}, {"matrix", std::sqrt(0.5)}}) {
      const ChartPtr c = chart(name);
      EXPECT_NEAR(c->singularity_measure(c->from_rotation(R)), expected, 1e-14) << name;
    }
    const double p = random.uniform(-4.0, 4.0), a = random.uniform(0.1, 6.5);
    const ChartVector rpy = vector({random.normal(), p, random.normal()});
    EXPECT_NEAR(chart("rpy")->singularity_measure(rpy), std::sqrt(1.0 - std::abs(std::sin(p))), 1e-8);
    const ChartVector w = a * random_direction(random);
    EXPECT_NEAR(chart("exponential")->singularity_measure(w), std::abs(std::sin(a / 2)) / (a / 2), 1e-14);
  }
}

TEST(Chart, SingularityMeasureIsZeroAtGimbalLock) {
  EXPECT_LT(chart("rpy")->singularity_measure(vector({0.3, M_PI_2, -0.4})), 1e-15);
  EXPECT_LT(chart("rpy")->singularity_measure(vector({0.3, -M_PI_2, -0.4})), 1e-15);
  EXPECT_LT(chart("zxz")->singularity_measure(vector({0.3, 0.0, -0.4})), 1e-15);
  EXPECT_LT(chart("zxz")->singularity_measure(vector({0.3, M_PI, -0.4})), 1e-15);
  EXPECT_LT(chart("exponential")->singularity_measure(vector({0.0, 2.0 * M_PI, 0.0})), 1e-15);
}

TEST(Chart, RatesAtGimbalLockAreRefusedWithTheMeasure) {
  const std::string m = message_of([] {
    chart("rpy")->rates(vector({0.0, M_PI_2, 0.0}), Vector3<double>::Ones());
  });
  EXPECT_NE(m.find("chart 'rpy' is singular here: its singularity measure is"), std::string::npos) << m;
  EXPECT_NE(m.find("less than 1e-09"), std::string::npos) << m;
}

TEST(Chart, AtGimbalLockTheFirstTurnIsTheHints) {
  const ChartPtr c = chart("rpy");
  const Matrix3<double> R = c->rho(vector({0.3, M_PI_2, 0.8}));
  EXPECT_NEAR(c->from_rotation(R)[2], 0.0, 1e-15);
  EXPECT_NEAR(c->from_rotation(R, vector({0.2, 1.5, 0.8}))[2], 0.8, 1e-15);
  EXPECT_NEAR(c->from_rotation(R, vector({0.2, 1.5, 0.8}))[0], 0.3, 1e-15);
}

TEST(Chart, WhatIsNotOnTheManifoldIsRefusedAndSmallErrorsAreRemoved) {
  EXPECT_EQ(message_of([] { convert(*chart("quaternion"), ChartVector::Zero(4), *chart("rpy")); }),
            "theta = (0, 0, 0, 0) of chart 'quaternion' is not on its manifold: a constraint that must "
            "vanish is off by 1, "
            "more than 2e-06");
  EXPECT_NE(message_of([] {
              chart("matrix")->rotation(vector({1, 0, 0, 0, 1, 0, 0, 0.1, 1}));
            }).find("is not on its manifold"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              chart("matrix")->rotation(vector({1, 0, 0, 0, 1, 0, 0, 0, -1}));
            }).find("is a reflection"),
            std::string::npos);
  const Matrix3<double> R =
      chart("quaternion")->rotation(vector({0.6 * (1.0 + 4e-7), 0.8 * (1.0 + 4e-7), 0.0, 0.0})).matrix();
  EXPECT_LT((R - SO3<double>::about(0, 2.0 * std::atan2(0.8, 0.6)).matrix()).norm(), 2e-15);
}

TEST(Chart, UnknownNamesAreRefusedWithTheValidOnes) {
  EXPECT_EQ(message_of([] { chart("xxy"); }),
            "there is no chart 'xxy': expected one of rpy, quaternion, matrix, exponential, xyx, xyz, xzx, "
            "xzy, yxy, yxz, "
            "yzx, yzy, zxy, zxz, zyx, zyz");
}

}  // namespace amble::test
