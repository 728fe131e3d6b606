#pragma once

#include <memory>

#include "amble/constraints/constraint.hpp"

namespace amble {

/// Centre of mass and momentum about it, world axes.
struct CentroidalMotion {
  Vector3<double> com = Vector3<double>::Zero(), com_velocity = Vector3<double>::Zero();
  Vector6<double> momentum = Vector6<double>::Zero();  ///< linear first
  Vector6<double> bias = Vector6<double>::Zero();      ///< its rate without accelerations
  const double* matrix = nullptr;                      ///< 6 x nv, row by row
};

/// All that a tick of whole-body control asks of a mechanism at one state, each computed once. Owns its memory and
/// allocates nothing after construction.
class MotionState {
 public:
  explicit MotionState(const Mechanism& mechanism);
  MotionState(MotionState&&) noexcept;
  ~MotionState();

  void set(const VectorRef& q, const VectorRef& v, double t);
  const Mechanism& mechanism() const;
  const OwnedVector& q() const;
  const OwnedVector& v() const;
  double t() const;
  Workspace& workspace() const;

  FrameMotion frame(const LinkFrame& frame) const;
  /// Row of a unit wrench on link b, and back on link a: row . a + bias is the acceleration along it. `row` (nv numbers)
  /// is added to, from zeros.
  void add_row(const WrenchRow& wrench, int link_a, int link_b, double* row, double& bias) const;
  /// Three rows of unit forces along the columns of `axes` (with `spin`, the angular velocity that turns them) at a point
  /// that moves with link b, `stride` apart; likewise of unit moments.
  void add_forces(const Matrix3<double>& axes, const Vector3<double>& spin, const Vector3<double>& point,
                  const Vector3<double>& point_rate, int link_a, int link_b, double* rows, int stride,
                  double* bias) const;
  void add_moments(const Matrix3<double>& axes, const Vector3<double>& spin, int link_a, int link_b, double* rows,
                   int stride, double* bias) const;

  /// M(q), nv x nv, row by row; and C v + gravity forces.
  const double* mass_matrix() const;
  const double* bias_forces() const;
  const CentroidalMotion& centroidal() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
