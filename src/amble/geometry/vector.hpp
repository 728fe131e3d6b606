#pragma once

#include "amble/base/scalar.hpp"

// Small matrices of the geometry layer. All are DontAlign: Eigen's alignment changes with the compiler's
// instruction-set flags, so an aligned type in an interface would break programs built with other flags than
// the library.
namespace amble {

template <class T, int Rows, int Cols>
using Matrix = Eigen::Matrix<T, Rows, Cols,
                             Eigen::DontAlign | (Rows == 1 && Cols != 1 ? Eigen::RowMajor : Eigen::ColMajor)>;
template <class T>
using Vector2 = Matrix<T, 2, 1>;
template <class T>
using Vector3 = Matrix<T, 3, 1>;
template <class T>
using Vector4 = Matrix<T, 4, 1>;
template <class T>
using Vector6 = Matrix<T, 6, 1>;
template <class T>
using Matrix2 = Matrix<T, 2, 2>;
template <class T>
using Matrix3 = Matrix<T, 3, 3>;
template <class T>
using Matrix4 = Matrix<T, 4, 4>;
template <class T>
using Matrix6 = Matrix<T, 6, 6>;

template <class T>
Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// [u x], the matrix of the cross product, BK (4).
template <class T>
Matrix3<T> skew(const Vector3<T>& u) {
  Matrix3<T> m;
  m << T(0.0), -u[2], u[1], u[2], T(0.0), -u[0], -u[1], u[0], T(0.0);
  return m;
}

/// The inverse of skew(): the vector of the antisymmetric part of `m`.
template <class T>
Vector3<T> unskew(const Matrix3<T>& m) {
  const T half(0.5);
  return {half * (m(2, 1) - m(1, 2)), half * (m(0, 2) - m(2, 0)), half * (m(1, 0) - m(0, 1))};
}

}  // namespace amble
