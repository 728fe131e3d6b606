#pragma once

#include "amble/contact/body_distance.hpp"
#include "amble/control/posture/kinematic_target.hpp"

namespace amble {

enum class IkStatus {
  solved,           ///< every counted error is below the tolerance
  unreachable,      ///< a minimum of the errors that is not zero: nothing nearby does better
  iteration_limit,  ///< settings.iterations
};
const char* name_of(IkStatus status);

struct IkSettings {
  double tolerance = 1e-10;  ///< of every error (m, rad), unweighted, and of what bodies are too near by (m)
  int iterations = 200;      ///< of one attempt
  int attempts = 1;          ///< the start, then configurations drawn within the limits
  std::uint64_t seed = 1;
  std::vector<std::string> held = {};   ///< joints that stay where the start has them
  std::vector<BodyPair> apart = {};     ///< bodies that keep `clearance` from each other
  double clearance = 0.02;              ///< m
  double apart_weight = 10.0;           ///< of what is missing of it, beside the weights of the targets
  GroundPtr ground = nullptr;           ///< what "world" is in `apart`, beside the scenery

  void validate() const;
};

struct IkResult {
  OwnedVector q;
  IkStatus status = IkStatus::iteration_limit;
  std::vector<KinematicRows::Residual> residuals;  ///< of each target
  double error = 0.0;    ///< the largest counted error (m, rad)
  double nearest = 0.0;  ///< how far the bodies of `apart` are from each other at least (m); infinite without any
  int iterations = 0, attempts = 0;

  bool solved() const { return status == IkStatus::solved; }
};

/// Minimises the sum of weighted squared errors within the joint limits, from `start` (brought within them), on the
/// configuration manifold: Levenberg and Marquardt's steps, each a quadratic program with the limits as bounds, and with
/// bodies that must keep apart as constraints that give way only by their weight. For any mechanism and joint types;
/// mimic joints follow, loops are not closed (see assembly.hpp).
IkResult inverse_kinematics(const Mechanism& mechanism, const std::vector<KinematicTarget>& targets,
                            const VectorRef& start, const IkSettings& settings = {});

}  // namespace amble
