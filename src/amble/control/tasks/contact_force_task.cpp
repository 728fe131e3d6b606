#include "amble/control/tasks/contact_force_task.hpp"

namespace amble {

ContactForceTask::ContactForceTask(std::string name, std::string contact)
    : Task(std::move(name), 3), contact_(std::move(contact)) {}

int ContactForceTask::evaluate(const TaskSight& at, const TaskRows& out) {
  for (const TaskContact& contact : at.contacts) {
    if (*contact.name != contact_) continue;
    if (!contact.held) return 0;
    int count = 0;
    for (int k = 0; k < 3; ++k) {
      if (!axes[k]) continue;
      for (int p = 0; p < contact.points; ++p) out.row(count)[contact.column + 3 * p + k] = 1.0;
      out.ask(count++, force[k]);
    }
    return count;
  }
  return 0;
}

}  // namespace amble
