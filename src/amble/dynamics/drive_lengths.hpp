#pragma once

#include "amble/dynamics/workspace.hpp"

// What drives of a model file are attached to: the length that each sees, and its moment arms.
namespace amble {

/// Where a drive of the description is attached, found once.
class DriveAttachment {
 public:
  DriveAttachment(const Mechanism& mechanism, const DriveDescription& drive);

  /// False for a drive of nothing, or of a joint that has become fixed since the file was read.
  bool acts() const { return kind_ != Kind::none; }
  /// The tendon it pulls, or -1.
  int tendon() const { return kind_ == Kind::tendon ? index_ : -1; }
  /// Its length l for the configuration of the last forward_kinematics(). `moment` has nv numbers and gets
  /// the force on the joints for a unit force of the drive; its rate is moment . v. Allocates nothing.
  double length(const Mechanism& mechanism, Workspace& work, double* moment) const;

 private:
  enum class Kind { none, axis, ball, free, tendon, frame, relative, slider };

  double measured(const Mechanism& mechanism, Workspace& work, double* moment) const;

  Kind kind_ = Kind::none;
  int index_ = -1;  ///< of the joint or the tendon
  bool in_parent_ = false;
  double rod_ = 0.0;
  std::array<double, 6> gear_;
  Place frame_, reference_;
  SO3<double> R_BF_, R_BR_;  ///< how these are turned on their bodies
};

/// Of every drive of the description: l, and the moment arms (drives x nv); zero for drives that do nothing.
OwnedVector drive_lengths(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
OwnedMatrix drive_moments(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

}  // namespace amble
