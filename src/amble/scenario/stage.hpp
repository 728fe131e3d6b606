#pragma once

#include "amble/base/error.hpp"
#include "amble/constraints/constraint.hpp"
#include "amble/ports/element.hpp"
#include "amble/scenario/scenario.hpp"

namespace amble {

/// The scenario made real: the mechanism, the state it starts in, what acts on it beside what it carries itself.
struct Stage {
  Mechanism mechanism;
  OwnedVector q, v;
  std::vector<ConstraintPtr> constraints = {};
  std::vector<ElementPtr> elements = {};
};
Stage set_up(const Scenario& scenario);
/// With `mechanism` in the place of the model file's; a built-in mechanism stays itself.
Stage set_up(const Scenario& scenario, const Mechanism& mechanism);

/// What `make` gives. Its Errors get the scenario's file in front: they know numbers and names, not who wrote them.
template <class Make>
auto naming_file(const Scenario& scenario, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    throw Error(scenario.file + ": " + e.what());
  }
}

}  // namespace amble
