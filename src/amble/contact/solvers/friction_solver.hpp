#pragma once

#include <memory>
#include <string>
#include <vector>

#include "amble/contact/solvers/friction_certificate.hpp"

namespace amble {

struct FrictionOptions {
  double tolerance = 1e-10;  ///< of FrictionCertificate::residual
  double loose_tolerance = 0.0;  ///< Newton: does where things move once a dozen linear systems were solved, if it is larger
  int iterations = 0;        ///< at most; 0: what suits the solver
  double relaxation = 1.0;   ///< Gauss-Seidel: 0 to 2, exclusive; above 1 goes further than each block asks

  void validate() const;
};

/// Vectors, so that problems of any size up to those before need no new memory.
struct FrictionSolution {
  std::vector<double> forces;      ///< per row
  std::vector<double> velocities;  ///< u = G f + w, without the offset
  OwnedVector y;                   ///< Y f: v+ - v = U^-T y
  FrictionCertificate certificate;
  FrictionStatus status = FrictionStatus::not_reached;
  int iterations = 0;  ///< linear systems solved, or sweeps
};

/// Finds forces that meet every law, or says how near it came: solve() does not throw but for a problem that
/// is none (FrictionProblem::check()), and never gives a number that is not finite. Owns its memory: nothing
/// allocates after reserve() or the first problem of a size.
class FrictionSolver {
 public:
  virtual ~FrictionSolver() = default;

  virtual const char* name() const = 0;
  virtual void reserve(int dimension, int blocks, int rows) = 0;
  /// `guess`: forces to start from, one per row (those of the step before); nothing: from no forces.
  virtual const FrictionSolution& solve(const FrictionProblem& problem,
                                        std::span<const double> guess = {}) = 0;
};

/// The solvers there are: `newton` (exact, for up to some hundreds of rows) and `gauss_seidel` (any number of
/// rows).
std::vector<std::string> friction_solvers();
/// Throws an Error for a name that is not one of them.
std::unique_ptr<FrictionSolver> make_friction_solver(const std::string& name,
                                                     const FrictionOptions& options = {});

}  // namespace amble
