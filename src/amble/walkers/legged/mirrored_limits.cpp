#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/walkers/legged/anatomy.hpp"

namespace amble {

namespace {

constexpr double kSaidDifference = 0.05;     // rad or m, in any joint
constexpr double kRefusedDifference = 0.35;  // in joints of legs; and
constexpr double kRefusedShare = 0.25;       // of the wider range

struct Pair {
  std::string text;
  double difference = 0.0;
  bool refused = false;
};

double distance(double a, double b) { return a == b ? 0.0 : std::abs(a - b); }

}  // namespace

void compare_limits(const MirrorMap& mirror, const LeggedRobotSettings& settings, LeggedRobot& robot) {
  const Mechanism& m = robot.mechanism;
  std::vector<Pair> pairs;
  for (int i = 0; i < static_cast<int>(mirror.joint.size()); ++i) {
    const int other = mirror.joint[i];
    const Joint &a = m.joints()[i], &b = m.joints()[other];
    if (a.link < 0 || a.leader >= 0 || a.q.size != 1 || b.q.size != 1 || i > other) continue;
    const double sign = mirror.sign[a.v.start];
    if (i == other && sign > 0.0) continue;
    const double la = m.lower()[a.q.start], ua = m.upper()[a.q.start], lb = m.lower()[b.q.start],
                 ub = m.upper()[b.q.start];
    const double difference = sign > 0.0 ? std::max(distance(la, lb), distance(ua, ub))
                                         : std::max(distance(la, -ub), distance(ua, -lb));
    if (!(difference > kSaidDifference)) continue;
    bool in_leg = false;
    for (const Leg& leg : robot.legs)
      in_leg = in_leg || std::find(leg.joints.begin(), leg.joints.end(), i) != leg.joints.end();
    const double range = std::max(ua - la, ub - lb);
    pairs.push_back(
        {i == other
             ? fmt::format("{} [{:.3g}, {:.3g}]", a.name, la, ua)
             : fmt::format("{} [{:.3g}, {:.3g}] and {} [{:.3g}, {:.3g}]", a.name, la, ua, b.name, lb, ub),
         difference,
         in_leg && i != other && difference > std::max(kRefusedDifference, kRefusedShare * range)});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
    return x.refused != y.refused ? x.refused : x.difference > y.difference;
  });
  if (pairs.empty()) return;
  const std::string more = pairs.size() > 1 ? fmt::format(" ({} more)", pairs.size() - 1) : "";
  const std::string text =
      fmt::format("limits of left and right are no mirror images: {}{}", pairs[0].text, more);
  if (pairs[0].refused && !settings.unmirrored_limits)
    robot.refusal =
        text + "; correct them in the file, or accept them with unmirrored_limits = true under [legs]";
  else
    robot.warnings.push_back(text);
}

}  // namespace amble
