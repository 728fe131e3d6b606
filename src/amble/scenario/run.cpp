#include "amble/scenario/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/scenario/stage.hpp"

namespace amble {

namespace {

/// The last value of a number of the state.
double final_number(const Eigen::Map<const Recording::Rows>& rows, const std::vector<std::string>& names,
                    const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(fmt::format("a check is about '{}', which the state does not have{}", name, suggestion(name, names)));
  return rows(rows.rows() - 1, found - names.begin());
}

double value_of(const std::string& quantity, const Recording& r, double violation) {
  if (quantity == "residual") return r.ledger().residual();
  if (quantity == "energy_change") return r.ledger().final - r.ledger().initial;
  if (quantity == "violation") return violation;
  return quantity.starts_with("q:") ? final_number(r.q(), q_names(r.mechanism()), quantity.substr(2))
                                    : final_number(r.v(), v_names(r.mechanism()), quantity.substr(2));
}

CheckResult result_of(const ScenarioCheck& check, const Recording& r, double violation) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double value = value_of(check.quantity, r, violation);
  return {check.name, value >= check.above.value_or(-kNone) && value <= check.below.value_or(kNone), value};
}

Simulator simulator_of(const Scenario& s) {
  const Stage stage = set_up(s);
  Simulator out(stage.mechanism, stage.elements, stage.constraints, {.integrator = {.tolerance = s.tolerance}});
  out.reset(stage.q, stage.v);
  return out;
}

}  // namespace

ScenarioRun::ScenarioRun(const Scenario& scenario)
    : scenario_(scenario), simulator_(simulator_of(scenario)), recording_(simulator_.mechanism()) {
  Recording first(simulator_.mechanism());  // a wrong name is told before a long run
  first.add(0.0, simulator_.q(), simulator_.v(), 0.0, 0.0);
  for (const ScenarioCheck& check : scenario_.checks) value_of(check.quantity, first, 0.0);
}

bool ScenarioRun::run(const std::function<bool(double t)>& watch) {
  return simulate(simulator_, scenario_.duration, scenario_.interval, recording_, watch);
}

std::vector<CheckResult> ScenarioRun::checks() {
  ConstrainedFlow* const constrained = simulator_.constrained();
  const double violation = constrained == nullptr ? 0.0 : constrained->dynamics().violation().cwiseAbs().maxCoeff();
  std::vector<CheckResult> out;
  for (const ScenarioCheck& check : scenario_.checks) out.push_back(result_of(check, recording_, violation));
  return out;
}

}  // namespace amble
