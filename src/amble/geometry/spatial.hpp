#pragma once

#include "amble/geometry/vector.hpp"

// Twists and wrenches: six numbers each, linear part first (Murray-Li-Sastry, ZB; DS prints the angular part
// first). This folder is the only place that knows the order; everyone else says .linear() and .angular().
namespace amble {

namespace detail {

/// What twists and wrenches share: they are vectors. `Derived` keeps them from being mixed up.
template <class Derived, class T>
class SpatialVector {
 public:
  SpatialVector() : linear_(Vector3<T>::Zero()), angular_(Vector3<T>::Zero()) {}
  SpatialVector(const Vector3<T>& linear, const Vector3<T>& angular) : linear_(linear), angular_(angular) {}
  explicit SpatialVector(const Vector6<T>& v)
      : linear_(v.template head<3>()), angular_(v.template tail<3>()) {}

  const Vector3<T>& linear() const { return linear_; }
  const Vector3<T>& angular() const { return angular_; }
  Vector6<T> vector() const {
    Vector6<T> v;
    v << linear_, angular_;
    return v;
  }

  Derived operator-() const { return Derived(-linear_, -angular_); }
  friend Derived operator+(const Derived& a, const Derived& b) {
    return Derived(a.linear() + b.linear(), a.angular() + b.angular());
  }
  friend Derived operator-(const Derived& a, const Derived& b) {
    return Derived(a.linear() - b.linear(), a.angular() - b.angular());
  }
  friend Derived operator*(const T& s, const Derived& a) { return Derived(s * a.linear(), s * a.angular()); }
  friend Derived operator*(const Derived& a, const T& s) { return s * a; }
  Derived& operator+=(const Derived& o) {
    linear_ += o.linear();
    angular_ += o.angular();
    return static_cast<Derived&>(*this);
  }

 private:
  Vector3<T> linear_, angular_;
};

}  // namespace detail

/// Velocity of a rigid body: `V_AB_E` is the velocity of B relative to A with components in E, where linear()
/// is the velocity of the point of B that is at E's origin.
template <class T>
class Twist : public detail::SpatialVector<Twist<T>, T> {
 public:
  using detail::SpatialVector<Twist<T>, T>::SpatialVector;
};

/// Force and moment on a rigid body, or its momentum: `F_B_E` acts on B, linear() the force and angular() the
/// moment about E's origin.
template <class T>
class Wrench : public detail::SpatialVector<Wrench<T>, T> {
 public:
  using detail::SpatialVector<Wrench<T>, T>::SpatialVector;
};

/// The power a wrench delivers along a twist, both in the same frame.
template <class T>
T power(const Twist<T>& V, const Wrench<T>& F) {
  return V.linear().dot(F.linear()) + V.angular().dot(F.angular());
}

/// ad_V U, the Lie bracket [V, U] of twists.
template <class T>
Twist<T> cross(const Twist<T>& V, const Twist<T>& U) {
  return {cross<T>(V.angular(), U.linear()) + cross<T>(V.linear(), U.angular()),
          cross<T>(V.angular(), U.angular())};
}

/// -ad_V^T F, how a wrench fixed in a body moving with V changes: power(U, cross(V, F)) = -power(cross(V, U),
/// F).
template <class T>
Wrench<T> cross(const Twist<T>& V, const Wrench<T>& F) {
  return {cross<T>(V.angular(), F.linear()),
          cross<T>(V.angular(), F.angular()) + cross<T>(V.linear(), F.linear())};
}

/// ad_V as a matrix.
template <class T>
Matrix6<T> ad(const Twist<T>& V) {
  Matrix6<T> m;
  m << skew<T>(V.angular()), skew<T>(V.linear()), Matrix3<T>::Zero(), skew<T>(V.angular());
  return m;
}

/// -ad_V^T as a matrix: coad(V) F = cross(V, F).
template <class T>
Matrix6<T> coad(const Twist<T>& V) {
  Matrix6<T> m;
  m << skew<T>(V.angular()), Matrix3<T>::Zero(), skew<T>(V.linear()), skew<T>(V.angular());
  return m;
}

}  // namespace amble
