#include "amble/control/walking/controlled_walker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

/// A phase of the walker with the controller's forces.
class ControlledWalker::Phase : public StepPhase {
 public:
  Phase(MechanismPhase& inner, StepController& controller, int index, const ControlLimits& limits)
      : inner_(inner),
        controller_(controller),
        index_(index),
        m_(inner.freedoms()),
        friction_(limits.friction),
        limit_(inner.spec().stance.effort_limit().cwiseMin(limits.torque)),
        laws_(static_cast<int>(controller.laws().size())),
        state_(2 * m_),
        forces_(m_, laws_),
        total_(m_),
        a_(m_) {
    const Mechanism& stance = inner.spec().stance;
    for (const std::string& name : limits.unactuated)
      if (std::ranges::count(stance.joint_names(), name) > 0) unactuated_.push_back(stance.v_slice(name).start);
  }

  std::string name() const override { return inner_.name(); }
  int freedoms() const override { return m_; }
  void acceleration(const double* x, double* a, Derivative da) override;
  double guard(const double* x, Derivative dguard) override { return inner_.guard(x, dguard); }
  bool counts(const double* x) const override { return inner_.counts(x); }
  double reset(const double* x, double* next, Derivative dnext) override { return inner_.reset(x, next, dnext); }
  int failures() const override { return inner_.failures() + 1 + (std::isfinite(friction_) ? 1 : 0); }
  void failure_values(const double* x, double* values) override;
  std::string failure_name(int failure) const override;
  double kinetic_energy(const double* x) override { return inner_.kinetic_energy(x); }
  double potential_energy(const double* x) override { return inner_.potential_energy(x); }
  bool mass_matrix(const double* x, double* M) override { return inner_.mass_matrix(x, M); }
  Powers powers(const double* x) override { return inner_.powers(x); }
  void set_clock(double t) override { clock_ = t; }
  std::vector<std::string> laws() const override { return controller_.laws(); }
  void law_powers(const double* x, double* powers) override;

  void watch(const double* x, ControlFigures& figures);
  /// Of each law, at the state that was looked at last.
  const OwnedMatrix& forces() const { return forces_; }
  const OwnedVector& acceleration_at(const double* x) {
    evaluate(x);
    return a_;
  }

 private:
  void evaluate(const double* x);
  void keep_within_limits(const double* x);
  void accelerate(const double* x, double* a);

  MechanismPhase& inner_;
  StepController& controller_;
  int index_, m_;
  double friction_;
  OwnedVector limit_;
  int laws_;
  std::vector<int> unactuated_;
  // What was found for the last state: an integrator asks for it again and again.
  double clock_ = 0.0, known_clock_ = -1.0;
  OwnedVector state_;
  OwnedMatrix forces_;
  OwnedVector total_, a_;
  double missing_ = 0.0, scale_ = 1.0;
};

/// Takes away what coordinates without an actuator would have to give, and weakens what is beyond the limits.
void ControlledWalker::Phase::keep_within_limits(const double* x) {
  missing_ = 0.0, scale_ = 1.0;
  const OwnedVector asked = forces_.rowwise().sum();
  for (const int i : unactuated_) forces_.row(i).setZero();
  total_ = forces_.rowwise().sum();
  if (!unactuated_.empty()) {
    const Eigen::MatrixXd inverse =
        inverse_mass_matrix(inner_.spec().stance, inner_.workspace(), Eigen::Map<const Eigen::VectorXd>(x, m_));
    const Eigen::VectorXd lost = asked - total_;
    const double whole = asked.dot(inverse * asked);
    if (whole > 0.0) missing_ = std::sqrt(std::max(0.0, lost.dot(inverse * lost)) / whole);
  }
  for (int i = 0; i < m_; ++i)
    if (std::abs(total_[i]) > limit_[i]) scale_ = std::min(scale_, limit_[i] / std::abs(total_[i]));
  forces_ *= scale_, total_ *= scale_;
}

void ControlledWalker::Phase::evaluate(const double* x) {
  if (known_clock_ == clock_ && std::equal(x, x + 2 * m_, state_.data())) return;
  known_clock_ = -1.0;  // until all is known
  std::copy(x, x + 2 * m_, state_.data());
  forces_.setZero();
  controller_.evaluate(index_, clock_, inner_, x, forces_);
  keep_within_limits(x);
  inner_.forced_acceleration(x, total_, a_.data());
  known_clock_ = clock_;
}

void ControlledWalker::Phase::accelerate(const double* x, double* a) {
  evaluate(x);
  std::copy(a_.begin(), a_.end(), a);
}

void ControlledWalker::Phase::acceleration(const double* x, double* a, Derivative da) {
  if (da != nullptr) {
    constexpr double kStep = 1e-3, kWeights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> slope(da, m_, 2 * m_);
    slope.setZero();
    OwnedVector moved = Eigen::Map<const Eigen::VectorXd>(x, 2 * m_);
    for (int k = 0; k < 2 * m_; ++k) {
      for (int i = 1; i <= 3; ++i)
        for (const int side : {1, -1}) {
          moved[k] = x[k] + side * i * kStep;
          slope.col(k) += side * kWeights[i - 1] / kStep * acceleration_at(moved.data());
        }
      moved[k] = x[k];
    }
  }
  accelerate(x, a);
}

