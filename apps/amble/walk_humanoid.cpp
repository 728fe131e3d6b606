#include "walk_humanoid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/io/load.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/scenario/contact_checks.hpp"
#include "amble/scenario/run.hpp"
#include "humanoid30.hpp"
#include "simulate_report.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kControl = 2.2;  // s of a step beside its ways: to unload, touch, lie, load

const WalkerKind& humanoid_kind() {
  static const WalkerKind kind = [] {
    WalkerKind k;
    k.name = "humanoid", k.summary = "30 joints and 58 kg under whole-body control";
    k.parameters = {{"step_length", 0.2, "m"}, {"step_width", 0.2, "m"}, {"step_time", 1.0, "s"}, {"friction", 0.8, "1"},
                    {"gravity", 9.81, "m/s^2"}, {"slope_deg", 0.0, "deg"}};
    return k;
  }();
  return kind;
}

void check(const WalkerValues& x) {
  const auto above = [&](const char* name, double least) {
    if (!(x.at(name) > least)) throw Error(fmt::format("{} is {}: expected more than {}", name, x.at(name), least));
  };
  above("step_width", 0.0), above("step_time", 0.1), above("friction", 0.0), above("gravity", 0.0);
  if (x.at("slope_deg") != 0.0)
    throw Error(fmt::format("slope_deg is {}: the humanoid walks on level floors, expected 0", x.at("slope_deg")));
}

/// Feet in turn, each a step length before the other; the last one comes beside it.
std::string scenario_of(const WalkerValues& x, int steps) {
  const double length = x.at("step_length"), half = 0.5 * x.at("step_width"), time = x.at("step_time");
  std::string text = fmt::format(R"([model]
file = "humanoid30.urdf"
base = "floating"
[world]
gravity = [0, 0, {}]
[initial.q]
root_joint = [0, 0, 0.66, 0, 0, 0, 1]
left_hip_pitch = -0.4
left_knee = 0.8
left_ankle_pitch = -0.4
left_elbow = -0.5
right_hip_pitch = -0.4
right_knee = 0.8
right_ankle_pitch = -0.4
right_elbow = -0.5
[simulation]
duration = {}
integrator = "time_stepping"
step = 1e-3
interval = 1e-3
[[elements]]
type = "contacts"
friction = {}
[[elements]]
type = "whole_body"
name = "controller"
)", -x.at("gravity"), 1.0 + steps * (3.0 * time + kControl), x.at("friction"));
  for (const char* side : {"left", "right"})
    text += fmt::format("[[elements.contacts]]\nname = \"{0}\"\nbody = \"{0}_sole\"\nlength = 0.22\nwidth = 0.1\nfriction = {1}\n", side, 0.75 * x.at("friction"));
  text += fmt::format("[[elements.stances]]\nname = \"stand\"\ncontacts = [\"left\", \"right\"]\nduration = 0.2\npause = 0.1\n"
                      "[elements.stances.places]\nleft = [0, {0}, 0, 0, 0, 0]\nright = [0, -{0}, 0, 0, 0, 0]\n", half);
  for (int i = 1; i <= steps; ++i) {
    const double ahead = length * (i == steps && steps > 1 ? i - 1 : i);
    text += fmt::format("[[elements.stances]]\nname = \"step {}\"\ncontacts = [\"left\", \"right\"]\nduration = {}\npause = 0.1\n"
                        "[elements.stances.places]\n{} = [{}, {}, 0, 0, 0, 0]\n", i, time, i % 2 == 1 ? "right" : "left", ahead, i % 2 == 1 ? -half : half);
  }
  text += "[[checks]]\nname = \"every step is taken\"\nquantity = \"count:finished\"\nabove = 1\n"
          "[[checks]]\nname = \"feet do not slip\"\nquantity = \"slip\"\nbelow = 1e-3\n"
          "[[checks]]\nname = \"forces in their cones\"\nquantity = \"cone_use\"\nbelow = 1.000001\n"
          "[[checks]]\nname = \"torques within bounds\"\nquantity = \"torque_use\"\nbelow = 1\n"
          "[[checks]]\nname = \"joints within limits\"\nquantity = \"limit_margin\"\nabove = 0\n";
  return text;
}

std::vector<Assumption> assumptions_of(const std::vector<CheckResult>& checks) {
  const double bound[] = {1.0, 1e-3, 1.000001, 1.0, 0.0};
  const char* const unit[] = {"1", "m/s", "1", "1", "rad"};
  std::vector<Assumption> out;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    Assumption a;
    a.name = checks[i].name, a.unit = unit[i];
    a.margin = i == 0 || i + 1 == checks.size() ? checks[i].value - bound[i] : bound[i] - checks[i].value;
    out.push_back(a);
  }
  return out;
}

