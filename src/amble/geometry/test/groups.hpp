#pragma once

#include <gtest/gtest.h>

#include "amble/geometry/rn.hpp"
#include "amble/geometry/se2.hpp"
#include "amble/geometry/test/random_geometry.hpp"

// What the laws of group_laws_test and group_scalars_test run on: add a group to `Groups` and it is tested.
namespace amble::test {

struct SO2Group {
  template <class T>
  using Of = SO2<T>;
  static constexpr int kSpace = 2,
                       kAngle = 0;  // dimension of the points it acts on; where tangents keep their angle
};
struct SE2Group {
  template <class T>
  using Of = SE2<T>;
  static constexpr int kSpace = 2, kAngle = 2;
};
struct SO3Group {
  template <class T>
  using Of = SO3<T>;
  static constexpr int kSpace = 3, kAngle = 0;
};
struct SE3Group {
  template <class T>
  using Of = SE3<T>;
  static constexpr int kSpace = 3, kAngle = 3;
};
struct R3Group {
  template <class T>
  using Of = Rn<T, 3>;
  static constexpr int kSpace = 3, kAngle = 3;
};

template <class T, int N>
const Matrix<T, N, 1>& numbers(const Matrix<T, N, 1>& v) {
  return v;
}
template <class T>
Vector6<T> numbers(const Twist<T>& V) {
  return V.vector();
}

template <class Group>
class GroupLaws : public testing::Test {
 protected:
  template <class T>
  using Of = typename Group::template Of<T>;
  using G = Of<double>;
  using Tangent = typename G::Tangent;
  static constexpr int kDim = G::kDim, kSpace = Group::kSpace, kCases = 50;
  using Numbers = Matrix<double, kDim, 1>;
  using Point = Matrix<double, kSpace, 1>;
  using Square = typename G::Jacobian;
  using Variable = Dual<double, kDim>;

  Random random{20240607};

  /// A tangent whose angle is uniform in [0, angle).
  Numbers tangent(double angle = 3.0) {
    Numbers v = random_vector<kDim>(random);
    constexpr int kTurns = kDim - Group::kAngle;
    if constexpr (kTurns > 0)
      v.template tail<kTurns>() *= random.uniform(0.0, angle) / v.template tail<kTurns>().norm();
    return v;
  }
  G element() { return G::exp(Tangent(tangent())); }
  Point point() { return random_vector<kSpace>(random); }

  static auto lifted(const Numbers& v) {
    Matrix<Variable, kDim, 1> out;
    for (int i = 0; i < kDim; ++i) out[i] = Variable::variable(v[i], i);
    return out;
  }
  static typename Of<Variable>::Tangent lifted_tangent(const Numbers& v) {
    return typename Of<Variable>::Tangent(lifted(v));
  }
  static Of<Variable> constant(const Numbers& v) {
    return Of<Variable>::exp(
        typename Of<Variable>::Tangent(Matrix<Variable, kDim, 1>(v.template cast<Variable>())));
  }
  template <class M>
  static Square gradient(const M& v) {
    Square out;
    for (int i = 0; i < kDim; ++i)
      for (int j = 0; j < kDim; ++j) out(i, j) = v[i].grad[j];
    return out;
  }
  template <class A, class B>
  static void expect_near(const A& a, const B& b, double tolerance, const char* what) {
    EXPECT_LE((a - b).norm(), tolerance * std::max(1.0, b.norm())) << what << "\n"
                                                                   << a << "\nexpected\n"
                                                                   << b;
  }
};

using Groups = testing::Types<SO2Group, SE2Group, SO3Group, SE3Group, R3Group>;
}  // namespace amble::test
