#include "amble/control/tasks/posture_task.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

std::vector<int> chosen_joints(const Mechanism& m, const std::vector<std::string>& names) {
  std::vector<int> chosen;
  for (const std::string& name : names) chosen.push_back(m.joint_index(name));
  if (names.empty())
    for (std::size_t i = 0; i < m.joints().size(); ++i)
      if (m.joints()[i].leader < 0 && m.joints()[i].v.size > 0 && m.joints()[i].type != "free")
        chosen.push_back(static_cast<int>(i));
  return chosen;
}

int velocities(const Mechanism& m, const std::vector<int>& joints) {
  int count = 0;
  for (const int i : joints) count += m.joints()[i].v.size;
  return count;
}

}  // namespace

PostureTask::PostureTask(std::string name, const Mechanism& m, const std::vector<std::string>& joints)
    : Task(std::move(name), velocities(m, chosen_joints(m, joints))),
      q(m.neutral()),
      v(m.nv()),
      a(m.nv()),
      importance(Eigen::VectorXd::Ones(m.nv())),
      joints_(chosen_joints(m, joints)),
      difference_(m.nv()) {
  for (const int i : joints_)
    for (int k = 0; k < m.joints()[i].v.size; ++k) columns_.push_back(m.joints()[i].v.start + k);
}

void PostureTask::validate() const {
  gains.validate(name());
  if (v.size() != importance.size() || a.size() != importance.size())
    throw Error(fmt::format("task '{}' has targets of {} and {} numbers, expected {}", name(), v.size(), a.size(),
                            importance.size()));
  if (!(importance.size() == 0 || importance.minCoeff() > 0.0))
    throw Error(fmt::format("task '{}' has an importance of {}, expected above 0", name(), importance.minCoeff()));
}

double PostureTask::share(int row) const { return importance[columns_[row]]; }

int PostureTask::evaluate(const TaskSight& at, const TaskRows& out) {
  const Mechanism& m = at.motion.mechanism();
  if (q.size() != m.nq()) return 0;
  for (const int i : joints_) {
    const Joint& joint = m.joints()[i];
    visit_joint(joint.kind, joint.parameters, [&](const auto& type) {
      type.difference(at.motion.q().data() + joint.q.start, q.data() + joint.q.start,
                      difference_.data() + joint.v.start);
    });
  }
  error_ = 0.0;
  for (int i = 0; i < rows(); ++i) {
    const int j = columns_[i];
    out.column[i] = j;
    out.ask(i, a[j] + gains.stiffness * difference_[j] + gains.damping * (v[j] - at.motion.v()[j]));
    error_ = std::max(error_, std::abs(difference_[j]));
  }
  return rows();
}

}  // namespace amble
