#include "amble/walkers/walker_drive.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/walkers/sides.hpp"

namespace amble {

namespace {

double only(const std::vector<double>& values) { return values.empty() ? 0.0 : values.front(); }

JointProperties properties_of(const DrivenWalker& d) {
  std::vector<std::string> names;
  for (const JointDescription& joint : d.walker.model.description().joints) {
    if (joint.name == d.drive.joint && (joint.type == "revolute" || joint.type == "continuous"))
      return joint.properties;
    names.push_back(joint.name);
  }
  throw Error(fmt::format("walker '{}': its drive is at joint '{}', which is none that turns about an axis{}", d.walker.name,
                          d.drive.joint, suggestion(d.drive.joint, names)));
}

double set_point(const DrivenWalker& d, const std::string& stance) {
  const auto at = d.drive.directions.find(stance);
  if (at == d.drive.directions.end())
    throw Error(fmt::format("walker '{}': its drive has no direction for foot '{}'", d.walker.name, stance));
  return at->second * d.drive.set_point;
}

/// Has to hold for every foot, also one that the phases of one side do not name.
void check_directions(const DrivenWalker& d) {
  for (const WalkerDescription::Foot& foot : d.walker.feet) set_point(d, foot.name);
  if (!d.walker.symmetry) return;
  const SideNames sides(*d.walker.symmetry);
  const double sign = sides.coordinate(d.drive.joint).second;
  for (const WalkerDescription::Foot& foot : d.walker.feet)
    if (set_point(d, sides.foot(foot.name)) != sign * set_point(d, foot.name))
      throw Error(fmt::format("walker '{}': the directions of its drive for feet '{}' and '{}' are not those of two sides",
                              d.walker.name, foot.name, sides.foot(foot.name)));
}

template <class Change>
WalkerDescription changed(const DrivenWalker& d, const Change& change) {
  WalkerDescription out = d.walker;
  if (!d.drive.on()) return out;
  d.drive.motor.validate(fmt::format("drive of walker {}", out.name));
  JointProperties properties = properties_of(d);
  check_directions(d);
  properties.armature = {only(properties.armature) + d.drive.motor.armature()};
  change(properties, out);
  out.model = with_properties(out.model, d.drive.joint, properties);
  return out;
}

}  // namespace

WalkerDescription with_rotor(const DrivenWalker& driven) {
  return changed(driven, [](JointProperties&, WalkerDescription&) {});
}

WalkerDescription with_drive_as_spring(const DrivenWalker& driven) {
  const WalkerDrive& drive = driven.drive;
  return changed(driven, [&](JointProperties& p, WalkerDescription& out) {
    // Two springs at one joint are one, at rest where they balance.
    const double own = only(p.stiffness), both = own + drive.stiffness();
    for (WalkerDescription::Phase& phase : out.phases) {
      const auto given = phase.rest.find(drive.joint);
      const double rest = given != phase.rest.end() ? given->second : only(p.reference);
      if (both > 0.0)
        phase.rest[drive.joint] = (own * rest + drive.stiffness() * set_point(driven, phase.stance)) / both;
    }
    p.stiffness = {both};
    p.damping = {only(p.damping) + drive.damping()};
  });
}

}  // namespace amble
