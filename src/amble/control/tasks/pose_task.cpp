#include "amble/control/tasks/pose_task.hpp"

namespace amble {

PoseTask::PoseTask(std::string name, const Mechanism& m, const std::string& place, const std::string& reference,
                   const Pose& X_PF)
    : Task(std::move(name), 6), frame_(task_frame(m, place)), reference_(task_frame(m, reference)) {
  frame_.X_LF = frame_.X_LF * X_PF;
}

Pose PoseTask::measured(const MotionState& at) const {
  const FrameMotion body = at.frame(frame_), base = at.frame(reference_);
  return Pose(SO3<double>(base.R), base.p).inverse() * Pose(SO3<double>(body.R), body.p);
}

int PoseTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const FrameMotion body = at.motion.frame(frame_), base = at.motion.frame(reference_);
  const Pose X_RB = Pose(SO3<double>(base.R), base.p).inverse() * Pose(SO3<double>(body.R), body.p);
  const Vector3<double> carried = base.p_dot + cross<double>(base.omega, Vector3<double>(body.p - base.p));
  const Twist<double> V(body.R.transpose() * (body.p_dot - carried), body.R.transpose() * (body.omega - base.omega));
  const Pose E = X_RB.inverse() * pose;
  const Twist<double> e = E.log(), target = E * velocity;
  const Vector6<double> wanted = (E * acceleration - cross(V, target) + gains.stiffness * e +
                                  gains.damping * (target - V)).vector();
  double bias[6] = {};
  at.motion.add_forces(body.R, body.omega, body.p, body.p_dot, reference_.link, frame_.link, out.row(0), out.stride,
                       bias);
  at.motion.add_moments(body.R, body.omega, reference_.link, frame_.link, out.row(3), out.stride, bias + 3);
  for (int k = 0; k < 6; ++k) out.ask(k, wanted[k] - bias[k]);
  error_ = e.vector().norm();
  return 6;
}

}  // namespace amble
