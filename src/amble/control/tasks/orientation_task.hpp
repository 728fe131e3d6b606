#pragma once

#include "amble/control/tasks/task.hpp"

namespace amble {

/// A body or frame turns as it is told. The error is the rotation still to be made, log(R' R_target) in the axes of the
/// body: no angles that could be singular. Targets are rotations from body to world axes, rates in body axes.
class OrientationTask : public Task {
 public:
  OrientationTask(std::string name, const Mechanism& mechanism, const std::string& place);

  SO3<double> rotation;
  Vector3<double> velocity = Vector3<double>::Zero(), acceleration = Vector3<double>::Zero();  ///< of the target, its axes
  TaskGains gains;

  void validate() const override { gains.validate(name()); }
  int evaluate(const TaskSight& at, const TaskRows& out) override;
  SO3<double> measured(const MotionState& at) const;

 private:
  LinkFrame frame_;
};

}  // namespace amble
