#pragma once

#include <array>
#include <optional>

#include "amble/riemann/joint_metric.hpp"
#include "amble/riemann/task_map.hpp"

// A task map as a submersion between metrics: what moves the task (horizontal), what does not (vertical). AL
// II.B, III.
namespace amble {

struct SubmersionOptions {
  /// Of the workspace, dimension x dimension; empty means the identity. For poses that is AL's
  /// double-geodesic metric with 1 m as long as 1 rad; see double_geodesic.hpp for others.
  OwnedMatrix target = {};
  double singular = 1e-8;  ///< singular values below this part of the largest count as zero
};

/// A task at a configuration, seen in the metrics W of the joints and G of the workspace. Inverses of a J
/// without full rank move the task as far as they can.
struct Submersion {
  OwnedMatrix J;
  OwnedMatrix lift;                  ///< nv x dimension, horizontal lift: W^-1 J^T (J W^-1 J^T)^-1
  OwnedMatrix pseudoinverse;         ///< of Moore and Penrose: the same for W = 1, G = 1
  OwnedMatrix horizontal, vertical;  ///< W-orthogonal projectors, nv x nv: lift J, and 1 - lift J
  OwnedVector singular_values;  ///< of J between the metrics, largest first: half axes of the ellipsoid of J
                                ///< v, |v| = 1
  int rank = 0;
  double manipulability = 0.0;  ///< their product: the volume of that ellipsoid over that of the unit ball
  /// How far it is from a Riemannian (isometric) submersion: the largest |s^2 - 1| of the singular values s.
  double isometry_defect = 0.0;
  /// The sine of the largest angle between W ker J and ker J. The lift is the pseudoinverse exactly where
  /// this is zero (AL Theorem III.2 as it has to be stated).
  double kernel_defect = 0.0;
  double lift_difference = 0.0;  ///< |lift - pseudoinverse| / |pseudoinverse|, Frobenius
};

Submersion submersion(TaskMap& task, JointMetric& metric, const VectorRef& q,
                      const SubmersionOptions& options = {});

/// Penrose's conditions JBJ = J, BJB = B, (JB)^T = JB, (BJ)^T = BJ (AL, Appendix A, I-IV): by how much B
/// fails each, relative to the size of what is compared.
std::array<double, 4> penrose_residuals(const OwnedMatrix& J, const OwnedMatrix& B);

enum class SingularityKind {
  none,
  kinematic,    ///< J itself loses rank: a direction of the workspace cannot be moved along
  algorithmic,  ///< each task alone has full rank, but both together have not: the way the redundancy is used
                ///< fails
};
const char* name_of(SingularityKind kind);

struct Singularity {
  SingularityKind kind = SingularityKind::none;
  double least = 0.0, largest = 0.0;  ///< singular values of the matrix that decides
  OwnedMatrix lost;  ///< directions, columns: of the workspace when kinematic, of both tasks together when
                     ///< algorithmic
};
/// `second`: what the remaining freedom is used for, if anything: another task, of lower priority or to make
/// J square.
Singularity singularity(TaskMap& task, TaskMap* second, JointMetric& metric, const VectorRef& q,
                        const SubmersionOptions& options = {});

struct DampingOptions {
  double threshold = 0.05;  ///< singular values below this are damped
  double damping =
      0.05;  ///< lambda where one vanishes; between, lambda^2 = damping^2 (1 - (s / threshold)^2)
  SubmersionOptions submersion = {};
};
/// A lift that stays bounded near singularities, and its price.
struct DampedLift {
  OwnedVector v;
  double speed = 0.0;           ///< |v| in the metric of the joints
  double undamped_speed = 0.0;  ///< of the lift without damping, infinite where there is none
  double task_error = 0.0;      ///< |xdot - J v| in the metric of the workspace
  double worst_error = 0.0;     ///< the same for the worst xdot of unit length: lambda^2 / (s^2 + lambda^2)
  double lambda = 0.0;          ///< of the least singular value
};
DampedLift damped_lift(TaskMap& task, JointMetric& metric, const VectorRef& q, const VectorRef& xdot,
                       const DampingOptions& options = {});

}  // namespace amble
