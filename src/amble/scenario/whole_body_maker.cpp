#include "amble/scenario/whole_body_maker.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/control/stance/stance_controller.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/ports/push.hpp"

namespace amble {

using namespace scenario_elements;

namespace {

Pose pose_of(const std::array<double, 6>& x) { return Pose(SO3<double>::exp({x[3], x[4], x[5]}), {x[0], x[1], x[2]}); }

std::vector<ContactPatch> patches_of(const WholeBody& given) {
  std::vector<ContactPatch> out;
  for (const BodyContact& c : given.contacts) {
    ContactPatch patch{.name = c.name, .place = c.body, .X_PC = pose_of(c.frame), .support = c.support, .friction = c.friction,
                       .least_force = c.least_force};
    if (c.length > 0.0 || c.width > 0.0) patch.points = rectangle(c.length, c.width);
    out.push_back(patch);
  }
  return out;
}

/// Joints that a stance names; the others as in `q`.
OwnedVector posture_of(const Mechanism& m, const BodyStance& stance, const OwnedVector& q) {
  OwnedVector out = q;
  for (const auto& [joint, numbers] : stance.posture) {
    const Slice at = m.q_slice(joint);
    if (static_cast<int>(numbers.size()) != at.size)
      throw Error(fmt::format("stance '{}' gives {} numbers for '{}', expected {}", stance.name, numbers.size(), joint, at.size));
    for (int k = 0; k < at.size; ++k) out[at.start + k] = numbers[k];
  }
  return out;
}

std::vector<Stance> stances_of(const Mechanism& m, const WholeBody& given, const OwnedVector& q) {
  std::vector<Stance> out;
  std::map<std::string, Pose> places;
  for (const BodyStance& s : given.stances) {
    for (const auto& [name, place] : s.places) places[name] = pose_of(place);
    Stance stance{.name = s.name, .contacts = {}, .preferred = posture_of(m, s, q), .duration = s.duration, .pause = s.pause};
    for (const std::string& name : s.contacts) {
      const auto at = places.find(name);
      if (at == places.end()) throw Error(fmt::format("stance '{}' holds '{}', which has no place yet", s.name, name));
      stance.contacts[name] = at->second;
    }
    out.push_back(std::move(stance));
  }
  return out;
}

/// All masses and inertias times a factor.
Mechanism scaled(Mechanism m, double factor) {
  if (!(factor > 0.0)) throw Error(fmt::format("mass_factor is {}: expected a number above 0", factor));
  if (factor == 1.0) return m;
  const std::vector<std::string> names(m.body_names().begin(), m.body_names().end());
  for (const std::string& name : names) {
    const Inertia<double>& own = m.bodies()[m.body_index(name)].inertia;
    m = with_inertia(m, name, {factor * own.mass(), factor * own.first_moment(), factor * own.about_origin()});
  }
  return m;
}

}  // namespace

ElementPtr make_whole_body(const Mechanism& plant, const GroundPtr& ground, const std::string& name, const WholeBody& given, OwnedVector& q) {
  const Mechanism m = scaled(plant, given.mass_factor);
  const std::vector<ContactPatch> patches = patches_of(given);
  StancePlanSettings planned;
  planned.posture.ground = ground;
  StancePlan plan = plan_stances(m, patches, stances_of(m, given, q), q, planned);
  if (!plan.found) throw Error(fmt::format("'{}': {}", name, plan.message));
  q = plan.start;
  StanceControllerSettings settings;
  settings.control.period = given.period;
  return sampled(name, std::make_shared<StanceController>(m, patches, std::move(plan), settings), plant,
                 {.period = given.period, .delay = given.delay});
}

ElementPtr make_push(const Mechanism& m, const std::string& name, const scenario_elements::Push& given) {
  return push(name, m,
              {given.body,
               {given.force[0], given.force[1], given.force[2]},
               {given.point[0], given.point[1], given.point[2]},
               given.start,
               given.duration});
}

}  // namespace amble
