#include "amble/control/legged/biped_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/control/legged/step_adaptation.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

constexpr double kAnyLoad = 1e5;    // N
constexpr double kNewFoot = 0.15;   // of its largest force, that a foot may bear at touchdown
constexpr double kLoad = 2.0;       // weights: what a loaded foot may bear while the weight moves
constexpr double kUnload = 1.2;     // weights: from which a foot's largest force falls to nothing
constexpr double kLeast = 1.0;      // N, that an unloaded foot may still bear
constexpr int kSettling = 4;        // steps at a new speed before strides are measured
constexpr int kTimeTicks = 10;      // ticks from one search of the step's time to the next
constexpr double kRestAfter = 3.0;  // tc, of both feet on the ground before it is at rest
constexpr double kMomentum = 0.1;   // of m z^2 per second: scale of the angular momentum task's weight

double critical(double stiffness) { return 2.0 * std::sqrt(stiffness); }

Matrix3<double> about_z(double yaw) { return SO3<double>::about(2, yaw).matrix(); }

double yaw_of(const Matrix3<double>& R) { return std::atan2(R(1, 0), R(0, 0)); }

/// `angle` plus the full turns that bring it nearest to `near`.
double unwrapped(double angle, double near) {
  const double turn = 2.0 * std::numbers::pi;
  return angle + turn * std::round((near - angle) / turn);
}

/// Towards `wanted` by `most` at most.
Vector2<double> approach(const Vector2<double>& from, const Vector2<double>& wanted, double most) {
  const Vector2<double> way = wanted - from;
  const double length = way.norm();
  return length <= most ? wanted : Vector2<double>(from + most / length * way);
}

}  // namespace

// ---- what it is made of

BipedController::BipedController(const LeggedRobot& robot, const BipedGait& gait, const BipedWeights& weights)
    : robot_(robot), gait_(gait) {
  gait.validate();
  find_sides();
  find_posture();
  make_control(weights);
}

/// The left leg is that on the left in the nominal posture.
void BipedController::find_sides() {
  const Mechanism& m = robot_.mechanism;
  if (robot_.legs.size() != 2)
    throw Error(fmt::format("'{}' has {} legs: a biped gait expects 2", m.name(), robot_.legs.size()));
  Workspace work(m);
  for (int i = 0; i < 2; ++i) {
    const Leg& leg = robot_.legs[i];
    const Foot& foot = leg.foot;
    if (foot.shape != Foot::Shape::sole)
      throw Error(
          fmt::format("'{}': the foot of leg '{}' has no sole: a biped gait expects a support polygon",
                      m.name(), leg.name));
    const double y = (pose(m, work, robot_.nominal, foot.body) * foot.X_BS).translation().y();
    Side& side = sides_[y > 0.0 ? 0 : 1];
    side.leg = i, side.sole = task_frame(m, foot.body), side.sole.X_LF = side.sole.X_LF * foot.X_BS;
    Vector2<double> center = Vector2<double>::Zero();
    for (const Vector3<double>& c : foot.corners)
      center += c.head<2>() / static_cast<double>(foot.corners.size());
    for (const Vector3<double>& c : foot.corners)
      side.corners.push_back(center + gait_.sole_share * (c.head<2>() - center));
  }
  if (sides_[0].sole.link == sides_[1].sole.link || sides_[0].corners.empty() || sides_[1].corners.empty())
    throw Error(fmt::format("'{}': both feet are on one side in the nominal posture", m.name()));
}

