#pragma once

#include "amble/constraints/constraint.hpp"
#include "amble/recording/recording.hpp"

// How good a motion is, told by the motion itself.
namespace amble {

/// A number that is zero in an exact result, and what it is held to.
struct Certificate {
  std::string name, unit;
  double value = 0.0, bound = 0.0;
  double t = 0.0;  ///< when it was at its worst (s)
  /// False also when the value is not a number.
  bool holds() const { return value <= bound; }
};

/// What a recording is held to. All are above what the integrators leave at their default tolerance, and below what
/// would matter to an engineer.
struct CertificateBounds {
  double energy = 1e-6;       ///< residual of the ledger over what was exchanged, or the largest kinetic energy
  double manifold = 1e-9;     ///< how far a quaternion is from unit length
  double constraints = 1e-6;  ///< |phi(q)| of loops and wheels (m, rad)
  double rates = 1e-5;        ///< |A v - b| of them (m/s, rad/s)
  double cone = 1e-6;         ///< contact forces that pull or leave their friction cone, over the largest force
  /// Throws an Error unless all are positive.
  void validate() const;
};

/// From states, books and forces as they were recorded: nothing is taken from the solvers that made them. Those of
/// constraints are there when the mechanism carries some, or `further` are given; that of the cone when forces of contacts
/// were recorded whose friction is known.
std::vector<Certificate> certificates(const Recording& recording, const std::vector<ConstraintPtr>& further = {},
                                      const CertificateBounds& bounds = {});

/// "energy: 0.002 (relative) at 1.5 s, expected 1e-06 at most", for each that does not hold.
std::vector<std::string> warnings(const std::vector<Certificate>& certificates);

}  // namespace amble
