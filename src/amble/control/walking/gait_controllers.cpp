#include "amble/control/walking/gait_controllers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

using Forces = Eigen::Ref<Eigen::MatrixXd>;

constexpr const char* kGait = "gait";

class PortController : public StepController {
 public:
  explicit PortController(const PortControl& control)
      : control_(control), names_(tracking_laws(control.laws)) {
    for (const TrackedCurve& curve : control_.curves) {
      fields_.push_back(field_towards(curve, control_.field));
      control_.laws.validate(curve.mechanism());
    }
    control_.laws.limit = {}, control_.laws.unactuated = {};
    if (control_.demands.size() != control_.curves.size())
      throw Error(fmt::format("port-based tracking of {} curves has demands along {}", control_.curves.size(),
                              control_.demands.size()));
    takes_torque_ =
        std::ranges::any_of(control_.demands, [](const CurveDemand& d) { return bool(d.torque); });
  }
  std::unique_ptr<StepController> clone() const override { return std::make_unique<PortController>(*this); }
  std::vector<std::string> laws() const override {
    std::vector<std::string> all = names_;
    if (takes_torque_) all.push_back(kGait);
    return all;
  }

  void evaluate(int phase, double, MechanismPhase& model, const double* x, Forces forces) override {
    const auto i = static_cast<std::size_t>(phase);
    const int m = model.freedoms();
    const Eigen::Map<const Eigen::VectorXd> q(x, m), v(x + m, m);
    const Mechanism& mechanism = model.spec().stance;
    const CurveDemand& demand = control_.demands[i];
    const double s = std::clamp(nearest_on(control_.curves[i], q, control_.field), 0.0, 1.0);
    TrackingSettings& laws = control_.laws;
    laws.energy = demand.energy(s);
    const MomentumSplit split(mechanism, model.workspace(), fields_[i], q, v);
    const TrackingForces all = tracking_forces(mechanism, model.workspace(), split, q, v, laws);
    for (std::size_t law = 0; law < names_.size(); ++law)
      forces.col(static_cast<Eigen::Index>(law)) = force_of(all, names_[law]);
    if (demand.torque)
      forces.rightCols(1) = split.Mw * (split.w.dot(demand.torque(s)) / (split.length * split.length));
  }

 private:
  PortControl control_;
  std::vector<std::string> names_;
  std::vector<VelocityField> fields_;
  bool takes_torque_ = false;
};

/// How much is left of what a motion does at its end.
double fading(const TimedMotion& motion, double t) {
  return t <= motion.duration ? 1.0 : std::exp((motion.duration - t) / (0.1 * motion.duration));
}

OwnedVector torque_at(const TimedMotion& motion, double t) {
  return fading(motion, t) * motion.torque(std::min(t, motion.duration));
}

bool take_torque(const std::vector<TimedMotion>& motions) {
  return std::ranges::any_of(motions, [](const TimedMotion& m) { return bool(m.torque); });
}

class PdController : public StepController {
 public:
  explicit PdController(const PdControl& control) : control_(control) {
    check_strength("PD control", "stiffness", control_.stiffness);
    check_strength("PD control", "damping", control_.damping);
  }
  std::unique_ptr<StepController> clone() const override { return std::make_unique<PdController>(*this); }
  std::vector<std::string> laws() const override {
    if (take_torque(control_.motions)) return {"stiffness", "damping", kGait};
    return {"stiffness", "damping"};
  }

  void evaluate(int phase, double t, MechanismPhase& model, const double* x, Forces forces) override {
    const TimedMotion& motion = control_.motions[static_cast<std::size_t>(phase)];
    const int m = model.freedoms();
    const Eigen::Map<const Eigen::VectorXd> q(x, m), v(x + m, m);
    const double within = std::min(t, motion.duration), left = fading(motion, t);
    const OwnedVector rate = motion.velocity(within);
    forces.col(0) =
        control_.stiffness * (motion.position(within) + 0.1 * motion.duration * (1.0 - left) * rate - q);
    forces.col(1) = control_.damping * (left * rate - v);
    if (motion.torque) forces.col(2) = torque_at(motion, t);
  }

 private:
  PdControl control_;
};

class NoController : public StepController {
 public:
  explicit NoController(const std::vector<TimedMotion>& motions) : motions_(motions) {}
  std::unique_ptr<StepController> clone() const override { return std::make_unique<NoController>(*this); }
  std::vector<std::string> laws() const override {
    if (take_torque(motions_)) return {kGait};
    return {};
  }
  void evaluate(int phase, double t, MechanismPhase&, const double*, Forces forces) override {
    const TimedMotion& motion = motions_[static_cast<std::size_t>(phase)];
    if (motion.torque) forces.col(0) = torque_at(motion, t);
  }

 private:
  std::vector<TimedMotion> motions_;
};

}  // namespace

std::unique_ptr<StepController> port_controller(const PortControl& control) {
  return std::make_unique<PortController>(control);
}
std::unique_ptr<StepController> pd_controller(const PdControl& control) {
  return std::make_unique<PdController>(control);
}
std::unique_ptr<StepController> no_controller(const std::vector<TimedMotion>& motions) {
  return std::make_unique<NoController>(motions);
}

}  // namespace amble
