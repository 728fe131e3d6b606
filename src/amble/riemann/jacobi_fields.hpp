#pragma once

#include "amble/riemann/geodesic.hpp"

// How geodesics of the Levi-Civita connection change with their start: the variational equations, exact by
// the analytic derivatives of forward dynamics.
namespace amble {

/// The end of a geodesic, and how it changes: for a change x of q0 (along the frame) and w of v0, both nv
/// numbers,
///   dq = Q_q x + Q_v w,   dv = V_q x + V_v w.
struct GeodesicVariation {
  OwnedVector q, v;
  OwnedMatrix Q_q, Q_v, V_q, V_v;
};

/// Follows a geodesic and its variations. Owns its memory.
class VariationalRun {
 public:
  explicit VariationalRun(const Mechanism& mechanism, double tolerance = 1e-12);
  ~VariationalRun();

  void start(const VectorRef& q, const VectorRef& v);
  void advance(double t);
  GeodesicVariation now() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// Where Jacobi fields that start at zero vanish again: beyond the first such time a geodesic is not the
/// shortest way.
struct ConjugatePoint {
  double t = 0.0;
  int multiplicity = 0;
};
struct ConjugateOptions {
  double tolerance = 1e-10;
  int samples = 200;        ///< the times that are looked at first
  double vanishing = 1e-5;  ///< a singular value of a Jacobi field over t, relative to 1, that counts as zero
};
std::vector<ConjugatePoint> conjugate_points(const Mechanism& mechanism, const VectorRef& q,
                                             const VectorRef& v, double duration,
                                             const ConjugateOptions& options = {});

}  // namespace amble
