#pragma once

#include "amble/geometry/stumpff.hpp"
#include "amble/geometry/vector.hpp"

namespace amble {

/// Unit quaternion w + v, stored (x, y, z, w) as configurations are.
template <class T>
struct Quaternion {
  Vector3<T> v = Vector3<T>::Zero();
  T w = T(1.0);

  static Quaternion from_xyzw(const T* q) { return {{q[0], q[1], q[2]}, q[3]}; }
  void to_xyzw(T* q) const { q[0] = v[0], q[1] = v[1], q[2] = v[2], q[3] = w; }

  Quaternion conjugate() const { return {-v, w}; }
  T squared_norm() const { return v.squaredNorm() + w * w; }
  Quaternion normalized() const {
    using std::sqrt;
    const T scale = T(1.0) / sqrt(squared_norm());
    return {v * scale, w * scale};
  }

  friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.v + b.w * a.v + cross(a.v, b.v), a.w * b.w - a.v.dot(b.v)};
  }

  /// Rotation matrix in the homogeneous form: exact for a unit quaternion, and scaled by the squared norm
  /// otherwise.
  Matrix3<T> matrix() const {
    const T x = v[0], y = v[1], z = v[2], two(2.0);
    Matrix3<T> m;
    m << w * w + x * x - y * y - z * z, two * (x * y - w * z), two * (x * z + w * y),  //
        two * (x * y + w * z), w * w - x * x + y * y - z * z, two * (y * z - w * x),   //
        two * (x * z - w * y), two * (y * z + w * x), w * w - x * x - y * y + z * z;
    return m;
  }

  /// exp(u/2) as a quaternion: the rotation by |u| about u.
  static Quaternion exp(const Vector3<T>& u) {
    const Stumpff<T> s = stumpff<T>(T(0.25) * u.squaredNorm());
    return {T(0.5) * s.c1 * u, s.c0};
  }

  /// The rotation vector, of length at most pi.
  Vector3<T> log() const {
    using std::atan2, std::sqrt;
    const T sign = select(w < T(0.0), T(-1.0), T(1.0));
    const T c = sign * w, n2 = v.squaredNorm(), y = n2 / (c * c);
    const T factor = branch(
        y < T(0.01),
        [&] {  // 2 atan(s/c)/s by its series in y = (s/c)^2; ten terms leave 1e-21
          T sum(1.0 / 21.0);
          for (int k = 19; k >= 1; k -= 2) sum = T(1.0 / k) - y * sum;
          return T(2.0) * sum / c;
        },
        [&] {
          const T n = sqrt(n2);
          return T(2.0) * atan2(n, c) / n;
        });
    return sign * factor * v;
  }

  /// From a rotation matrix, dividing by the largest of the four components (Shepperd 1978), with w >= 0.
  static Quaternion from_matrix(const Matrix3<T>& R) {
    if constexpr (is_batch<T>) {
      const Vector4<T> q = lane_by_lane<T::kWidth>(
          [](const Matrix3<double>& r) {
            Vector4<double> out;
            Quaternion<double>::from_matrix(r).to_xyzw(out.data());
            return out;
          },
          R);
      return from_xyzw(q.data());
    } else {
      using std::sqrt;
      const T trace = R.trace(), one(1.0), half(0.5);
      int i = 0;
      if (R(1, 1) > R(0, 0)) i = 1;
      if (R(2, 2) > R(i, i)) i = 2;
      Quaternion q;
      if (trace > R(i, i)) {
        const T r = sqrt(one + trace), f = half / r;
        q.w = half * r;
        q.v = {f * (R(2, 1) - R(1, 2)), f * (R(0, 2) - R(2, 0)), f * (R(1, 0) - R(0, 1))};
      } else {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const T r = sqrt(one + R(i, i) - R(j, j) - R(k, k)), f = half / r;
        q.v[i] = half * r;
        q.v[j] = f * (R(i, j) + R(j, i));
        q.v[k] = f * (R(k, i) + R(i, k));
        q.w = f * (R(k, j) - R(j, k));
      }
      return q.w < T(0.0) ? Quaternion{-q.v, -q.w} : q;
    }
  }
};

}  // namespace amble
