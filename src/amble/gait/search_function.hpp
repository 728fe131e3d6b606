#pragma once

#include "amble/base/owned.hpp"

namespace amble {

/// Where a function of a motion is asked for: positions, velocities, accelerations, parameters of the design.
struct SearchPoint {
  VectorRef q, v, a, p;
};

/// Values of a function and all its first derivatives.
struct SearchValues {
  SearchValues(int rows, int coordinates, int parameters)
      : n(coordinates), value(rows), slopes(rows, 3 * coordinates + parameters) {}

  int n;
  OwnedVector value;
  OwnedMatrix slopes;  ///< a row per value; columns: by q, v, a and p

  auto by_q() { return slopes.leftCols(n); }
  auto by_v() { return slopes.middleCols(n, n); }
  auto by_a() { return slopes.middleCols(2 * n, n); }
  auto by_p() { return slopes.rightCols(slopes.cols() - 3 * n); }
};

/// A smooth function of (q, v, a, p) at one instant of one phase of a step: torques, a reset, a condition, a
/// length. Constant: several searches may use one at the same time.
class SearchFunction {
 public:
  virtual ~SearchFunction() = default;

  virtual int rows() const = 0;
  /// `out.slopes` is zero on entry: a function writes what it has.
  virtual void evaluate(const SearchPoint& at, SearchValues& out) const = 0;
  /// How a function goes with each kind of its arguments: what is known saves evaluations of curvature(). Two
  /// kinds may not both be `linear`, nor both `quadratic`, when products of them occur.
  enum class Degree { none, linear, quadratic, any };
  struct Degrees {
    Degree q = Degree::any, v = Degree::any, a = Degree::any;
  };
  virtual Degrees degrees() const { return {}; }
  /// sum_r weights_r d2 f_r / dz2, z = (q, v, a, p), symmetric. Unless a function knows better, by central
  /// differences of its first derivatives (errors near 1e-9 relative): exact enough for Newton steps, which
  /// need no more. Along arguments that it is linear in, or does not know, none are needed; along those that
  /// it is quadratic in, one side will do.
  virtual void curvature(const SearchPoint& at, const VectorRef& weights,
                         Eigen::Ref<Eigen::MatrixXd> out) const;
};

}  // namespace amble
