#include "amble/scenario/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/scenario/element_makers.hpp"

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

Stage stage_of_builtin(const Scenario& s) {
  const ConstrainedMechanism made = naming_file(s, [&] { return builtin_mechanism(s.builtin, s.parameters); });
  if (s.gravity) throw Error(fmt::format("{}: 'world.gravity' is given, but a built-in mechanism has its own", s.file));
  return {made.mechanism, made.q, OwnedVector(made.mechanism.nv()), further_constraints(made)};
}

Stage stage_of(const Mechanism& m) { return {m, m.neutral(), OwnedVector(m.nv())}; }

Stage stage_of_file(const Scenario& s) {
  const std::filesystem::path folder = std::filesystem::path(s.file).parent_path();
  Mechanism m = load((folder / s.model).string(), s.load);
  for (const ScenarioObject& o : s.objects) {
    const Mechanism object = naming_file(s, [&] {
      return load((folder / o.file).string(), {.base = o.base, .strict = s.load.strict, .package_path = s.load.package_path});
    });
    const Pose place(SO3<double>::exp({o.place[3], o.place[4], o.place[5]}), {o.place[0], o.place[1], o.place[2]});
    m = naming_file(s, [&] { return with_object(m, object, o.name, place); });
  }
  return stage_of(s.gravity ? with_gravity(m, *s.gravity) : m);
}

/// Puts the start and the elements on it.
Stage furnished(Stage stage, const Scenario& s) {
  const Mechanism& m = stage.mechanism;
  naming_file(s, [&] {
    if (!s.keyframe.empty()) {
      const Keyframe& key = m.keyframe(s.keyframe);
      stage.q = key.q, stage.v = key.v;
    }
    place(m, "q", s.initial_q, [&](const std::string& j) { return m.q_slice(j); }, stage.q);
    place(m, "v", s.initial_v, [&](const std::string& j) { return m.v_slice(j); }, stage.v);
    stage.q = m.checked_configuration(stage.q);
    for (const ScenarioElement& e : s.elements)
      for (ElementPtr& element : make_elements(m, s.ground, e, stage.q)) stage.elements.push_back(std::move(element));
  });
  return stage;
}

}  // namespace

Stage set_up(const Scenario& s) { return furnished(s.builtin.empty() ? stage_of_file(s) : stage_of_builtin(s), s); }

Stage set_up(const Scenario& s, const Mechanism& mechanism) {
  return furnished(s.builtin.empty() ? stage_of(mechanism) : stage_of_builtin(s), s);
}

}  // namespace amble
