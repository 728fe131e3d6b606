#pragma once

#include "amble/riemann/geodesic.hpp"

namespace amble {

struct BetweenOptions {
  double tolerance =
      1e-11;  ///< of the integrator, and 10 times that of the kinks that are left, relative to the speed
  int segments = 8;  ///< pieces of the broken geodesic; doubled where pieces do not close
  int most_segments = 128;
  int most_iterations = 100;
  int starts = 1;       ///< the straight path, and then others by random places on the way
  double spread = 1.0;  ///< how far those are, beside the straight path (rad, m)
  /// Angles of unlimited one-axis joints may end up to this many turns away from q1, either way.
  int windings = 0;
  unsigned long seed = 1;
};

/// A geodesic of the Levi-Civita connection between two configurations, in unit time.
struct GeodesicBetween {
  OwnedVector q1;  ///< where it ends: turns of angles included
  OwnedVector v0;  ///< its velocity at q0
  double length = 0.0;
  double energy = 0.0;  ///< integral of the kinetic energy, length^2 / 2
  /// Of the second variation, relative to that of a straight line in flat space: positive where it is locally
  /// the shortest way.
  double least_eigenvalue = 0.0;
  int index = 0;      ///< negative eigenvalues: conjugate points on the way, as Morse counted them
  double kink = 0.0;  ///< the largest jump of the velocity left, relative to it
  double miss = 0.0;  ///< from q1, of one run from q0 with v0
  int segments = 0, iterations = 0;
  bool converged = false;

  bool locally_shortest() const { return converged && index == 0 && least_eigenvalue > 0.0; }
};

/// Broken geodesics are pulled tight: the energy of the pieces falls in every step, by Newton's method with
/// the exact second variation (Jacobi fields), so that what is found is a minimum, not merely a stationary
/// curve. All that are found, those that are the same counted once, the shortest first; those that did not
/// converge come last. Throws an Error when the pieces of no start can be closed.
std::vector<GeodesicBetween> geodesics_between(const Mechanism& mechanism, const VectorRef& q0,
                                               const VectorRef& q1, const BetweenOptions& options = {});

}  // namespace amble
