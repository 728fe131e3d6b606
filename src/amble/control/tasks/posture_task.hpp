#pragma once

#include <vector>

#include "amble/control/tasks/task.hpp"

namespace amble {

/// Joints come to a configuration along their groups: all but free ones, or those named.
class PostureTask : public Task {
 public:
  PostureTask(std::string name, const Mechanism& mechanism, const std::vector<std::string>& joints = {});

  OwnedVector q;                 ///< target, nq numbers, of which the task's joints count
  OwnedVector v, a;              ///< target, nv numbers, zero at first
  OwnedVector importance;        ///< of each velocity, times weight (nv, ones at first; above zero)
  TaskGains gains;

  void validate() const override;
  int evaluate(const TaskSight& at, const TaskRows& out) override;
  double share(int row) const override;

 private:
  std::vector<int> joints_, columns_;
  OwnedVector difference_;
};

}  // namespace amble
