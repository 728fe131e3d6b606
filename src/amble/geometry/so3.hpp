#pragma once

#include "amble/geometry/quaternion.hpp"

namespace amble {

/// Rotations of space. `R_AB` takes coordinates in B to coordinates in A.
template <class T>
class SO3 {
 public:
  using Tangent = Vector3<T>;
  using Jacobian = Matrix3<T>;
  static constexpr int kDim = 3;

  SO3() : matrix_(Matrix3<T>::Identity()) {}
  /// Trusts its argument; see check_rotation() for matrices from outside.
  explicit SO3(const Matrix3<T>& matrix) : matrix_(matrix) {}
  explicit SO3(const Quaternion<T>& q) : matrix_(q.matrix()) {}

  /// Rotation by `angle` about the coordinate axis 0, 1 or 2.
  static SO3 about(int axis, const T& angle) {
    using std::cos, std::sin;
    const T c = cos(angle), s = sin(angle);
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    Matrix3<T> m = Matrix3<T>::Identity();
    m(i, i) = c, m(i, j) = -s, m(j, i) = s, m(j, j) = c;
    return SO3(m);
  }

  const Matrix3<T>& matrix() const { return matrix_; }
  Quaternion<T> quaternion() const { return Quaternion<T>::from_matrix(matrix_); }

  SO3 inverse() const { return SO3(Matrix3<T>(matrix_.transpose())); }
  friend SO3 operator*(const SO3& a, const SO3& b) { return SO3(Matrix3<T>(a.matrix_ * b.matrix_)); }
  Vector3<T> operator*(const Vector3<T>& p) const { return matrix_ * p; }

  /// Rodrigues' formula, ZB 1, DS (2.5).
  static SO3 exp(const Vector3<T>& w) {
    const Stumpff<T> s = stumpff<T>(w.squaredNorm());
    const Matrix3<T> W = skew<T>(w);
    return SO3(Matrix3<T>(Matrix3<T>::Identity() + s.c1 * W + s.c2 * (W * W)));
  }
  /// Rotation vector of length at most pi. A half turn has two: for an exactly symmetric matrix the one whose
  /// largest component (the first of equals) is positive.
  Vector3<T> log() const { return quaternion().log(); }

  /// exp(w + dw) = exp(left_jacobian(w) dw) exp(w) to first order.
  static Matrix3<T> left_jacobian(const Vector3<T>& w) {
    const Stumpff<T> s = stumpff<T>(w.squaredNorm());
    const Matrix3<T> W = skew<T>(w);
    return Matrix3<T>::Identity() + s.c2 * W + s.c3 * (W * W);
  }
  /// Its inverse, for every angle but the multiples of 2 pi, where there is none (except 0): near those it
  /// grows as 1/distance, and so does the effect of rounding in `w`.
  static Matrix3<T> left_jacobian_inverse(const Vector3<T>& w) {
    const T x = w.squaredNorm(), d = inverse_coefficients<T>(x, stumpff<T>(x)).d;
    const Matrix3<T> W = skew<T>(w);
    return Matrix3<T>::Identity() - T(0.5) * W + d * (W * W);
  }
  /// exp(w + dw) = exp(w) exp(right_jacobian(w) dw) to first order.
  static Matrix3<T> right_jacobian(const Vector3<T>& w) { return left_jacobian(-w); }
  static Matrix3<T> right_jacobian_inverse(const Vector3<T>& w) { return left_jacobian_inverse(-w); }

  Matrix3<T> adjoint() const { return matrix_; }
  /// adjoint()^-T, the action on covectors such as moments.
  Matrix3<T> coadjoint() const { return matrix_; }
  static Matrix3<T> ad(const Vector3<T>& w) { return skew<T>(w); }
  /// -ad(w)^T
  static Matrix3<T> coad(const Vector3<T>& w) { return skew<T>(w); }

 private:
  Matrix3<T> matrix_;
};

/// Throws an Error naming `what` when R^T R is further than `tolerance` from the identity or `matrix` is a
/// reflection; otherwise returns the nearest rotation.
SO3<double> check_rotation(const Matrix3<double>& matrix, const char* what, double tolerance = 1e-6);

}  // namespace amble