/// When feet came down.
std::vector<double> footfalls(const Recording& r) {
  std::vector<double> out;
  for (const RecordedEvent& e : r.events())
    if (e.name.starts_with("place '")) out.push_back(e.t);
  return out;
}

/// Of the joints: what they gave less what they took, from the books, and what they gave (J).
struct JointWork {
  double net, positive;
};
JointWork joint_work(const ScenarioRun& run) {
  JointWork out{0.0, positive_joint_work(run.recording(), run.elements())};
  for (const LedgerEntry& e : run.recording().ledger().entries)
    if (e.name == "controller") out.net += e.supplied;
  return out;
}

Json gait_json(const Recording& r, const JointWork& work, const WalkerValues& x, double period) {
  const double distance = r.q()(r.rows() - 1, 0) - r.q()(0, 0), length = x.at("step_length");
  const Eigen::VectorXd q = r.q().row(0), v = r.v().row(0);
  const std::vector<double> q0(q.begin(), q.end()), v0(v.begin(), v.end());
  const double lift = r.mechanism().mass() * x.at("gravity") * distance;
  return {{"period", period > 0.0 ? Json(period) : Json()},
          {"step_length", length},
          {"speed", period > 0.0 ? Json(length / period) : Json()},
          {"initial", {{"q", q0}, {"v", v0}, {"full", {{"q", q0}, {"v", v0}}}}},
          {"multipliers", nullptr},
          {"stable", nullptr},
          {"effort", nullptr},
          {"cost_of_transport", distance > 0.0 ? Json(work.net / lift) : Json()},
          {"actuator_cost_of_transport", distance > 0.0 ? Json(work.positive / lift) : Json()}};
}

}  // namespace

int walk_humanoid(const HumanoidWalk& w) {
  const WalkerValues x = w.walker.values_of(humanoid_kind());
  check(x);
  const Mechanism m = with_gravity(load_text(kHumanoid30, "humanoid30.urdf", {.base = Base::floating}), {0.0, 0.0, -x.at("gravity")});
  const Scenario scenario = read_scenario(scenario_of(x, w.steps), "walk humanoid");
  WorkWatch watch("walking");
  ScenarioRun run(scenario, m);
  if (!w.recording.empty() && is_recording_name(w.recording)) run.record_to(w.recording);
  const bool finished = run.run([&](double t) { return watch(t / scenario.duration); });
  if (!finished) return kInterrupted;
  const Recording& r = run.recording();
  if (!w.recording.empty() && !is_recording_name(w.recording)) r.save(w.recording);
  write_text_file(w.report, scene_page(scene_stream(r, {.file = w.recording})));
  const std::vector<CheckResult> checks = run.checks();
  const std::vector<double> falls = footfalls(r);
  const double period = falls.size() > 1 ? (falls.back() - falls.front()) / static_cast<double>(falls.size() - 1) : 0.0;
  const bool fell = !checks.front().holds;
  if (w.json) {
    fmt::print("{}", json_text({{"walker", "humanoid"},
                                {"parameters", values_json(x)},
                                {"gait", gait_json(r, joint_work(run), x, period)},
                                {"walk", {{"steps", falls.size()}, {"fell", fell}, {"energy_residual", r.ledger().residual()}, {"exchanged", r.ledger().exchanged}}},
                                {"assumptions", assumptions_json(assumptions_of(checks))},
                                {"report", w.report},
                                {"recording", w.recording.empty() ? Json() : Json(w.recording)}}));
  } else {
    fmt::print("humanoid: {}; a static walk, weight shifted onto one foot before the other steps\n\n", humanoid_kind().summary);
    for (const RecordedEvent& e : r.events()) fmt::print("{:>12.6f} s  {}\n", e.t, e.name);
    print_ledger(r.ledger());
    print_checks(checks, true);
    const JointWork work = joint_work(run);
    const double distance = r.q()(r.rows() - 1, 0) - r.q()(0, 0), lift = m.mass() * x.at("gravity") * distance;
    fmt::print("walked {} steps, {:.6f} m in {:.6f} s\n", falls.size(), distance, r.t().back());
    if (distance > 0.0) fmt::print("work of joints over weight and way: {:.2g} net, {:.3g} without what drives take back\n", work.net / lift, work.positive / lift);
    fmt::print("\nreport: {}\n", w.report);
    if (!w.recording.empty()) fmt::print("recording: {} (amble view {})\n", w.recording, w.recording);
  }
  return std::all_of(checks.begin(), checks.end(), [](const CheckResult& c) { return c.holds; }) ? 0 : kFailed;
}

}  // namespace amble::app
