#include "amble/scenario/run_length.hpp"

#include <fmt/format.h>

#include "amble/base/infinity.hpp"
#include "amble/base/limits.hpp"
#include "amble/simulation/integrators.hpp"

namespace amble {

namespace {

std::string flaw(Limit which, double duration, double part, const char* what) {
  return limit_breach(which, duration / part,
                      fmt::format("is {} s: the number of {} in {} s", part, what, duration));
}

double positive(double period) { return period > 0.0 ? period : kInfinity; }

/// How often an element is sampled, s; infinite for one that is not.
double sampling_period(const scenario_elements::Kind& kind) {
  return std::visit(
      []<class Element>(const Element& e) {
        if constexpr (requires { positive(e.period.value()); }) {
          return positive(e.period.value_or(0.0));
        } else if constexpr (requires { positive(e.period); }) {
          return positive(e.period);
        } else if constexpr (requires { positive(e.feet.period); }) {
          return positive(e.feet.period);
        } else {
          return kInfinity;
        }
      },
      kind);
}

}  // namespace

std::optional<RunLengthFlaw> run_length_flaw(const RunLength& run) {
  const bool fixed = takes_fixed_steps(run.integrator) && run.step > 0.0;
  const std::string rows = run.interval > 0.0 ? flaw(Limit::rows, run.duration, run.interval, "rows") : "";
  const std::string steps = fixed ? flaw(Limit::steps, run.duration, run.step, "steps") : "";
  if (!rows.empty()) return RunLengthFlaw{"interval", rows};
  if (!steps.empty()) return RunLengthFlaw{"step", steps};
  if (fixed && run.interval == 0.0)
    if (const std::string each = flaw(Limit::rows, run.duration, run.step, "steps, each of them a row,");
        !each.empty())
      return RunLengthFlaw{"step", each};
  return {};
}

void check_run_length(const Scenario& s) {
  if (const auto flaw = run_length_flaw({s.duration, s.interval, s.step, s.integrator}))
    throw Error(fmt::format("{}: 'simulation.{}' {}", s.file, flaw->key, flaw->reason));
  for (const ScenarioElement& e : s.elements)
    if (const std::string samples = flaw(Limit::steps, s.duration, sampling_period(e.kind), "samples");
        !samples.empty())
      throw Error(fmt::format("{}: the period of '{}' {}", s.file, e.name, samples));
}

}  // namespace amble
