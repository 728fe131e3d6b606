#pragma once

#include "amble/base/test/source_dir.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"

// The humanoid of models/ on its feet, for tests of whole-body control.
namespace amble {

inline constexpr double kSole = 0.08;  // below the foot's frame (m)

inline Mechanism standing_humanoid() {
  return load(source_dir() + "/models/humanoid.urdf", {.base = Base::floating});
}

/// Both soles on z = 0, knees bent.
inline OwnedVector bent_knees(const Mechanism& m, double knee = 0.6) {
  OwnedVector q = m.neutral();
  for (const std::string side : {"left", "right"}) {
    q[m.q_slice(side + "_hip_pitch").start] = -0.5 * knee;
    q[m.q_slice(side + "_knee").start] = knee;
    q[m.q_slice(side + "_ankle_pitch").start] = -0.5 * knee;
    q[m.q_slice(side + "_elbow").start] = -0.4;
  }
  Workspace work(m);
  q[2] -= pose(m, work, q, "left_foot").translation()[2] - kSole;
  return q;
}

inline std::vector<ContactPatch> soles() {
  std::vector<ContactPatch> patches;
  for (const std::string side : {"left", "right"})
    patches.push_back({.name = side + " sole",
                       .place = side + "_foot",
                       .X_PC = Pose(Vector3<double>(0.03, 0.0, -kSole)),
                       .points = rectangle(0.2, 0.09),
                       .friction = 0.6});
  return patches;
}

/// A controller that keeps the humanoid where it stands.
struct Standing {
  Mechanism m = standing_humanoid();
  OwnedVector q, v;
  std::shared_ptr<ComTask> com = std::make_shared<ComTask>("com", m);
  std::shared_ptr<PostureTask> posture = std::make_shared<PostureTask>("posture", m);
  std::shared_ptr<OrientationTask> trunk = std::make_shared<OrientationTask>("trunk", m, "torso");
  std::shared_ptr<WholeBodyController> controller;

  explicit Standing(const WholeBodySettings& settings = {}, std::vector<TaskPtr> more = {}) : v(m.nv()) {
    q = bent_knees(m);
    Workspace work(m);
    com->position = center_of_mass(m, work, q);
    posture->q = q, posture->weight = 1e-2;
    trunk->rotation = pose(m, work, q, "torso").rotation(), trunk->weight = 0.1;
    std::vector<TaskPtr> tasks = {com, posture, trunk};
    tasks.insert(tasks.end(), more.begin(), more.end());
    controller = std::make_shared<WholeBodyController>(m, tasks, soles(), settings);
    controller->hold(0), controller->hold(1);
  }
};

}  // namespace amble
