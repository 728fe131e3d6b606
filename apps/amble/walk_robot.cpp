#include "walk_robot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "amble/base/error.hpp"
#include "amble/base/text_file.hpp"
#include "amble/control/legged/find_legged_robot.hpp"
#include "amble/control/legged/legged_walk.hpp"
#include "amble/io/load.hpp"
#include "amble/report/scene_page.hpp"
#include "amble/report/scene_stream.hpp"
#include "amble/scenario/legged_file.hpp"
#include "say.hpp"
#include "simulate_report.hpp"
#include "walker_choice.hpp"

namespace amble::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostSlip = 2e-3;     // m in one stance
constexpr double kSpeedWithin = 0.05;  // of the speed asked for
constexpr double kResidual = 1e-9;     // of the energy exchanged
constexpr int kAttempts = 12;          // each at 0.9 of the speed before
constexpr double kPushed = 0.1;        // s

[[noreturn]] void refuse_push(const std::string& text) {
  throw Error(
      fmt::format("--push {}: expected FX,FY,FZ@T or FX,FY,FZ@T:DURATION (N, s), such as 100,0,0@2.0", text));
}

/// "100,0,0@2.0:0.1" on the torso.
Push push_of(const std::string& text, const LeggedRobot& robot) {
  Push push{.body = robot.torso.empty() ? robot.base : robot.torso, .duration = kPushed};
  double numbers[5] = {0.0, 0.0, 0.0, 0.0, kPushed};
  const char* const ends = ",,@:";
  const char* at = text.c_str();
  for (int i = 0; i < 5; ++i) {
    char* end = nullptr;
    numbers[i] = std::strtod(at, &end);
    if (end == at || !std::isfinite(numbers[i])) refuse_push(text);
    at = end;
    if (*at == '\0' && i >= 3) break;
    if (i == 4 || *at != ends[i]) refuse_push(text);
    ++at;
  }
  if (!(numbers[3] >= 0.0) || !(numbers[4] > 0.0)) refuse_push(text);
  push.force = {numbers[0], numbers[1], numbers[2]}, push.start = numbers[3], push.duration = numbers[4];
  return push;
}

std::vector<Assumption> assumptions_of(const RobotWalk& asked, const LeggedWalk& w) {
  std::vector<Assumption> out;
  const auto add = [&](const char* name, double margin, const char* unit) {
    Assumption a;
    a.name = name, a.margin = margin, a.unit = unit;
    out.push_back(a);
  };
  add("every step is taken", static_cast<double>(w.steps.size()) - asked.steps, "1");
  add("feet do not slip", kMostSlip - w.slip, "m");
  add("torques within limits", 1.0 - w.torque.share, "1");
  add("speeds within limits", 1.0 - w.joint_speed.share, "1");
  add("joints within limits", w.range_margin, "rad");
  const double wanted = w.command.velocity.norm(), found = std::hypot(w.speed, w.side_speed);
  if (wanted > 0.0 && w.speed != 0.0)
    add("speed is held", kSpeedWithin * wanted - std::abs(found - wanted), "m/s");
  return out;
}

Json robot_json(const LeggedRobot& robot, const LeggedWalk& w) {
  Json feet = Json::array(), legs = Json::array();
  for (const Leg& leg : robot.legs) {
    Json corners = Json::array(), joints = Json::array();
    for (const Vector3<double>& c : leg.foot.corners) corners.push_back({c.x(), c.y(), c.z()});
    for (const int j : leg.joints) joints.push_back(robot.mechanism.joints()[j].name);
    feet.push_back(
        {{"leg", leg.name}, {"body", leg.foot.body}, {"corners", corners}, {"radius", leg.foot.radius}});
    legs.push_back({{"name", leg.name}, {"joints", joints}, {"length", leg.length}});
  }
  Json limiting;
  const JointUse& use = w.leg_torque.share > w.leg_speed.share ? w.leg_torque : w.leg_speed;
  if (!use.joint.empty())
    limiting = {{"joint", use.joint},
                {"by", &use == &w.leg_torque ? "torque" : "speed"},
                {"share", use.share},
                {"t", use.t}};
  return {{"feet", feet},
          {"legs", legs},
          {"forward", {robot.forward_Base.x(), robot.forward_Base.y(), robot.forward_Base.z()}},
          {"symmetry", !robot.mirror.joint.empty()},
          {"limiting", limiting},
          {"limits", w.limits},
          {"warnings", robot.warnings}};
}

Json gait_json(const LeggedRobot& robot, const LeggedWalk& w) {
  const std::vector<double> q(robot.nominal.begin(), robot.nominal.end()), v(robot.mechanism.nv(), 0.0);
  const auto known = [](double x) { return x != 0.0 ? Json(x) : Json(); };
  return {{"period", known(w.period)},
          {"step_length", known(w.step_length)},
          {"speed", known(w.speed)},
          {"initial", {{"q", q}, {"v", v}, {"full", {{"q", q}, {"v", v}}}}},
          {"multipliers", nullptr},
          {"stable", nullptr},
          {"effort", nullptr},
          {"cost_of_transport", known(w.cost_of_transport)},
          {"actuator_cost_of_transport", known(w.positive_cost)}};
}

