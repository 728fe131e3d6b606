#include "bench/pushed_robot.hpp"

#include <algorithm>
#include <cmath>

#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "bench/interrupt.hpp"
#include "bench/state.hpp"

namespace amble::bench {

namespace {

constexpr double kPeriod = 1e-3;
constexpr int kFloating = 6, kSettling = 2000;  ///< ticks before anything is measured

/// One foot or two stand on soles, more on a point each: soles would leave such robots no freedom.
bool on_points(const Subject& subject) { return subject.feet.size() > 2; }

/// Feet where the neutral pose has them, the centre of mass above their middle and lower than there.
OwnedVector start(const Subject& subject) {
  constexpr double kBent = 0.1, kLower = 0.06;
  const Mechanism& m = subject.robot;
  Workspace work(m);
  Vector3<double> middle = Vector3<double>::Zero();
  std::vector<KinematicTarget> targets;
  for (const std::string& foot : subject.feet) {
    const Pose X_WF = pose(m, work, m.neutral(), foot);
    middle += X_WF.translation() / static_cast<double>(subject.feet.size());
    targets.push_back(on_points(subject) ? position_target(foot, X_WF.translation()) : pose_target(foot, X_WF));
  }
  const double com = center_of_mass(m, work, m.neutral())[2];
  middle[2] = com - kLower * (com - middle[2]);
  targets.push_back(center_of_mass_target(middle));
  Eigen::VectorXd away = Eigen::VectorXd::Constant(m.nv(), kBent);
  away.head(kFloating).setZero();
  return inverse_kinematics(m, targets, m.integrate(m.neutral(), away)).q;
}

std::vector<BodyContact> clamps(const Subject& subject) {
  std::vector<BodyContact> out;
  for (const std::string& foot : subject.feet) out.push_back({.place = foot, .point = on_points(subject)});
  return out;
}

std::vector<ContactPatch> soles(const Subject& subject, const OwnedVector& q) {
  std::vector<ContactPatch> out;
  Workspace work(subject.robot);
  for (const std::string& foot : subject.feet)
    out.push_back({.name = foot,
                   .place = foot,
                   .X_PC = Pose(pose(subject.robot, work, q, foot).rotation().inverse()),
                   .points = on_points(subject) ? std::vector<Vector3<double>>{{0, 0, 0}} : rectangle(0.2, 0.1),
                   .friction = 0.6,
                   .least_force = on_points(subject) ? 0.0 : 10.0,
                   .largest_force = 2000.0});
  return out;
}

double share(std::vector<double> x, double part) {
  const auto at = x.begin() + static_cast<long>(part * static_cast<double>(x.size() - 1));
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

}  // namespace

PushedRobot::PushedRobot(const Subject& subject)
    : robot_(subject.robot),
      com_(std::make_shared<ComTask>("com", robot_)),
      posture_(std::make_shared<PostureTask>("posture", robot_)),
      clamped_(robot_, clamps(subject)),
      random_(1),
      q_(start(subject)),
      v_(robot_.nv()),
      nothing_(robot_.nv()) {
  Workspace work(robot_);
  home_ = center_of_mass(robot_, work, q_);
  height_ = home_[2] - pose(robot_, work, q_, subject.feet.front()).translation()[2];
  com_->position = home_;
  posture_->q = q_, posture_->weight = 1e-2;
  WholeBodySettings settings;
  settings.position_limits = settings.velocity_limits = false;
  settings.torque_limit = robot_.effort_limit().cwiseMin(200.0);
  const std::vector<ContactPatch> patches = soles(subject, q_);
  control_ = std::make_unique<WholeBodyController>(robot_, std::vector<TaskPtr>{com_, posture_}, patches, settings);
  for (std::size_t i = 0; i < patches.size(); ++i) control_->hold(static_cast<int>(i));
  for (int i = 0; i < kSettling; ++i) advance();
  for (int i = 0; i < kStates; ++i) {
    kept_.push_back({q_, v_, com_->position});
    advance();
  }
}

void PushedRobot::tick(int i) {
  com_->position = kept_[i].target;
  control_->solve(kept_[i].q, kept_[i].v);
}

/// Targets jump by some centimetres about twice a second; pushes change the speed by up to 0.1 m/s and come about once a
/// second, each from another side.
void PushedRobot::push_and_steer() {
  constexpr double kFar = 0.03;  // beside the height of the centre of mass
  if (ticks_ >= next_target_) {
    next_target_ = ticks_ + random_.integer(200, 800);
    for (int k = 0; k < 3; ++k) com_->position[k] = home_[k] + kFar * height_ * random_.uniform(-1.0, 1.0);
  }
  if (ticks_ >= next_push_) {
    constexpr int kLasting = 100;
    push_ends_ = ticks_ + kLasting, next_push_ = ticks_ + random_.integer(500, 1500);
    const double force = robot_.mass() * random_.uniform(0.0, 0.1) / (kLasting * kPeriod), side = random_.uniform(0.0, 6.28);
    push_.assign(1, {.body = robot_.joints().front().child,
                     .F_B_B = {Vector3<double>(force * std::cos(side), force * std::sin(side), 0.0),
                               Vector3<double>::Zero()}});
  }
  if (ticks_ >= push_ends_) push_.clear();
}

void PushedRobot::advance() {
  push_and_steer();
  v_ += kPeriod * control_->solve(q_, v_).a;
  if (!push_.empty()) {  // what it does beside the motion that is controlled
    v_ += kPeriod * clamped_.solve(q_, v_, nothing_, push_);
    v_ -= kPeriod * clamped_.solve(q_, v_, nothing_);
  }
  q_ = robot_.integrate(q_, kPeriod * v_);
  ++ticks_;
}

Figures PushedRobot::long_run(long ticks) {
  std::vector<double> all, dynamics, assembly, solver;
  for (auto* list : {&all, &dynamics, &assembly, &solver}) list->reserve(ticks);
  double iterations = 0.0, most = 0.0, changed = 0.0, residual = 0.0, solved = 0.0, fallbacks = 0.0;
  control_->measure(true);
  for (long k = 0; k < ticks; ++k) {
    if (k % 1000 == 0) check_interrupt();
    advance();
    const WholeBodyTimes& t = control_->times();
    const WholeBodyResult& r = control_->result();
    dynamics.push_back(1e9 * t.dynamics), assembly.push_back(1e9 * t.assembly), solver.push_back(1e9 * t.solver);
    all.push_back(dynamics.back() + assembly.back() + solver.back());
    iterations += r.iterations, changed += r.iterations > 0, fallbacks += r.fallbacks, solved += r.solved();
    most = std::max(most, static_cast<double>(r.iterations));
    residual = std::max(residual, r.certificate.residual());
  }
  control_->measure(false);
  const auto count = static_cast<double>(ticks);
  return {{"ticks", count},
          {"dynamics_ns", share(dynamics, 0.5)},
          {"assembly_ns", share(assembly, 0.5)},
          {"solver_ns", share(solver, 0.5)},
          {"median_ns", share(all, 0.5)},
          {"p99_ns", share(all, 0.99)},
          {"p99_99_ns", share(all, 0.9999)},
          {"slowest_ns", *std::max_element(all.begin(), all.end())},
          {"iterations", iterations / count},
          {"most_iterations", most},
          {"active_set_changes", changed / count},
          {"solved", solved / count},
          {"dense_fallbacks", fallbacks},
          {"residual", residual}};
}

}  // namespace amble::bench
