#pragma once

#include "amble/dynamics/velocity_frame.hpp"

// Curvature of the metric of kinetic energy. AL II.
namespace amble {

/// nv^4 numbers with all indices down: R(i, j, k, l) = <e_i, R(e_k, e_l) e_j> with
/// R(X, Y) Z = nabla_X nabla_Y Z - nabla_Y nabla_X Z - nabla_[X, Y] Z.
class CurvatureTensor {
 public:
  explicit CurvatureTensor(int nv) : nv_(nv), numbers_(static_cast<std::size_t>(nv) * nv * nv * nv) {}
  int nv() const { return nv_; }
  double operator()(int i, int j, int k, int l) const { return numbers_[place(i, j, k, l)]; }
  double& operator()(int i, int j, int k, int l) { return numbers_[place(i, j, k, l)]; }
  const double* data() const { return numbers_.data(); }
  double* data() { return numbers_.data(); }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::size_t place(int i, int j, int k, int l) const {
    return ((static_cast<std::size_t>(i) * nv_ + j) * nv_ + k) * nv_ + l;
  }

  int nv_;
  std::vector<double> numbers_;
};

/// The curvature at a configuration, in the velocity frame. Exact: the frame's derivatives of the Christoffel
/// symbols come from the analytic derivatives of inverse dynamics, quadratic in v, and from the structure
/// constants of the joints' groups; a custom joint's own are differenced as derivatives.hpp says. O(nv^2)
/// calls and O(nv^5) sums.
class Curvature {
 public:
  Curvature(const Mechanism& mechanism, const VectorRef& q);

  const OwnedVector& q() const { return q_; }
  const CurvatureTensor& riemann() const { return riemann_; }
  const OwnedMatrix& metric() const { return metric_; }
  /// Ric_jl: the trace of X -> R(X, e_l) e_j.
  OwnedMatrix ricci() const;
  /// The trace of the Ricci tensor, twice the sum of the sectional curvatures of the planes of an orthonormal
  /// frame.
  double scalar() const;
  /// Of the plane of x and y; a sphere of radius r has 1/r^2. Throws an Error when they are parallel.
  double sectional(const VectorRef& x, const VectorRef& y) const;
  /// R(X, Y) Z.
  OwnedVector apply(const VectorRef& X, const VectorRef& Y, const VectorRef& Z) const;

  /// Extreme sectional curvatures over all planes, with two orthonormal vectors that span each. Found by
  /// turning one vector of the plane at a time, from every axis of an orthonormal frame: the best of many
  /// local extremes. Both are zero with fewer than two freedoms.
  struct Plane {
    double curvature = 0.0;
    OwnedVector x, y;
  };
  struct Range {
    Plane least, most;
    const Plane& largest() const;  ///< by its absolute value
  };
  Range range() const;

  /// The size, by the same measure as sectional curvatures, of the terms that a flat metric makes cancel:
  /// what rounding is relative to.
  double terms() const { return terms_; }

 private:
  OwnedVector q_;
  OwnedMatrix metric_, inverse_;
  CurvatureTensor riemann_;
  double terms_ = 0.0;
};

/// Whether there is no curvature, where it was looked for.
struct Flatness {
  bool flat = false;
  double largest =
      0.0;  ///< sectional curvature by its absolute value (1/(kg m^2) where coordinates are angles)
  double terms = 0.0;   ///< see Curvature::terms(), at the same place
  OwnedVector q, x, y;  ///< there, and the plane
};

struct FlatnessOptions {
  double tolerance = 1e-9;  ///< on the largest curvature, relative to Curvature::terms()
  int samples = 16;         ///< configurations drawn at random
  unsigned long seed = 1;
};

Flatness flatness_at(const Mechanism& mechanism, const VectorRef& q, double tolerance = 1e-9);
/// At random configurations within the limits: the worst of them.
Flatness flatness(const Mechanism& mechanism, const FlatnessOptions& options = {});

}  // namespace amble
