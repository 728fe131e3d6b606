#pragma once

#include "amble/walkers/mechanism_phase.hpp"

namespace amble {

/// A controller of a walker: forces at the coordinates of the analysis model, phase by phase. Where they come from is
/// told law by law, so that the ledger has a line for each.
class StepController {
 public:
  virtual ~StepController() = default;
  /// The same, with memory of its own, for another thread.
  virtual std::unique_ptr<StepController> clone() const = 0;
  virtual std::vector<std::string> laws() const = 0;
  /// Fills `forces`, a row for each coordinate and a column for each law, zero before, at the time `t` since the phase
  /// began (s) and the state x = (q, v).
  virtual void evaluate(int phase, double t, MechanismPhase& model, const double* x,
                        Eigen::Ref<Eigen::MatrixXd> forces) = 0;
};

}  // namespace amble
