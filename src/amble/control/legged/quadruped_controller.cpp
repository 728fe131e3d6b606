#include "amble/control/legged/quadruped_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

constexpr double kLeastLoad = 0.02;  // of what a leg may bear: before lift-off
constexpr double kFirstLoad = 0.1;   // likewise at touchdown
constexpr double kLoad = 2.0;        // weights: what a leg may bear
constexpr double kHalt = 1.0;        // periods without a lifted leg, after which it is at rest

double critical(double stiffness) { return 2.0 * std::sqrt(stiffness); }

Vector2<double> turned(double yaw, const Vector2<double>& d) {
  const double c = std::cos(yaw), s = std::sin(yaw);
  return {c * d.x() - s * d.y(), s * d.x() + c * d.y()};
}

}  // namespace

void QuadrupedGait::validate() const {
  const auto check = [](const char* what, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw Error(fmt::format("gait: {} is {}, expected {} to {}", what, value, least, most));
  };
  check("period", period, 0.5, 100.0), check("duty", duty, 0.0, 0.99), check("stand", stand, 0.0, 1e3);
  check("sway_periods", sway_periods, 0.0, 100.0), check("least_sway", least_sway, 0.0, 1.0);
  check("ramp", ramp, 0.0, 0.2), check("swing_height", swing_height, 1e-3, 1.0);
  check("touch_speed", touch_speed, 1e-4, 1.0), check("descent", descent, 0.01, 0.5);
  check("correction", correction, 0.0, 1.0), check("most_correction", most_correction, 0.0, 1.0);
  check("touch_force", touch_force, 1e-4, 0.5), check("touch_share", touch_share, 0.1, 1.0);
  check("late", late, 0.0, 1.0), check("freeze", freeze, 0.0, 0.9), check("capture", capture, 0.0, 2.0);
  check("drag", drag, 0.0, 10.0), check("acceleration", acceleration, 1e-3, 10.0),
      check("friction", friction, 0.05, 10.0);
}

QuadrupedController::QuadrupedController(const LeggedRobot& robot, const QuadrupedGait& gait,
                                         const QuadrupedWeights& weights)
    : robot_(robot), gait_(gait), table_(phase_table(gait.name, static_cast<int>(robot.legs.size()))) {
  gait.validate();
  if (gait.duty > 0.0) table_.duty = gait.duty;
  find_legs();
  make_control(weights);
}

