#pragma once

#include <optional>

#include "amble/control/walking/floor_path.hpp"
#include "amble/gait/walk.hpp"
#include "amble/walkers/placing_walker.hpp"

// Walks that are led by where feet are placed and how the stance leg pushes off, DS 5.4.3.
namespace amble {

/// A push at the hip (N s, along the axes of the world), right after a footfall.
struct HipPush {
  int footfall = 1;
  Vector3<double> impulse = Vector3<double>::Zero();
};

/// From a footfall on, push-off leads to the energy of walking at this speed (m/s, of the hip over an upright leg).
struct SpeedChange {
  int footfall = 0;
  double speed = 0.0;
};

/// What a walker that places its feet is to do.
struct WalkPlan {
  std::optional<FloorPath> path = {};
  /// Whether the walker's axes turn with the path, DS 5.4.3 "reference heading"; otherwise they stay along x and the path
  /// is a reference y(x).
  bool turns = false;
  /// Kp (1/(m s)) and Kd (1/m) of DS (5.41). Those of the book, 1 and 1.5, are stable with Kl = 0.2, not with 0.3.
  double position_gain = 0.3, velocity_gain = 0.3;
  double rate_limit = 0.3;                          ///< rad/s
  double turn_limit = 0.2;                          ///< most that axes turn in a step (rad)
  /// Whether the law knows how the path goes on: its slope and its bend where the stance leg will be upright. Without, it is
  /// DS (5.41) as printed, which is for lines, and lags behind whatever bends.
  bool looks_ahead = true;
  std::vector<HipPush> pushes = {};
  std::vector<SpeedChange> speeds = {};
  std::optional<int> stop = {};  ///< no push-off from this footfall on

  bool asks_for_anything() const { return path || !pushes.empty() || !speeds.empty() || stop; }
  void validate() const;
};

/// Walks as planned. Throws an Error for a plan and a walker that does not place its feet. A walker that was asked to stop
/// has `stopped` when it came to rest.
Walk guided_walk(ReturnMap& map, const VectorRef& x, int steps, const WalkPlan& plan,
                 const std::vector<StepDown>& floor = {});

/// Multipliers of following a straight line, DS (5.42): those of the return map with the distance of the stance foot from
/// the line as one more number. By differences of order six, by decreasing modulus.
std::vector<std::complex<double>> line_multipliers(const PlacingWalker& walker, const VectorRef& x, const WalkPlan& plan);

/// How far the hip is from a path along a walk, at each footfall (m), to the left of it.
std::vector<double> path_errors(const PlacingWalker& walker, const Walk& walk, const FloorPath& path, bool turns);

/// Where the hip is in a sample of a walk (m).
Vector3<double> hip_place(const PlacingWalker& walker, const WalkSample& sample);

}  // namespace amble
