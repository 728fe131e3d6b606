#include "amble/control/walking/gait_controllers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

using Forces = Eigen::Ref<Eigen::MatrixXd>;

class PortController : public StepController {
 public:
  explicit PortController(const PortControl& control) : control_(control), names_(tracking_laws(control.laws)) {
    for (const TrackedCurve& curve : control_.curves) {
      fields_.push_back(field_towards(curve, control_.field));
      control_.laws.validate(curve.mechanism());
    }
    control_.laws.limit = {}, control_.laws.unactuated = {};
    if (control_.energies.size() != control_.curves.size())
      throw Error(fmt::format("port-based tracking of {} curves has {} energies", control_.curves.size(),
                              control_.energies.size()));
  }
  std::unique_ptr<StepController> clone() const override { return std::make_unique<PortController>(*this); }
  std::vector<std::string> laws() const override { return names_; }

  void evaluate(int phase, double, MechanismPhase& model, const double* x, Forces forces) override {
    const auto i = static_cast<std::size_t>(phase);
    const int m = model.freedoms();
    const Eigen::Map<const Eigen::VectorXd> q(x, m), v(x + m, m);
    const Mechanism& mechanism = model.spec().stance;
    TrackingSettings& laws = control_.laws;
    laws.energy = control_.energies[i];
    const MomentumSplit split(mechanism, model.workspace(), fields_[i], q, v);
    const TrackingForces all = tracking_forces(mechanism, model.workspace(), split, q, v, laws);
    for (std::size_t law = 0; law < names_.size(); ++law)
      forces.col(static_cast<Eigen::Index>(law)) = force_of(all, names_[law]);
  }

 private:
  PortControl control_;
  std::vector<std::string> names_;
  std::vector<VelocityField> fields_;
};

class PdController : public StepController {
 public:
  explicit PdController(const PdControl& control) : control_(control) {
    check_strength("PD control", "stiffness", control_.stiffness);
    check_strength("PD control", "damping", control_.damping);
  }
  std::unique_ptr<StepController> clone() const override { return std::make_unique<PdController>(*this); }
  std::vector<std::string> laws() const override { return {"stiffness", "damping"}; }

  void evaluate(int phase, double t, MechanismPhase& model, const double* x, Forces forces) override {
    const TimedMotion& motion = control_.motions[static_cast<std::size_t>(phase)];
    const int m = model.freedoms();
    const Eigen::Map<const Eigen::VectorXd> q(x, m), v(x + m, m);
    const double within = std::min(t, motion.duration), fading = 0.1 * motion.duration;
    const OwnedVector rate = motion.velocity(within);
    const double left = std::exp((within - t) / fading);  // of the velocity
    forces.col(0) = control_.stiffness * (motion.position(within) + fading * (1.0 - left) * rate - q);
    forces.col(1) = control_.damping * (left * rate - v);
  }

 private:
  PdControl control_;
};

class NoController : public StepController {
 public:
  std::unique_ptr<StepController> clone() const override { return std::make_unique<NoController>(); }
  std::vector<std::string> laws() const override { return {}; }
  void evaluate(int, double, MechanismPhase&, const double*, Forces) override {}
};

}  // namespace

std::unique_ptr<StepController> port_controller(const PortControl& control) {
  return std::make_unique<PortController>(control);
}
std::unique_ptr<StepController> pd_controller(const PdControl& control) {
  return std::make_unique<PdController>(control);
}
std::unique_ptr<StepController> no_controller() { return std::make_unique<NoController>(); }

}  // namespace amble
