#include "amble/control/stance/stance_controller.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

constexpr double kFullLoad = 3.0;      // weights: what a contact that fades or comes is taken to bear at most
constexpr double kSeatFriction = 0.1;  // of its own, while it comes to lie: what pulls across turns what lies on an edge

Pose above(const Pose& place, double height) { return place * Pose(Vector3<double>(0.0, 0.0, height)); }

/// How far the point that moved most came.
double farthest_moved(const ContactPatch& patch, const Pose& from, const Pose& to) {
  double most = 0.0;
  for (const Vector3<double>& p : patch.points) most = std::max(most, (to * p - from * p).norm());
  return most;
}

/// Flat on its support, where it is.
Pose flat(const Pose& target, const Pose& measured) {
  const Matrix3<double> R = (target.inverse() * measured).rotation().matrix();
  const double turn = std::atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1));
  return Pose(target.rotation() * SO3<double>::exp({0.0, 0.0, turn}), measured.translation());
}

}  // namespace

void StanceControllerSettings::validate() const {
  const auto some = [](const char* name, double x, double least) {
    if (!(x >= least && std::isfinite(x))) throw Error(fmt::format("stances: {} is {}, expected a number of {} or more", name, x, least));
  };
  const auto positive = [](const char* name, double x) {
    if (!(x > 0.0 && std::isfinite(x))) throw Error(fmt::format("stances: {} is {}, expected a number above 0", name, x));
  };
  positive("com_weight", com_weight), positive("posture_weight", posture_weight), positive("limb_weight", limb_weight);
  positive("unload_time", unload_time), positive("load_time", load_time), positive("touch_speed", touch_speed);
  positive("touch_lag", touch_lag), positive("seat_time", seat_time), positive("still_speed", still_speed);
  positive("patience", patience), positive("near", near), positive("period", control.period);
  some("base_weight", base_weight, 0.0), some("hover", hover, 0.0), some("seat_load", seat_load, 0.0), some("still_time", still_time, 0.0);
}

StanceController::StanceController(const Mechanism& m, const std::vector<ContactPatch>& patches, StancePlan plan,
                                   const StanceControllerSettings& settings)
    : mechanism_(m), patches_(patches), plan_(std::move(plan)), settings_(settings),
      weight_(m.mass() * m.gravity().norm()), com_(std::make_shared<ComTask>("center of mass", m)),
      posture_(std::make_shared<PostureTask>("posture", m)) {
  settings.validate();
  check_plan();
  said_ = plan_.notes;
  com_->gains = settings.com_gains, com_->weight = settings.com_weight;
  posture_->gains = settings.posture_gains, posture_->weight = settings.posture_weight;
  std::vector<TaskPtr> tasks{com_, posture_};
  add_base(tasks);
  for (const ContactPatch& patch : patches_) {
    limbs_.push_back(std::make_shared<PoseTask>("limb of " + patch.name, m, patch.place, patch.support));
    limbs_.back()->gains = settings.limb_gains, limbs_.back()->weight = settings.limb_weight, limbs_.back()->enabled = false;
    tasks.push_back(limbs_.back());
  }
  control_ = std::make_unique<WholeBodyController>(m, tasks, patches_, settings.control);
  control_->before_tick = [this](const MotionState& state) { tick(state); };
  start(plan_.start, 0.0);
}

/// A plan of another mechanism, or of other contacts.
void StanceController::check_plan() const {
  if (!plan_.found) throw Error(fmt::format("the stances cannot be followed: {}", plan_.message));
  if (plan_.start.size() != mechanism_.nq())
    throw Error(fmt::format("the plan is not of '{}': it has {} coordinates, expected {}", mechanism_.name(), plan_.start.size(), mechanism_.nq()));
  const int count = static_cast<int>(patches_.size());
  const auto refuse = [&](int contact) {
    if (contact >= count) throw Error(fmt::format("the plan has contact {}, but there are {}: expected those it was made with", contact + 1, count));
  };
  for (const auto& [contact, pose] : plan_.held) refuse(contact);
  for (const StanceStage& stage : plan_.stages) refuse(stage.released), refuse(stage.placed);
}