/// Legs by their places: front before hind, left before right.
void QuadrupedController::find_legs() {
  const Mechanism& m = robot_.mechanism;
  Workspace work(m);
  const Vector3<double> com = center_of_mass(m, work, robot_.nominal);
  double ground = 0.0;
  for (const Leg& leg : robot_.legs) {
    Side side;
    side.foot = task_frame(m, leg.foot.body), side.radius = leg.foot.radius;
    const Vector3<double> point =
        std::accumulate(leg.foot.corners.begin(), leg.foot.corners.end(), Vector3<double>(0.0, 0.0, 0.0)) /
        static_cast<double>(leg.foot.corners.size());
    side.foot.X_LF = side.foot.X_LF * leg.foot.X_BS * Pose(point);
    const Vector3<double> at = pose(m, work, robot_.nominal, leg.foot.body) * (leg.foot.X_BS * point);
    side.place = (at - com).head<2>();
    ground += (at.z() - side.radius) / static_cast<double>(robot_.legs.size());
    sides_.push_back(side);
  }
  std::vector<int> by_place(sides_.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  std::sort(by_place.begin(), by_place.end(),
            [&](int a, int b) { return sides_[a].place.x() > sides_[b].place.x(); });
  for (std::size_t i = 0; i + 1 < by_place.size(); i += 2)
    if (sides_[by_place[i]].place.y() < sides_[by_place[i + 1]].place.y())
      std::swap(by_place[i], by_place[i + 1]);
  order_.resize(sides_.size());
  for (std::size_t i = 0; i < by_place.size(); ++i) order_[by_place[i]] = static_cast<int>(i);
  weight_ = m.mass() * m.gravity().norm(), height_ = com.z() - ground;
  if (!(height_ > 0.0) || !(weight_ > 0.0))
    throw Error(
        fmt::format("'{}': the center of mass is {} m over the feet in the nominal posture, expected above 0",
                    m.name(), height_));
  omega_ = std::sqrt(m.gravity().norm() / height_), period_ = gait_.period / omega_;
  std::vector<Vector2<double>> places;
  for (const int leg : by_place) places.push_back(sides_[leg].place);
  sway_ = GaitSway(table_, places, period_, omega_, m.gravity().norm(), gait_.ramp);
  R_base_ = pose(m, work, robot_.nominal, robot_.base).rotation();
}

void QuadrupedController::make_control(const QuadrupedWeights& w) {
  const Mechanism& m = robot_.mechanism;
  com_ = std::make_shared<ComTask>("center of mass", m), com_height_ = std::make_shared<ComTask>("height", m);
  com_->axes[2] = com_height_->axes[0] = com_height_->axes[1] = false;
  com_->gains = {w.com_stiffness, w.com_damping}, com_->weight = w.com;
  if (sways())
    com_->gains = {w.sway_gain * omega_ * omega_, (1.0 + w.sway_gain) * omega_}, com_->weight = w.base;
  com_height_->gains = {w.height_stiffness, critical(w.height_stiffness)}, com_height_->weight = w.height;
  base_ = std::make_shared<OrientationTask>("base", m, robot_.base);
  base_->gains = {w.base_stiffness, critical(w.base_stiffness)}, base_->weight = w.base;
  posture_ = std::make_shared<PostureTask>("posture", m);
  posture_->q = robot_.nominal, posture_->weight = w.posture;
  posture_->gains = {w.posture_stiffness, critical(w.posture_stiffness)};
  std::vector<TaskPtr> tasks{com_, com_height_, base_, posture_};
  std::vector<ContactPatch> contacts;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const Leg& leg = robot_.legs[i];
    const Vector3<double> point =
        std::accumulate(leg.foot.corners.begin(), leg.foot.corners.end(), Vector3<double>(0.0, 0.0, 0.0)) /
        static_cast<double>(leg.foot.corners.size());
    sides_[i].swing =
        std::make_shared<PointTask>("swing " + leg.name, m, leg.foot.body, leg.foot.X_BS * point);
    sides_[i].swing->gains = {w.swing_stiffness, critical(w.swing_stiffness)};
    sides_[i].swing->weight = w.swing, sides_[i].swing->enabled = false;
    tasks.push_back(sides_[i].swing);
    ContactPatch patch{.name = leg.name,
                       .place = leg.foot.body,
                       .X_PC = leg.foot.X_BS * Pose(point),
                       .points = leg.foot.corners,
                       .radius = leg.foot.radius,
                       .friction = gait_.friction};
    for (Vector3<double>& corner : patch.points) corner -= point;
    contacts.push_back(std::move(patch));
  }
  WholeBodySettings settings{.limit_margin = 0.01};
  settings.torque_limit = robot_.effort;
  control_ = std::make_unique<WholeBodyController>(m, tasks, contacts, settings);
  control_->before_tick = [this](const MotionState& at) { tick(at); };
}

// ---- a motion

void QuadrupedController::command(const WalkCommand& command) {
  if (!command.velocity.allFinite() || !std::isfinite(command.turn))
    throw Error(fmt::format("a speed of ({}, {}) m/s and {} rad/s is asked for, expected finite numbers",
                            command.velocity.x(), command.velocity.y(), command.turn));
  state_.wanted = command;
}

