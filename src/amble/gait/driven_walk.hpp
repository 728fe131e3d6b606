#pragma once

#include <functional>
#include <optional>

#include "amble/gait/driven_stage.hpp"
#include "amble/ports/ledger.hpp"

namespace amble {

struct DrivenWalkOptions {
  double duration = 10.0;               ///< s
  std::optional<double> measured_from;  ///< s; nothing: the second half, after transients, as in DS 5.3.1
  DrivenFloor floor = {};
  double tolerance = 1e-9;  ///< of the integrator
  double interval = 0.0;    ///< s between samples that are kept; 0: none
  /// Sees the share that is done now and then; false ends the walk there.
  std::function<bool(double)> watch = {};
};

/// A state on the way.
struct DrivenSample {
  double t;
  OwnedVector q, v;
  double current;  ///< of the motor (A)
  int stance;      ///< foot, as the controller sees it
};

/// How a walker with a drive walked. Powers are means over the time that was measured (W), each from the ledger.
struct DrivenWalk {
  bool fell = false;
  std::string failure = {};  ///< how, in words
  double walked = 0.0;       ///< s until it fell, or all
  int steps = 0;             ///< in all

  int measured_steps = 0;
  double speed = 0.0, step_length = 0.0, period = 0.0;  ///< m/s, m, s: means between footfalls
  double period_spread = 0.0;                           ///< s: standard deviation of the periods of steps
  /// By how much steps of one foot are longer than those of the other, over their mean.
  double asymmetry = 0.0;

  double battery = 0.0;   ///< that the battery gives to the drive, less what it gets back
  double copper = 0.0;    ///< heat of the winding
  double shaft = 0.0;     ///< of the rotor, signed: what the book calls mechanical, with what the gearbox loses
  double gearbox = 0.0;   ///< heat of the gearbox
  double joint = 0.0;     ///< that reaches the joint
  double burnt = 0.0;     ///< that the motor gives back and the amplifier burns
  double magnets = 0.0, electronics = 0.0;
  double feet = 0.0, knees = 0.0;  ///< lost where feet come down and knees strike
  double joints = 0.0;             ///< heat of dampers at joints
  double total() const { return battery + burnt + magnets + electronics; }

  /// DS (5.30) with the shaft's power; with all that the drive takes from a battery that gets nothing back; and with
  /// electronics and magnets. Infinite for one that stays where it is.
  double cost_of_transport = 0.0, electric_cost = 0.0, total_cost = 0.0;
  double peak_current = 0.0;      ///< A, at samples; where the controller acts all the time, where its set point changes
  double clearance = 0.0;         ///< m: how low the swing foot gets between lifting and coming down, mean over steps
  double lowest_clearance = 0.0;  ///< m
  double swing_height = 0.0;      ///< m: of the swing foot, mean over time

  double weight = 0.0;  ///< N
  Ledger ledger;        ///< of the whole walk
  std::vector<double> footfalls = {};  ///< times (s)
  std::vector<DrivenSample> samples = {};
};

/// Walks from the start that the drive names. A walker that falls, stands or cannot go on is told in the result.
/// Throws an Error for a walker or numbers that make no walk.
DrivenWalk walk_driven(const DrivenWalker& walker, const DrivenWalkOptions& options = {});

}  // namespace amble
