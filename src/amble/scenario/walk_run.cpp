#include "amble/scenario/walk_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "amble/base/names.hpp"
#include "amble/gait/cycles.hpp"
#include "amble/gait/walk_controllers.hpp"
#include "amble/gait/walk_recording.hpp"
#include "amble/scenario/quantities.hpp"
#include "amble/scenario/walker_file.hpp"

namespace amble {

namespace {

Gait gait_of(const WalkScenario& s, const StepModel& model, const std::function<bool(double)>& watch) {
  const CyclesFound found =
      find_cycles(model, region_of(model, s.region), {.starts = s.starts, .watch = watch});
  if (found.cycles.empty())
    throw NoGaitFound(fmt::format("no gait of '{}' was found from {} starts; {} of them made a step",
                                  s.walker, found.starts, found.walked));
  if (s.choice == WalkScenario::Choice::fastest) return found.cycles.front();
  if (s.choice == WalkScenario::Choice::slowest) return found.cycles.back();
  return most_stable(found.cycles);
}

FoundGait searched_gait(const WalkScenario& s, const WalkerKind& kind,
                        const std::function<bool(double)>& watch) {
  GaitSearchSettings settings;
  settings.program.speed = s.speed;
  if (watch) settings.solver.watch = [&](const NlpProgress&) { return watch(0.0); };
  GaitSearchResult found =
      search_gaits(search_problem(kind, s.parameters, within(s.search, s.limits)), settings);
  if (!found.found())
    throw NoGaitFound(
        fmt::format("no gait of '{}' at {} m/s was found from {} starts; the closest motion violates its "
                    "conditions by {:.3g}",
                    s.walker, *s.speed, found.attempts.size(), found.closest.certificate.primal));
  return std::move(found.gaits.front());
}

/// Adds numbers by the names of coordinates and, with a d in front, of their rates.
void add_by_name(const StepModel& model, const std::map<std::string, double>& numbers, OwnedVector& x) {
  std::vector<std::string> names = model.coordinates();
  const std::size_t m = names.size();
  for (std::size_t i = 0; i < m; ++i) names.push_back("d" + names[i]);
  for (const auto& [name, value] : numbers) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      throw Error(fmt::format("the state has no '{}'{}; it has {}", name, suggestion(name, names),
                              fmt::join(names, ", ")));
    x[at - names.begin()] += value;
  }
}

Recording recording_of(const WalkScenario& s, StepModel& model, const Walk& walk) {
  Recording r = walk_recording(model, walk);
  RecordingOrigin origin = r.origin();
  origin.scenario = s.text, origin.file = s.file, origin.settings = s.settings;
  r.set_origin(std::move(origin));
  return r;
}

// ---- checks

/// What the checks look at beside the recording.
struct WalkFacts {
  std::map<std::string, double> numbers;

