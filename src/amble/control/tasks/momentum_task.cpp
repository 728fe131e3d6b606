#include "amble/control/tasks/momentum_task.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

MomentumTask::MomentumTask(std::string name, const Mechanism&) : Task(std::move(name), 6) {}

void MomentumTask::validate() const {
  if (!(damping >= 0.0) || !std::isfinite(damping))
    throw Error(fmt::format("task '{}' has a damping of {}: expected 0 or more", name(), damping));
}

int MomentumTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const CentroidalMotion& c = at.motion.centroidal();
  const int nv = at.motion.mechanism().nv();
  error_ = 0.0;
  int count = 0;
  for (int k = 0; k < 6; ++k) {
    if (!axes[k]) continue;
    const double e = momentum[k] - c.momentum[k];
    std::copy_n(c.matrix + k * nv, nv, out.row(count));
    out.ask(count++, rate[k] + damping * e - c.bias[k]);
    error_ = std::max(error_, std::abs(e));
  }
  return count;
}

}  // namespace amble
