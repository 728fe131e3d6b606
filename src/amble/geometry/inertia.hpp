#pragma once

#include <string>
#include <vector>

#include "amble/geometry/se3.hpp"

namespace amble {

/// A point with mass.
struct PointMass {
  double mass = 0.0;
  Vector3<double> position = Vector3<double>::Zero();
};

/// Spatial inertia in ten numbers: mass, first moment m c, and the rotational inertia about the frame's
/// origin (not about the centre of mass), so that inertias add and are linear in their parameters.
template <class T>
class Inertia {
 public:
  Inertia() : mass_(0.0), moment_(Vector3<T>::Zero()), rotational_(Matrix3<T>::Zero()) {}
  Inertia(const T& mass, const Vector3<T>& first_moment, const Matrix3<T>& about_origin)
      : mass_(mass), moment_(first_moment), rotational_(about_origin) {}

  /// From the usual description: mass, centre of mass, and inertia matrix about the centre of mass; BK (21).
  static Inertia from_com(const T& mass, const Vector3<T>& com, const Matrix3<T>& about_com) {
    const Matrix3<T> C = skew<T>(com);
    return {mass, mass * com, about_com - mass * (C * C)};
  }

  const T& mass() const { return mass_; }
  const Vector3<T>& first_moment() const { return moment_; }
  const Matrix3<T>& about_origin() const { return rotational_; }
  /// Zero for a body without mass.
  Vector3<T> com() const {
    using std::abs;
    const auto has_mass = abs(mass_) > T(0.0);
    Vector3<T> c;
    for (int i = 0; i < 3; ++i) c[i] = select(has_mass, T(moment_[i] / mass_), T(0.0));
    return c;
  }
  Matrix3<T> about_com() const {
    const Matrix3<T> C = skew<T>(com());
    return rotational_ + mass_ * (C * C);
  }
  /// 6x6 form, momentum = matrix * twist.
  Matrix6<T> matrix() const {
    const Matrix3<T> H = skew<T>(moment_);
    Matrix6<T> m;
    m << mass_ * Matrix3<T>::Identity(), -H, H, rotational_;
    return m;
  }

  friend Inertia operator+(const Inertia& a, const Inertia& b) {
    return {a.mass_ + b.mass_, a.moment_ + b.moment_, a.rotational_ + b.rotational_};
  }
  friend Inertia operator-(const Inertia& a, const Inertia& b) {
    return {a.mass_ - b.mass_, a.moment_ - b.moment_, a.rotational_ - b.rotational_};
  }

  /// The momentum of a body moving with V; DS 2.3.2.
  Wrench<T> operator*(const Twist<T>& V) const {
    return {mass_ * V.linear() - cross<T>(moment_, V.angular()),
            cross<T>(moment_, V.linear()) + rotational_ * V.angular()};
  }

 private:
  T mass_;
  Vector3<T> moment_;
  Matrix3<T> rotational_;
};

/// The same body seen from frame A, given it in frame B; DS 2.3.2: Ad_{X^-1}^T I Ad_{X^-1}.
template <class T>
Inertia<T> operator*(const SE3<T>& X_AB, const Inertia<T>& I) {
  const Matrix3<T>& R = X_AB.rotation().matrix();
  const Vector3<T>& p = X_AB.translation();
  const Vector3<T> h = R * I.first_moment();
  const Matrix3<T> P = skew<T>(p), H = skew<T>(h);
  return {I.mass(), h + I.mass() * p,
          R * I.about_origin() * R.transpose() - P * H - H * P - I.mass() * (P * P)};
}

/// What is physically wrong with an inertia, in words with numbers; empty when a real body can have it.
/// A body needs mass > 0 and principal moments about its centre of mass that are >= 0 and obey the triangle
/// inequality (checked to 1e-9 relative); mass zero with everything zero stands for a massless frame.
std::string inertia_problem(const Inertia<double>& inertia);

/// The principal moments about the centre of mass, ascending, and their axes as columns of a rotation.
struct PrincipalMoments {
  Vector3<double> moments;
  Matrix3<double> axes;
};
PrincipalMoments principal_moments(const Inertia<double>& inertia);

Inertia<double> inertia_of_points(const std::vector<PointMass>& points);
/// Six equal point masses on the principal axes with the same inertia; throws an Error when no body can have
/// it.
std::vector<PointMass> points_of_inertia(const Inertia<double>& inertia);

}  // namespace amble
