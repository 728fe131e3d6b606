#pragma once

#include "amble/simulation/flow.hpp"
#include "amble/walkers/step_model.hpp"

namespace amble {

/// One phase of a walker as an integrator follows it. Its numbers are the state x = (q, v), then, with
/// `derivative`, the variations of x in `columns` directions row by row (d/dt X = df/dx X), then, with
/// `books`, what gravity, springs and dampers did, each law of a controller delivered, and actuators spent (J). The first event that ends the phase, or fails it, is
/// kept.
class PhaseFlow : public Flow {
 public:
  struct Extras {
    int columns = 0;  ///< directions of the variations; 0: none
    bool books = false;
  };
  /// `phase` must outlive this.
  PhaseFlow(StepPhase& phase, const Extras& extras);

  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return books_ + (extras_.books ? 3 + laws_ + 1 : 0); }
  int active() const override { return books_; }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  int guards() const override { return 1 + failures_; }
  void guard_values(double t, const double* q, const double* x, double* values) override;
  std::string guard_name(int guard) const override;
  bool happen(double t, std::span<const signed char> crossed, double* q, double* x) override;

  /// A phase starts: nothing has happened yet.
  void restart() { ended_ = false, failure_ = -1; }
  bool ended() const { return ended_; }
  bool failed() const { return failure_ >= 0; }
  std::string failure() const { return phase_.failure_name(failure_); }
  /// Notes a way to fail that holds in this state without an event, as a foot that starts into the floor.
  void look_for_failure(const double* x);

  int numbers() const { return n_; }
  int books_start() const { return books_; }
  int laws() const { return laws_; }
  StepPhase& phase() { return phase_; }

 private:
  StepPhase& phase_;
  Extras extras_;
  int n_, books_, failures_, laws_;
  bool ended_ = false;
  int failure_ = -1;
  std::vector<double> da_, values_;
};

}  // namespace amble
