#pragma once

#include "amble/control/stance/stance_plan.hpp"
#include "amble/control/tasks/com_task.hpp"
#include "amble/control/tasks/orientation_task.hpp"
#include "amble/control/tasks/pose_task.hpp"
#include "amble/control/tasks/posture_task.hpp"
#include "amble/control/whole_body_controller.hpp"

namespace amble {

struct StanceControllerSettings {
  WholeBodySettings control = {.limit_margin = 0.01};
  TaskGains com_gains = {.stiffness = 60.0, .damping = 15.0}, posture_gains = {.stiffness = 60.0, .damping = 15.0},
            limb_gains = {.stiffness = 300.0, .damping = 34.0};
  double com_weight = 10.0, posture_weight = 0.1, limb_weight = 1000.0;
  double base_weight = 1.0;  ///< of the orientation of a base that floats
  double unload_time = 0.4, load_time = 0.4;  ///< in which a contact's forces fade and come (s)
  double hover = 3e-3;                        ///< above the support, where an arc ends (m)
  double touch_speed = 0.01;                  ///< at which a part comes down from there, flat (m/s)
  double touch_lag = 5e-4;                    ///< by which it falls behind what it is told once something holds it up (m)
  double seat_load = 0.01;                    ///< of the weight, straight along the normal: presses it flat on its support
  double seat_time = 0.3;                     ///< in which that comes (s)
  double still_speed = 2e-4, still_time = 0.1;  ///< it lies once none of its points was faster, so long; then it is loaded (m/s, s)
  double patience = 2.0;                      ///< for a touch, for what touched to lie still, and for a posture to be near (s)
  double near = 0.03;                         ///< of the centre of mass, before a contact is let go (m)

  void validate() const;
};

/// Moves a mechanism through a plan: a state machine that shifts weight, unloads and lets go, moves a limb, places, loads; at each
/// tick whole-body control serves the centre of mass, the posture and the limb (BK section VI).
class StanceController : public Controller {
 public:
  StanceController(const Mechanism& mechanism, const std::vector<ContactPatch>& patches, StancePlan plan,
                   const StanceControllerSettings& settings = {});

  void reset(const ControllerState& state, double t) override;
  void update(const ControllerState& state, double t, OwnedVector& tau) override;
  std::vector<std::string> said() override;
  /// One tick, as update() does it, for those who own the loop.
  const WholeBodyResult& solve(const VectorRef& q, const VectorRef& v, double t) { return control_->solve(q, v, t); }

  const WholeBodyController& control() const { return *control_; }
  bool finished() const { return phase_ == Phase::done; }
  bool gave_up() const { return phase_ == Phase::gave_up; }
  const std::string& stage() const;

 private:
  enum class Phase { move, settle, unload, touch, seat, load, pause, done, gave_up };

  void check_plan() const;
  const StanceStage& now() const { return plan_.stages[stage_]; }
  void start(const VectorRef& q, double t);
  void tick(const MotionState& state);
  void begin(Phase phase, double t) { phase_ = phase, since_ = t; }
  void follow(double t);
  void after_move(double t);
  void settle(const MotionState& state);
  void unload(double t);
  void touch(const MotionState& state);
  void seat(const MotionState& state);
  void load(double t);
  void next_stage(double t);
  void give_up(const std::string& why);
  void move_limb(const LimbArc::Motion& motion);
  void turn_base(const Blend& along);
  void add_base(std::vector<TaskPtr>& tasks);
  Pose measured(const MotionState& state, int contact) const;
  bool lies_still(const Pose& at, double t);

  Mechanism mechanism_;
  std::vector<ContactPatch> patches_;
  StancePlan plan_;
  StanceControllerSettings settings_;
  double weight_;
  std::shared_ptr<ComTask> com_;
  std::shared_ptr<PostureTask> posture_;
  std::shared_ptr<OrientationTask> base_;         // null without a base that floats
  Slice turn_;                                    // of its rotation among velocities
  int base_at_ = 0;                               // of its quaternion among coordinates
  std::vector<std::shared_ptr<PoseTask>> limbs_;  // of each contact
  std::unique_ptr<WholeBodyController> control_;

  std::size_t stage_ = 0;
  Phase phase_ = Phase::move;
  double since_ = 0.0;
  double lag_ = 0.0;         // of the part that is placed, on its way
  Pose before_;              // where it was a tick ago
  double still_since_ = 0.0;
  OwnedVector from_q_, way_, step_;
  Vector3<double> from_com_ = Vector3<double>::Zero();
  std::vector<std::string> said_;
};

}  // namespace amble