void BipedController::find_posture() {
  const Mechanism& m = robot_.mechanism;
  Workspace work(m);
  const auto sole = [&](int i) {
    const Foot& foot = robot_.legs[sides_[i].leg].foot;
    return pose(m, work, robot_.nominal, foot.body) * foot.X_BS;
  };
  const Pose left = sole(0), right = sole(1);
  const Vector3<double> com = center_of_mass(m, work, robot_.nominal);
  const double gravity = m.gravity().norm();
  height_ = com.z() - 0.5 * (left.translation().z() + right.translation().z());
  if (!(height_ > 0.0) || !(gravity > 0.0))
    throw Error(fmt::format(
        "'{}': the center of mass is {} m over the soles in the nominal posture, expected above 0", m.name(),
        height_));
  width_ = std::abs(left.translation().y() - right.translation().y());
  weight_ = m.mass() * gravity;
  timing_.omega = std::sqrt(gravity / height_);
  timing_.single_support = gait_.single_support / timing_.omega;
  timing_.double_support = gait_.double_support / timing_.omega;
  Vector2<double> least = Vector2<double>::Constant(HUGE_VAL), most = -least;
  for (const Vector3<double>& c : robot_.legs[sides_[0].leg].foot.corners)
    least = least.cwiseMin(c.head<2>()), most = most.cwiseMax(c.head<2>());
  ankle_ = 0.5 * gait_.ankle_share * (most - least), sole_width_ = most.y() - least.y();
  R_base_ = pose(m, work, robot_.nominal, robot_.base).rotation();
  if (!robot_.torso.empty()) R_torso_ = pose(m, work, robot_.nominal, robot_.torso).rotation();
}

void BipedController::make_control(const BipedWeights& w) {
  const Mechanism& m = robot_.mechanism;
  com_ = std::make_shared<ComTask>("center of mass", m), com_height_ = std::make_shared<ComTask>("height", m);
  com_->axes[2] = com_height_->axes[0] = com_height_->axes[1] = false;
  com_->gains = {0.0, 0.0}, com_height_->gains = {w.com_stiffness, critical(w.com_stiffness)};
  com_->weight = com_height_->weight = w.com;
  posture_ = std::make_shared<PostureTask>("posture", m);
  posture_->q = robot_.nominal, posture_->weight = w.posture;
  posture_->gains = {w.posture_stiffness, critical(w.posture_stiffness)};
  importance_ = OwnedVector(m.nv()), importance_.setOnes();
  free_importance_ = importance_, free_importance_ *= w.free_arms;
  for (const Leg& leg : robot_.legs)
    for (const int j : leg.joints) {
      const Slice v = m.joints()[j].v;
      importance_.segment(v.start, v.size).setConstant(w.leg_importance);
      free_importance_.segment(v.start, v.size).setConstant(w.leg_importance);
    }
  posture_->importance = importance_;
  base_ = std::make_shared<OrientationTask>("base", m, robot_.base);
  std::vector<TaskPtr> tasks{com_, com_height_, posture_, base_};
  if (!robot_.torso.empty() && robot_.torso != robot_.base) {
    torso_ = std::make_shared<OrientationTask>("torso", m, robot_.torso);
    tasks.push_back(torso_);
  }
  for (const auto& turn : {base_, torso_})
    if (turn) turn->gains = {w.base_stiffness, critical(w.base_stiffness)}, turn->weight = w.base;
  momentum_ = std::make_shared<MomentumTask>("momentum", m);
  const double size = kMomentum * m.mass() * height_ * height_;
  momentum_->damping = w.momentum_damping, momentum_->weight = w.momentum / (size * size);
  momentum_->axes[3] = momentum_->axes[4] = false, momentum_->enabled = false;
  tasks.push_back(momentum_);
  std::vector<ContactPatch> contacts;
  for (Side& side : sides_) {
    const Leg& leg = robot_.legs[side.leg];
    side.swing = std::make_shared<PoseTask>("swing " + leg.name, m, leg.foot.body, "world", leg.foot.X_BS);
    side.swing->gains = {w.swing_stiffness, critical(w.swing_stiffness)}, side.swing->weight = w.swing;
    side.swing->enabled = false;
    tasks.push_back(side.swing);
    ContactPatch patch{
        .name = leg.name, .place = leg.foot.body, .X_PC = leg.foot.X_BS, .friction = gait_.friction};
    patch.points.clear();
    for (const Vector2<double>& c : side.corners) patch.points.emplace_back(c.x(), c.y(), 0.0);
    contacts.push_back(std::move(patch));
  }
  WholeBodySettings settings{.limit_margin = 0.01};
  settings.torque_limit = robot_.effort;
  control_ = std::make_unique<WholeBodyController>(m, tasks, contacts, settings);
  control_->before_tick = [this](const MotionState& at) { tick(at); };
}

