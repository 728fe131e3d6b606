#pragma once

#include "amble/control/tasks/task.hpp"

namespace amble {

/// A body or frame comes to a pose along the screw that leads there: the error is log(X^-1 X_target), a twist in the axes
/// of the body, on the group SE(3) itself. With `reference` the pose is that in the frame of another body.
class PoseTask : public Task {
 public:
  /// `X_PF`: the frame that comes to the pose, on the place.
  PoseTask(std::string name, const Mechanism& mechanism, const std::string& place,
           const std::string& reference = "world", const Pose& X_PF = {});

  Pose pose;
  Twist<double> velocity, acceleration;  ///< of the target against the reference, in the target's axes
  TaskGains gains;

  void validate() const override { gains.validate(name()); }
  int evaluate(const TaskSight& at, const TaskRows& out) override;
  Pose measured(const MotionState& at) const;

 private:
  LinkFrame frame_, reference_;
};

}  // namespace amble
