#pragma once

#include <functional>

#include "amble/geometry/chart.hpp"

namespace amble {

/// A number with a first derivative in each of two directions and the second derivative in both.
using SecondOrder = Dual<Dual<double, 1>, 1>;

/// What a user says about a chart of their own. `rho` is enough; a generic lambda or function object will do:
///
///     auto mrp = user_chart({.name = "mrp", .size = 3, .rho = [](const auto* s) { return ...; }});
struct ChartDefinition {
  std::string name;
  int size = 3;  ///< number of coordinates, 3 to 9
  /// theta -> R, given `size` numbers; called with dual numbers, from which the derivatives are taken.
  std::function<Matrix3<SecondOrder>(const SecondOrder* theta)> rho;
  /// theta -> C(theta), zero on the manifold; leave empty when size is 3.
  std::function<std::vector<SecondOrder>(const SecondOrder* theta)> constraints = {};
  /// Optional, where closed forms are faster: `size` matrices, and size^2 of them (entry i * size + j).
  std::function<std::vector<Matrix3<double>>(const double* theta)> partials = {};
  std::function<std::vector<Matrix3<double>>(const double* theta)> second_partials = {};
  /// Coordinates of some rotation where the chart is regular; empty means zeros.
  std::vector<double> start = {};
};

/// A chart from its definition. It is tried out at `start`: an Error when rho is not a rotation there, the
/// constraints do not vanish, the chart is singular, or given derivatives are not those of rho (to 1e-6).
/// from_rotation() searches (Levenberg-Marquardt from the hint, from `start` and from 40 fixed points around
/// it) and throws an Error with the best residual when none of them converges.
ChartPtr user_chart(const ChartDefinition& definition);

}  // namespace amble
