#pragma once

#include "amble/riemann/connection.hpp"
#include "amble/simulation/integrator.hpp"

namespace amble {

/// A curve of configurations, as states along it.
struct CurveOnMechanism {
  std::vector<double> t;
  std::vector<OwnedVector> q, v;
};

struct GeodesicOptions {
  double tolerance = 1e-12;  ///< of the integrator, see IntegratorOptions
  int samples = 101;         ///< of the curve that is returned, both ends included
};

/// The geodesic of a connection from q with velocity v, for a time `duration`, or backwards for a negative
/// one. Of the Levi-Civita connection it is the motion without any force, and its kinetic energy is constant.
/// ZB (17) with F = 0. Part of v that constraints forbid is an Error.
CurveOnMechanism geodesic(Connection& connection, const VectorRef& q, const VectorRef& v, double duration,
                          const GeodesicOptions& options = {});
/// Only where it ends: exp_q(v) for duration 1.
struct GeodesicEnd {
  OwnedVector q, v;
};
GeodesicEnd geodesic_end(Connection& connection, const VectorRef& q, const VectorRef& v, double duration,
                         double tolerance = 1e-12);

/// Integral of |v| along the curve in the metric of M, by Simpson's rule on its states (whose number must be
/// odd).
double curve_length(const Mechanism& mechanism, const CurveOnMechanism& curve);

/// A curve q(t) with its velocity, to carry vectors along.
struct MovingConfiguration {
  OwnedVector q, v;
};
using ConfigurationCurve = std::function<MovingConfiguration(double t)>;

/// Carries vectors, the columns of `vectors` (nv rows), along the curve from t0 to t1: nabla_v X = 0.
OwnedMatrix parallel_transport(Connection& connection, const ConfigurationCurve& curve, double t0, double t1,
                               const OwnedMatrix& vectors, double tolerance = 1e-12);
/// Along the geodesic from q with velocity v, for a time `duration`.
OwnedMatrix parallel_transport(Connection& connection, const VectorRef& q, const VectorRef& v,
                               double duration, const OwnedMatrix& vectors, double tolerance = 1e-12);

}  // namespace amble
