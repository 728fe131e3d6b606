#pragma once

#include "amble/io/mjcf/compiled.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// An actuator with its class and shorthands resolved: force = gain u + bias, each constant or affine in the
/// length l = gear q of the joint and its rate.
struct CompiledDrive {
  enum class Law { constant, affine, other };

  const MjcfElement* element = nullptr;
  std::string name;
  const CompiledJoint* joint = nullptr;  ///< null when it drives something else
  std::string tendon;
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  std::array<double, 10> gain{1.0}, bias{}, dynamics{1.0};
  Law gain_law = Law::constant, bias_law = Law::constant;  ///< a constant bias is none
  bool has_dynamics = false, always_limited = false;
  double inherit_range = 0.0, armature = 0.0, damping = 0.0;
  MjcfRange control, force;

  /// What DriveDescription can say: a hinge or slide, affine, without dynamics.
  bool is_described() const;
};

/// All actuators in order. Armature and damping of a drive are added to its joint.
std::vector<CompiledDrive> compile_drives(const MjcfSources& sources, CompiledModel& model);

}  // namespace amble