  WalkFacts(const WalkScenario& s, const StepModel& model, const WalkResult& result) {
    const Walk& w = result.walk;
    numbers["steps"] = static_cast<double>(w.steps.size());
    numbers["fell"] = w.fell ? 1.0 : 0.0, numbers["stopped"] = w.stopped ? 1.0 : 0.0;
    numbers["spent"] = w.spent() + w.last.spent;
    numbers["heading"] = w.place.turn;
    numbers["speed"] = w.steps.empty() ? 0.0 : w.steps.back().length / w.steps.back().period;
    if (const auto& c = result.control) {
      numbers["peak_torque"] = c->peak_torque.maxCoeff();
      numbers["normal_force"] = c->normal, numbers["friction_ratio"] = c->friction;
      numbers["pressure_offset"] = c->pressure_offset;
    }
    const auto* const placing = dynamic_cast<const PlacingWalker*>(&model);
    if (placing == nullptr || !s.plan.path) return;
    const std::vector<double> errors = path_errors(*placing, w, *s.plan.path, s.plan.turns);
    numbers["path_error"] = errors.back();
    for (const double e : errors)
      numbers["largest_path_error"] = std::max(numbers["largest_path_error"], std::abs(e));
  }
};

double value_of(const std::string& quantity, const WalkFacts& facts, const Recording& r) {
  if (const auto own = facts.numbers.find(quantity); own != facts.numbers.end()) return own->second;
  const std::vector<std::string> general = scenario_quantities();
  const bool known = std::any_of(general.begin(), general.end(), [&](const std::string& w) {
    return w.ends_with(':') ? quantity.starts_with(w) : quantity == w;
  });
  if (!known) throw Error(fmt::format("a check is about '{}', which this walk does not have", quantity));
  return quantity_of(quantity, r, RunFacts{});
}

std::vector<CheckResult> checks_of(const WalkScenario& s, const StepModel& model, const WalkResult& result,
                                   double flat_torque) {
  WalkFacts facts(s, model, result);
  if (result.control) facts.numbers["flat_torque"] = flat_torque;
  std::vector<CheckResult> out;
  for (const ScenarioCheck& check : s.checks) {
    const double value = value_of(check.quantity, facts, result.recording);
    out.push_back({check.name,
                   value >= check.above.value_or(-kInfinity) && value <= check.below.value_or(kInfinity),
                   value});
  }
  return out;
}

/// How the energy splits along a walk, at each of its samples.
std::vector<WalkEnergies> energies_of(const GaitMotion& motion, const Walk& walk, MechanismWalker& walker,
                                      const std::vector<ControlSample>& trace) {
  std::vector<VelocityField> fields;
  for (const TrackedCurve& curve : gait_curves(motion)) fields.push_back(field_towards(curve));
  std::vector<WalkEnergies> out;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    MechanismPhase& phase = walker.mechanism_phase(trace[i].phase);
    const Eigen::Index m = phase.freedoms();
    const MomentumSplit split(phase.spec().stance, phase.workspace(),
                              fields[static_cast<std::size_t>(trace[i].phase)], trace[i].x.head(m),
                              trace[i].x.tail(m));
    out.push_back({walk.samples[i].t, phase.potential_energy(trace[i].x.data()), split.energy_along(),
                   split.energy_across()});
  }
  return out;
}

}  // namespace

WalkResult run_walk_scenario(const WalkScenario& s, const std::function<bool(double)>& watch) {
  try {
    const WalkerKind kind = find_walker(s.walker);
    // A gait is found with its feet let through the floor.
    const std::unique_ptr<StepModel> walker = make_walker(kind, s.parameters, s.scuffing),
                                     through = make_walker(kind, s.parameters);
    OwnedVector x(2 * walker->phase(0).freedoms());
    std::optional<Gait> gait;
    std::optional<FoundGait> searched;
    std::optional<GaitMotion> motion;
    if (s.speed) {
      if (s.controller.empty() || !s.start.empty())
        throw Error(
            "'gait.speed' asks for a gait that takes actuators: expected a [controller] that follows it, and "
            "no 'gait.start'");
      searched = searched_gait(s, kind, watch);
      motion = gait_motion(*through, *searched);
      x = motion->start();
    } else if (s.start.empty()) {
      gait = gait_of(s, *through, watch);
      x = gait->x;
    }
    add_by_name(*walker, s.start, x), add_by_name(*walker, s.change, x);
    std::unique_ptr<StepModel> model = walker->clone();
    if (!s.controller.empty()) {
      if (!gait && !motion)
        throw Error("a controller follows a gait, and 'gait.start' says that none is looked for");
      if (gait) motion = gait_motion(*through, *gait);
      model = controlled_walker(*walker, *motion, s.controller, s.controller_parameters, s.limits).clone();
    }
    ReturnMap map(*model);
    double flat_torque = 0.0;
    if (!s.floor.empty() && s.floor.front().footfall > 1 && motion) {
      walk(map, x, s.floor.front().footfall - 1, WalkOptions{.samples = false});
      flat_torque = dynamic_cast<ControlledWalker&>(map.model()).figures().peak_torque.maxCoeff();
    }
    auto* const controlled = dynamic_cast<ControlledWalker*>(&map.model());
    if (controlled != nullptr) controlled->keep_trace(true);
    const Walk walked = guided_walk(map, x, s.steps, s.plan, s.floor);
    WalkResult out{gait, walked, recording_of(s, map.model(), walked), {}, {}};
    if (controlled != nullptr) {
      out.control = controlled->figures(), out.trace = controlled->trace();
      out.energies = energies_of(*motion, walked, controlled->walker(), out.trace);
    }
    out.searched = std::move(searched);
    out.checks = checks_of(s, map.model(), out, flat_torque);
    return out;
  } catch (const NoGaitFound& e) {
    throw NoGaitFound(s.file + ": " + e.what());
  } catch (const Error& e) {
    throw Error(s.file + ": " + e.what());
  }
}

}  // namespace amble
