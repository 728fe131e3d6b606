#include "amble/control/tasks/point_task.hpp"

namespace amble {

PointTask::PointTask(std::string name, const Mechanism& m, const std::string& place, const Vector3<double>& point,
                     const std::string& reference)
    : Task(std::move(name), 3), frame_(task_frame(m, place)), reference_(task_frame(m, reference)) {
  frame_.X_LF = frame_.X_LF * Pose(point);
}

Vector3<double> PointTask::measured(const MotionState& at) const {
  const FrameMotion point = at.frame(frame_), base = at.frame(reference_);
  return base.R.transpose() * (point.p - base.p);
}

int PointTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const FrameMotion point = at.motion.frame(frame_), base = at.motion.frame(reference_);
  const Vector3<double> arm = point.p - base.p, e = position - base.R.transpose() * arm;
  const Vector3<double> moving = base.R.transpose() * (point.p_dot - base.p_dot - cross<double>(base.omega, arm));
  const Vector3<double> wanted = acceleration + gains.stiffness * e + gains.damping * (velocity - moving);
  error_ = 0.0;
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    if (!axes[k]) continue;
    const Vector3<double> axis = base.R.col(k);
    double bias = 0.0;
    at.motion.add_row({.force = axis, .point = point.p, .force_rate = cross<double>(base.omega, axis),
                       .point_rate = point.p_dot},
                      reference_.link, frame_.link, out.row(count), bias);
    out.ask(count++, wanted[k] - bias);
    error_ = std::max(error_, std::abs(e[k]));
  }
  return count;
}

}  // namespace amble
