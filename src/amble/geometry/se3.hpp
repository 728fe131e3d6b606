#pragma once

#include "amble/geometry/so3.hpp"
#include "amble/geometry/spatial.hpp"

namespace amble {

/// Poses: `X_AB` is the pose of frame B in frame A and takes coordinates in B to coordinates in A.
template <class T>
class SE3 {
 public:
  using Tangent = Twist<T>;
  using Jacobian = Matrix6<T>;
  static constexpr int kDim = 6;

  SE3() : translation_(Vector3<T>::Zero()) {}
  SE3(const SO3<T>& rotation, const Vector3<T>& translation)
      : rotation_(rotation), translation_(translation) {}
  explicit SE3(const SO3<T>& rotation) : rotation_(rotation), translation_(Vector3<T>::Zero()) {}
  explicit SE3(const Vector3<T>& translation) : translation_(translation) {}
  /// Trusts its argument; see check_pose() for matrices from outside.
  explicit SE3(const Matrix4<T>& m)
      : rotation_(Matrix3<T>(m.template topLeftCorner<3, 3>())),
        translation_(m.template topRightCorner<3, 1>()) {}

  const SO3<T>& rotation() const { return rotation_; }
  const Vector3<T>& translation() const { return translation_; }
  Matrix4<T> matrix() const {
    Matrix4<T> m = Matrix4<T>::Identity();
    m.template topLeftCorner<3, 3>() = rotation_.matrix();
    m.template topRightCorner<3, 1>() = translation_;
    return m;
  }
  template <class U>
  SE3<U> cast() const {
    return SE3<U>(SO3<U>(Matrix3<U>(rotation_.matrix().template cast<U>())),
                  Vector3<U>(translation_.template cast<U>()));
  }

  SE3 inverse() const {
    const SO3<T> r = rotation_.inverse();
    return SE3(r, -(r * translation_));
  }
  friend SE3 operator*(const SE3& a, const SE3& b) {
    return SE3(a.rotation_ * b.rotation_, a.rotation_ * b.translation_ + a.translation_);
  }
  Vector3<T> operator*(const Vector3<T>& p) const { return rotation_ * p + translation_; }

  /// Ad_X V: a twist with components in B becomes the same twist with components in A.
  Twist<T> operator*(const Twist<T>& V) const {
    const Vector3<T> w = rotation_ * V.angular();
    return {rotation_ * V.linear() + cross<T>(translation_, w), w};
  }
  /// Ad_{X^-1}^T F: a wrench with components in B becomes the same wrench with components in A. Power is
  /// unchanged.
  Wrench<T> operator*(const Wrench<T>& F) const {
    const Vector3<T> f = rotation_ * F.linear();
    return {f, rotation_ * F.angular() + cross<T>(translation_, f)};
  }

  /// Ad_X as a matrix acting on twists, ZB 1.1, DS (2.16).
  Matrix6<T> adjoint() const {
    const Matrix3<T>& R = rotation_.matrix();
    Matrix6<T> m;
    m << R, skew<T>(translation_) * R, Matrix3<T>::Zero(), R;
    return m;
  }
  /// The same change of frame for wrenches: adjoint()^-T.
  Matrix6<T> coadjoint() const {
    const Matrix3<T>& R = rotation_.matrix();
    Matrix6<T> m;
    m << R, Matrix3<T>::Zero(), skew<T>(translation_) * R, R;
    return m;
  }

  static Matrix6<T> ad(const Twist<T>& V) { return amble::ad(V); }
  /// -ad(V)^T, as cross(V, F) on wrenches.
  static Matrix6<T> coad(const Twist<T>& V) { return amble::coad(V); }

  /// The pose after moving for unit time with the constant twist V (Chasles; ZB 1, DS Thm 2.8).
  static SE3 exp(const Twist<T>& V) {
    const Stumpff<T> s = stumpff<T>(V.angular().squaredNorm());
    const Matrix3<T> W = skew<T>(V.angular()), W2 = W * W, I = Matrix3<T>::Identity();
    const Vector3<T> p = V.linear() + s.c2 * (W * V.linear()) + s.c3 * (W2 * V.linear());
    return SE3(SO3<T>(Matrix3<T>(I + s.c1 * W + s.c2 * W2)), p);
  }
  /// The twist with exp(V) = X and rotation angle at most pi.
  Twist<T> log() const {
    const Vector3<T> w = rotation_.log();
    return {SO3<T>::left_jacobian_inverse(w) * translation_, w};
  }

  /// exp(V + dV) = exp(left_jacobian(V) dV) exp(V) to first order.
  static Matrix6<T> left_jacobian(const Twist<T>& V) {
    const Matrix3<T> J = SO3<T>::left_jacobian(V.angular());
    Matrix6<T> m;
    m << J, coupling(V), Matrix3<T>::Zero(), J;
    return m;
  }
  /// For every rotation angle but the multiples of 2 pi other than 0.
  static Matrix6<T> left_jacobian_inverse(const Twist<T>& V) {
    const Matrix3<T> Jinv = SO3<T>::left_jacobian_inverse(V.angular());
    Matrix6<T> m;
    m << Jinv, inverse_coupling(V), Matrix3<T>::Zero(), Jinv;
    return m;
  }
  static Matrix6<T> right_jacobian(const Twist<T>& V) { return left_jacobian(-V); }
  static Matrix6<T> right_jacobian_inverse(const Twist<T>& V) { return left_jacobian_inverse(-V); }

 private:
  // ad_V is W + eps U in dual numbers (W on the diagonal, U above it), so a power series in ad_V has the
  // series in W on the diagonal and its derivative along U above it. The two blocks are those derivatives of
  // SO3's Jacobians.
  static Matrix3<T> coupling(const Twist<T>& V) {
    const Stumpff<T> s = stumpff<T>(V.angular().squaredNorm());
    const Matrix3<T> W = skew<T>(V.angular()), U = skew<T>(V.linear());
    const T wu = V.angular().dot(V.linear());
    return s.c2 * U + s.c3 * (W * U + U * W) + wu * (T(2.0) * s.c4 - s.c3) * W +
           wu * (T(3.0) * s.c5 - s.c4) * (W * W);
  }
  static Matrix3<T> inverse_coupling(const Twist<T>& V) {
    const T x = V.angular().squaredNorm(), wu = V.angular().dot(V.linear());
    const InverseCoefficients<T> c = inverse_coefficients<T>(x, stumpff<T>(x));
    const Matrix3<T> W = skew<T>(V.angular()), U = skew<T>(V.linear());
    return T(-0.5) * U + c.d * (W * U + U * W) + wu * c.e * (W * W);
  }

  SO3<T> rotation_;
  Vector3<T> translation_;
};

using Pose = SE3<double>;

/// Throws an Error naming `what` unless `matrix` is finite, has (0, 0, 0, 1) below and a rotation to 1e-6.
Pose check_pose(const Matrix4<double>& matrix, const char* what);

}  // namespace amble
