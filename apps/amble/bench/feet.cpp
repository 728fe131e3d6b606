#include "bench/feet.hpp"

#include <algorithm>
#include <limits>

#include "amble/dynamics/kinematics.hpp"

namespace amble::bench {

namespace {

constexpr double kLevel = 0.02;  ///< m, by which feet on the same ground may differ

struct Foot {
  std::string body;
  double height = std::numeric_limits<double>::infinity();
};

/// Of each link its lowest body, at the neutral pose.
std::vector<Foot> lowest_bodies(const Mechanism& m) {
  std::vector<Foot> out(m.links().size());
  Workspace work(m);
  const LinkPoses X_WL = forward_kinematics(m, work, m.neutral());
  for (const Body& body : m.bodies()) {
    const double height = (X_WL[body.link] * body.X_LB).translation().z();
    if (height < out[body.link].height) out[body.link] = {body.name, height};
  }
  return out;
}

}  // namespace

std::vector<std::string> feet_of(const Mechanism& m, const std::vector<std::string>& named) {
  for (const std::string& name : named) m.place(name);
  if (!named.empty()) return named;
  std::vector<Foot> ends = lowest_bodies(m);
  for (const Link& link : m.links())
    if (link.parent >= 0) ends[link.parent] = {};  // it carries another
  const auto lower = [](const Foot& a, const Foot& b) { return a.height < b.height; };
  const double ground = std::min_element(ends.begin(), ends.end(), lower)->height;
  std::vector<std::string> feet;
  for (const Foot& end : ends)
    if (end.height < ground + kLevel) feet.push_back(end.body);
  return feet;
}

}  // namespace amble::bench
