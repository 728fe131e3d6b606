#pragma once

#include "amble/geometry/chart.hpp"

// The built-in charts, one maker each; chart() in charts.cpp has the table of their names.
namespace amble {

/// Turns about the coordinate axes `axes[0]`, `axes[1]`, `axes[2]` (0 to 2) in intrinsic order, where the
/// s-th turn is by theta[order[s]].
ChartPtr euler_chart(std::string name, const std::array<int, 3>& axes, const std::array<int, 3>& order);
ChartPtr quaternion_chart();
ChartPtr matrix_chart();
ChartPtr exponential_chart();

}  // namespace amble
