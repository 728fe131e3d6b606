#pragma once

#include "amble/riemann/geodesic.hpp"
#include "amble/riemann/task_inverse.hpp"

// Do the joints come back when the task does? AL III, Shamir and Yomdin.
namespace amble {

/// The columns X_a of an inverse B are vector fields of configurations. Closed loops of the task close in the
/// joints, nearby, exactly where all brackets [X_a, X_b] stay in the span of B: this is what of them does
/// not.
struct Integrability {
  bool integrable = false;
  double largest = 0.0;       ///< |(1 - B J) [X_a, X_b]| over |X_a| |X_b|, in the metric of M
  int first = 0, second = 0;  ///< the pair of directions of the task it belongs to
  OwnedVector
      drift;  ///< (1 - B J) [X_a, X_b]: what a small loop of that pair leaves, for each unit of its area
};
Integrability integrability(TaskInverse& inverse, const VectorRef& q, double tolerance = 1e-8);

/// A curve of the workspace: where, and with what velocity in the frame of the task there.
struct MovingTask {
  OwnedVector x, xdot;
};
using TaskCurve = std::function<MovingTask(double t)>;
/// x0 going round once in unit time: integrate(x0, radius ((cos 2 pi t - 1) a + sin 2 pi t b)), a and b
/// velocities of the task at x0. The task must outlive the curve.
TaskCurve circle_through(TaskMap& task, const VectorRef& x0, const VectorRef& a, const VectorRef& b,
                         double radius);

struct LiftOptions {
  double tolerance = 1e-10;
  double gain = 10.0;  ///< 1/s: how fast the joints return to the curve when they are off it
  int samples = 101;
};
struct LiftedCurve {
  CurveOnMechanism curve;
  double task_error = 0.0;  ///< the largest |x(q) - x| seen at the samples
  double length = 0.0;      ///< of the curve of joints, in the metric of M
};
/// The curve of configurations from q0 over a curve of the workspace: v = B(q) (xdot + gain (x - x(q))).
LiftedCurve lifted_curve(TaskInverse& inverse, const TaskCurve& curve, double duration, const VectorRef& q0,
                         const LiftOptions& options = {});

/// Where the joints are each time a closed curve of unit duration comes back.
struct Holonomy {
  std::vector<OwnedVector> q;      ///< at the start and after each loop
  std::vector<OwnedVector> drift;  ///< difference(q[i], q[i + 1])
  std::vector<double> drift_norm;  ///< of each, in the metric of M
  double task_error = 0.0;
  LiftedCurve first;  ///< the first loop
};
Holonomy holonomy(TaskInverse& inverse, const TaskCurve& loop, const VectorRef& q0, int loops = 1,
                  const LiftOptions& options = {});

}  // namespace amble
