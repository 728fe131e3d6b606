#pragma once

#include <functional>
#include <span>

#include "amble/control/contact_patch.hpp"
#include "amble/control/tasks/task.hpp"
#include "amble/optimize/quadratic_program.hpp"
#include "amble/ports/controller.hpp"

namespace amble {

/// In which unknowns the equation of motion is written; the motion is the same.
enum class Formulation {
  lie_algebra,       ///< BK (36) in accelerations of the Lie algebra: nothing singular, fastest
  chart_projected,   ///< BK (37): second derivatives of chart coordinates, the charts' multipliers projected
                     ///< out
  chart_multiplier,  ///< BK (38): the same with the multipliers as unknowns
};

struct WholeBodySettings {
  double period = 1e-3;  ///< between ticks (s); what limits look ahead by is a multiple of it
  /// Curvature that every unknown has so that there is one best motion: of accelerations, and of forces
  /// (1/N^2).
  double acceleration_weight = 1e-5, force_weight = 1e-8;
  bool torque_limits = true, position_limits = true, velocity_limits = true;
  double limit_margin = 0.0;  ///< that joints keep from their limits (rad, m); where a range is narrower than
                              ///< twice that, its middle
  double limit_time = 0.02;   ///< within which a joint that nears a limit comes to rest there (s)
  double braking = 50.0;      ///< deceleration that may be counted on before a limit (rad/s^2, m/s^2)
  /// What contacts that have moved come back by: (1/s^2, 1/s).
  TaskGains contact_gains = {.stiffness = 400.0, .damping = 40.0};
  double relaxed_weight = 1e4;                   ///< of what had to give way, see WholeBodyResult::relaxed
  std::vector<std::string> passive_joints = {};  ///< without an actuator; free joints have none in any case
  OwnedVector torque_limit = {};                 ///< by velocity (N m, N); empty: those of the mechanism
  double tolerance = 1e-9;                       ///< of the certificate
  Formulation formulation = Formulation::lie_algebra;
  std::string chart = "quaternion";  ///< of free and spherical joints, for the chart formulations

  void validate(const Mechanism& mechanism) const;
};

enum class WholeBodyStatus {
  solved,    ///< all constraints hold, and the certificate is within the tolerance
  degraded,  ///< joint limits, constraint tasks or contacts gave way (WholeBodyResult::relaxed), or the
             ///< certificate misses the tolerance
  /// No answer, as when a target or the state is not finite. The torques bring the joints to rest where they
  /// are: gravity compensation and damping within the torque limits, from the last valid state (zero before
  /// there was one).
  failed,
};
const char* name_of(WholeBodyStatus status);

/// What gave way, in this order: constraints of level 0 and limits of joints, then contacts. The equation of
/// motion, cones of friction and torque limits never do, and can always be met.
struct Relaxed {
  enum class Kind { joint_limit, constraint_task, contact } kind;
  int index;  ///< of the velocity, the task, the contact
  double
      amount;  ///< by how much (of a limit 1/s^2 or m/s^2, of a contact the largest acceleration of its rows)
};

struct WholeBodyResult {
  WholeBodyStatus status = WholeBodyStatus::failed;
  OwnedVector a, tau;                  ///< nv; tau is zero where nothing drives
  OwnedVector forces;                  ///< of all points of all contacts, contact axes; zero where not held
  std::vector<Relaxed> relaxed;        ///< what gave way
  std::vector<double> task_residuals;  ///< of each task: the largest of |J a - wanted|, zero when disabled
  QpCertificate certificate;           ///< the worst of all levels
  int iterations = 0;                  ///< constraints added or dropped, all levels
  int levels = 0;
  int fallbacks = 0;  ///< programs that were given to the dense solver
  bool solved() const { return status == WholeBodyStatus::solved; }
};

/// CPU time of the parts of a tick (s), measured when asked for.
struct WholeBodyTimes {
  double dynamics = 0.0, assembly = 0.0, solver = 0.0;
};

/// Accelerations and contact forces that serve tasks best within limits, BK section V, for any mechanism:
/// torques are eliminated, M a + bias - J' f = tau is an equation where nothing drives and a two-sided bound
/// where something does.
///
/// Contacts are listed at construction and then held and released at will; nothing allocates after
/// construction.
class WholeBodyController : public Controller {
 public:
  WholeBodyController(const Mechanism& mechanism, std::vector<TaskPtr> tasks,
                      std::vector<ContactPatch> contacts = {}, const WholeBodySettings& settings = {});
  ~WholeBodyController() override;

  const Mechanism& mechanism() const;
  const WholeBodySettings& settings() const;
  std::span<const TaskPtr> tasks() const;
  TaskPtr task(std::string_view name) const;
  std::span<const ContactPatch> contacts() const;
  int contact(std::string_view name) const;  ///< an Error when there is none

  /// From now on the contact holds where its frame is at the next tick, or at the pose X_SC on its support
  /// (world).
  void hold(int contact);
  void hold_at(int contact, const Pose& X_SC);
  void release(int contact);
  bool is_held(int contact) const;
  Pose held_pose(int contact) const;  ///< X_SC
  /// Normal force of all points together (N): to load and unload.
  void set_force_limits(int contact, double least, double largest);
  void set_friction(int contact, double friction);

  /// Called at each tick before anything is computed, to move targets and contacts.
  std::function<void(const MotionState& state)> before_tick;
  /// Called after each tick.
  std::function<void(const MotionState& state, const WholeBodyResult& result)> after_tick;

  /// One tick. Throws if q or v has the wrong size or a quaternion is not of unit length. A state with NaN or
  /// infinity fails (WholeBodyStatus::failed); the result is always finite.
  const WholeBodyResult& solve(const VectorRef& q, const VectorRef& v, double t = 0.0);
  const WholeBodyResult& result() const;
  const MotionState& motion() const;
  /// The force on the supported body, all points together, at the contact frame's origin: contact axes.
  Wrench<double> contact_wrench(int contact) const;
  /// In words: what gave way and by how much, or that nothing did.
  std::string report() const;

  void measure(bool times);
  const WholeBodyTimes& times() const;

  void reset(const ControllerState& state, double t) override;
  void update(const ControllerState& state, double t, OwnedVector& tau) override;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace amble
