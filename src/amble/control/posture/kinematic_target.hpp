#pragma once

#include <string>
#include <vector>

#include "amble/dynamics/kinematics.hpp"

// Where parts of a mechanism are wanted: what inverse kinematics solves for and contacts of a posture are made of.
namespace amble {

/// A place on a mechanism (a body or frame, or a frame on it), or its centre of mass, and where it is wanted. The error
/// has rows for the position (m, along the axes of the target) and for the orientation (rad, the rotation vector from
/// the target's axes to the frame's); weights count them, and a row of weight zero is not there.
struct KinematicTarget {
  std::string place;  ///< a body or frame; empty: the centre of mass
  Pose X_PF = {};     ///< which frame of the place: a point of it, or axes of its own
  Pose X_RT;          ///< where that is wanted, on the reference
  Vector6<double> weights = Vector6<double>::Ones();  ///< of the rows: position, then orientation
  std::string reference = "world";  ///< or a body or frame of the mechanism; of the centre of mass the world

  std::string name() const { return place.empty() ? "center of mass" : place; }
};

KinematicTarget pose_target(std::string place, const Pose& X_RT);
/// Of a point of the place; the orientation is free.
KinematicTarget position_target(std::string place, const Vector3<double>& p_W,
                                const Vector3<double>& point = Vector3<double>::Zero());
KinematicTarget orientation_target(std::string place, const SO3<double>& R_WT);
KinematicTarget center_of_mass_target(const Vector3<double>& p_W);

/// The errors of several targets, one after another, and how they change: exact on the manifold. Owns its memory.
class KinematicRows {
 public:
  /// Throws an Error for a place that is not there, a number that is not finite, weights that are negative, or a turn of
  /// the centre of mass.
  KinematicRows(const Mechanism& mechanism, std::vector<KinematicTarget> targets);

  int rows() const { return rows_; }
  const std::vector<KinematicTarget>& targets() const { return targets_; }
  /// What the weights of the rows are.
  const OwnedVector& weights() const { return weights_; }
  /// `position x of 'left_hand'`
  std::string row_name(int row) const { return names_[row]; }
  /// Distance (m) and angle (rad) of each target from where it is, counting rows that are there; see evaluate().
  struct Residual {
    double position = 0.0, orientation = 0.0;
  };
  Residual residual(std::size_t target) const { return residuals_[target]; }

  /// Errors at q, unweighted.
  const OwnedVector& evaluate(const VectorRef& q);
  /// And d error / dt = J v.
  const OwnedRowMatrix& jacobian(const VectorRef& q);

 private:
  void place_rows(const VectorRef& q, std::size_t target, bool slopes);
  void relative_jacobian(const VectorRef& q, const KinematicTarget& target, const Pose& X_WP, const Pose& X_WR);
  void mass_rows(const VectorRef& q, std::size_t target, bool slopes);
  void put(std::size_t target, const Vector6<double>& error, const OwnedRowMatrix* slopes);

  Mechanism mechanism_;
  Workspace work_;
  std::vector<KinematicTarget> targets_;
  std::vector<Residual> residuals_;
  std::vector<int> first_;  // row of each target
  std::vector<std::string> names_;
  int rows_ = 0;
  OwnedVector weights_, errors_;
  OwnedRowMatrix J_, room_;
};

}  // namespace amble
