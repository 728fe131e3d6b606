#include "amble/control/tasks/orientation_task.hpp"

namespace amble {

OrientationTask::OrientationTask(std::string name, const Mechanism& m, const std::string& place)
    : Task(std::move(name), 3), frame_(task_frame(m, place)) {}

SO3<double> OrientationTask::measured(const MotionState& at) const { return SO3<double>(at.frame(frame_).R); }

int OrientationTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const FrameMotion body = at.motion.frame(frame_);
  const SO3<double> E = SO3<double>(body.R).inverse() * rotation;
  const Vector3<double> e = E.log(), w = body.R.transpose() * body.omega, target = E * velocity;
  const Vector3<double> wanted =
      E * acceleration - cross<double>(w, target) + gains.stiffness * e + gains.damping * (target - w);
  double bias[3] = {};
  at.motion.add_moments(body.R, body.omega, 0, frame_.link, out.row(0), out.stride, bias);
  for (int k = 0; k < 3; ++k) out.ask(k, wanted[k] - bias[k]);
  error_ = e.norm();
  return 3;
}

}  // namespace amble
