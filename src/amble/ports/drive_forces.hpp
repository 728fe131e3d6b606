#pragma once

#include <span>

#include "amble/dynamics/drive_lengths.hpp"

namespace amble {

/// What all drives of a description do at a state.
struct DriveForces {
  OwnedVector length, rate, force;  ///< of each drive
  OwnedVector activation_rate;      ///< of each drive with dynamics
  OwnedVector tau;                  ///< on the joints (nv)
  OwnedVector unbounded;            ///< of each drive, the force before its own bounds
  OwnedVector compensation;         ///< gravity compensation of all joints (nv)
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> moments;  ///< drives x nv
};

/// The drives of a model with what they are attached to.
class DriveSet {
 public:
  explicit DriveSet(const Mechanism& mechanism);

  int count() const { return static_cast<int>(drives().size()); }
  /// Those with dynamics, in the order of their activations.
  const std::vector<int>& dynamic() const { return dynamic_; }
  /// Whether there is a drive that moves something.
  bool acts() const;
  const std::vector<DriveDescription>& drives() const { return description_->drives; }
  bool acts(int drive) const { return attachments_[static_cast<std::size_t>(drive)].acts(); }
  /// Those whose force has a bound, for guards.
  const std::vector<int>& bounded() const { return bounded_; }

  /// For controls u and activations a. Allocates nothing once it was called with this `out`.
  void evaluate(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                std::span<const double> u, const double* a, DriveForces& out) const;

 private:
  double command(int drive, std::span<const double> u, const double* a) const;
  void set_forces(std::span<const double> u, const double* a, DriveForces& out) const;
  void bound_tendons(DriveForces& out) const;
  void set_activation_rates(std::span<const double> u, const double* a, DriveForces& out) const;
  void set_joint_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                        DriveForces& out) const;

  std::shared_ptr<const ModelDescription> description_;
  std::vector<DriveAttachment> attachments_;
  std::vector<int> dynamic_, bounded_, place_in_activation_;
  /// Tendons whose drives have a common bound, and these drives.
  struct Bound {
    double lower, upper;
    std::vector<int> drives;
  };
  std::vector<Bound> tendon_bounds_;
  bool compensates_ = false;
};

/// Of all drives at a state, for controls u (one each) and activations (one for each with dynamics). Throws
/// an Error for numbers that do not fit.
DriveForces drive_forces(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                         std::span<const double> u, std::span<const double> activation);

/// Names of drives with dynamics, in the order of their activations.
std::vector<std::string> activation_names(const Mechanism& mechanism);

}  // namespace amble
