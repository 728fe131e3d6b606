#pragma once

#include "amble/dynamics/coordinates/chart_dynamics.hpp"

namespace amble {

/// BK II to IV as they are written: every body's Jacobians from the chart's J_omega, M and N as sums over bodies, the
/// acceleration from one dense system. Readable and slow; ChartDynamics gives the same numbers from the recursions of
/// the core. Two things differ from the print: joints of every type, and what docs/errata.md says of (32)-(35).
class ChartReference {
 public:
  ChartReference(const ChartCoordinates& coordinates, const VectorRef& q_chart, const VectorRef& qdot_chart);

  /// 3 x n, the velocity in world axes of a point `p` (in body coordinates) is J qdot; and its rate. BK (14).
  OwnedMatrix translational_jacobian(int body, const Vector3<double>& p) const;
  OwnedMatrix translational_jacobian_dot(int body, const Vector3<double>& p) const;
  /// 3 x n, the angular velocity in world axes, BK (16), in body axes, BK (17), and the rate of the latter.
  OwnedMatrix rotational_jacobian_global(int body) const;
  OwnedMatrix rotational_jacobian_local(int body) const;
  OwnedMatrix rotational_jacobian_local_dot(int body) const;

  const OwnedMatrix& M() const { return M_; }  ///< BK (25)
  const OwnedMatrix& N() const { return N_; }  ///< BK (26)
  const OwnedMatrix& G() const { return G_; }
  const OwnedVector& gamma() const { return gamma_; }

  /// The right-hand side of BK (24): weight, `u` as ChartDynamics::forward() takes it, and forces at points.
  OwnedVector applied_forces(const VectorRef& u, std::span<const PointForce> forces = {}) const;

  struct Solution {
    OwnedVector qddot, lambda;
  };
  /// ( M  G^T ) (  qddot  )   ( applied - N qdot )
  /// ( G   0  ) ( -lambda ) = (      -gamma      ),  that is BK (31): the minimum of the deviation (22) under (30).
  Solution forward(const VectorRef& u, std::span<const PointForce> forces = {}) const;

 private:
  struct Placed;  ///< a link's frame and its columns, with their rates
  void place_links();
  void sum_bodies();
  void add_armature();
  void set_constraints();

  ChartCoordinates coordinates_;
  OwnedVector q_chart_, qdot_chart_, q_, v_;
  std::shared_ptr<const std::vector<Placed>> links_;
  OwnedMatrix T_, T_dot_, M_, N_, G_;
  OwnedVector gamma_;
};

}  // namespace amble
