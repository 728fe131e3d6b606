#pragma once

#include "amble/mechanism/mechanism.hpp"
#include "amble/walkers/floor_place.hpp"

// A walker as it looks, whatever its analysis model calls its legs: what a recording of a walk is made of.
namespace amble {

/// Between feet and floor, as rubber has it on a dry floor: what walkers are judged by, and the cones that are drawn.
inline constexpr double kFloorFriction = 0.8;

/// A moment of a walk as the analysis model has it.
struct WalkMoment {
  FloorPlace place;      ///< of the axes of its phase
  double drop = 0.0;     ///< how much lower the floor is there than at the start (m)
  int footfalls = 0;     ///< until then
  int phase = 0;
  OwnedVector x, a = {};  ///< the phase's state, and its acceleration
};

/// The same moment of the figure, in the axes that the floor has at the start.
struct Posture {
  OwnedVector q, v;
  std::string foot;                 ///< the body that stands on the floor
  Vector3<double> point, force;     ///< where, and what the floor does to it (N)
  double spring_energy = 0.0;       ///< of springs at joints (J)
};

/// One object a thread.
class WalkerFigure {
 public:
  virtual ~WalkerFigure() = default;
  /// In the axes of the floor. Legs keep their names from step to step, as those of a real walker do.
  virtual const Mechanism& mechanism() const = 0;
  /// Of feet that are arcs about their frames (m).
  virtual double foot_radius() const { return 0.0; }
  virtual Posture at(const WalkMoment& moment) = 0;
};

}  // namespace amble