Json walk_json(const LeggedWalk& w) {
  Json work = Json::array();
  for (const JointWork& j : w.work)
    work.push_back({{"joint", j.joint}, {"positive", j.positive}, {"net", j.net}});
  const auto use = [](const JointUse& u) { return Json{{"joint", u.joint}, {"share", u.share}, {"t", u.t}}; };
  return {{"steps", w.steps.size()},
          {"fell", w.fell},
          {"reason", w.reason},
          {"duration", w.duration},
          {"way", w.way},
          {"side_speed", w.side_speed},
          {"turn", w.turn},
          {"froude", w.froude},
          {"slip", w.slip},
          {"friction_use", w.friction_use},
          {"torque_use", use(w.torque)},
          {"speed_use", use(w.joint_speed)},
          {"range_margin", {{"joint", w.range_joint}, {"margin", w.range_margin}}},
          {"degraded_ticks", w.degraded},
          {"failed_ticks", w.failed},
          {"work", work},
          {"energy_residual", w.ledger.residual()},
          {"exchanged", w.ledger.exchanged}};
}

void print_speed(const RobotWalk& asked, const LeggedWalk& w) {
  if (!(w.period > 0.0)) {
    say("  speed           not measured: too few steps at {:g} m/s; ask for more --steps\n", asked.speed);
    return;
  }
  say("  speed           {:.4f} m/s ahead (asked for {:g}), {:.4f} m/s aside, {:.4f} rad/s\n", w.speed,
             asked.speed, w.side_speed, w.turn);
  say("  step            {:.4f} m in {:.4f} s; Froude number {:.4f}\n", w.step_length, w.period,
             w.froude);
}

void print_robot_walk(const RobotWalk& asked, const LeggedRobot& robot, const LeggedWalk& w,
                      const std::vector<Assumption>& assumptions) {
  say("{}: {} kg on {} legs\n", robot.mechanism.name(),
             std::round(10.0 * robot.mechanism.mass()) / 10.0, robot.legs.size());
  for (const std::string& text : robot.warnings) say("  note: {}\n", text);
  for (const std::string& text : w.limits) say("  {}\n", text);
  if (w.fell) say("fell at {:.3f} s after {} steps: {}\n", w.duration, w.steps.size(), w.reason);
  say("{} steps, {:.3f} m in {:.3f} s\n\n", w.steps.size(), w.way, w.duration);
  print_speed(asked, w);
  say("  torque          {:.0f} % of the limit of '{}' at {:.3f} s\n", 100.0 * w.torque.share,
             w.torque.joint, w.torque.t);
  if (!w.joint_speed.joint.empty())
    say("  joint speed     {:.0f} % of the limit of '{}' at {:.3f} s\n", 100.0 * w.joint_speed.share,
               w.joint_speed.joint, w.joint_speed.t);
  say("  slip            {:.4f} mm in a stance at most; {:.0f} % of the friction cone\n", 1e3 * w.slip,
             100.0 * w.friction_use);
  say(
      "  energy          {:.3f} J by the joints, {:.3f} J of it positive work; cost of transport {:.3f}, "
      "{:.3f}\n\n",
      w.net_work, w.positive_work, w.cost_of_transport, w.positive_cost);
  print_ledger(w.ledger);
  print_assumptions(assumptions);
}

/// A free base unless the file has one.
Mechanism load_floating(const std::string& file) {
  Mechanism m = load(file, {});
  const bool floats =
      std::any_of(m.joints().begin(), m.joints().end(), [](const Joint& j) { return j.type == "free"; });
  return floats ? m : load(file, {.base = Base::floating});
}

}  // namespace

bool is_robot_file(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  return ending == ".urdf" || ending == ".xml" || ending == ".sdf" || ending == ".mjcf" || ending == ".xacro";
}

int walk_robot(const RobotWalk& asked) {
  const LeggedRobotSettings given =
      asked.feet.empty() ? LeggedRobotSettings() : load_legged_settings(asked.feet);
  const LeggedRobot robot = legged_robot(load_floating(asked.file), given);
  LeggedWalkSettings s;
  s.command = {{asked.speed, asked.side}, asked.turn};
  s.steps = asked.steps, s.friction = asked.friction, s.attempts = asked.pushes.empty() ? kAttempts : 1;
  if (!asked.gait.empty()) s.quadruped.name = asked.gait;
  for (const std::string& text : asked.pushes) s.pushes.push_back(push_of(text, robot));
  WorkWatch progress("walking");
  s.on_step = [&, steps = 0](const LeggedStep&, LeggedController&) mutable {
    (void)progress(++steps / static_cast<double>(asked.steps));
  };
  s.watch = [&](double) { return !progress.interrupted(); };
  const LeggedWalk w = walk_legged(robot, s);
  if (progress.interrupted()) return kInterrupted;
  if (!asked.recording.empty()) w.recording->save(asked.recording);
  write_text_file(asked.report, scene_page(scene_stream(*w.recording, {.file = asked.recording})));
  const std::vector<Assumption> assumptions = assumptions_of(asked, w);
  if (asked.json) {
    say("{}", json_text({{"walker", robot.mechanism.name()},
                                {"parameters",
                                 {{"speed", asked.speed},
                                  {"side", asked.side},
                                  {"turn", asked.turn},
                                  {"friction", asked.friction}}},
                                {"gait", gait_json(robot, w)},
                                {"walk", walk_json(w)},
                                {"robot", robot_json(robot, w)},
                                {"assumptions", assumptions_json(assumptions)},
                                {"report", asked.report},
                                {"recording", asked.recording.empty() ? Json() : Json(asked.recording)}}));
  } else {
    print_robot_walk(asked, robot, w, assumptions);
    say("\nreport: {}\n", asked.report);
    if (!asked.recording.empty())
      say("recording: {} (amble view {})\n", asked.recording, asked.recording);
  }
  return w.fell ? kFailed : 0;
}

}  // namespace amble::app
