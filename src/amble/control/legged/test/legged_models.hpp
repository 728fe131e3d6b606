#pragma once

#include <fmt/format.h>

#include <string>

#include "amble/io/load.hpp"

// Small robots as URDF, for what no file at hand has.
namespace amble {

struct LegPlan {
  int pairs = 2;        ///< of legs
  double spread = 0.3;  ///< between pairs, along x (m)
  bool wheels = false;  ///< a wheel on a joint without limits at each end
  bool knees = true;
  double knee_upper = -0.1;  ///< of the knees' range from -2.5
};

inline std::string link_text(const std::string& name, double mass, double length, const std::string& shape) {
  return fmt::format(
      "<link name='{}'><inertial><origin xyz='0 0 {}'/><mass value='{}'/><inertia ixx='0.002' iyy='0.002' "
      "izz='0.001' ixy='0' "
      "ixz='0' iyz='0'/></inertial>{}</link>\n",
      name, -0.5 * length, mass, shape);
}

inline std::string joint_text(const std::string& name, const std::string& parent, const std::string& child,
                              const std::string& xyz, const std::string& axis, double lower, double upper) {
  return fmt::format(
      "<joint name='{0}' type='{6}'><parent link='{1}'/><child link='{2}'/><origin xyz='{3}'/><axis "
      "xyz='{4}'/>{5}</joint>\n",
      name, parent, child, xyz, axis,
      lower < upper ? fmt::format("<limit lower='{}' upper='{}' effort='40' velocity='10'/>", lower, upper)
                    : std::string("<limit effort='40' velocity='10'/>"),
      lower < upper ? "revolute" : "continuous");
}

/// A trunk on pairs of legs of three joints with ball feet, or wheels.
inline std::string many_legs(const LegPlan& plan) {
  std::string out = "<robot name='walker'>\n" + link_text("trunk", 8.0, 0.0, "");
  for (int pair = 0; pair < plan.pairs; ++pair)
    for (const int side : {1, -1}) {
      const double x = plan.spread * (0.5 * (plan.pairs - 1) - pair), y = 0.1 * side;
      const std::string at = fmt::format("{}{}", side > 0 ? "l" : "r", pair);
      const std::string ball =
          plan.wheels
              ? ""
              : "<collision><origin xyz='0 0 -0.2'/><geometry><sphere radius='0.02'/></geometry></collision>";
      out += link_text("hip_" + at, 0.4, 0.0, "") + link_text("thigh_" + at, 0.6, 0.2, "") +
             link_text("shank_" + at, 0.3, 0.2, ball);
      out += joint_text("roll_" + at, "trunk", "hip_" + at, fmt::format("{} {} 0", x, y), "1 0 0", -0.8, 0.8);
      out += joint_text("pitch_" + at, "hip_" + at, "thigh_" + at, fmt::format("0 {} 0", 0.05 * side),
                        "0 1 0", -1.5, 1.5);
      out +=
          joint_text("knee_" + at, "thigh_" + at, "shank_" + at, "0 0 -0.2", "0 1 0", -2.5, plan.knee_upper);
      if (!plan.wheels) continue;
      out += link_text("wheel_" + at, 0.2, 0.0,
                       "<collision><origin rpy='1.5707963267948966 0 0'/><geometry><cylinder radius='0.05' "
                       "length='0.03'/></geometry></collision>");
      out += joint_text("turn_" + at, "shank_" + at, "wheel_" + at, "0 0 -0.2", "0 1 0", 0.0, 0.0);
    }
  return out + "</robot>\n";
}

inline Mechanism many_legged(const LegPlan& plan) {
  return load_text(many_legs(plan), "walker.urdf", {.base = Base::floating});
}

}  // namespace amble
