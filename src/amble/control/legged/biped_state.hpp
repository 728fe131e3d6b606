#pragma once

#include <array>

#include "amble/control/legged/dcm_plan.hpp"
#include "amble/control/legged/legged_controller.hpp"
#include "amble/control/legged/swing_trajectory.hpp"
#include "amble/geometry/se3.hpp"

namespace amble {

enum class BipedPhase {
  stand,  ///< on both feet, before the first step
  start,  ///< the weight goes onto the first stance foot
  single_support,
  double_support,
  stop,  ///< after the last step the weight goes to the middle
  rest,
};
const char* name_of(BipedPhase phase);

/// What is asked of a foot's contact.
struct FootHold {
  bool held = true;
  Pose X_WS;                   ///< where
  double largest_force = 1e5;  ///< N
};

/// All that a walking biped remembers; feet are 0 (left) and 1 (right).
struct BipedState {
  BipedPhase phase = BipedPhase::stand;
  double since = 0.0;  ///< start of the phase (s)
  double last = 0.0;   ///< the last tick (s)
  int stance = 1;      ///< the foot that bears, in double support that which came down last
  int count = 0;       ///< touchdowns
  int ticks = 0;       ///< of this single support

  std::array<Footprint, 2> feet;
  std::array<FootHold, 2> holds;
  std::array<double, 2> force = {};  ///< measured, normal (N)

  WalkCommand wanted, command;                   ///< as asked for, and as taken at the last touchdown
  WalkCommand correction;                        ///< added to the command, for what strides fell short of it
  std::array<double, 2> touched = {-1.0, -1.0};  ///< when each foot came down last (s)
  int steady = 0;                                ///< steps since the command is the one asked for
  bool stopping = false;
  int standing_steps = 0;  ///< taken with a command of zero since

  std::array<DcmPiece, 2> pieces;  ///< of start and stop, or of this support
  Footprint nominal, target;       ///< of the swing foot: as planned, and with what pushes made of it
  Vector2<double> next_offset = Vector2<double>::Zero();  ///< DCM offset on that foot, world axes
  double time = 0.0;                                      ///< of this single support (s)
  SwingMotion swing;
  double swing_yaw = 0.0, swing_ground = 0.0, base_yaw = 0.0;  ///< at lift-off
  double miss = 0.0;  ///< the farthest that a place wanted was beyond reach in this step (m)
};

}  // namespace amble