// ---- a motion

void BipedController::command(const WalkCommand& command) {
  if (!command.velocity.allFinite() || !std::isfinite(command.turn))
    throw Error(fmt::format("a speed of ({}, {}) m/s and {} rad/s is asked for, expected finite numbers",
                            command.velocity.x(), command.velocity.y(), command.turn));
  state_.wanted = command;
}

void BipedController::stop() { state_.stopping = true; }

void BipedController::reset(const ControllerState& at, double t) {
  const Mechanism& m = robot_.mechanism;
  const WalkCommand wanted = state_.wanted;
  state_ = {}, state_.wanted = wanted, state_.since = state_.last = t;
  said_.clear();
  adapt_to_speed();
  for (int i = 0; i < 2; ++i) {
    const Foot& foot = robot_.legs[sides_[i].leg].foot;
    const Pose X = pose(m, at.work, at.q, foot.body) * foot.X_BS;
    const double yaw = yaw_of(X.rotation().matrix());
    state_.feet[i] = {X.translation().head<2>(), i == 0 ? yaw : unwrapped(yaw, state_.feet[0].yaw),
                      X.translation().z()};
    set_hold(i, Pose(SO3<double>::about(2, state_.feet[i].yaw), X.translation()));
  }
}

void BipedController::restore(const std::any& saved) {
  const auto* const state = std::any_cast<BipedState>(&saved);
  if (state == nullptr) throw Error("what is restored was not saved by a biped's controller");
  state_ = *state;
  for (int i = 0; i < 2; ++i) apply(i);
  adapt_to_speed();
}

std::vector<std::string> BipedController::said() { return std::exchange(said_, {}); }

void BipedController::measure(const ControllerState& at) {
  state_.force = {0.0, 0.0};
  for (const ContactForce& c : at.touching)
    for (int i = 0; i < 2; ++i) {
      if (c.link_b == sides_[i].sole.link) state_.force[i] += c.force.dot(c.normal);
      if (c.link_a == sides_[i].sole.link) state_.force[i] += c.force.dot(c.normal);
    }
}

void BipedController::update(const ControllerState& at, double t, OwnedVector& tau) {
  measure(at);
  tau = control_->solve(at.q, at.v, t).tau;
}

void BipedController::tick(const MotionState& at) {
  const CentroidalMotion& c = at.centroidal();
  dcm_ = (c.com + c.com_velocity / timing_.omega).head<2>();
  advance(at);
  reference_ = reference_at(at.t());
  zmp_ = inside(reference_.zmp + (1.0 + gait_.dcm_gain) * (dcm_ - reference_.dcm));
  serve(at);
  state_.last = at.t();
}

// ---- phases

void BipedController::begin(BipedPhase phase, double t) { state_.phase = phase, state_.since = t; }

void BipedController::advance(const MotionState& at) {
  const double t = at.t(), in_phase = t - state_.since, tc = 1.0 / timing_.omega;
  switch (state_.phase) {
    case BipedPhase::stand:
      if (in_phase >= gait_.stand * tc) start(t);
      return;
    case BipedPhase::start: {
      const double s = in_phase / (gait_.transition * tc);
      if (s > 0.5) set_load(1 - state_.stance, std::max(2.0 * (1.0 - s), 0.0) * 1.5 * weight_);
      if (s >= 1.0) lift(at);
      return;
    }
    case BipedPhase::single_support:
      return swing(at);
    case BipedPhase::double_support:
      load(t);
      if (in_phase < timing_.double_support) return;
      return state_.stopping && state_.standing_steps >= 2 ? settle(t) : lift(at);
    case BipedPhase::stop:
      if (in_phase >= gait_.transition * tc + kRestAfter * tc) {
        said_.push_back("rest");
        begin(BipedPhase::rest, t);
      }
      return;
    case BipedPhase::rest:
      return;
  }
}

