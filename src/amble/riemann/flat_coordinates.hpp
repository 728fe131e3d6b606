#pragma once

#include "amble/riemann/connection.hpp"
#include "amble/riemann/curvature.hpp"

namespace amble {

struct FlatOptions {
  double flatness = 1e-9;    ///< see FlatnessOptions::tolerance
  double tolerance = 1e-12;  ///< of the integrator
  int checks = 8;            ///< places along a way at which the curvature is looked at
};

/// The isometry phi of AL (9) around a configuration q0, where the metric has no curvature: phi(q0) = 0, and
/// M = N^T N with N = dphi. The rows of N are covector fields that are parallel, which exist because there is
/// no curvature and are differentials because there is no torsion. (An N from the eigenvectors of M alone, as
/// AL has it, is in general not the differential of anything.) Free motions are straight lines in these
/// coordinates.
class FlatCoordinates {
 public:
  /// Throws an Error with the largest sectional curvature and where it is, unless that is zero at q0.
  FlatCoordinates(const Mechanism& mechanism, const VectorRef& q0, const FlatOptions& options = {});
  /// A copy has memory of its own and may be used by another thread.
  FlatCoordinates(const FlatCoordinates& other);

  struct Point {
    OwnedVector x;  ///< phi(q)
    OwnedMatrix
        N;  ///< its differential, nv x nv: x-rates are N v, and forces of joints are N^T times those of x
  };
  /// Integrated along the straight way from q0. Throws an Error as the constructor does when there is
  /// curvature on it.
  Point at(const VectorRef& q);
  /// The configuration with these coordinates: the end of a geodesic from q0.
  OwnedVector configuration(const VectorRef& x);

  const OwnedVector& origin() const { return q0_; }
  int dimension() const { return connection_->mechanism().nv(); }

 private:
  void check_flat(const VectorRef& q) const;

  std::unique_ptr<Connection> connection_;
  OwnedVector q0_;
  OwnedMatrix N0_;
  FlatOptions options_;
};

}  // namespace amble
