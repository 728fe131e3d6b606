#pragma once

#include "amble/control/legged/biped_gait.hpp"
#include "amble/control/legged/biped_state.hpp"
#include "amble/control/legged/support_polygon.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/momentum_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/pose_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"
#include "amble/walkers/legged/legged_robot.hpp"

namespace amble {

/// Walks a biped dynamically: a DCM plan four steps ahead, feedback of the measured DCM by the ZMP, place and
/// time of each step adapted to it, touchdown by measured force, and whole-body control of all joints at each
/// tick.
class BipedController : public LeggedController {
 public:
  /// Throws an Error for a robot that does not have two legs with soles.
  explicit BipedController(const LeggedRobot& robot, const BipedGait& gait = {},
                           const BipedWeights& weights = {});

  void command(const WalkCommand& command) override;
  void stop() override;
  bool resting() const override { return state_.phase == BipedPhase::rest; }

  void reset(const ControllerState& state, double t) override;
  void update(const ControllerState& state, double t, OwnedVector& tau) override;
  std::vector<std::string> said() override;
  bool senses_contacts() const override { return true; }
  std::any save() const override { return state_; }
  void restore(const std::any& saved) override;

  const BipedState& state() const { return state_; }
  const BipedGait& gait() const { return gait_; }
  const WholeBodyController& control() const override { return *control_; }
  const DcmTiming& timing() const { return timing_; }
  double com_height() const override { return height_; }
  double width() const { return width_; }  ///< between the soles' centers (m)
  /// Measured and reference DCM, and the ZMP asked for, of the last tick.
  const Vector2<double>& dcm() const { return dcm_; }
  const DcmReference& reference() const { return reference_; }
  const Vector2<double>& zmp() const { return zmp_; }

 private:
  static constexpr int kAhead = 4;
  struct Side {
    int leg = 0;
    LinkFrame sole;
    std::vector<Vector2<double>> corners;  // counted on, in sole axes
    std::shared_ptr<PoseTask> swing;
  };

  void find_sides();
  void find_posture();
  void make_control(const BipedWeights& weights);
  void tick(const MotionState& at);
  void advance(const MotionState& at);
  void begin(BipedPhase phase, double t);
  void start(double t);
  void load(double t);
  void lift(const MotionState& at);
  void swing(const MotionState& at);
  void adapt(double t);
  void touch_down(const MotionState& at, bool late);
  void settle(double t);
  void take_command();
  void correct(int foot, const Footprint& here, double t);
  WalkCommand driven() const;
  bool steady() const;
  std::array<Footprint, kAhead + 1> plan() const;
  std::array<Vector2<double>, kAhead + 1> offsets(const std::array<Footprint, kAhead + 1>& feet) const;
  DcmReference reference_at(double t) const;
  Vector2<double> inside(const Vector2<double>& zmp);
  void serve(const MotionState& at);
  void turn_trunk(double t);
  void follow_swing();
  void adapt_to_speed();
  void apply(int foot);
  void set_hold(int foot, const Pose& X_WS);
  void set_load(int foot, double largest);
  void measure(const ControllerState& state);
  Footprint measured(const MotionState& at, int foot) const;
  Vector2<double> middle() const;
  double side(int foot) const { return foot == 0 ? 1.0 : -1.0; }

  LeggedRobot robot_;
  BipedGait gait_;
  double weight_ = 0.0, height_ = 0.0, width_ = 0.0, sole_width_ = 0.0;
  Vector2<double> ankle_ = Vector2<double>::Zero();
  DcmTiming timing_;
  std::array<Side, 2> sides_;
  SO3<double> R_base_, R_torso_;  // in the nominal posture
  std::shared_ptr<ComTask> com_, com_height_;
  std::shared_ptr<PostureTask> posture_;
  std::shared_ptr<OrientationTask> base_, torso_;
  std::shared_ptr<MomentumTask> momentum_;
  OwnedVector importance_, free_importance_;
  std::unique_ptr<WholeBodyController> control_;
  SupportPolygon polygon_;

  BipedState state_;
  Vector2<double> dcm_ = Vector2<double>::Zero(), zmp_ = Vector2<double>::Zero();
  DcmReference reference_;
  std::vector<std::string> said_;
};

}  // namespace amble
