#pragma once

#include "amble/geometry/vector.hpp"

namespace amble {

/// R^n under addition, as a group like the others: it acts on points by translation.
template <class T, int N>
class Rn {
 public:
  using Tangent = Matrix<T, N, 1>;
  using Jacobian = Matrix<T, N, N>;
  static constexpr int kDim = N;

  Rn() : vector_(Tangent::Zero()) {}
  explicit Rn(const Tangent& vector) : vector_(vector) {}

  const Tangent& vector() const { return vector_; }
  /// The translation as a homogeneous matrix.
  Matrix<T, N + 1, N + 1> matrix() const {
    Matrix<T, N + 1, N + 1> m = Matrix<T, N + 1, N + 1>::Identity();
    m.template topRightCorner<N, 1>() = vector_;
    return m;
  }

  Rn inverse() const { return Rn(-vector_); }
  friend Rn operator*(const Rn& a, const Rn& b) { return Rn(a.vector_ + b.vector_); }
  Tangent operator*(const Tangent& p) const { return vector_ + p; }

  static Rn exp(const Tangent& v) { return Rn(v); }
  Tangent log() const { return vector_; }

  static Jacobian left_jacobian(const Tangent&) { return Jacobian::Identity(); }
  static Jacobian left_jacobian_inverse(const Tangent&) { return Jacobian::Identity(); }
  static Jacobian right_jacobian(const Tangent&) { return Jacobian::Identity(); }
  static Jacobian right_jacobian_inverse(const Tangent&) { return Jacobian::Identity(); }

  Jacobian adjoint() const { return Jacobian::Identity(); }
  Jacobian coadjoint() const { return Jacobian::Identity(); }
  static Jacobian ad(const Tangent&) { return Jacobian::Zero(); }
  static Jacobian coad(const Tangent&) { return Jacobian::Zero(); }

 private:
  Tangent vector_;
};

}  // namespace amble
