#include "bench/feet.hpp"

#include <algorithm>

#include "amble/dynamics/kinematics.hpp"

namespace amble::bench {

namespace {

constexpr double kLevel = 0.02;  ///< m, by which feet on the same ground may differ

/// The body whose frame is the link's, or nearest to it.
std::string body_of(const Mechanism& m, int link) {
  const auto far = [&](const Body& b) { return b.link == link ? b.X_LB.translation().norm() : 1e300; };
  return std::min_element(m.bodies().begin(), m.bodies().end(), [&](const Body& a, const Body& b) { return far(a) < far(b); })->name;
}

}  // namespace

std::vector<std::string> feet_of(const Mechanism& m, const std::vector<std::string>& named) {
  for (const std::string& name : named) m.place(name);
  if (!named.empty()) return named;
  std::vector<bool> last(m.links().size(), true);
  for (const Link& link : m.links())
    if (link.parent >= 0) last[link.parent] = false;
  Workspace work(m);
  const LinkPoses X_WL = forward_kinematics(m, work, m.neutral());
  const auto height = [&](int link) { return X_WL[link].translation().z(); };
  double lowest = 1e300;
  for (int i = 1; i < static_cast<int>(last.size()); ++i)
    if (last[i]) lowest = std::min(lowest, height(i));
  std::vector<std::string> feet;
  for (int i = 1; i < static_cast<int>(last.size()); ++i)
    if (last[i] && height(i) < lowest + kLevel) feet.push_back(body_of(m, i));
  return feet;
}

}  // namespace amble::bench
