#include "amble/base/test/message_of.hpp"
#include "amble/geometry/user_chart.hpp"

#include <gtest/gtest.h>

#include "amble/base/error.hpp"
#include "amble/geometry/test/random_geometry.hpp"

namespace amble::test {

namespace {

/// Modified Rodrigues parameters s = axis tan(angle/4).
struct ModifiedRodrigues {
  template <class T>
  Matrix3<T> operator()(const T* s) const {
    const Vector3<T> v(s[0], s[1], s[2]);
    const Matrix3<T> S = skew<T>(v);
    const T n = v.squaredNorm(), f = T(1.0) / ((T(1.0) + n) * (T(1.0) + n));
    return Matrix3<T>::Identity() + T(8.0) * f * (S * S) + T(4.0) * (T(1.0) - n) * f * S;
  }
};

/// A unit quaternion with the diagonal as BK (11) prints it.
struct PrintedQuaternion {
  template <class T>
  Matrix3<T> operator()(const T* t) const {
    const T a = t[0], b = t[1], c = t[2], d = t[3], one(1.0), two(2.0);
    Matrix3<T> R;
    R << two * (a * a + b * b) - one, two * (b * c - a * d), two * (b * d + a * c),  //
        two * (b * c + a * d), two * (a * a + c * c) - one, two * (c * d - a * b),   //
        two * (b * d - a * c), two * (c * d + a * b), two * (a * a + d * d) - one;
    return R;
  }
};

std::vector<SecondOrder> unit_norm(const SecondOrder* t) {
  return {t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + t[3] * t[3] - SecondOrder(1.0)};
}

ChartDefinition quaternion_definition() {
  return {.name = "printed",
          .size = 4,
          .rho = PrintedQuaternion{},
          .constraints = unit_norm,
          .start = {1, 0, 0, 0}};
}

}  // namespace

TEST(UserChart, RhoAloneGivesTheClosedFormsOfModifiedRodriguesParameters) {
  const ChartPtr mrp = user_chart({.name = "mrp", .size = 3, .rho = ModifiedRodrigues{}});
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const Vector3<double> axis = random_direction(random);
    const double angle = random.uniform(0.0, 3.0);
    const Vector3<double> s = std::tan(angle / 4) * axis;
    EXPECT_LT((mrp->rho(s) - SO3<double>::exp(angle * axis).matrix()).norm(), 1e-14);
    // Schaub and Junkins: sdot = B omega / 4 with B = (1 - s.s) 1 + 2 [s x] + 2 s s^T, and B^-1 = B^T / (1 +
    // s.s)^2.
    const double n = s.squaredNorm();
    const Matrix3<double> B =
        (1 - n) * Matrix3<double>::Identity() + 2 * skew<double>(s) + 2 * Matrix3<double>(s * s.transpose());
    EXPECT_LT((mrp->angular_velocity_jacobian_base(s) - 4 * B.transpose() / ((1 + n) * (1 + n))).norm(),
              1e-13);
    EXPECT_LT((mrp->from_rotation(SO3<double>::exp(angle * axis).matrix()) - s).norm(), 1e-12);
    const Vector3<double> w = random_vector<3>(random);
    EXPECT_LT((mrp->rates(s, w) - 0.25 * B * w).norm(), 1e-13);
    EXPECT_NEAR(mrp->singularity_measure(s), 4 / (1 + n), 1e-13);
  }
}

TEST(UserChart, DerivativesAgreeWithCentralDifferences) {
  const ChartPtr mrp = user_chart({.name = "mrp", .size = 3, .rho = ModifiedRodrigues{}});
  constexpr double h = 1e-5;
  const ChartVector s = Vector3<double>(0.2, -0.3, 0.4), v = Vector3<double>(1.0, 0.5, -0.7);
  const ChartPartials first = mrp->partials(s);
  const ChartSecondPartials second = mrp->second_partials(s);
  for (int i = 0; i < 3; ++i) {
    ChartVector plus = s, minus = s;
    plus[i] += h, minus[i] -= h;
    EXPECT_LT((first[i] - (mrp->rho(plus) - mrp->rho(minus)) / (2 * h)).norm(), 1e-9);
    for (int j = 0; j < 3; ++j)
      EXPECT_LT((second[i][j] - (mrp->partials(plus)[j] - mrp->partials(minus)[j]) / (2 * h)).norm(), 1e-8);
  }
  const ChartVector plus = s + h * v, minus = s - h * v;
  EXPECT_LT(
      (mrp->angular_velocity_jacobian_base_dot(s, v) -
       (mrp->angular_velocity_jacobian_base(plus) - mrp->angular_velocity_jacobian_base(minus)) / (2 * h))
          .norm(),
      1e-8);
}