void QuadrupedController::reset(const ControllerState& at, double t) {
  const Mechanism& m = robot_.mechanism;
  const WalkCommand wanted = state_.wanted;
  state_ = {}, state_.wanted = wanted, state_.last = state_.halted = t;
  said_.clear();
  state_.start = t + gait_.stand / omega_ + (sways() ? gait_.sway_periods * period_ : 0.0);
  state_.center = center_of_mass(m, at.work, at.q).head<2>();
  const Vector3<double> ahead =
      (pose(m, at.work, at.q, robot_.base).rotation() * R_base_.inverse()) * Vector3<double>::UnitX();
  state_.heading = std::atan2(ahead.y(), ahead.x());
  state_.legs.resize(sides_.size());
  const LinkPoses poses = forward_kinematics(m, at.work, at.q);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    state_.legs[i].place = poses[sides_[i].foot.link] * sides_[i].foot.X_LF.translation();
    state_.legs[i].since = t - period_;
    apply(static_cast<int>(i));
  }
}

void QuadrupedController::restore(const std::any& saved) {
  const auto* const state = std::any_cast<QuadrupedState>(&saved);
  if (state == nullptr || state->legs.size() != sides_.size())
    throw Error("what is restored was not saved by the controller of this robot");
  state_ = *state;
  for (std::size_t i = 0; i < sides_.size(); ++i) apply(static_cast<int>(i));
}

std::vector<std::string> QuadrupedController::said() { return std::exchange(said_, {}); }

void QuadrupedController::update(const ControllerState& at, double t, OwnedVector& tau) {
  for (QuadrupedLeg& leg : state_.legs) leg.force = 0.0;
  for (const ContactForce& c : at.touching)
    for (std::size_t i = 0; i < sides_.size(); ++i)
      if (c.link_a == sides_[i].foot.link || c.link_b == sides_[i].foot.link)
        state_.legs[i].force += c.force.dot(c.normal);
  tau = control_->solve(at.q, at.v, t).tau;
}

/// Asked to go somewhere, or not yet slow enough to stand.
bool QuadrupedController::moving() const {
  return !state_.stopping || !state_.command.velocity.isZero(0.0) || state_.command.turn != 0.0;
}

void QuadrupedController::tick(const MotionState& at) {
  const double t = at.t(), dt = t - state_.last;
  state_.last = t;
  now_ = sway_.at(phase(t), speed());
  const double share = sway_share(t);
  now_.position *= share, now_.velocity *= share, now_.acceleration *= share;
  if (t >= state_.start) {
    move_on(dt);
    move_center(at, dt);
    for (std::size_t i = 0; i < sides_.size(); ++i) move_leg(static_cast<int>(i), at);
  }
  serve(at);
}

/// Of the sway: it comes before the first step.
double QuadrupedController::sway_share(double t) const {
  const double time = gait_.sway_periods * period_;
  if (t >= state_.start || !(time > 0.0)) return 1.0;
  return smooth_step(std::clamp(1.0 - (state_.start - t) / time, 0.0, 1.0)).value;
}

/// The command, as fast as it may change.
void QuadrupedController::move_on(double dt) {
  const WalkCommand wanted = state_.stopping ? WalkCommand{} : state_.wanted;
  WalkCommand& now = state_.command;
  const double most = 0.1 * gait_.acceleration * height_ * omega_ * omega_ * dt,
               most_turn = 0.1 * omega_ * omega_ * dt;
  const Vector2<double> way = wanted.velocity - now.velocity;
  now.velocity =
      way.norm() <= most ? wanted.velocity : Vector2<double>(now.velocity + most / way.norm() * way);
  now.turn += std::clamp(wanted.turn - now.turn, -most_turn, most_turn);
}

/// The place wanted goes on, and is dragged along by the robot.
void QuadrupedController::move_center(const MotionState& at, double dt) {
  state_.heading += state_.command.turn * dt;
  state_.center += dt * turned(state_.heading, speed());
  const Vector2<double> body =
      at.centroidal().com.head<2>() - turned(state_.heading, now_.position.head<2>());
  const Vector2<double> ahead = state_.center - body;
  const double most = gait_.drag * height_;
  if (ahead.norm() > most) state_.center = body + most / ahead.norm() * ahead;
}