/// The first body that floats: the mechanism itself, before objects that it handles.
void StanceController::add_base(std::vector<TaskPtr>& tasks) {
  for (const Joint& joint : mechanism_.joints()) {
    if (joint.type != "free") continue;
    base_ = std::make_shared<OrientationTask>("base", mechanism_, mechanism_.bodies()[joint.child].name);
    base_->gains = settings_.posture_gains, base_->weight = settings_.base_weight;
    turn_ = {joint.v.start + 3, 3}, base_at_ = joint.q.start + 3;
    tasks.push_back(base_);
    return;
  }
}

/// Along the same straight way as the joints.
void StanceController::turn_base(const Blend& along) {
  if (!base_) return;
  const double* const x = posture_->q.data() + base_at_;
  base_->rotation = SO3<double>(Eigen::Quaterniond(x[3], x[0], x[1], x[2]).toRotationMatrix());
  base_->velocity = along.rate * way_.segment<3>(turn_.start);
  base_->acceleration = along.acceleration * way_.segment<3>(turn_.start);
}

void StanceController::start(const VectorRef& q, double t) {
  for (std::size_t i = 0; i < patches_.size(); ++i) control_->release(static_cast<int>(i)), limbs_[i]->enabled = false;
  for (const auto& [contact, pose] : plan_.held) control_->hold_at(contact, pose);
  Workspace work(mechanism_);
  stage_ = 0, said_.clear();
  com_->position = center_of_mass(mechanism_, work, q), posture_->q = q;
  from_q_ = posture_->q, from_com_ = com_->position;
  way_ = mechanism_.difference(from_q_, now().q);
  turn_base({});
  begin(Phase::move, t);
}

void StanceController::reset(const ControllerState& state, double t) { start(state.q, t); }

void StanceController::update(const ControllerState& state, double t, OwnedVector& tau) {
  tau = control_->solve(state.q, state.v, t).tau;
}

std::vector<std::string> StanceController::said() { return std::exchange(said_, {}); }

const std::string& StanceController::stage() const { return plan_.stages[std::min(stage_, plan_.stages.size() - 1)].name; }

void StanceController::tick(const MotionState& state) {
  const double t = state.t();
  switch (phase_) {
    case Phase::move: follow(t); if (t >= since_ + now().duration) after_move(t); break;
    case Phase::settle: settle(state); break;
    case Phase::unload: unload(t); break;
    case Phase::touch: touch(state); break;
    case Phase::seat: seat(state); break;
    case Phase::load: load(t); break;
    case Phase::pause: if (t >= since_ + now().pause) next_stage(t); break;
    case Phase::done: case Phase::gave_up: break;
  }
}

/// Along the straight way in configurations, and of the centre of mass; the limb along its arc.
void StanceController::follow(double t) {
  const Blend s = blend(t - since_, now().duration);
  const Vector3<double> shift = now().com - from_com_;
  com_->position = from_com_ + s.value * shift, com_->velocity = s.rate * shift, com_->acceleration = s.acceleration * shift;
  step_ = s.value * way_;
  mechanism_.integrate_unchecked(from_q_.data(), step_.data(), posture_->q.data());
  posture_->v = s.rate * way_, posture_->a = s.acceleration * way_;
  turn_base(s);
  if (now().placed < 0) return;
  LimbArc arc = now().arc;
  arc.to = above(arc.to, settings_.hover);
  move_limb(arc.at(t - since_));
}

void StanceController::move_limb(const LimbArc::Motion& motion) {
  PoseTask& limb = *limbs_[now().placed];
  const Pose& X_PC = patches_[now().placed].X_PC;
  limb.enabled = true;
  limb.pose = motion.pose * X_PC.inverse(), limb.velocity = X_PC * motion.velocity, limb.acceleration = X_PC * motion.acceleration;
}

void StanceController::after_move(double t) {
  if (now().released >= 0) return begin(Phase::settle, t);
  begin(now().placed >= 0 ? Phase::touch : Phase::pause, t);
}

