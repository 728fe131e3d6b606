#pragma once

#include "amble/io/mjcf/tendons.hpp"

namespace amble {

/// A site and the body that carries it; null when there is none.
struct CompiledPlace {
  const CompiledSite* site = nullptr;
  int body = 0;
};

/// An actuator with its class and shorthands resolved; see DriveDescription.
struct CompiledDrive {
  enum class Law { constant, affine, muscle, other };  ///< a constant bias is none
  enum class Dynamics { none, integrator, filter, muscle, other };

  const MjcfElement* element = nullptr;
  std::string name;
  const CompiledJoint* joint = nullptr;
  int tendon = -1;  ///< among the compiled ones
  CompiledPlace site, reference, slider;
  bool in_parent = false;
  double rod = 0.0;
  std::array<double, 6> gear{1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  std::array<double, 10> gain{1.0}, bias{}, time{1.0};
  std::array<double, 2> length_range{};
  Law gain_law = Law::constant, bias_law = Law::constant;
  Dynamics dynamics = Dynamics::none;
  bool always_limited = false;
  double inherit_range = 0.0, armature = 0.0;
  std::array<double, 3> damping{};
  MjcfRange control, force, activation;

  bool has_target() const { return joint != nullptr || tendon >= 0 || site.site != nullptr; }
  bool has_muscle() const { return gain_law == Law::muscle || bias_law == Law::muscle; }
  /// What DriveDescription can say.
  bool is_described() const;
};

/// All actuators in order. Armature and damping of a drive are added to its joint or tendon.
std::vector<CompiledDrive> compile_drives(const MjcfSources& sources, CompiledModel& model,
                                          std::vector<CompiledTendon>& tendons, Problems& findings);

void describe_drives(MjcfDescriber& d, const std::vector<CompiledDrive>& drives);

}  // namespace amble