void QuadrupedController::move_leg(int i, const MotionState& at) {
  QuadrupedLeg& leg = state_.legs[i];
  const int place = order_[i];
  const double t = at.t(), since = table_.since_start(place, phase(t));
  const int cycle = static_cast<int>(std::floor(phase(t) - table_.start[place]));
  const bool lifts = since >= table_.duty && leg.cycle != cycle && moving();
  if (!leg.swings && lifts) lift(i, cycle, at);
  if (leg.swings) {
    const double time = (1.0 - table_.duty) * period_, elapsed = t - leg.since;
    if (leg.force > gait_.touch_force * weight_ && elapsed > gait_.touch_share * time)
      touch_down(i, at, false);
    else if (elapsed > time + gait_.late * period_)
      touch_down(i, at, true);
    else
      swing(i, at);
  }
  if (leg.swings) return;
  const double ramp = std::max(gait_.ramp * period_, 1e-9);
  const double up = std::min(1.0, (t - leg.since) / ramp + kFirstLoad);
  const bool unloads = since < table_.duty && moving();
  const double down = unloads ? std::clamp((table_.duty - since) * period_ / ramp, kLeastLoad, 1.0) : 1.0;
  control_->set_force_limits(i, 0.0, kLoad * weight_ * std::min(up, down));
}

void QuadrupedController::lift(int i, int cycle, const MotionState& at) {
  QuadrupedLeg& leg = state_.legs[i];
  leg.place = at.frame(sides_[i].foot).p;
  leg.swing = {};
  leg.swing.x.value = leg.place.x(), leg.swing.y.value = leg.place.y();
  leg.swings = true, leg.cycle = cycle, leg.since = at.t();
  leg.target = leg.first_target = foothold(i, (1.0 - table_.duty) * period_, at);
  apply(i);
}

void QuadrupedController::touch_down(int i, const MotionState& at, bool late) {
  QuadrupedLeg& leg = state_.legs[i];
  const FrameMotion foot = at.frame(sides_[i].foot);
  const double t = at.t();
  LeggedStep step{
      .t = t, .duration = t - leg.since, .planned = (1.0 - table_.duty) * period_, .leg = i, .late = late};
  step.at = {foot.p.head<2>(), state_.heading, foot.p.z() - sides_[i].radius};
  step.steady = !state_.stopping && state_.command.velocity == state_.wanted.velocity &&
                state_.command.turn == state_.wanted.turn;
  step.speed = foot.p_dot.z(), step.heading = state_.heading;
  step.moved = (foot.p.head<2>() - leg.first_target).norm();
  step.com = at.centroidal().com, step.com_velocity = at.centroidal().com_velocity;
  correct(leg, foot.p, t);
  leg.stood = foot.p, leg.came = t;
  leg.place = foot.p, leg.swings = false, leg.since = t;
  apply(i);
  ++state_.count, state_.halted = t;
  said_.push_back(fmt::format("touchdown '{}'{}", robot_.legs[i].name, late ? " late" : ""));
  if (on_step) on_step(step);
}

/// By the stride of a leg that ends here, if the command was the same all along.
void QuadrupedController::correct(const QuadrupedLeg& leg, const Vector3<double>& here, double t) {
  const Vector2<double>& asked = state_.command.velocity;
  if (state_.stopping || asked != state_.wanted.velocity) {
    state_.steady = t;
    if (asked.isZero(0.0)) state_.correction.setZero();
    return;
  }
  if (t - state_.steady < 2.0 * period_ || leg.came < state_.steady) return;
  const double yaw = state_.heading - 0.5 * state_.command.turn * (t - leg.came);
  const Vector2<double> found = turned(-yaw, (here - leg.stood).head<2>()) / (t - leg.came);
  const double most = gait_.most_correction * asked.norm();
  for (int i = 0; i < 2; ++i)
    state_.correction[i] =
        std::clamp(state_.correction[i] + gait_.correction * (asked[i] - found[i]), -most, most);
}

