#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/recording/recording_file.hpp"
#include "amble/report/control_figures.hpp"
#include "amble/scenario/walker_file.hpp"
#include "simulate_report.hpp"
#include "walker_choice.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

Json control_json(const ControlFigures& f) {
  Json peaks;
  for (std::size_t i = 0; i < f.coordinates.size(); ++i)
    peaks[f.coordinates[i]] = f.peak_torque[static_cast<Eigen::Index>(i)];
  return {{"peak_torque", peaks},     {"missing", f.missing},         {"scale", f.scale},
          {"normal_force", f.normal}, {"friction_ratio", f.friction}, {"pressure_offset", f.pressure_offset}};
}

Json searched_json(const FoundGait& gait) {
  return {{"period", gait.duration},
          {"step_length", gait.step_length},
          {"speed", gait.speed},
          {"objective", gait.objective},
          {"residual", gait.certificate.residual()}};
}

Json walk_json(const Walk& w) {
  return {{"steps", w.steps.size()},  {"fell", w.fell},
          {"stopped", w.stopped},     {"failure", w.failure.empty() || w.stopped ? Json() : Json(w.failure)},
          {"distance", w.distance()}, {"spent", w.spent() + w.last.spent}};
}

void print_walk(const WalkScenario& s, const WalkResult& r) {
  const Walk& w = r.walk;
  fmt::print("{}: {} of {} steps, {:.6g} m in {:.6g} s", s.walker, w.steps.size(), w.asked, w.distance(),
             w.duration());
  if (w.fell) fmt::print("; then it {}", w.failure);
  if (w.stopped) fmt::print("; then it stands");
  fmt::print("\nactuators spent {:.6g} J\n", w.spent() + w.last.spent);
  if (!r.control) return;
  const ControlFigures& f = *r.control;
  for (std::size_t i = 0; i < f.coordinates.size(); ++i)
    fmt::print("  largest torque at {}: {:.6g} N m\n", f.coordinates[i],
               f.peak_torque[static_cast<Eigen::Index>(i)]);
  fmt::print(
      "  stance foot: at least {:.4g} N down, friction ratio up to {:.4g}, pressure up to {:.4g} m off its "
      "point\n",
      f.normal, f.friction, f.pressure_offset);
  if (f.scale < 1.0)
    fmt::print("  limits weakened the laws to {:.3g} of what they asked for at worst\n", f.scale);
  if (f.missing > 0.0)
    fmt::print(
        "  coordinates without actuator: up to {:.3g} % of what the laws asked for is missing; those that "
        "should deliver "
        "no power do, as the ledger shows\n",
        100.0 * f.missing);
}

void write_pictures(const std::string& start, const WalkScenario& s, const WalkResult& r) {
  for (const auto& [what, picture] : pictures_of(s, r))
    write_text_file(fmt::format("{}_{}.svg", start, what), picture);
}

}  // namespace

int simulate_walk(const WalkScenarioCommand& c) try {
  const WalkScenario scenario = load_walk_scenario(c.scenario, c.set);
  WorkWatch watch("looking for gaits");
  const WalkResult result = run_walk_scenario(scenario, watch.callback());
  if (watch.interrupted()) return kInterrupted;
  if (!c.recording.empty()) result.recording.save(c.recording);
  if (!c.pictures.empty()) write_pictures(c.pictures, scenario, result);
  if (c.json) {
    Json json = report_json(result.recording, result.checks, true, c.recording);
    json["walk"] = walk_json(result.walk);
    const std::unique_ptr<StepModel> model = make_walker(find_walker(scenario.walker), scenario.parameters);
    json["gait"] = result.gait ? gait_json(*model, *result.gait) : Json();
    json["searched"] = result.searched ? searched_json(*result.searched) : Json();
    json["control"] = result.control ? control_json(*result.control) : Json();
    json["assumptions"] = assumptions_json(result.walk.assumptions);
    fmt::print("{}", json_text(json));
  } else {
    print_walk(scenario, result);
    print_ledger(result.recording.ledger());
    print_assumptions(result.walk.assumptions);
    print_checks(result.checks, true);
    if (!c.recording.empty()) fmt::print("recorded in {}\n", c.recording);
  }
  return std::all_of(result.checks.begin(), result.checks.end(), [](const CheckResult& k) { return k.holds; })
             ? 0
             : kFailed;
} catch (const NoGaitFound& e) {
  fmt::print(stderr, "amble: error: {}\n", e.what());
  return kFailed;
}

}  // namespace amble::app
