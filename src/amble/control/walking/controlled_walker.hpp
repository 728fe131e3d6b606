#pragma once

#include "amble/control/walking/stance_foot.hpp"
#include "amble/control/walking/step_controller.hpp"
#include "amble/base/infinity.hpp"
#include "amble/walkers/mechanism_walker.hpp"

namespace amble {

/// What actuators and the floor allow.
struct ControlLimits {
  /// Of every coordinate (N m, N); infinite: those of the mechanism's joints. Beyond them all laws are weakened by one
  /// factor, so that those without power stay so.
  double torque = kInfinity;
  std::vector<std::string> unactuated = {};  ///< coordinates without an actuator
  double friction = kInfinity;               ///< of the floor: beyond it the stance foot slips, which is a fall
};

/// What a controller asked for along a motion, and what the stance foot had to bear.
struct ControlFigures {
  std::vector<std::string> coordinates = {};
  OwnedVector peak_torque;       ///< of each (N m, N), as given
  double missing = 0.0;          ///< largest share of what was asked that coordinates without actuator did not give,
                                 ///< as a length in the metric M^-1
  double scale = 1.0;            ///< the least that limits left
  double normal = kInfinity;     ///< least force that holds the stance foot down (N)
  double friction = 0.0;         ///< largest ratio of forces along the floor and into it
  double pressure_offset = 0.0;  ///< largest distance of the pressure from the foot's point (m): feet have to be as long
};

/// What laws did at an instant of a motion.
struct ControlSample {
  int phase = 0;
  OwnedVector x;       ///< in the coordinates of the phase
  OwnedMatrix forces;  ///< as given, a row for each coordinate and a column for each law
};

/// A walker made of a mechanism, under a controller: a step model as any other, so all tools for gaits take it. That its
/// stance foot lifts off is a fall. Derivatives of the motion are differences of order six.
class ControlledWalker : public StepModel {
 public:
  /// Throws an Error for a walker that is not made of a mechanism, or coordinates that it does not have.
  ControlledWalker(const StepModel& walker, const StepController& controller, const ControlLimits& limits = {});
  ~ControlledWalker() override;
  std::unique_ptr<StepModel> clone() const override;

  int phases() const override { return walker_->phases(); }
  bool lands(int phase) override { return walker_->lands(phase); }
  std::unique_ptr<WalkerFigure> figure() const override { return walker_->figure(); }
  StepPhase& phase(int i) override;
  std::vector<std::string> coordinates() const override { return walker_->coordinates(); }
  const Section& section() const override { return walker_->section(); }
  bool powered() const override { return true; }
  double step_length(const double* x) override { return walker_->step_length(x); }
  FloorPlace next_place(int phase, const double* x) override { return walker_->next_place(phase, x); }
  double length_of(const FloorPlace& place) const override { return walker_->length_of(place); }
  int footfalls() const override { return walker_->footfalls(); }
  std::vector<std::string> cyclic() const override { return walker_->cyclic(); }
  double slope() const override { return walker_->slope(); }
  double weight() const override { return walker_->weight(); }
  void set_drop(double height) override { walker_->set_drop(height); }
  double longest_step() const override { return walker_->longest_step(); }
  std::pair<OwnedVector, OwnedVector> full_state(int phase, const double* x) override {
    return walker_->full_state(phase, x);
  }
  std::vector<std::string> full_coordinates() const override { return walker_->full_coordinates(); }
  std::pair<OwnedVector, OwnedVector> full_state_at(const FloorPlace& place, int phase, const double* x) override {
    return walker_->full_state_at(place, phase, x);
  }
  const Mechanism* simulation_model() const override { return walker_->simulation_model(); }
  std::vector<Stick> sticks(const VectorRef& q) override { return walker_->sticks(q); }

  void begin_assumptions() override;
  void visit(int phase, const double* x, bool event) override;
  std::vector<Assumption> assumptions() const override { return walker_->assumptions(); }

  MechanismWalker& walker() { return *walker_; }
  /// Of the motion since begin_assumptions().
  const ControlFigures& figures() const { return figures_; }
  /// One for each visit() since then, when they are kept.
  void keep_trace(bool keep) { keeps_trace_ = keep; }
  const std::vector<ControlSample>& trace() const { return trace_; }

  class Phase;

 private:
  std::unique_ptr<MechanismWalker> walker_;
  std::unique_ptr<StepController> controller_;
  ControlLimits limits_;
  std::vector<std::unique_ptr<Phase>> phases_;
  ControlFigures figures_;
  bool keeps_trace_ = false;
  std::vector<ControlSample> trace_;
};

}  // namespace amble
