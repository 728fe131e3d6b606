#pragma once

#include <optional>

#include "amble/control/legged/biped_gait.hpp"
#include "amble/control/legged/legged_controller.hpp"
#include "amble/control/legged/quadruped_gait.hpp"
#include "amble/ports/push.hpp"
#include "amble/simulation/simulate.hpp"
#include "amble/walkers/legged/legged_robot.hpp"

namespace amble {

struct LeggedWalkSettings {
  WalkCommand command;
  int steps = 20;                ///< before it stops
  double friction = 0.8;         ///< Coulomb's coefficient of the floor
  BipedGait biped = {};          ///< of robots with two legs
  QuadrupedGait quadruped = {};  ///< of robots with more
  std::vector<Push> pushes = {};
  double step = 1e-3;      ///< of the simulation, and between ticks of the controller (s)
  double interval = 0.01;  ///< between records (s)
  double longest = 0.0;    ///< s; 0: what the steps may take
  /// Called at each touchdown with the controller, to command it; without it `command` holds.
  std::function<void(const LeggedStep&, LeggedController&)> on_step = {};
  /// Where it falls, or falls behind the speed by more than `held` with a leg's joint at its limit, it walks
  /// again at less, until it does not or `attempts` are spent.
  int attempts = 1;
  double held = 0.05, slower = 0.9;
  std::function<bool(double t)> watch = {};  ///< after each step; false ends the walk

  void validate() const;
};

/// The largest use of a limit in a walk, as a share of it.
struct JointUse {
  std::string joint;
  double share = 0.0;
  double t = 0.0;  ///< s
};

/// What a joint's drive did in the walk (J).
struct JointWork {
  std::string joint;
  double positive = 0.0, net = 0.0;
};

/// A walk in simulation, judged from the plant alone.
struct LeggedWalk {
  bool fell = false, stopped = false;  ///< stopped: rests on its feet at the end
  std::string reason = {};             ///< of a fall
  double duration = 0.0;               ///< s
  std::vector<LeggedStep> steps = {};
  /// In the mean of the steps between getting up to speed and slowing down; zero where there are too few.
  double speed = 0.0, side_speed = 0.0, turn = 0.0, period = 0.0, step_length = 0.0;
  double froude = 0.0;             ///< speed^2 / (gravity com height)
  double slip = 0.0;               ///< the longest way of a contact point on the floor in one stance (m)
  double friction_use = 0.0;       ///< of the cone of a foot that bears more than a tenth of the weight
  JointUse torque, joint_speed;    ///< the largest of all joints
  JointUse leg_torque, leg_speed;  ///< of the joints of legs
  WalkCommand command;             ///< that it walked by
  std::vector<std::string> limits = {};  ///< why it was slowed down, a sentence for each attempt
  double range_margin = 0.0;             ///< the least distance to a joint limit (rad, m)
  std::string range_joint = {};
  std::vector<JointWork> work = {};
  double positive_work = 0.0, net_work = 0.0;           ///< J
  double cost_of_transport = 0.0, positive_cost = 0.0;  ///< net and positive work over weight and way
  double way = 0.0;                                     ///< from start to end, along the floor (m)
  long degraded = 0, failed = 0, ticks = 0;             ///< ticks of whole-body control
  Ledger ledger;
  std::optional<Recording> recording;
};

/// Walks a biped or quadruped on level floor and judges it. Throws an Error for robots that no controller
/// takes.
LeggedWalk walk_legged(const LeggedRobot& robot, const LeggedWalkSettings& settings = {});

}  // namespace amble
