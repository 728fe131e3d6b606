#pragma once

#include <memory>

#include "amble/base/random.hpp"
#include "amble/constraints/contact_dynamics.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "bench/subject.hpp"
#include "bench/task.hpp"

namespace amble::bench {

/// A robot under whole-body control at 1 kHz that is told to sway and squat and is pushed without knowing of it: tasks for
/// its centre of mass and its posture, torque bounds, its feet held. It moves as the controller
/// asks, and as a push moves it with its feet clamped.
class PushedRobot {
 public:
  explicit PushedRobot(const Subject& subject);

  /// One of kStates ticks of the motion, kept when this was made.
  void tick(int i);

  /// That many ticks of the motion as it goes on: parts and percentiles of a tick in nanoseconds of CPU time.
  Figures long_run(long ticks);

 private:
  struct Kept {
    OwnedVector q, v;
    Vector3<double> target;
  };
  void advance();
  void push_and_steer();

  Mechanism robot_;
  std::shared_ptr<ComTask> com_;
  std::shared_ptr<PostureTask> posture_;
  std::unique_ptr<WholeBodyController> control_;
  ContactDynamics clamped_;
  Random random_;
  OwnedVector q_, v_, nothing_;
  Vector3<double> home_;  // of the centre of mass
  double height_;         // of that above the feet
  std::vector<ExternalWrench> push_;
  long ticks_ = 0, push_ends_ = 0, next_push_ = 0, next_target_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace amble::bench