void ControlledWalker::Phase::failure_values(const double* x, double* values) {
  inner_.failure_values(x, values);
  values += inner_.failures();
  const Vector3<double> force = inner_.ground_force(x, acceleration_at(x).data());
  *values++ = force.z();
  if (std::isfinite(friction_)) *values = friction_ * force.z() - force.head<2>().norm();
}

std::string ControlledWalker::Phase::failure_name(int failure) const {
  const int own = failure - inner_.failures();
  if (own < 0) return inner_.failure_name(failure);
  return own == 0 ? "lifts its stance foot off the floor" : "slips with its stance foot";
}

void ControlledWalker::Phase::law_powers(const double* x, double* powers) {
  evaluate(x);
  const Eigen::Map<const Eigen::VectorXd> v(x + m_, m_);
  for (int law = 0; law < laws_; ++law) powers[law] = forces_.col(law).dot(v);
  powers[laws_] = total_.cwiseProduct(v).cwiseMax(0.0).sum();
}

void ControlledWalker::Phase::watch(const double* x, ControlFigures& f) {
  evaluate(x);
  const Mechanism& stance = inner_.spec().stance;
  for (int i = 0; i < m_; ++i) {
    const auto at = std::ranges::find(f.coordinates, std::string(stance.joint_names()[i])) - f.coordinates.begin();
    double& peak = f.peak_torque[at];
    peak = std::max(peak, std::abs(total_[i]));
  }
  f.missing = std::max(f.missing, missing_), f.scale = std::min(f.scale, scale_);
  const StanceFoot foot = stance_foot(inner_, x, a_.data());
  f.normal = std::min(f.normal, foot.normal());
  f.friction = std::max(f.friction, foot.friction_ratio());
  f.pressure_offset = std::max(f.pressure_offset, foot.pressure_offset());
}

// ---- the walker

namespace {

std::unique_ptr<MechanismWalker> mechanism_walker(const StepModel& walker) {
  std::unique_ptr<StepModel> copy = walker.clone();
  auto* const made = dynamic_cast<MechanismWalker*>(copy.get());
  if (made == nullptr)
    throw Error("a controller needs a walker that is made of a mechanism; this one is given by formulas");
  copy.release();
  return std::unique_ptr<MechanismWalker>(made);
}

std::vector<std::string> all_coordinates(MechanismWalker& walker) {
  std::vector<std::string> all;
  for (int i = 0; i < walker.phases(); ++i)
    for (const std::string& name : walker.mechanism_phase(i).spec().stance.joint_names())
      if (std::ranges::count(all, name) == 0) all.push_back(name);
  return all;
}

void check_limits(const ControlLimits& limits, const std::vector<std::string>& coordinates) {
  if (!(limits.torque >= 0.0)) throw Error(fmt::format("torque limit {}: expected 0 or more", limits.torque));
  if (!(limits.friction > 0.0)) throw Error(fmt::format("friction {}: expected more than 0", limits.friction));
  for (const std::string& name : limits.unactuated)
    if (std::ranges::count(coordinates, name) == 0)
      throw Error(fmt::format("there is no coordinate '{}' to be without actuator{}; there are {}", name,
                              suggestion(name, coordinates), fmt::join(coordinates, ", ")));
}

}  // namespace

ControlledWalker::ControlledWalker(const StepModel& walker, const StepController& controller,
                                   const ControlLimits& limits)
    : walker_(mechanism_walker(walker)), controller_(controller.clone()), limits_(limits) {
  check_limits(limits_, all_coordinates(*walker_));
  for (int i = 0; i < walker_->phases(); ++i)
    phases_.push_back(std::make_unique<Phase>(walker_->mechanism_phase(i), *controller_, i, limits_));
  begin_assumptions();
}

ControlledWalker::~ControlledWalker() = default;

std::unique_ptr<StepModel> ControlledWalker::clone() const {
  return std::make_unique<ControlledWalker>(*walker_, *controller_, limits_);
}

StepPhase& ControlledWalker::phase(int i) { return *phases_[static_cast<std::size_t>(i)]; }

void ControlledWalker::begin_assumptions() {
  walker_->begin_assumptions();
  trace_.clear();
  figures_ = {.coordinates = all_coordinates(*walker_)};
  figures_.peak_torque = OwnedVector(static_cast<Eigen::Index>(figures_.coordinates.size()));
}

void ControlledWalker::visit(int i, const double* x, bool event) {
  Phase& phase = *phases_[static_cast<std::size_t>(i)];
  phase.watch(x, figures_);
  if (keeps_trace_)
    trace_.push_back({i, OwnedVector(Eigen::Map<const Eigen::VectorXd>(x, 2 * phase.freedoms())), phase.forces()});
  walker_->visit(i, x, phase.acceleration_at(x).data(), event);
}

}  // namespace amble
