#include "amble/control/tasks/com_task.hpp"

#include "amble/base/error.hpp"

namespace amble {

ComTask::ComTask(std::string name, const Mechanism& m) : Task(std::move(name), 3) {
  for (const Link& link : m.links().subspan(1)) mass_ += link.inertia.mass();
  fixed_ = m.mass() - mass_;
  if (!(mass_ > 0.0)) throw Error("'" + m.name() + "' has no mass that moves, so no task can move its centre of mass");
}

int ComTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const CentroidalMotion& c = at.motion.centroidal();
  const int nv = at.motion.mechanism().nv();
  const Vector3<double> e = position - c.com;
  const Vector3<double> wanted = acceleration + gains.stiffness * e + gains.damping * (velocity - c.com_velocity);
  error_ = 0.0;
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    if (!axes[k]) continue;
    const double* from = c.matrix + k * nv;
    double* row = out.row(count);
    for (int j = 0; j < nv; ++j) row[j] = from[j] / (mass_ + fixed_);
    out.ask(count++, wanted[k] - c.bias[k] / (mass_ + fixed_));
    error_ = std::max(error_, std::abs(e[k]));
  }
  return count;
}

}  // namespace amble
