#pragma once

#include "amble/riemann/joint_metric.hpp"
#include "amble/riemann/task_map.hpp"

namespace amble {

/// A way to move joints as a task asks, v = B(q) xdot with J B = 1, and how it changes from place to place.
class TaskInverse {
 public:
  virtual ~TaskInverse() = default;
  const std::string& name() const { return name_; }
  TaskMap& task() const { return *task_; }
  /// nv x dimension. Throws an Error where there is none: at a singularity.
  virtual OwnedMatrix value(const VectorRef& q) = 0;
  /// Its rate along v.
  virtual OwnedMatrix rate(const VectorRef& q, const VectorRef& v) = 0;

 protected:
  TaskInverse(std::string name, TaskMapPtr task) : name_(std::move(name)), task_(std::move(task)) {}

 private:
  std::string name_;
  TaskMapPtr task_;
};
using InversePtr = std::shared_ptr<TaskInverse>;

/// W^-1 J^T (J W^-1 J^T)^-1: the horizontal lift in the metric W. Its rate is exact as far as those of J and
/// W are.
InversePtr weighted_inverse(std::string name, TaskMapPtr task, MetricPtr metric);
/// W = M(q): AL's horizontal lift, Khatib's dynamically consistent inverse. W = 1: the Moore-Penrose inverse.
InversePtr kinetic_lift(TaskMapPtr task);
InversePtr pseudoinverse(TaskMapPtr task);
/// The first columns of [J; G]^-1, where G belongs to a further task that stands still: as many numbers as J
/// lacks to be square. It is repeatable: the joints stay where the further task has the value it had
/// (Baillieul's extended Jacobian).
InversePtr extended_inverse(TaskMapPtr task, TaskMapPtr further);
/// A user's own; its rate by differences of order eight.
using InverseFunction = std::function<OwnedMatrix(const VectorRef& q)>;
InversePtr user_inverse(std::string name, TaskMapPtr task, InverseFunction B);

}  // namespace amble