/// Below where the hip will be half-way through the stance, and beside it by the error of the speed.
Vector2<double> QuadrupedController::foothold(int i, double left, const MotionState& at) const {
  const CentroidalMotion& c = at.centroidal();
  const double stance = table_.duty * period_, yaw = state_.heading;
  const Vector2<double> v = turned(yaw, this->speed());
  const Vector2<double> body = c.com.head<2>() - turned(yaw, now_.position.head<2>());
  const Vector2<double> speed = c.com_velocity.head<2>() - turned(yaw, now_.velocity.head<2>());
  const double then = yaw + state_.command.turn * (left + 0.5 * stance);
  return body + left * speed + turned(then, sides_[i].place) + 0.5 * stance * v +
         gait_.capture / omega_ * (speed - v);
}

void QuadrupedController::swing(int i, const MotionState& at) {
  QuadrupedLeg& leg = state_.legs[i];
  const double T = (1.0 - table_.duty) * period_, elapsed = at.t() - leg.since,
               dt = control_->settings().period;
  if (T - elapsed > gait_.freeze * T) leg.target = foothold(i, T - elapsed, at);
  leg.swing.advance(leg.target, elapsed, std::min(dt, elapsed), T, 0.0, 0.0);
  SwingValue up = leg.swing.height(gait_.swing_height * height_, 0.0);
  const double late = elapsed - (1.0 - gait_.descent) * T, time = gait_.descent * T,
               speed = gait_.touch_speed * height_ * omega_;
  if (late > 0.0) {
    up.value -= late < time ? 0.5 * speed * late * late / time : speed * (late - 0.5 * time);
    up.rate -= late < time ? speed * late / time : speed;
  }
  const double ground = leg.place.z();
  PointTask& task = *sides_[i].swing;
  task.position = {leg.swing.x.value, leg.swing.y.value, ground + up.value};
  task.velocity = {leg.swing.x.rate, leg.swing.y.rate, up.rate};
  task.acceleration = {leg.swing.x.acceleration, leg.swing.y.acceleration, up.acceleration};
}

void QuadrupedController::serve(const MotionState& at) {
  const double yaw = state_.heading;
  const auto aside = [&](const Vector3<double>& d) { return turned(yaw, d.head<2>()); };
  const bool walks = at.t() >= state_.start;
  com_->position.head<2>() = state_.center + aside(now_.position);
  com_->velocity.head<2>() = (walks ? turned(yaw, speed()) : Vector2<double>::Zero()) + aside(now_.velocity);
  com_->acceleration.head<2>() = aside(now_.acceleration);
  double ground = 0.0;
  int bearing = 0;
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (!state_.legs[i].swings) ground += state_.legs[i].place.z() - sides_[i].radius, ++bearing;
  if (bearing > 0) ground /= bearing;
  com_height_->position.z() = ground + height_ + now_.position.z();
  com_height_->velocity.z() = now_.velocity.z(), com_height_->acceleration.z() = now_.acceleration.z();
  base_->rotation = SO3<double>::about(2, yaw) * R_base_;
  base_->velocity = R_base_.inverse() * Vector3<double>(0.0, 0.0, walks ? state_.command.turn : 0.0);
  if (state_.stopping && !moving() && bearing == static_cast<int>(sides_.size()) &&
      at.t() - state_.halted > kHalt * period_)
    state_.resting = true;
}

void QuadrupedController::apply(int i) {
  const QuadrupedLeg& leg = state_.legs[i];
  if (leg.swings)
    control_->release(i);
  else
    control_->hold_at(i, Pose(leg.place));
  sides_[i].swing->enabled = leg.swings;
}

}  // namespace amble
