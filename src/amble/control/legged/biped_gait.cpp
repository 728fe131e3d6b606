#include "amble/control/legged/biped_gait.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

void BipedGait::validate() const {
  const auto check = [](const char* name, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw Error(fmt::format("gait: {} is {}, expected {} to {}", name, value, least, most));
  };
  check("fast_single_support", fast_single_support, 0.2, 10.0), check("fast", fast, 1e-4, 10.0);
  check("single_support", single_support, 0.2, 10.0), check("double_support", double_support, 0.01, 5.0);
  check("stand", stand, 0.0, 1e3), check("transition", transition, 0.5, 20.0);
  check("dcm_gain", dcm_gain, 1e-3, 20.0), check("sole_share", sole_share, 0.1, 1.0);
  check("ankle_share", ankle_share, 0.0, 1.0), check("fastest", fastest, 0.2, 1.0);
  check("slowest", slowest, 1.0, 5.0), check("freeze", freeze, 0.0, 0.5), check("settle", settle, 0.0, 0.3);
  check("patience", patience, 0.0, 2.0), check("time_weight", time_weight, 0.0, 1e3);
  check("reach_ahead", reach_ahead, 0.05, 2.0), check("reach_aside", reach_aside, 1.0, 10.0);
  check("clearance", clearance, 0.0, 1.0), check("swing_height", swing_height, 1e-3, 0.5);
  check("touch_speed", touch_speed, 1e-4, 0.5), check("touch_force", touch_force, 1e-4, 0.5);
  check("touch_share", touch_share, 0.1, 1.0), check("acceleration", acceleration, 1e-4, 1.0);
  check("turn_change", turn_change, 1e-4, 1.0), check("friction", friction, 0.05, 10.0);
  check("correction", correction, 0.0, 1.0), check("most_correction", most_correction, 0.0, 1.0);
  check("momentum_from", momentum_from, 0.0, 1e3);
}

}  // namespace amble
