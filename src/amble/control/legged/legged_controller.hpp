#pragma once

#include <functional>

#include "amble/control/whole_body_controller.hpp"
#include "amble/geometry/vector.hpp"

namespace amble {

/// What a walking robot is asked for, in axes of its heading; taken at touchdowns.
struct WalkCommand {
  Vector2<double> velocity = Vector2<double>::Zero();  ///< ahead, to the left (m/s)
  double turn = 0.0;                                   ///< rad/s, to the left
};

/// Where a foot is or will be: the center of its sole on the ground, and its heading, not wrapped.
struct Footprint {
  Vector2<double> place = Vector2<double>::Zero();
  double yaw = 0.0;
  double ground = 0.0;  ///< m

  Vector2<double> to_world(const Vector2<double>& local) const;
  Vector2<double> to_local(const Vector2<double>& world) const;    ///< of a point
  Vector2<double> turned(const Vector2<double>& direction) const;  ///< into world axes
};

/// A touchdown.
struct LeggedStep {
  double t = 0.0, duration = 0.0, planned = 0.0;  ///< s; of the swing
  int leg = 0;                                    ///< index in LeggedRobot::legs
  Footprint at;
  bool steady = false;   ///< taken at the speed that is asked for, not faster or slower than the step before
  bool late = false;     ///< nothing was met in time
  double speed = 0.0;    ///< of the foot, up (m/s)
  double moved = 0.0;    ///< from the place that was planned at lift-off (m)
  double miss = 0.0;     ///< how far beyond reach feedback wanted the foot (m)
  double heading = 0.0;  ///< rad, not wrapped
  Vector3<double> com = Vector3<double>::Zero(), com_velocity = Vector3<double>::Zero();
};

/// A controller that walks a legged robot on command.
class LeggedController : public Controller {
 public:
  /// From the next touchdown on, as fast as the gait lets it.
  virtual void command(const WalkCommand& command) = 0;
  /// Slows down and comes to rest on all feet.
  virtual void stop() = 0;
  virtual bool resting() const = 0;
  /// Called at each touchdown, before the next step is planned; it may command and stop.
  std::function<void(const LeggedStep& step)> on_step;

  virtual const WholeBodyController& control() const = 0;
  virtual double com_height() const = 0;  ///< over the feet, as the gait keeps it (m)
};

}  // namespace amble
