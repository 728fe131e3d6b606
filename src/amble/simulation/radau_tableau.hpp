#pragma once

#include <array>

namespace amble {

/// The three-stage scheme of Radau IIA (order 5), as its Newton iteration wants it: A^-1 = T L T^-1 with L of a real
/// number `gamma` and the block ((alpha, beta), (-beta, alpha)) (Hairer and Wanner, IV.8).
struct RadauTableau {
  using Row = std::array<double, 3>;
  std::array<double, 3> node;
  std::array<Row, 3> A, T, T_inverse;
  double gamma, alpha, beta;
  std::array<double, 3> error;  ///< weights of the stages in the estimate of the error

  /// Weights of the stages in the collocation polynomial at a fraction of the step, which may lie beyond it.
  std::array<double, 3> weights_at(double s) const;
};

const RadauTableau& radau_tableau();

}  // namespace amble