/// Weight is where it can be carried without the contact.
void StanceController::settle(const MotionState& state) {
  const double off = (state.centroidal().com - now().com).norm();
  if (off < settings_.near && state.centroidal().com_velocity.norm() < settings_.near) return begin(Phase::unload, state.t());
  if (state.t() > since_ + settings_.patience)
    give_up(fmt::format("the weight is {:.3g} m from where '{}' can be let go", off, patches_[now().released].name));
}

void StanceController::unload(double t) {
  const int contact = now().released;
  const double left = 1.0 - blend(t - since_, settings_.unload_time).value;
  control_->set_force_limits(contact, 0.0, left * kFullLoad * weight_);
  if (t < since_ + settings_.unload_time) return;
  control_->release(contact);
  said_.push_back(fmt::format("let go '{}'", patches_[contact].name));
  begin(Phase::pause, t);
}

Pose StanceController::measured(const MotionState& state, int contact) const {
  return limbs_[contact]->measured(state) * patches_[contact].X_PC;
}

bool StanceController::lies_still(const Pose& at, double t) {
  if (farthest_moved(patches_[now().placed], before_, at) > settings_.still_speed * settings_.control.period) still_since_ = t;
  before_ = at;
  return t >= still_since_ + settings_.still_time;
}

/// Down along the normal until something holds it up.
void StanceController::touch(const MotionState& state) {
  const int contact = now().placed;
  const double t = state.t(), told = settings_.hover - settings_.touch_speed * (t - since_);
  const Pose at = measured(state, contact);
  const double lag = (now().arc.to.inverse() * at).translation()[2] - told;
  if (t <= since_ + settings_.control.period) lag_ = lag;
  if (lag > lag_ + settings_.touch_lag) {
    limbs_[contact]->enabled = false;
    control_->hold_at(contact, flat(now().arc.to, at));
    control_->set_friction(contact, kSeatFriction * patches_[contact].friction);
    return begin(Phase::seat, t), seat(state);
  }
  move_limb({above(now().arc.to, told), {Vector3<double>(0.0, 0.0, -settings_.touch_speed), Vector3<double>::Zero()}, {}});
  if (t > since_ + settings_.patience) give_up(fmt::format("'{}' meets nothing down to {:.3g} m below its place", patches_[contact].name, -told));
}

/// Pressed until it lies; it is then held as it lies.
void StanceController::seat(const MotionState& state) {
  const int contact = now().placed;
  const double t = state.t(), force = blend(t - since_, settings_.seat_time).value * settings_.seat_load * weight_;
  control_->set_force_limits(contact, force, force);
  const Pose at = measured(state, contact);
  if (lies_still(at, t) && t >= since_ + settings_.seat_time) {
    control_->hold_at(contact, at);
    control_->set_friction(contact, patches_[contact].friction);
    said_.push_back(fmt::format("place '{}'", patches_[contact].name));
    return begin(Phase::load, t);
  }
  if (t > since_ + settings_.patience) give_up(fmt::format("'{}' does not come to lie in its place", patches_[contact].name));
}

void StanceController::load(double t) {
  const double share = blend(t - since_, settings_.load_time).value;
  const ContactPatch& patch = patches_[now().placed];
  const double seated = settings_.seat_load * weight_, most = seated + share * kFullLoad * weight_;
  control_->set_force_limits(now().placed, std::min((1.0 - share) * seated + share * patch.least_force, most), share >= 1.0 ? patch.largest_force : most);
  if (t >= since_ + settings_.load_time) begin(Phase::pause, t);
}

void StanceController::next_stage(double t) {
  said_.push_back(fmt::format("reach '{}'", now().name));
  if (stage_ + 1 == plan_.stages.size()) {
    said_.push_back("finished");
    return begin(Phase::done, t);
  }
  from_q_ = posture_->q, from_com_ = com_->position;
  ++stage_;
  way_ = mechanism_.difference(from_q_, now().q);
  begin(Phase::move, t);
}

void StanceController::give_up(const std::string& why) {
  said_.push_back("gave up: " + why);
  phase_ = Phase::gave_up;
}

}  // namespace amble
