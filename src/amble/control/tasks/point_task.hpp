#pragma once

#include "amble/control/tasks/task.hpp"

namespace amble {

/// A point of a body, its origin unless said otherwise, goes where it is told: the components `axes` of its position in
/// the world or, with `reference`, in the frame of another body.
class PointTask : public Task {
 public:
  /// `point` is in the coordinates of `place`, a body or frame.
  PointTask(std::string name, const Mechanism& mechanism, const std::string& place,
            const Vector3<double>& point = Vector3<double>::Zero(), const std::string& reference = "world");

  Vector3<double> position = Vector3<double>::Zero(), velocity = Vector3<double>::Zero(),
                  acceleration = Vector3<double>::Zero();  ///< targets, in the axes of the reference
  TaskGains gains;
  bool axes[3] = {true, true, true};

  void validate() const override { gains.validate(name()); }
  int evaluate(const TaskSight& at, const TaskRows& out) override;
  /// Where the point is at a state, in the reference.
  Vector3<double> measured(const MotionState& at) const;

 private:
  LinkFrame frame_, reference_;
};

}  // namespace amble
