#pragma once

#include "amble/control/tasks/task.hpp"

namespace amble {

/// The centre of mass goes where it is told: the components `axes` of its position in the world.
class ComTask : public Task {
 public:
  ComTask(std::string name, const Mechanism& mechanism);

  Vector3<double> position = Vector3<double>::Zero(), velocity = Vector3<double>::Zero(),
                  acceleration = Vector3<double>::Zero();
  TaskGains gains;
  bool axes[3] = {true, true, true};

  void validate() const override { gains.validate(name()); }
  int evaluate(const TaskSight& at, const TaskRows& out) override;

 private:
  double mass_ = 0.0, fixed_ = 0.0;  // that moves, that does not (kg)
};

}  // namespace amble
