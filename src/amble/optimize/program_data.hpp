#pragma once

#include <vector>

#include "amble/optimize/nlp.hpp"

namespace amble::detail {

/// What a program says of itself once and for all, checked.
struct ProgramData {
  explicit ProgramData(const NonlinearProgram& program);

  int n, m;
  std::vector<double> x_lower, x_upper, g_lower, g_upper;
  std::vector<MatrixPlace> jacobian, hessian;
};

}  // namespace amble::detail
