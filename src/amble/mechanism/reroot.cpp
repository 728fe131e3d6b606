#include "amble/mechanism/reroot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace amble {

namespace {

constexpr std::array<std::string_view, 5> kReversible{"fixed", "revolute", "continuous", "prismatic",
                                                      "helical"};

/// The same motion seen from the child: its pose is the inverse, so the axis points the other way.
JointDescription turned_round(JointDescription joint, const std::string& mechanism) {
  if (std::find(kReversible.begin(), kReversible.end(), joint.type) == kReversible.end())
    throw Error(
        fmt::format("mechanism '{}' cannot be hung up by this body: joint '{}' on the way to it is {}, "
                    "only joints with one axis can be turned round",
                    mechanism, joint.name, joint.type));
  std::swap(joint.parent, joint.child);
  std::swap(joint.X_PF, joint.X_CM);
  joint.axis = -joint.axis;
  return joint;
}

}  // namespace

ModelDescription rooted_at(const Mechanism& mechanism, std::string_view root) {
  const int index = mechanism.body_index(root);
  if (index < 0) throw Error("a mechanism cannot be hung up by the world, which holds it already");
  ModelDescription d = mechanism.description();
  std::set<std::string, std::less<>> reached{std::string(root)};
  std::vector<std::string> front{std::string(root)};
  std::vector<JointDescription> joints;
  while (!front.empty()) {
    const std::string body = std::move(front.back());
    front.pop_back();
    for (const JointDescription& joint : d.joints) {
      const bool down = joint.parent == body, up = joint.child == body;
      const std::string& other = down ? joint.child : joint.parent;
      if ((!down && !up) || other == kWorld || reached.contains(other)) continue;
      joints.push_back(down ? joint : turned_round(joint, mechanism.name()));
      reached.insert(other);
      front.push_back(other);
    }
  }
  for (const BodyDescription& body : d.bodies)
    if (body.name != kWorld && !reached.contains(body.name))
      throw Error(
          fmt::format("mechanism '{}' cannot be hung up by '{}': '{}' hangs on the world apart from it",
                      mechanism.name(), root, body.name));
  d.joints = std::move(joints);
  return d;
}

}  // namespace amble
