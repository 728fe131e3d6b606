#include "amble/control/legged/legged_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/contact/joint_blocks.hpp"
#include "amble/control/legged/biped_controller.hpp"
#include "amble/control/legged/quadruped_controller.hpp"
#include "amble/control/legged/walk_judge.hpp"
#include "amble/geometry/ground.hpp"

namespace amble {

namespace {

constexpr double kLongestStep = 3.0;    // s: what a step may take in the mean
constexpr std::size_t kLeastSteps = 6;  // at a speed, to be measured by
constexpr std::size_t kSettling = 12;   // of them at most, that are left out before

/// The soles' corners, and nothing else of the robot, touch the floor.
ElementPtr floor_of(const LeggedRobot& robot, double friction) {
  ContactSceneOptions options;
  options.ground = nullptr, options.shapes = false, options.between_bodies = false;
  for (const Leg& leg : robot.legs)
    for (const Vector3<double>& corner : leg.foot.corners)
      options.contacts.push_back({.body = leg.foot.body,
                                  .point = leg.foot.X_BS * corner,
                                  .radius = leg.foot.radius,
                                  .friction = friction,
                                  .name = leg.name});
  return contact_scene("floor", robot.mechanism, options);
}

std::shared_ptr<LeggedController> controller_of(const LeggedRobot& robot, const LeggedWalkSettings& s) {
  if (robot.legs.size() == 2) return std::make_shared<BipedController>(robot, s.biped);
  return std::make_shared<QuadrupedController>(robot, s.quadruped);
}

/// Over the steps at the speed asked for, the first ones left out.
void find_speeds(LeggedWalk& w) {
  std::size_t first = 0;
  while (first < w.steps.size() && !w.steps[first].steady) ++first;
  std::size_t last = first;
  while (last < w.steps.size() && w.steps[last].steady) ++last;
  const std::size_t count = last - first;
  if (count < kLeastSteps) return;
  first += std::min(count / 3, kSettling), --last;
  const double time = w.steps[last].t - w.steps[first].t;
  w.turn = (w.steps[last].heading - w.steps[first].heading) / time;
  w.period = time / static_cast<double>(last - first);
  double ahead = 0.0, aside = 0.0;  // step by step in axes of the heading, so that circles count
  for (std::size_t i = first; i < last; ++i) {
    const double yaw = 0.5 * (w.steps[i].heading + w.steps[i + 1].heading);
    const Vector3<double> way = w.steps[i + 1].com - w.steps[i].com;
    ahead += std::cos(yaw) * way.x() + std::sin(yaw) * way.y();
    aside += -std::sin(yaw) * way.x() + std::cos(yaw) * way.y();
  }
  w.speed = ahead / time, w.side_speed = aside / time, w.step_length = w.speed * w.period;
}

}  // namespace

void LeggedWalkSettings::validate() const {
  const auto check = [](const char* name, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw Error(fmt::format("a walk's {} is {}, expected {} to {}", name, value, least, most));
  };
  check("number of steps", steps, 1, 1e6), check("friction", friction, 0.0, 100.0);
  check("number of attempts", attempts, 1, 1000),
      check("part of the speed that may be missing", held, 0.0, 1.0);
  check("slower speed", slower, 0.1, 0.999), check("step", step, 1e-5, 0.01),
      check("interval", interval, 0.0, 10.0), check("longest time", longest, 0.0, 1e6);
  biped.validate(), quadruped.validate();
}

namespace {

LeggedWalk walk_once(const LeggedRobot& robot, const LeggedWalkSettings& s) {
  const Mechanism& m = robot.mechanism;
  LeggedWalk out;
  const auto controller = controller_of(robot, s);
  controller->command(s.command);
  controller->on_step = [&](const LeggedStep& step) {
    out.steps.push_back(step);
    if (static_cast<int>(out.steps.size()) >= s.steps) controller->stop();
    if (s.on_step) s.on_step(step, *controller);
  };
  std::vector<ElementPtr> elements{floor_of(robot, s.friction),
                                   sampled("gait", controller, m, {.period = s.step}),
                                   stepped_joint_limits("joint limits", m)};
  for (std::size_t i = 0; i < s.pushes.size(); ++i)
    elements.push_back(push(fmt::format("push {}", i + 1), m, s.pushes[i]));
  SimulatorOptions options;
  options.method = "time_stepping", options.integrator.step = s.step;
  Simulator simulator(m, elements, {}, options);
  simulator.reset(robot.nominal, OwnedVector(m.nv()));
  detail::WalkJudge judge(robot, s.friction);
  judge.start(simulator.q(), simulator.v());
  OwnedVector tau = controller->control().result().tau;
  double before = 0.0;
  const auto watch = [&](double t) {
    const WholeBodyResult& tick = controller->control().result();
    judge.step(t, t - before, simulator.q(), simulator.v(), tau, simulator.contact_forces(), out);
    tau = tick.tau, before = t, ++out.ticks;
    out.degraded += tick.status == WholeBodyStatus::degraded,
        out.failed += tick.status == WholeBodyStatus::failed;
    out.fell = judge.fallen(simulator.q(), controller->com_height(), out.reason);
    return !out.fell && !controller->resting() && (!s.watch || s.watch(t));
  };
  out.recording.emplace(m);
  const double longest = s.longest > 0.0 ? s.longest : 10.0 + kLongestStep * (s.steps + 20);
  simulate(simulator, longest, s.interval, *out.recording, watch);
  out.recording->set_ground(description_of(*plane_ground()));
  out.stopped = controller->resting(), out.duration = simulator.t(), out.ledger = simulator.ledger();
  out.recording->set_complete(out.stopped);
  judge.finish(out);
  find_speeds(out);
  out.froude = out.speed * out.speed / (m.gravity().norm() * controller->com_height());
  out.command = s.command;
  return out;
}

constexpr double kReached = 0.95;  // of a limit of a joint

bool at_limit(const LeggedWalk& w) { return std::max(w.leg_torque.share, w.leg_speed.share) > kReached; }

/// Slower than asked for, because a joint of a leg is at its limit.
bool falls_behind(const LeggedWalk& w, const LeggedWalkSettings& s) {
  const double wanted = s.command.velocity.norm();
  if (w.period == 0.0 || !(wanted > 0.0)) return false;
  const double along = Vector2<double>(w.speed, w.side_speed).dot(s.command.velocity) / wanted;
  return along < (1.0 - s.held) * wanted && at_limit(w);
}

/// Why a walk came to nothing, by the limit of a leg's joint that was used most.
std::string limit_of(const LeggedRobot& robot, const LeggedWalk& w) {
  const Mechanism& m = robot.mechanism;
  const double speed = w.command.velocity.norm();
  const std::string ended =
      w.fell ? "it fell" : fmt::format("it held {:.3g} m/s", std::hypot(w.speed, w.side_speed));
  const bool torque = w.leg_torque.share >= w.leg_speed.share;
  const JointUse& use = torque ? w.leg_torque : w.leg_speed;
  if (!(use.share > 0.95))
    return fmt::format("{:.3g} m/s: {}, and no limit of a leg's joint is reached", speed, ended);
  const int j = m.v_slice(use.joint).start;
  return fmt::format("{:.3g} m/s: {} {} {:.3g} {} is reached; {}", speed, use.joint,
                     torque ? "torque" : "speed", torque ? robot.effort[j] : m.velocity_limit()[j],
                     torque ? "N m" : "rad/s", ended);
}

}  // namespace

LeggedWalk walk_legged(const LeggedRobot& robot, const LeggedWalkSettings& settings) {
  settings.validate();
  LeggedWalkSettings s = settings;
  std::vector<std::string> limits;
  for (int attempt = 1;; ++attempt) {
    LeggedWalk w = walk_once(robot, s);
    const bool interrupted = !w.fell && !w.stopped;
    const bool slower = !interrupted && s.command.velocity.norm() > 0.0 && (w.fell || falls_behind(w, s));
    if (slower) limits.push_back(limit_of(robot, w));
    if (!slower || attempt == s.attempts) {
      w.limits = std::move(limits);
      return w;
    }
    s.command.velocity *= s.slower;
  }
}

}  // namespace amble