Vector2<double> BipedController::middle() const {
  return 0.5 * (state_.feet[0].place + state_.feet[1].place);
}

void BipedController::start(double t) {
  take_command();
  const auto feet = plan();
  const Vector2<double> stance = state_.feet[state_.stance].place;
  state_.pieces = dcm_transition(timing_.omega, gait_.transition / timing_.omega, dcm_, dcm_, stance,
                                 stance + offsets(feet)[0]);
  begin(BipedPhase::start, t);
}

/// From double support to rest: the DCM from where it is to the middle of the feet.
void BipedController::settle(double t) {
  for (int i = 0; i < 2; ++i) set_load(i, kAnyLoad);
  const Vector2<double> rest = middle();
  state_.pieces = dcm_transition(timing_.omega, gait_.transition / timing_.omega, dcm_, zmp_, rest, rest);
  begin(BipedPhase::stop, t);
}

void BipedController::load(double t) {
  const double s = (t - state_.since) / timing_.double_support;
  set_load(1 - state_.stance, std::max(1.0 - s, 0.0) * kUnload * weight_ + kLeast);
  set_load(state_.stance, std::min(kNewFoot + s, 1.0) * kLoad * weight_);
}

/// Single support begins.
void BipedController::lift(const MotionState& at) {
  const int foot = 1 - state_.stance;
  const Footprint from = measured(at, foot);
  state_.holds[foot].held = false, apply(foot);
  set_load(state_.stance, kAnyLoad);
  state_.swing = {};
  state_.swing.x.value = from.place.x(), state_.swing.y.value = from.place.y();
  state_.swing_yaw = state_.feet[foot].yaw, state_.swing_ground = from.ground;
  state_.base_yaw = 0.5 * (state_.feet[0].yaw + state_.feet[1].yaw);
  state_.time = timing_.single_support, state_.ticks = 0, state_.miss = 0.0;
  const auto feet = plan();
  state_.nominal = state_.target = feet[1];
  state_.next_offset = offsets(feet)[1];
  begin(BipedPhase::single_support, at.t());
  state_.last = at.t();
}

void BipedController::swing(const MotionState& at) {
  const double t = at.t(), elapsed = t - state_.since;
  adapt(t);
  state_.swing.advance(state_.target.place, elapsed, t - state_.last, state_.time,
                       gait_.settle * timing_.single_support, gait_.touch_speed * height_ * timing_.omega);
  ++state_.ticks;
  const bool touched = state_.force[1 - state_.stance] > gait_.touch_force * weight_;
  if (touched && elapsed > gait_.touch_share * state_.time) return touch_down(at, false);
  if (elapsed > state_.time + gait_.patience * timing_.single_support) touch_down(at, true);
}

void BipedController::adapt(double t) {
  const double elapsed = t - state_.since, Ts = timing_.single_support;
  const Footprint& stance = state_.feet[state_.stance];
  if (elapsed < state_.time - gait_.freeze * Ts) {
    const double s = side(state_.stance), left = 1.0 - state_.swing.phase;
    const bool timed = state_.ticks % kTimeTicks == 0;
    StepProblem p;
    p.timing = timing_, p.dcm = stance.to_local(dcm_), p.nominal = stance.to_local(state_.nominal.place);
    const double c = std::cos(stance.yaw), n = std::sin(stance.yaw);
    p.next_offset = {c * state_.next_offset.x() + n * state_.next_offset.y(),
                     -n * state_.next_offset.x() + c * state_.next_offset.y()};
    p.ankle = ankle_, p.elapsed = elapsed, p.time = state_.time;
    const double near = sole_width_ + gait_.clearance * height_,
                 far = std::max(gait_.reach_aside * width_, near);
    p.least = {-gait_.reach_ahead * height_, s > 0.0 ? -far : near};
    p.most = {gait_.reach_ahead * height_, s > 0.0 ? -near : far};
    p.earliest = timed ? elapsed + left * gait_.fastest * Ts : state_.time;
    p.latest = timed ? elapsed + left * gait_.slowest * Ts : state_.time;
    p.time_weight = gait_.time_weight * height_ * height_ * timing_.omega * timing_.omega;
    const StepChoice choice = adapt_step(p);
    state_.time = choice.time, state_.target.place = stance.to_world(choice.place);
    state_.miss = std::max(state_.miss, choice.miss);
  }
  state_.pieces[0] = {stance.place, stance.place,
                      dcm_at_touchdown(timing_, stance.place, state_.target.place, state_.next_offset),
                      state_.time};
}

