#pragma once

#include "amble/walkers/mechanism_phase.hpp"
#include "amble/walkers/swing_clearance.hpp"

namespace amble {

/// What a walker made of a mechanism is.
struct MechanismWalkerSpec {
  Mechanism full;  ///< its first coordinates are where the stance foot is: x and z, or x, y and z
  bool planar = true;
  std::vector<MechanismPhaseSpec> phases;
  std::vector<std::string> coordinates = {};  ///< of the first phase; the walker fills them in
  StepModel::Section section;
  double slope = 0.0;         ///< rad
  double longest_step = 0.0;  ///< s; 0: from the length of a leg and gravity
  double leg_length = 1.0;    ///< m
  OwnedVector rest =
      {};  ///< a posture that steps go about, in the coordinates of the first phase; empty: zeros
};

/// A step model from a mechanism: analysis and simulation models from one description.
class MechanismWalker : public StepModel {
 public:
  explicit MechanismWalker(MechanismWalkerSpec spec);
  std::unique_ptr<StepModel> clone() const override { return std::make_unique<MechanismWalker>(spec_); }

  bool lands(int phase) override { return !phases_[phase].spec().stop; }
  std::unique_ptr<WalkerFigure> figure() const override;
  int phases() const override { return static_cast<int>(phases_.size()); }
  StepPhase& phase(int i) override { return phases_[i]; }
  std::vector<std::string> coordinates() const override { return spec_.coordinates; }
  const Section& section() const override { return spec_.section; }
  double step_length(const double* x_before) override { return advance(phases() - 1, x_before); }
  FloorPlace next_place(int phase, const double* x_before) override;
  double slope() const override { return spec_.slope; }
  double weight() const override { return spec_.full.mass() * spec_.full.gravity().norm(); }
  void set_drop(double height) override {
    for (MechanismPhase& phase : phases_) phase.set_drop(height);
  }
  double longest_step() const override { return spec_.longest_step; }
  std::pair<OwnedVector, OwnedVector> full_state(int phase, const double* x) override;
  std::pair<OwnedVector, OwnedVector> full_state_at(const FloorPlace& place, int phase,
                                                    const double* x) override;
  std::vector<std::string> full_coordinates() const override;
  const Mechanism* simulation_model() const override { return &spec_.full; }
  std::vector<Stick> sticks(const VectorRef& q_full) override;

  void begin_assumptions() override;
  void visit(int phase, const double* x, bool event) override;
  /// The same for a motion with the accelerations `a`, which actuators bring about.
  void visit(int phase, const double* x, const double* a, bool event);
  std::vector<Assumption> assumptions() const override;

  const MechanismWalkerSpec& spec() const { return spec_; }
  double leg_length() const { return spec_.leg_length; }
  MechanismPhase& mechanism_phase(int i) { return phases_[i]; }

 private:
  /// How far ahead the next phase has the place that its foot is held at (m).
  double advance(int phase, const double* x_before);
  void visit_event(MechanismPhase& phase, const double* x);

  /// The worst seen; not a number where nothing was.
  struct Worst {
    double push, slip, lift, strike, knee, lock;
    SwingClearance swing;
  };

  MechanismWalkerSpec spec_;
  Workspace work_;
  std::vector<MechanismPhase> phases_;
  Worst worst_;
};

}  // namespace amble
