#pragma once

#include "amble/geometry/chart.hpp"

namespace amble {

/// Where a search for coordinates ended. `residual` is the norm of (rho(theta) - R, C(theta)).
struct ChartSearch {
  ChartVector theta;
  double residual = std::numeric_limits<double>::infinity();
  bool converged = false;
};

/// Coordinates of R by Levenberg-Marquardt on rho(theta) - R and the constraints; converged below 1e-13.
ChartSearch search_coordinates(const Chart& chart, const Matrix3<double>& R, const ChartVector& start);

}  // namespace amble
