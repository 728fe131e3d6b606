#pragma once

#include <string>

#include "amble/optimize/nlp.hpp"

namespace amble {

/// Where a program's derivative differs most from differences of its function.
struct DerivativeError {
  double error = 0.0;       ///< relative to the largest derivative of the same function, see GradientCheck
  std::string where;        ///< `speed by duration`; empty when nothing was compared
  double given = 0.0;       ///< by the program
  double difference = 0.0;  ///< by differences
};

/// Derivatives of a program at a point, compared with central differences of eighth order: the error of those
/// is near 1e-12 of the function's size where it is smooth over `step`. Every entry is compared, also where
/// the program has no place for a number. An error counts relative to the largest |derivative| in its row, or
/// to `floor` times the function's value where that is more.
struct GradientCheck {
  DerivativeError objective;
  DerivativeError jacobian;
  DerivativeError hessian;  ///< of the Lagrangian, by differences of its gradient; empty without a Hessian

  const DerivativeError& worst() const;
};

struct GradientCheckSettings {
  /// Largest distance between neighbouring points of a difference, relative to max(1, |x_i|). It is halved
  /// down to step / 64, and what agrees best with the differences of sixth order is taken.
  double step = 0.02;
  double floor = 1e-6;
  bool hessian = true;  ///< false: leave it (one that is an approximation on purpose)

  void validate() const;
};

/// Throws an Error where the program cannot be evaluated at x itself.
GradientCheck check_gradients(NonlinearProgram& program, const VectorRef& x,
                              const GradientCheckSettings& settings = {});

}  // namespace amble
