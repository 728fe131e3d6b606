#pragma once

#include <memory>

#include "amble/dynamics/kernel_tree.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// All memory that evaluating a mechanism needs; one per thread. After construction nothing allocates.
/// Results of functions are views into it, valid until its next use by the same function.
class Workspace {
 public:
  explicit Workspace(const Mechanism& mechanism);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  OwnedVector q;           ///< the configuration in use, checked
  std::vector<Pose> X_WL;  ///< pose of every link in the world, by forward_kinematics()
  OwnedMatrix jacobian;
  OwnedVector tau, bias, a;
  OwnedMatrix M, M_factor;

  /// Throws an Error unless this workspace was made for `mechanism` (or a copy of it).
  void check_owner(const Mechanism& mechanism) const {
    if (&mechanism.description() != owner_.get()) throw_other_owner(mechanism);
  }

  /// What the kernels need; of no interest to callers.
  struct Kernel;
  Kernel& kernel() { return *kernel_; }

 private:
  [[noreturn]] void throw_other_owner(const Mechanism& mechanism) const;

  std::shared_ptr<const ModelDescription> owner_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace amble
