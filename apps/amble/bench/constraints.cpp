#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/constraints/contact_dynamics.hpp"
#include "bench/area.hpp"
#include "bench/loops.hpp"
#include "bench/state.hpp"

namespace amble::bench {

namespace {

struct Bed {
  ContactDynamics feet;
  std::vector<State> states;  ///< kStates
};

struct Function {
  const char* what;
  void (*run)(ContactDynamics& feet, const State& s);
};

// Every function, one line each.
constexpr Function kFunctions[] = {
    {"constrained_dynamics", [](ContactDynamics& d, const State& s) { d.solve(s.q, s.v, s.tau); }},
    {"constrained_dynamics_derivatives", [](ContactDynamics& d, const State& s) { d.derivatives(s.q, s.v, s.tau); }},
    {"impact", [](ContactDynamics& d, const State& s) { d.impact(s.q, s.v); }},
};

/// One foot or two are held with their soles, more at a point each, so that the robot can still move.
ContactDynamics on_feet(const Mechanism& m, const std::vector<std::string>& feet) {
  std::vector<BodyContact> contacts;
  for (const std::string& foot : feet) contacts.push_back({.place = foot, .point = feet.size() > 2});
  return ContactDynamics(m, std::move(contacts));
}

void add_feet_tasks(const Subject& subject, std::vector<Task>& tasks, Notes& notes) {
  const std::vector<std::string>& feet = subject.feet;
  const auto bed = std::make_shared<Bed>(Bed{on_feet(subject.robot, feet), random_states(subject.robot)});
  for (const Function& f : kFunctions) {
    const std::string what = fmt::format("{} ({} {})", f.what, feet.size(), feet.size() == 1 ? "foot" : "feet");
    try {
      for (const State& s : bed->states) f.run(bed->feet, s);
      tasks.push_back({what, "amble", [bed, &f](int i) { f.run(bed->feet, bed->states[i]); }});
    } catch (const Error& e) {  // such as feet that cannot all stand still
      add_note(notes, what + ": " + e.what());
    }
  }
  add_note(notes, fmt::format("feet: {}, {}", fmt::join(feet, ", "),
                              feet.size() > 2 ? "a point each" : "all six directions"));
}

}  // namespace

std::vector<Task> constraint_tasks(const Subject& subject, Notes& notes) {
  std::vector<Task> tasks;
  if (subject.growth) return tasks;
  if (!subject.feet.empty()) add_feet_tasks(subject, tasks, notes);
  if (!subject.robot.loops().empty()) add_loop_tasks(subject, tasks, notes);
  return tasks;
}

}  // namespace amble::bench
