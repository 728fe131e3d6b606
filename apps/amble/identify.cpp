#include "amble/gait/identify.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/io/load.hpp"
#include "amble/recording/load_recording.hpp"
#include "walker_choice.hpp"

// `amble gait identify`: the numbers of a model from a recorded motion, DS 6.2.
namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string recording, model;
  LoadOptions load;
  IdentifyOptions options;
  bool json = false;
};

Json report_json(const Identification& found) {
  Json values = Json::array(), combinations = Json::array();
  for (const IdentifiedValue& v : found.values)
    values.push_back({{"name", v.name},
                      {"start", v.start},
                      {"value", v.value},
                      {"deviation", v.deviation},
                      {"interval", {v.lower, v.upper}},
                      {"identified", v.identified}});
  for (const IdentifiedCombination& c : found.combinations)
    combinations.push_back({{"combination", c.text}, {"value", c.value}, {"deviation", c.deviation}});
  return {{"values", values},
          {"rank", found.rank},
          {"unseen", found.unseen_names},
          {"combinations", combinations},
          {"noise", {{"q", found.q_noise}, {"v", found.v_noise}}},
          {"misfit", found.misfit},
          {"samples", found.samples},
          {"iterations", found.iterations},
          {"converged", found.converged}};
}

void print_report(const Identification& found, double confidence) {
  fmt::print("{:<28} {:>12} {:>14} {:>12}  {:.3g} % interval\n", "number", "start", "found", "deviation",
             100.0 * confidence);
  for (const IdentifiedValue& v : found.values)
    if (v.identified)
      fmt::print("{:<28} {:>12.6g} {:>14.8g} {:>12.3g}  {:.6g} to {:.6g}\n", v.name, v.start, v.value,
                 v.deviation, v.lower, v.upper);
    else
      fmt::print("{:<28} {:>12.6g} {:>14.8g} {:>12}  not told by this motion alone\n", v.name, v.start,
                 v.value, "-");
  fmt::print(
      "\n{} of {} directions are seen; noise {:.3g} of q, {:.3g} of v; misfit {:.3g} over {} numbers; {} "
      "after {} "
      "iterations\n",
      found.rank, found.values.size(), found.q_noise, found.v_noise, found.misfit, found.samples,
      found.converged ? "converged" : "not converged", found.iterations);
  for (const std::string& unseen : found.unseen_names) fmt::print("leaves the motion as it is: {}\n", unseen);
  for (const IdentifiedCombination& c : found.combinations)
    fmt::print("the motion tells: {} = {:.8g} +- {:.2g}\n", c.text, c.value, c.deviation);
}

int run_identify(const Settings& s) {
  const Recording recording = load_recording(s.recording);
  const Mechanism model = s.model.empty() ? recording.mechanism() : load(s.model, s.load);
  const Identification found = identify(model, motion_of(recording), s.options);
  if (s.json)
    fmt::print("{}", json_text(report_json(found)));
  else
    print_report(found, s.options.confidence);
  return found.converged ? 0 : 1;
}

}  // namespace

void add_gait_identify(CLI::App& gait, Run& run) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = gait.add_subcommand(
      "identify",
      "Masses, inertias, springs, damping and friction of a model from a recorded motion, with confidence");
  command->add_option("recording", settings->recording, "A recording (.h5)")
      ->type_name("RECORDING")
      ->required()
      ->check(file_name());
  command
      ->add_option("--model", settings->model, "The model to start from (default: the one in the recording)")
      ->type_name("FILE")
      ->check(file_name());
  add_load_options(*command, settings->load);
  command
      ->add_option("--free", settings->options.free,
                   "What is found, as leg.mass, leg.com, leg.inertia, hip.damping, *.friction; again, or "
                   "with commas, for more")
      ->type_name("NAME")
      ->delimiter(',')
      ->required();
  command
      ->add_option("--piece", settings->options.piece,
                   "How long the pieces are that are fitted (s); 0: all at once")
      ->type_name("S")
      ->capture_default_str();
  command->add_option("--q-noise", settings->options.q_noise, "Standard deviation of positions; 0: found")
      ->capture_default_str();
  command->add_option("--v-noise", settings->options.v_noise, "Standard deviation of velocities; 0: found")
      ->capture_default_str();
  command->add_option("--confidence", settings->options.confidence, "Of the intervals")
      ->capture_default_str();
  command->add_flag("--json", settings->json, "One JSON object on stdout");
  command->callback([settings, &run] { run = [settings] { return run_identify(*settings); }; });
}

}  // namespace amble::app
