#pragma once

#include "amble/geometry/so2.hpp"
#include "amble/geometry/stumpff.hpp"

namespace amble {

/// Poses in the plane. Tangents are (vx, vy, angular velocity), linear first as in space.
template <class T>
class SE2 {
 public:
  using Tangent = Vector3<T>;
  using Jacobian = Matrix3<T>;
  static constexpr int kDim = 3;

  SE2() : translation_(Vector2<T>::Zero()) {}
  SE2(const SO2<T>& rotation, const Vector2<T>& translation)
      : rotation_(rotation), translation_(translation) {}

  const SO2<T>& rotation() const { return rotation_; }
  const Vector2<T>& translation() const { return translation_; }
  Matrix3<T> matrix() const {
    Matrix3<T> m = Matrix3<T>::Identity();
    m.template topLeftCorner<2, 2>() = rotation_.matrix();
    m.template topRightCorner<2, 1>() = translation_;
    return m;
  }

  SE2 inverse() const {
    const SO2<T> r = rotation_.inverse();
    return SE2(r, -(r * translation_));
  }
  friend SE2 operator*(const SE2& a, const SE2& b) {
    return SE2(a.rotation_ * b.rotation_, a.rotation_ * b.translation_ + a.translation_);
  }
  Vector2<T> operator*(const Vector2<T>& p) const { return rotation_ * p + translation_; }

  static SE2 exp(const Tangent& V) {
    const Stumpff<T> s = stumpff<T>(V[2] * V[2]);
    const Vector2<T> v = linear(V);
    return SE2(SO2<T>(V[2]), s.c1 * v + V[2] * s.c2 * turned(v));
  }
  /// The tangent with exp(V) = X and an angle in (-pi, pi].
  Tangent log() const {
    const T w = rotation_.angle(), x = w * w, g = inverse_coefficients<T>(x, stumpff<T>(x)).g;
    return joined(g * translation_ - T(0.5) * w * turned(translation_), w);
  }

  /// exp(V + dV) = exp(left_jacobian(V) dV) exp(V) to first order.
  static Jacobian left_jacobian(const Tangent& V) {
    const Stumpff<T> s = stumpff<T>(V[2] * V[2]);
    const Vector2<T> v = linear(V);
    return upper(s.c1, V[2] * s.c2, V[2] * s.c3 * v - s.c2 * turned(v));
  }
  /// For every angle but the multiples of 2 pi other than 0.
  static Jacobian left_jacobian_inverse(const Tangent& V) {
    const T x = V[2] * V[2];
    const InverseCoefficients<T> c = inverse_coefficients<T>(x, stumpff<T>(x));
    const Vector2<T> v = linear(V);
    return upper(c.g, T(-0.5) * V[2], V[2] * c.d * v + T(0.5) * turned(v));
  }
  /// exp(V + dV) = exp(V) exp(right_jacobian(V) dV) to first order.
  static Jacobian right_jacobian(const Tangent& V) { return left_jacobian(-V); }
  static Jacobian right_jacobian_inverse(const Tangent& V) { return left_jacobian_inverse(-V); }

  /// Ad_X on tangents.
  Jacobian adjoint() const {
    Jacobian m = Jacobian::Identity();
    m.template topLeftCorner<2, 2>() = rotation_.matrix();
    m.template topRightCorner<2, 1>() = -turned(translation_);
    return m;
  }
  /// adjoint()^-T, on covectors (force, moment about the origin).
  Jacobian coadjoint() const {
    Jacobian m = Jacobian::Identity();
    m.template topLeftCorner<2, 2>() = rotation_.matrix();
    m.template bottomLeftCorner<1, 2>() = turned(translation_).transpose() * rotation_.matrix();
    return m;
  }
  static Jacobian ad(const Tangent& V) {
    Jacobian m = Jacobian::Zero();
    m(0, 1) = -V[2];
    m(1, 0) = V[2];
    m.template topRightCorner<2, 1>() = -turned(linear(V));
    return m;
  }
  /// -ad(V)^T
  static Jacobian coad(const Tangent& V) { return -ad(V).transpose(); }

 private:
  static Vector2<T> linear(const Tangent& V) { return V.template head<2>(); }
  /// `v` turned by a quarter, counterclockwise.
  static Vector2<T> turned(const Vector2<T>& v) { return {-v[1], v[0]}; }
  static Tangent joined(const Vector2<T>& v, const T& w) { return {v[0], v[1], w}; }
  /// [[along 1 + across (quarter turn), column], [0, 1]]: what power series in ad look like here.
  static Jacobian upper(const T& along, const T& across, const Vector2<T>& column) {
    Jacobian m;
    m << along, -across, column[0], across, along, column[1], T(0.0), T(0.0), T(1.0);
    return m;
  }

  SO2<T> rotation_;
  Vector2<T> translation_;
};

}  // namespace amble
