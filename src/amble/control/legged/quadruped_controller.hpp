#pragma once

#include "amble/control/legged/gait_sway.hpp"
#include "amble/control/legged/legged_controller.hpp"
#include "amble/control/legged/quadruped_gait.hpp"
#include "amble/control/legged/swing_trajectory.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/point_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/walkers/legged/legged_robot.hpp"

namespace amble {

/// A leg as a QuadrupedController remembers it.
struct QuadrupedLeg {
  bool swings = false;
  int cycle = -1;                                   ///< in which it was lifted last: once each
  double came = -1.0;                               ///< down last (s)
  Vector3<double> stood = Vector3<double>::Zero();  ///< there
  double since = -1.0;                              ///< of its lift-off or touchdown (s)
  Vector3<double> place = Vector3<double>::Zero();  ///< where it stands or stood (m)
  Vector2<double> target = Vector2<double>::Zero(), first_target = Vector2<double>::Zero();
  SwingMotion swing;
  double force = 0.0;  ///< measured, normal (N)
};

/// All that it remembers.
struct QuadrupedState {
  double start = 0.0;                                ///< of the phases (s)
  double last = 0.0;                                 ///< the last tick (s)
  double heading = 0.0;                              ///< rad, not wrapped
  Vector2<double> center = Vector2<double>::Zero();  ///< that the robot is to be at, but for its sway
  WalkCommand wanted, command;
  Vector2<double> correction =
      Vector2<double>::Zero();  ///< added to the speed, for what strides fell short of it
  double steady = 0.0;          ///< since when the command is the one asked for (s)
  int count = 0;
  bool stopping = false, resting = false;
  double halted = 0.0;  ///< since when it stands still (s)
  std::vector<QuadrupedLeg> legs;
};

/// Walks robots of four and more legs by a phase table: legs lift and come down by the clock and by measured
/// force, footholds by Raibert's rule and the capture point, sway and flight by GaitSway, whole-body control
/// of all joints at each tick.
class QuadrupedController : public LeggedController {
 public:
  explicit QuadrupedController(const LeggedRobot& robot, const QuadrupedGait& gait = {},
                               const QuadrupedWeights& weights = {});

  void command(const WalkCommand& command) override;
  void stop() override { state_.stopping = true; }
  bool resting() const override { return state_.resting; }

  void reset(const ControllerState& state, double t) override;
  void update(const ControllerState& state, double t, OwnedVector& tau) override;
  std::vector<std::string> said() override;
  bool senses_contacts() const override { return true; }
  std::any save() const override { return state_; }
  void restore(const std::any& saved) override;

  const QuadrupedState& state() const { return state_; }
  const WholeBodyController& control() const override { return *control_; }
  double com_height() const override { return height_; }
  double period() const { return period_; }
  const PhaseTable& table() const { return table_; }

 private:
  struct Side {
    LinkFrame foot;         // the center of its ball, or its point
    Vector2<double> place;  // in the nominal posture, about the center of mass
    double radius = 0.0;
    std::shared_ptr<PointTask> swing;
  };

  void find_legs();
  void make_control(const QuadrupedWeights& weights);
  void tick(const MotionState& at);
  void move_on(double dt);
  void move_center(const MotionState& at, double dt);
  void move_leg(int leg, const MotionState& at);
  void lift(int leg, int cycle, const MotionState& at);
  void touch_down(int leg, const MotionState& at, bool late);
  void swing(int leg, const MotionState& at);
  Vector2<double> foothold(int leg, double left, const MotionState& at) const;
  void serve(const MotionState& at);
  void apply(int leg);
  double phase(double t) const { return (t - state_.start) / period_; }
  double sway_share(double t) const;
  bool moving() const;
  Vector2<double> speed() const { return state_.command.velocity + state_.correction; }
  void correct(const QuadrupedLeg& leg, const Vector3<double>& here, double t);
  bool sways() const { return sway_.size() > gait_.least_sway * height_; }

  LeggedRobot robot_;
  QuadrupedGait gait_;
  PhaseTable table_;
  double weight_ = 0.0, height_ = 0.0, omega_ = 0.0, period_ = 0.0;
  std::vector<Side> sides_;
  std::vector<int> order_;  // of each leg in the phase table
  GaitSway sway_;
  GaitSway::Motion now_;  // of this tick, in axes of the heading
  SO3<double> R_base_;
  std::shared_ptr<ComTask> com_, com_height_;
  std::shared_ptr<OrientationTask> base_;
  std::shared_ptr<PostureTask> posture_;
  std::unique_ptr<WholeBodyController> control_;
  QuadrupedState state_;
  std::vector<std::string> said_;
};

}  // namespace amble
