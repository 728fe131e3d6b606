#include "amble/control/legged/find_legged_robot.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/control/legged/drive_limits.hpp"
#include "amble/control/legged/nominal_posture.hpp"
#include "amble/walkers/legged/anatomy.hpp"

namespace amble {

LeggedRobot inspect_legs(const Mechanism& m, const LeggedRobotSettings& settings) {
  Anatomy anatomy = leg_anatomy(m, settings);
  if (anatomy.robot.legs.empty()) return std::move(anatomy.robot);
  const std::string refusal = anatomy.robot.refusal;
  stand(anatomy, settings);
  if (anatomy.robot.nominal.size() > 0) limit_drives(anatomy);
  if (!refusal.empty()) anatomy.robot.refusal = refusal;  // the first cause
  return std::move(anatomy.robot);
}

LeggedRobot legged_robot(const Mechanism& m, const LeggedRobotSettings& settings) {
  LeggedRobot out = inspect_legs(m, settings);
  if (!out.refusal.empty()) throw Error(fmt::format("{}: {}", m.name(), out.refusal));
  return out;
}

}  // namespace amble
