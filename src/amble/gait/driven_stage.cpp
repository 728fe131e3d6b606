#include "amble/gait/driven_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/contact/compliant_contact.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/models/table.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/control/walking/joint_drive.hpp"
#include "amble/control/walking/knee_magnet.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/ports/consumer.hpp"
#include "amble/ports/watch.hpp"
#include "amble/walkers/described_checks.hpp"
#include "amble/walkers/described_walker.hpp"
#include "amble/walkers/foot_model.hpp"
#include "amble/walkers/sides.hpp"

namespace amble {

namespace {

constexpr double kTravel = 1e-8;  // m, of the switches under the feet

using Stop = WalkerDescription::Stop;

/// A knee: the joint, where its cap is, and the foot of its leg.
struct Knee {
  Stop cap;
  std::string foot;
};

/// Those that end phases, and their images on the other side.
std::vector<Knee> knees_of(const WalkerDescription& w) {
  std::vector<Knee> knees;
  const auto add = [&](const Knee& knee) {
    const auto same = [&](const Knee& other) { return other.cap.joint == knee.cap.joint; };
    if (std::ranges::none_of(knees, same)) knees.push_back(knee);
  };
  const SideNames sides = w.symmetry ? SideNames(*w.symmetry) : SideNames();
  for (const WalkerDescription::Phase& p : w.phases) {
    if (!p.stop) continue;
    add({*p.stop, p.swing});
    const auto [joint, sign] = sides.coordinate(p.stop->joint);
    add({{joint, sign * p.stop->at, sign > 0.0 ? p.stop->rises : !p.stop->rises}, sides.foot(p.swing)});
  }
  for (const WalkerDescription::Phase& p : w.phases)
    for (const auto& [joint, angle] : p.locked)
      if (std::ranges::none_of(knees, [&](const Knee& k) { return k.cap.joint == joint; }))
        throw Error(fmt::format(
            "walker '{}': phase '{}' locks joint '{}', but no phase ends where it is caught: it cannot be simulated",
            w.name, p.name, joint));
  return knees;
}

StanceOptions stance_of(const WalkerDescription& w, const WalkerDrive& drive) {
  StanceOptions stance{
      .feet = {}, .first = foot_index(w, w.phases.front().stance), .period = drive.period, .travel = kTravel};
  for (const WalkerDescription::Foot& foot : w.feet)
    stance.feet.push_back({.place = foot_frame(foot.name), .radius = foot.radius});
  return stance;
}

JointDriveOptions drive_options(const WalkerDescription& w, const WalkerDrive& d) {
  SetPointLaw law{.proportional = d.proportional, .derivative = d.derivative};
  for (const WalkerDescription::Foot& foot : w.feet)
    law.set_points.push_back(d.directions.at(foot.name) * d.set_point);
  law.first_foot_alone = d.first_foot_alone;
  law.adaptation = d.adaptation, law.target_speed = d.target_speed, law.adaptation_range = d.adaptation_range;
  return {.joint = d.joint, .motor = d.motor, .law = law, .stance = stance_of(w, d)};
}

ElementPtr foot_contact(const Mechanism& m, const WalkerDescription::Foot& foot, const DrivenFloor& floor) {
  const std::string name = foot.name + " foot";
  const Place place = m.place(foot_frame(foot.name));
  const Tip tip = foot.radius > 0.0 ? sphere_tip(foot.radius) : point_tip();
  const ContactPairPtr pair = tip_on_plane_pair(name, {}, {place.link, place.X_LP}, tip);
  if (!floor.compliant) return rigid_contact(name, m, pair, {.friction = floor.friction});
  const CompliantOptions options{
      .normal = hunt_crossley({.stiffness = floor.stiffness, .damping = floor.damping, .exponent = 1.5}),
      .surface = slipping_surface(
          stick_slip({.stiffness = floor.sliding_stiffness, .friction = floor.friction}))};
  return compliant_contact(name, m, pair, options);
}

Quantity height_of_foot(const std::string& frame) {
  return [frame](const PortState& at) { return pose(at.mechanism, at.work, at.q, frame).translation().z(); };
}

/// Numbers of the region that are given, the others in its middle.
OwnedVector start_of(const StepModel& model, const WalkerDescription& w, const WalkerDrive& drive) {
  const StepModel::Section& section = model.section();
  OwnedVector s = 0.5 * (section.lower + section.upper);
  for (const auto& [name, value] : drive.start) {
    const auto at = std::ranges::find(section.names, name);
    if (at == section.names.end())
      throw Error(fmt::format("walker '{}': the start of its drive names '{}', but its region has {}", w.name, name,
                              fmt::join(section.names, ", ")));
    s[at - section.names.begin()] = value;
  }
  return OwnedVector(section.lift * s + section.offset);
}

}  // namespace

void DrivenFloor::validate() const {
  const auto check = [](const char* what, double value) {
    if (!(value > 0.0)) throw Error(fmt::format("the floor has a {} of {}: expected more than 0", what, value));
  };
  check("friction", friction), check("stiffness", stiffness), check("sliding stiffness", sliding_stiffness);
  if (!(damping >= 0.0)) throw Error(fmt::format("the floor has a damping of {}: expected 0 or more", damping));
}

DrivenStage driven_stage(const DrivenWalker& driven, const DrivenFloor& floor,
                         std::function<void(double, int, double)> tell) {
  floor.validate();
  const WalkerDrive& drive = driven.drive;
  if (!drive.on()) throw Error(fmt::format("walker '{}' has no drive that is on: its gains are 0", driven.walker.name));
  const WalkerDescription w = with_rotor(driven);
  DescribedWalker walker(w);
  auto [q, v] = walker.full_state(0, start_of(walker, w, drive).data());
  const Mechanism& m = walker.spec().full;
  JointDriveOptions options = drive_options(w, drive);
  options.tell = std::move(tell);
  DrivenStage out{.mechanism = m, .q = q, .v = v, .elements = joint_drive("drive", m, options)};
  for (const WalkerDescription::Foot& foot : w.feet) {
    out.elements.push_back(foot_contact(m, foot, floor));
    out.feet.push_back({foot.name, foot_frame(foot.name), foot.radius, foot.name + " foot comes down"});
    out.elements.push_back(watch(out.feet.back().comes_down, height_of_foot(out.feet.back().frame), foot.radius + kTravel, -1));
  }
  for (const Knee& knee : knees_of(w))
    out.elements.push_back(knee_magnet(knee.cap.joint + kMagnet, m,
                                       {.joint = knee.cap.joint,
                                        .angle = knee.cap.at,
                                        .bends_upwards = !knee.cap.rises,
                                        .foot = foot_index(w, knee.foot),
                                        .stance = stance_of(w, drive),
                                        .power = drive.magnet_power}));
  if (drive.electronics_power != 0.0) out.elements.push_back(consumer(kElectronics, drive.electronics_power));
  out.height = walker.leg_length(), out.longest_step = walker.longest_step();
  return out;
}

}  // namespace amble