void BipedController::touch_down(const MotionState& at, bool late) {
  const int foot = 1 - state_.stance;
  const double t = at.t();
  const Footprint here = measured(at, foot), old = state_.feet[state_.stance];
  set_hold(foot, Pose(SO3<double>::about(2, here.yaw), {here.place.x(), here.place.y(), here.ground}));
  set_load(foot, kNewFoot * kLoad * weight_);
  correct(foot, here, t);
  state_.feet[foot] = here;
  const CentroidalMotion& c = at.centroidal();
  const LeggedStep step{.t = t,
                        .duration = t - state_.since,
                        .planned = state_.time,
                        .leg = sides_[foot].leg,
                        .at = here,
                        .steady = steady(),
                        .late = late,
                        .speed = at.frame(sides_[foot].sole).p_dot.z(),
                        .moved = (here.place - state_.nominal.place).norm(),
                        .miss = state_.miss,
                        .heading = 0.5 * (here.yaw + old.yaw),
                        .com = c.com,
                        .com_velocity = c.com_velocity};
  ++state_.count, state_.stance = foot;
  said_.push_back(fmt::format("touchdown '{}'{}", robot_.legs[sides_[foot].leg].name, late ? " late" : ""));
  if (on_step) on_step(step);
  take_command();
  const auto feet = plan();
  state_.next_offset = offsets(feet)[0];
  state_.pieces[0] = {old.place, here.place, here.place + state_.next_offset, timing_.double_support};
  begin(BipedPhase::double_support, t);
}

/// By the stride that ends here, if the command was the same all along.
void BipedController::correct(int foot, const Footprint& here, double t) {
  const double began = std::exchange(state_.touched[foot], t);
  const WalkCommand& asked = state_.command;
  const bool steady =
      asked.velocity == state_.wanted.velocity && asked.turn == state_.wanted.turn && !state_.stopping;
  if (!steady || !(began > 0.0)) return;
  const Footprint& from = state_.feet[foot];
  const double time = t - began, turn = (here.yaw - from.yaw) / time;
  const Footprint middle{.place = from.place, .yaw = 0.5 * (from.yaw + here.yaw)};
  const Vector2<double> speed = middle.to_local(here.place) / time;
  const auto add = [&](double& to, double error, double of) {
    const double most = gait_.most_correction * std::abs(of);
    to = std::clamp(to + gait_.correction * error, -most, most);
  };
  const double size = asked.velocity.norm();
  add(state_.correction.velocity.x(), asked.velocity.x() - speed.x(), size);
  add(state_.correction.velocity.y(), asked.velocity.y() - speed.y(), size);
  add(state_.correction.turn, asked.turn - turn, asked.turn);
}

/// Whether the command that is walked by is the one asked for.
bool BipedController::steady() const {
  return state_.command.velocity == state_.wanted.velocity && state_.command.turn == state_.wanted.turn &&
         !state_.stopping;
}

/// The command and its correction.
WalkCommand BipedController::driven() const {
  const WalkCommand& now = state_.command;
  return {now.velocity + state_.correction.velocity, now.turn + state_.correction.turn};
}

