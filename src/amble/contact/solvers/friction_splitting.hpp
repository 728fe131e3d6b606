#pragma once

#include <vector>

#include "amble/contact/solvers/scaled_friction.hpp"
#include "amble/contact/solvers/small_linear.hpp"

namespace amble {

/// Forces x that the equations ask for and forces y that the laws allow, pulled together by the method of
/// multipliers. Friction becomes a convex problem by a shift of the normal velocities by mu |u_t| (De Saxce
/// and Feng 1998), which is taken from the velocities as they come. It does not mind redundant forces or
/// masses that are far apart, and is slow to the last digits: those are Newton's.
class FrictionSplitting {
 public:
  void reserve(int rows);
  /// From the forces of `scaled`. G is its matrix, rows x rows.
  void start(ScaledFriction& scaled, const double* G);
  /// Some rounds; the forces of `scaled` are then those that the laws allow, and it is refreshed. False when
  /// stuck.
  bool step(int rounds);

 private:
  bool factor();
  void pull();
  void project();
  void balance();

  ScaledFriction* scaled_ = nullptr;
  const double* G_ = nullptr;
  LinearSystem linear_;
  double weight_ = 1.0;                    // that pulls x and y together
  double apart_ = 0.0, change_ = 0.0;      // of x and y; of y since the last round, times the weight
  std::vector<double> x_, y_, z_, shift_;  // z: velocities, the normal ones shifted
};

}  // namespace amble
