#pragma once

#include <cmath>
#include <vector>

#include "amble/dynamics/kernel_tree.hpp"

// The kernels' own source once more, for kinds of numbers other than double.
#define AMBLE_LANES 2
namespace amble::kernels::scalar {
using std::cos, std::sin;
#include "amble/dynamics/kernels/arithmetic.inl"
// (in this order, as in kernel.inl)
#include "amble/dynamics/kernels/motion.inl"
#include "amble/dynamics/kernels/world.inl"
#include "amble/dynamics/kernels/path.inl"
#include "amble/dynamics/kernels/armature.inl"
#include "amble/dynamics/kernels/inverse_dynamics.inl"
#include "amble/dynamics/kernels/mass_matrix.inl"
#include "amble/dynamics/kernels/articulated.inl"
#include "amble/dynamics/kernels/forward_dynamics.inl"
}  // namespace amble::kernels::scalar
#undef AMBLE_LANES
#undef AMBLE_KERNEL

namespace amble {

/// Dynamics of a mechanism in any kind of number S that has + - * / < and sin() and cos() found by its type: dual
/// numbers (amble::Dual) for derivatives of whatever a user builds on the dynamics, intervals, long double. It is the
/// source that doubles run through. Configurations are taken as they come: quaternions have to be unit. It owns its
/// memory; one per thread.
template <class S>
class ScalarDynamics {
 public:
  using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Throws an Error for a mechanism with custom joints, which are functions of doubles.
  explicit ScalarDynamics(const Mechanism& m)
      : tree_(m),
        sine_(tree().angles),
        cosine_(tree().angles),
        row_(stride()),
        columns_(6 * static_cast<std::size_t>(stride())),
        bodies_(tree().count),
        articulated_(tree().count),
        one_(tree().count),
        many_(tree().count),
        composites_(tree().count) {
    if (tree().customs > 0) throw Error("'" + m.name() + "' has custom joints, which are functions of doubles only");
  }

  Vector inverse_dynamics(const Vector& q, const Vector& v, const Vector& a) {
    check(q, tree().nq, "q"), check(v, tree().nv, "v"), check(a, tree().nv, "a");
    Vector tau(tree().nv);
    kernels::scalar::inverse_dynamics<S>(state(q, v.data()), a.data(), nullptr, tau.data());
    return tau;
  }

  /// In the order of operations that double takes, or by elimination when joints follow others.
  Vector forward_dynamics(const Vector& q, const Vector& v, const Vector& tau) {
    if (tree().coupled) return solve(mass_matrix(q), tau - inverse_dynamics(q, v, Vector::Constant(tree().nv, S(0.0))));
    check(q, tree().nq, "q"), check(v, tree().nv, "v"), check(tau, tree().nv, "tau");
    Vector a(tree().nv);
    const kernels::scalar::ForwardScratch<S> scratch{articulated_.data(), one_.data(), many_.data()};
    kernels::scalar::forward_dynamics<S>(state(q, v.data()), scratch, tau.data(), nullptr, a.data());
    return a;
  }

  Matrix mass_matrix(const Vector& q) {
    check(q, tree().nq, "q");
    Matrix M = Matrix::Constant(tree().nv, tree().nv, S(0.0));
    const kernels::scalar::MassScratch<S> scratch{composites_.data(), {columns_.data(), stride()}, row_.data()};
    if (tree().coupled)
      kernels::scalar::mass_matrix<true>(state(q, nullptr), scratch, M.data());
    else
      kernels::scalar::mass_matrix<false>(state(q, nullptr), scratch, M.data());
    return M;
  }

 private:
  const kernels::Tree& tree() const { return tree_.tree(); }

  /// Columns in whole groups of those that are taken together.
  int stride() const {
    constexpr int kTogether = kernels::scalar::Wide<S>::kColumns;
    return (tree().columns + kTogether - 1) / kTogether * kTogether;
  }

  kernels::scalar::State<S> state(const Vector& q, const S* v) {
    return {tree(), q.data(), v, nullptr, sine_.data(), cosine_.data(), bodies_.data()};
  }

  static void check(const Vector& x, Eigen::Index size, const char* what) {
    if (x.size() != size)
      throw Error(std::string(what) + " has " + std::to_string(x.size()) + " numbers, expected " + std::to_string(size));
  }

  /// Gauss without pivots, which a positive definite matrix does not need.
  static Vector solve(Matrix M, Vector b) {
    for (Eigen::Index k = 0; k < b.size(); ++k)
      for (Eigen::Index i = k + 1; i < b.size(); ++i) {
        const S share = M(i, k) / M(k, k);
        for (Eigen::Index j = k; j < b.size(); ++j) M(i, j) -= share * M(k, j);
        b[i] -= share * b[k];
      }
    for (Eigen::Index k = b.size() - 1; k >= 0; --k) {
      for (Eigen::Index j = k + 1; j < b.size(); ++j) b[k] -= M(k, j) * b[j];
      b[k] /= M(k, k);
    }
    return b;
  }

  KernelTree tree_;
  std::vector<S> sine_, cosine_, row_, columns_;
  std::vector<kernels::scalar::Body<S>> bodies_;
  std::vector<kernels::scalar::Articulated<S>> articulated_;
  std::vector<kernels::scalar::OneAxis<S>> one_;
  std::vector<kernels::scalar::ManyAxes<S>> many_;
  std::vector<kernels::scalar::Composite<S>> composites_;
};

}  // namespace amble