/// What is asked for, as fast as it may change; counts steps in place before a stop.
void BipedController::take_command() {
  const WalkCommand wanted = state_.stopping ? WalkCommand{} : state_.wanted;
  WalkCommand& now = state_.command;
  const double most = gait_.turn_change * timing_.omega;
  now.velocity = approach(now.velocity, wanted.velocity, gait_.acceleration * height_ * timing_.omega);
  now.turn += std::clamp(wanted.turn - now.turn, -most, most);
  if (now.velocity.isZero(0.0)) state_.correction.velocity.setZero();
  if (now.turn == 0.0) state_.correction.turn = 0.0;
  state_.standing_steps = now.velocity.isZero(0.0) && now.turn == 0.0 ? state_.standing_steps + 1 : 0;
  adapt_to_speed();
}

/// The duration of steps by the speed; above another one arms and trunk balance the turning of the legs.
void BipedController::adapt_to_speed() {
  const double froude =
      state_.command.velocity.squaredNorm() / (height_ * height_ * timing_.omega * timing_.omega);
  const double share = std::min(froude / gait_.fast, 1.0);
  timing_.single_support =
      (gait_.single_support + share * (gait_.fast_single_support - gait_.single_support)) / timing_.omega;
  momentum_->enabled = froude > gait_.momentum_from;
  posture_->importance = momentum_->enabled ? free_importance_ : importance_;
}

// ---- the plan

/// The stance foot and those after it, as the command has them.
std::array<Footprint, BipedController::kAhead + 1> BipedController::plan() const {
  std::array<Footprint, kAhead + 1> out;
  out[0] = state_.feet[state_.stance];
  int foot = state_.stance;
  const double T = timing_.step();
  const WalkCommand command = driven();
  for (int i = 1; i <= kAhead; ++i, foot = 1 - foot) {
    const Vector2<double> way{command.velocity.x() * T, command.velocity.y() * T - side(foot) * width_};
    out[i] = {out[i - 1].to_world(way), out[i - 1].yaw + command.turn * T, out[i - 1].ground};
  }
  return out;
}

std::array<Vector2<double>, BipedController::kAhead + 1> BipedController::offsets(
    const std::array<Footprint, kAhead + 1>& feet) const {
  static_assert(kAhead % 2 == 0);
  std::array<Vector2<double>, kAhead + 1> places, out;
  for (int i = 0; i <= kAhead; ++i) places[i] = feet[i].place;
  const Vector2<double> last =
      periodic_dcm_offset(timing_, timing_.step() * driven().velocity, width_, side(state_.stance));
  dcm_offsets(timing_, places, feet[kAhead].turned(last), out);
  return out;
}

DcmReference BipedController::reference_at(double t) const {
  const double in_phase = t - state_.since;
  switch (state_.phase) {
    case BipedPhase::start:
    case BipedPhase::stop: {
      const double first = state_.pieces[0].duration;
      return in_phase < first ? state_.pieces[0].at(timing_.omega, in_phase)
                              : state_.pieces[1].at(timing_.omega, in_phase - first);
    }
    case BipedPhase::single_support:
    case BipedPhase::double_support:
      return state_.pieces[0].at(timing_.omega, in_phase);
    case BipedPhase::stand:
    case BipedPhase::rest:
      return {middle(), middle()};
  }
  return {};
}

/// The nearest point of the soles that bear.
Vector2<double> BipedController::inside(const Vector2<double>& zmp) {
  polygon_.clear();
  for (int i = 0; i < 2; ++i) {
    if (state_.phase == BipedPhase::single_support && i != state_.stance) continue;
    for (const Vector2<double>& c : sides_[i].corners) polygon_.add(state_.feet[i].to_world(c));
  }
  return polygon_.clip(zmp);
}

// ---- tasks and contacts

