#pragma once

#include <span>

#include "amble/contact/solvers/friction_problem.hpp"

namespace amble {

enum class FrictionStatus {
  solved,        ///< the residual is at most the tolerance
  not_reached,   ///< it is not; the best that was found is returned
  inconsistent,  ///< no forces can meet the laws: worst_block contradicts others (loops that cannot close, a
                 ///< contact squeezed between things that do not move)
};
const char* name_of(FrictionStatus status);

/// How far forces and velocities are from the laws, from their definitions: nothing here is taken from a
/// solver. Speeds are m/s (rad/s), forces N (or N s); the worst over all blocks.
struct FrictionCertificate {
  double signorini = 0.0;  ///< |min(g f_n, u_n + offset)|, g as below: normal rows and stops
  double cone = 0.0;       ///< |f_t| - mu f_n where positive (N), boxes: |f| - bound
  double dissipation =
      0.0;  ///< |f_t |u_t| + mu f_n u_t| (W, or J of impulses): friction acts against the slip, in full
  double bilateral = 0.0;  ///< |u + offset| of bilateral rows
  double box = 0.0;        ///< |f |u| + bound u| of boxes (W)
  /// The natural map as one speed: per block |f - projection of (f - u / g)| g, where g is the mean diagonal
  /// of the block in G, so that a force counts by the speed it alone would cause. A contact's normal row
  /// projects to f_n >= 0 and its tangents to the disc of radius mu max(0, f_n) (Alart and Curnier 1991):
  /// zero exactly where all laws hold.
  double natural = 0.0;
  /// natural, relative to the largest |w + offset| and least_speed() (absolute where all of them are zero): what tolerances are
  /// about.
  double residual = 0.0;
  double work = 0.0;  ///< f . u: what contacts and joints do, negative where they take energy
  int worst_block = -1;
};

/// Of any forces, one per row; velocities are computed here: u = G f + w. `y` is scratch, dimension()
/// numbers.
FrictionCertificate certify(const FrictionProblem& problem, std::span<const double> forces,
                            std::span<double> velocities, std::span<double> y);
/// The same with memory of its own.
FrictionCertificate certify(const FrictionProblem& problem, std::span<const double> forces);

}  // namespace amble
