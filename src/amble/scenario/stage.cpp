#include "amble/scenario/stage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/ports/drive.hpp"
#include "amble/ports/joint_elements.hpp"

namespace amble {

namespace {

/// Puts the numbers of each named joint into their place.
void place(const Mechanism& m, const char* what, const std::map<std::string, std::vector<double>>& by_joint,
           const std::function<Slice(const std::string&)>& slice_of, OwnedVector& into) {
  for (const auto& [joint, values] : by_joint) {
    if (const int leader = m.joints()[m.joint_index(joint)].leader; leader >= 0)
      throw Error(fmt::format("'initial.{}.{}' cannot be given: the joint follows joint '{}'", what, joint,
                              m.joints()[leader].name));
    const Slice slice = slice_of(joint);
    if (static_cast<int>(values.size()) != slice.size)
      throw Error(fmt::format("'initial.{}.{}' has {} numbers, expected {}", what, joint, values.size(), slice.size));
    for (int k = 0; k < slice.size; ++k) into[slice.start + k] = values[k];
  }
}

/// What a built-in mechanism has beside the loops and wheels that it carries itself.
std::vector<ConstraintPtr> further_constraints(const ConstrainedMechanism& made) {
  std::vector<ConstraintPtr> out;
  for (const ConstraintPtr& constraint : made.constraints) {
    const std::vector<ConstraintPtr> carried = constraints_of(made.mechanism);
    const auto same = [&](const ConstraintPtr& other) { return other->name() == constraint->name(); };
    if (std::none_of(carried.begin(), carried.end(), same)) out.push_back(constraint);
  }
  return out;
}

Stage stage_of_model(const Scenario& s) {
  if (!s.builtin.empty()) {
    const ConstrainedMechanism made = builtin_mechanism(s.builtin, s.parameters);
    if (s.gravity) throw Error("'world.gravity' is given, but a built-in mechanism has its own");
    return {made.mechanism, made.q, OwnedVector(made.mechanism.nv()), further_constraints(made)};
  }
  const std::filesystem::path folder = std::filesystem::path(s.file).parent_path();
  Mechanism m = load((folder / s.model).string(), s.load);
  if (s.gravity) m = with_gravity(m, *s.gravity);
  return {m, m.neutral(), OwnedVector(m.nv())};
}

/// `value` at the one velocity of a joint, zero at the others.
OwnedVector at_joint(const Mechanism& m, const ScenarioElement& e, double value) {
  const Slice v = m.v_slice(e.joint);
  if (v.size != 1)
    throw Error(fmt::format("element '{}' is on joint '{}', which has {} degrees of freedom: expected one", e.name, e.joint,
                            v.size));
  OwnedVector out(m.nv());
  out[v.start] = value;
  return out;
}

ElementPtr sine_force(const Mechanism& m, const ScenarioElement& e) {
  const OwnedVector direction = at_joint(m, e, 1.0);
  return drive(e.name, [e, direction](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau = (e.offset + e.amplitude * std::sin(2.0 * std::numbers::pi * e.frequency * t + e.phase)) * direction;
  });
}

ElementPtr element_of(const Mechanism& m, const ScenarioElement& e) {
  if (e.type == "joint_spring") return joint_springs(e.name, m, at_joint(m, e, e.stiffness), at_joint(m, e, e.rest));
  if (e.type == "joint_damper") return joint_dampers(e.name, at_joint(m, e, e.damping));
  return sine_force(m, e);
}

}  // namespace

Stage set_up(const Scenario& s) {
  Stage stage = stage_of_model(s);
  const Mechanism& m = stage.mechanism;
  try {
    place(m, "q", s.initial_q, [&](const std::string& j) { return m.q_slice(j); }, stage.q);
    place(m, "v", s.initial_v, [&](const std::string& j) { return m.v_slice(j); }, stage.v);
    stage.q = m.checked_configuration(stage.q);
    for (const ScenarioElement& e : s.elements) stage.elements.push_back(element_of(m, e));
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", s.file, e.what()));
  }
  return stage;
}

}  // namespace amble