void BipedController::serve(const MotionState& at) {
  const Vector3<double> com = at.centroidal().com;
  const double stiff = timing_.omega * timing_.omega;
  com_->acceleration.setZero();
  com_->acceleration.head<2>() = stiff * (com.head<2>() - zmp_);
  const bool single = state_.phase == BipedPhase::single_support;
  const double ground =
      single ? state_.feet[state_.stance].ground : 0.5 * (state_.feet[0].ground + state_.feet[1].ground);
  com_height_->position = {0.0, 0.0, ground + height_};
  turn_trunk(at.t());
  if (single) follow_swing();
}

/// Base and torso look where the feet do in the mean.
void BipedController::turn_trunk(double t) {
  double yaw = 0.5 * (state_.feet[0].yaw + state_.feet[1].yaw), rate = 0.0;
  if (state_.phase == BipedPhase::single_support) {
    const double to = 0.5 * (state_.feet[state_.stance].yaw + state_.target.yaw);
    rate = (to - state_.base_yaw) / state_.time;
    yaw = state_.base_yaw + rate * std::min(t - state_.since, state_.time);
  }
  const SO3<double> turn = SO3<double>::about(2, yaw);
  const Vector3<double> spin(0.0, 0.0, rate);
  base_->rotation = turn * R_base_, base_->velocity = R_base_.inverse() * spin;
  if (torso_) torso_->rotation = turn * R_torso_, torso_->velocity = R_torso_.inverse() * spin;
}

void BipedController::follow_swing() {
  const int foot = 1 - state_.stance;
  const SwingMotion& m = state_.swing;
  const SwingValue up = m.height(gait_.swing_height * height_, gait_.touch_speed * height_ * timing_.omega);
  const SwingValue along = smooth_step(m.phase);
  const double way = state_.target.yaw - state_.swing_yaw, rise = state_.target.ground - state_.swing_ground;
  const double rate = m.phase_rate;
  const Matrix3<double> R = about_z(state_.swing_yaw + way * along.value);
  const Vector3<double> p(m.x.value, m.y.value, state_.swing_ground + rise * along.value + up.value);
  const Vector3<double> v(m.x.rate, m.y.rate, rise * along.rate * rate + up.rate);
  const Vector3<double> a(m.x.acceleration, m.y.acceleration,
                          rise * along.acceleration * rate * rate + up.acceleration);
  const Vector3<double> spin(0.0, 0.0, way * along.rate * rate), local = R.transpose() * v;
  PoseTask& task = *sides_[foot].swing;
  task.pose = Pose(SO3<double>(R), p);
  task.velocity = Twist<double>(local, spin);
  task.acceleration = Twist<double>(Vector3<double>(R.transpose() * a - cross<double>(spin, local)),
                                    Vector3<double>(0.0, 0.0, way * along.acceleration * rate * rate));
}

/// Brings a contact and its swing task to what the state has of them.
void BipedController::apply(int foot) {
  const FootHold& hold = state_.holds[foot];
  if (hold.held)
    control_->hold_at(foot, hold.X_WS);
  else
    control_->release(foot);
  control_->set_force_limits(foot, 0.0, hold.largest_force);
  sides_[foot].swing->enabled = !hold.held;
}

void BipedController::set_hold(int foot, const Pose& X_WS) {
  state_.holds[foot] = {true, X_WS, kAnyLoad};
  apply(foot);
}

void BipedController::set_load(int foot, double largest) {
  state_.holds[foot].largest_force = largest;
  control_->set_force_limits(foot, 0.0, largest);
}

/// Where a sole is: the ground under it is at its lowest corner.
Footprint BipedController::measured(const MotionState& at, int foot) const {
  const FrameMotion sole = at.frame(sides_[foot].sole);
  double lowest = HUGE_VAL;
  for (const Vector3<double>& c : robot_.legs[sides_[foot].leg].foot.corners)
    lowest = std::min(lowest, (sole.p + sole.R * c).z());
  return {sole.p.head<2>(), unwrapped(yaw_of(sole.R), state_.feet[foot].yaw), lowest};
}

}  // namespace amble