TEST(UserChart, ConstraintsComeWithTheirDerivatives) {
  const ChartPtr mine = user_chart(quaternion_definition()), built_in = chart("quaternion");
  Random random(2);
  for (int k = 0; k < 20; ++k) {
    const Vector4<double> t = random_vector<4>(random), v = random_vector<4>(random);
    EXPECT_EQ(mine->constraint_count(), 1);
    EXPECT_NEAR(mine->constraints(t)[0], built_in->constraints(t)[0], 1e-14);
    EXPECT_LT((mine->constraint_jacobian(t) - built_in->constraint_jacobian(t)).norm(), 1e-14);
    EXPECT_NEAR(mine->constraint_bias(t, v)[0], built_in->constraint_bias(t, v)[0], 1e-13);
  }
}

// The printed diagonal differs from the homogeneous one off the manifold only: same angular velocity along
// tangents.
TEST(UserChart, BothQuaternionsAreTheSameOnTheManifold) {
  const ChartPtr mine = user_chart(quaternion_definition()), built_in = chart("quaternion");
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Vector4<double> t = random_vector<4>(random).normalized();
    const Vector3<double> w = random_vector<3>(random);
    EXPECT_LT((mine->rho(t) - built_in->rho(t)).norm(), 1e-14);
    EXPECT_LT((mine->rates(t, w) - built_in->rates(t, w)).norm(), 1e-13);
    EXPECT_NEAR(mine->singularity_measure(t), 2.0, 1e-13);
    const Matrix3<double> R = random_rotation(random).matrix();
    const ChartVector found = mine->from_rotation(R), expected = built_in->from_rotation(R, found);
    EXPECT_LT((found - expected).norm(), 1e-12);
  }
}

TEST(UserChart, AHintIsWhereTheSearchStarts) {
  const ChartPtr mine = user_chart(quaternion_definition());
  const Matrix3<double> R = SO3<double>::about(2, 1.0).matrix();
  const ChartVector minus = -chart("quaternion")->from_rotation(R);
  EXPECT_LT((mine->from_rotation(R, minus) - minus).norm(), 1e-12);
}

TEST(UserChart, ConvertsToAndFromTheBuiltInOnes) {
  const ChartPtr mrp = user_chart({.name = "mrp", .size = 3, .rho = ModifiedRodrigues{}});
  Random random(4);
  for (const std::string& name : chart_names()) {
    const ChartPtr other = chart(name);
    for (int k = 0; k < 5; ++k) {
      const Matrix3<double> R = random_rotation(random).matrix();
      const ChartVector s = convert(*other, other->from_rotation(R), *mrp);
      EXPECT_LT((mrp->rho(s) - R).norm(), 1e-12);
      EXPECT_LT((other->rho(convert(*mrp, s, *other)) - R).norm(), 1e-12);
    }
  }
}

TEST(UserChart, GivenDerivativesAreUsed) {
  int calls = 0;
  ChartDefinition definition{.name = "mine", .size = 3, .rho = ModifiedRodrigues{}};
  const ChartPtr automatic = user_chart(definition);
  definition.partials = [&](const double* t) {
    ++calls;
    const ChartPartials p = automatic->partials(Eigen::Map<const Eigen::Vector3d>(t));
    return std::vector<Matrix3<double>>(p.begin(), p.begin() + 3);
  };
  const ChartPtr given = user_chart(definition);
  calls = 0;
  const Vector3<double> s(0.1, 0.2, 0.3);
  EXPECT_EQ(given->partials(s)[1], automatic->partials(s)[1]);
  EXPECT_EQ(calls, 1);
}

