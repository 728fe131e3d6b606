#pragma once

#include "amble/dynamics/coordinates/chart_coordinates.hpp"
#include "amble/dynamics/dynamics.hpp"

namespace amble {

/// A force on a point of a body, f_k,i at a_k,i in BK (24).
struct PointForce {
  int body = 0;                                     ///< Mechanism::body_index()
  Vector3<double> point = Vector3<double>::Zero();  ///< in body coordinates (m)
  Vector3<double> force = Vector3<double>::Zero();  ///< in world axes (N)
};

/// The equation of motion in chart coordinates, BK (24) with the constraints (27) of the charts:
///     M qddot + N qdot = M (g, 0, 0) + (0, 0, u) + sum J^T f + G^T lambda,    G qddot = -gamma.
/// All of it comes from the mechanism's own dynamics through v = T qdot: M = T^T M_v T, and so on. chart_reference.hpp has
/// the sums as BK writes them. Owns its memory: after construction nothing allocates, except in the functions that
/// return an Owned value. One per thread.
class ChartDynamics {
 public:
  explicit ChartDynamics(const ChartCoordinates& coordinates);
  ChartDynamics(ChartDynamics&&) noexcept;
  ChartDynamics& operator=(ChartDynamics&&) noexcept;
  ~ChartDynamics();

  /// The state that everything below is about. Throws an Error naming the joint when theta or its rates are off the
  /// chart's constraints by more than `tolerance`. Up to the usual tolerance theta is brought back to them, as the
  /// quaternions of a configuration are; with a larger one it is used where it is, which is what the stages of an
  /// integrator need, and the nearest rotation counts.
  void set_state(const VectorRef& q_chart, const VectorRef& qdot_chart, double tolerance = kConstraintTolerance);
  const ChartCoordinates& coordinates() const;
  /// The same state in the mechanism's own numbers.
  const OwnedVector& q() const;
  const OwnedVector& v() const;

  /// M, BK (25): positive semidefinite, of rank nv.
  const OwnedRowMatrix& mass_matrix();
  /// N, BK (26), summed over bodies: Mdot = N + N^T.
  const OwnedRowMatrix& velocity_matrix();
  /// G = dC/dq_chart and the gamma of C'' = G qddot + gamma, BK (30) without its factor 1/2.
  OwnedMatrix constraint_jacobian() const;
  OwnedVector constraint_bias() const;
  OwnedVector constraints() const;
  /// A = 1 - G^T (G G^T)^-1 G: takes away what the constraints carry, in place of BK (34).
  OwnedMatrix projector() const;
  /// J_omega of a joint's chart in the axes of the joint's frame on the parent (on a floating base, the world), BK (10),
  /// and in those of the child, BK (13).
  const ChartJacobian& j_omega(const ChartBlock& block) const;
  const ChartJacobian& j_omega_base(const ChartBlock& block) const;

  /// The forces of gravity, in chart coordinates: M (g, 0, 0) of BK (24) when all that moves hangs on one floating base
  /// whose joint frame is the world's, and right for every other mechanism too.
  OwnedVector weight();
  /// qddot that the forces give; the constraints hold in it, BK (35) and (30). `u` are the forces of all joints (nv,
  /// paired with v) or of all but the free ones, which nothing drives: the (0, 0, u) of BK. Throws an Error where a chart
  /// is singular.
  const OwnedVector& forward(const VectorRef& u, std::span<const PointForce> forces = {},
                             std::span<const ExternalWrench> external = {});
  /// The forces (nv, paired with v) that give qddot. What qddot has off the constraints (G qddot + gamma) is not seen.
  const OwnedVector& inverse(const VectorRef& qddot, std::span<const PointForce> forces = {},
                             std::span<const ExternalWrench> external = {});
  /// The multiplier of BK (32), (33): what the constraints of the charts would have to carry in the motion that `u`
  /// gives. Zero to rounding, because a chart is no physical constraint.
  OwnedVector multiplier(const VectorRef& u, std::span<const PointForce> forces = {},
                         std::span<const ExternalWrench> external = {});

  /// forward() asks for C'' = -2 rate C' - rate^2 C instead of C'' = 0, so that what an integrator lets slip comes back
  /// within about 1/rate seconds (Baumgarte). Zero, as in BK (30), unless set; 1/s.
  void set_stabilisation_rate(double rate);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
