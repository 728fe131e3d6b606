#pragma once

#include "amble/control/tasks/task.hpp"

namespace amble {

/// The force of a contact, all its points together, in the axes of its contact frame; nothing while it is not held.
class ContactForceTask : public Task {
 public:
  ContactForceTask(std::string name, std::string contact);

  Vector3<double> force = Vector3<double>::Zero();  ///< on the body that is supported (N)
  bool axes[3] = {true, true, true};

  int evaluate(const TaskSight& at, const TaskRows& out) override;

 private:
  std::string contact_;
};

}  // namespace amble