TEST(UserChart, WrongDerivativesAreRefused) {
  const std::vector<Matrix3<double>> zeros(3, Matrix3<double>::Zero());
  ChartDefinition d{.name = "wrong", .size = 3, .rho = ModifiedRodrigues{}};
  d.partials = [&](const double*) { return zeros; };
  EXPECT_NE(message_of([&] {
              user_chart(d);
            }).find("the partial derivatives given for chart 'wrong' are not those of its rho"),
            std::string::npos);
  d.partials = [&](const double*) { return std::vector<Matrix3<double>>(2); };
  EXPECT_EQ(message_of([&] { user_chart(d); }), "partials of chart 'wrong' returned 2 values: expected 3");
}

TEST(UserChart, WhatIsNoChartIsRefused) {
  EXPECT_EQ(message_of([] { user_chart({.name = "a", .size = 2, .rho = ModifiedRodrigues{}}); }),
            "chart 'a' has 2 coordinates: expected 3 to 9");
  EXPECT_EQ(message_of([] { user_chart({.name = "a", .size = 10, .rho = ModifiedRodrigues{}}); }),
            "chart 'a' has 10 coordinates: expected 3 to 9");
  EXPECT_EQ(message_of([] { user_chart({.name = "a"}); }),
            "chart 'a' has no rho: expected a function from theta to R");
  EXPECT_EQ(message_of([] { user_chart({.name = "a", .rho = ModifiedRodrigues{}, .start = {1.0}}); }),
            "start of chart 'a' has 1 numbers: expected 3");
  ChartDefinition at_zero = quaternion_definition();
  at_zero.start.clear();
  EXPECT_NE(
      message_of([&] { user_chart(at_zero); }).find("chart 'printed' does not work at its start coordinates"),
      std::string::npos);
  ChartDefinition crowded = quaternion_definition();
  crowded.constraints = [](const SecondOrder*) { return std::vector<SecondOrder>(5); };
  EXPECT_EQ(message_of([&] { user_chart(crowded); }),
            "chart 'printed' has 5 constraints: expected at most 4, as many as coordinates");
  const auto stretched = [](const auto* t) { return (2.0 * ModifiedRodrigues{}(t)).eval(); };
  EXPECT_NE(message_of([&] {
              user_chart({.name = "b", .rho = stretched});
            }).find("rho of chart 'b' is not a rotation"),
            std::string::npos);
  const auto flat = [](const auto* t) {
    using T = std::decay_t<decltype(*t)>;
    return (SO3<T>::about(2, t[0]) * SO3<T>::about(1, t[1]) * SO3<T>::about(2, t[2])).matrix();
  };
  EXPECT_NE(
      message_of([&] { user_chart({.name = "c", .rho = flat}); }).find("chart 'c' is singular at its start"),
      std::string::npos);
  EXPECT_NO_THROW(user_chart({.name = "c", .rho = flat, .start = {0, 1, 0}}));
}

TEST(UserChart, ARotationOutOfReachIsAnErrorWithTheResidual) {
  const auto bounded = [](const auto* t) {  // turns of less than one radian only
    using T = std::decay_t<decltype(*t)>;
    using std::sqrt;
    const Vector3<T> w(t[0], t[1], t[2]);
    return SO3<T>::exp(w / sqrt(T(1.0) + w.squaredNorm())).matrix();
  };
  const ChartPtr c = user_chart({.name = "bounded", .rho = bounded});
  EXPECT_NEAR(c->from_rotation(SO3<double>::about(0, 0.6).matrix())[0], 0.75, 1e-12);
  const std::string m = message_of([&] { c->from_rotation(SO3<double>::about(0, 2.0).matrix()); });
  EXPECT_NE(m.find("chart 'bounded' has no coordinates for this rotation"), std::string::npos) << m;
  EXPECT_NE(m.find("residual of 1.3"), std::string::npos) << m;  // 2 sqrt 2 sin(1/2) = 1.356, at one radian
}

}  // namespace amble::test
