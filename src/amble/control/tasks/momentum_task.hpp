#pragma once

#include "amble/control/tasks/task.hpp"

namespace amble {

/// Momentum about the centre of mass, world axes, linear first: dh/dt = rate + damping (momentum - h) for the components
/// `axes`; the angular ones unless said otherwise.
class MomentumTask : public Task {
 public:
  MomentumTask(std::string name, const Mechanism& mechanism);

  Vector6<double> momentum = Vector6<double>::Zero(), rate = Vector6<double>::Zero();
  double damping = 10.0;  ///< 1/s
  bool axes[6] = {false, false, false, true, true, true};

  void validate() const override;
  int evaluate(const TaskSight& at, const TaskRows& out) override;
};

}  // namespace amble
