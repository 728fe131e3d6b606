#pragma once

#include "amble/base/owned.hpp"

namespace amble {

/// Polynomials of the scaled time s = t / T on [0, 1]. Both bases are nested: raising the order adds
/// coefficients that are zero.
enum class Basis {
  monomial,   ///< s^j: DS (4.2) with b_j = c_j / T^j; at order 10 nearly dependent (condition 1e7 on [0, 1])
  chebyshev,  ///< T_j(2 s - 1): coefficients of a smooth motion fall off quickly and all matter alike
};
const char* name_of(Basis basis);

/// Values and derivatives of all basis functions at nodes, one row per node: for a motion of duration T with
/// coefficients c, q = value c, v = first c / T, a = second c / T^2.
struct BasisMatrices {
  OwnedMatrix value, first, second;
};
/// `nodes`: scaled times, inside [0, 1] or not.
BasisMatrices basis_matrices(Basis basis, int order, const VectorRef& nodes);

/// C such that coefficients in `to` are C times those in `from`.
OwnedMatrix conversion(Basis from, Basis to, int order);

/// Nodes and weights of Gauss' quadrature on [0, 1]: exact up to order 2 n - 1.
struct Quadrature {
  OwnedVector nodes, weights;
};
Quadrature gauss_quadrature(int n);

/// A motion of n coordinates over [0, duration], each a polynomial.
struct Trajectory {
  Basis basis = Basis::chebyshev;
  double duration = 1.0;     ///< s
  OwnedMatrix coefficients;  ///< a row per coordinate, order + 1 columns

  int coordinates() const { return int(coefficients.rows()); }
  int order() const { return int(coefficients.cols()) - 1; }
  OwnedVector position(double t) const;
  OwnedVector velocity(double t) const;
  OwnedVector acceleration(double t) const;

  Trajectory in(Basis other) const;
  /// The same motion with more coefficients; an Error for a lower order.
  Trajectory raised(int order) const;
  /// b of DS (4.2): q_i(t) = sum_j b_ij t^j.
  OwnedMatrix powers_of_time() const;
};

/// The polynomials through samples at the times duration * `interpolation_nodes(order)` (a row per
/// coordinate, a column per node), which are those where interpolation is nearly as good as the best
/// polynomial.
Trajectory interpolate(double duration, const Eigen::Ref<const Eigen::MatrixXd>& samples);
OwnedVector interpolation_nodes(int order);

}  // namespace amble
