#pragma once

#include "amble/geometry/vector.hpp"

namespace amble {

/// Rotations of the plane, counterclockwise. The tangent is one number, kept in a vector as in the other
/// groups.
template <class T>
class SO2 {
 public:
  using Tangent = Matrix<T, 1, 1>;
  using Jacobian = Matrix<T, 1, 1>;
  static constexpr int kDim = 1;

  SO2() : cos_(1.0), sin_(0.0) {}
  explicit SO2(const T& angle) {
    using std::cos, std::sin;
    cos_ = cos(angle);
    sin_ = sin(angle);
  }

  Matrix2<T> matrix() const {
    Matrix2<T> m;
    m << cos_, -sin_, sin_, cos_;
    return m;
  }
  /// In (-pi, pi].
  T angle() const {
    using std::atan2;
    return atan2(sin_, cos_);
  }

  SO2 inverse() const { return SO2(cos_, -sin_); }
  friend SO2 operator*(const SO2& a, const SO2& b) {
    return SO2(a.cos_ * b.cos_ - a.sin_ * b.sin_, a.sin_ * b.cos_ + a.cos_ * b.sin_);
  }
  Vector2<T> operator*(const Vector2<T>& p) const {
    return {cos_ * p[0] - sin_ * p[1], sin_ * p[0] + cos_ * p[1]};
  }

  static SO2 exp(const Tangent& w) { return SO2(w[0]); }
  Tangent log() const { return Tangent(angle()); }

  // The group commutes, so every Jacobian and the adjoint are 1.
  static Jacobian left_jacobian(const Tangent&) { return Jacobian::Identity(); }
  static Jacobian left_jacobian_inverse(const Tangent&) { return Jacobian::Identity(); }
  static Jacobian right_jacobian(const Tangent&) { return Jacobian::Identity(); }
  static Jacobian right_jacobian_inverse(const Tangent&) { return Jacobian::Identity(); }

  Jacobian adjoint() const { return Jacobian::Identity(); }
  Jacobian coadjoint() const { return Jacobian::Identity(); }
  static Jacobian ad(const Tangent&) { return Jacobian::Zero(); }
  static Jacobian coad(const Tangent&) { return Jacobian::Zero(); }

 private:
  SO2(const T& c, const T& s) : cos_(c), sin_(s) {}
  T cos_, sin_;
};

}  // namespace amble
