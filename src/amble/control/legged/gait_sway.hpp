#pragma once

#include "amble/control/legged/phase_table.hpp"
#include "amble/geometry/vector.hpp"

namespace amble {

/// How a body sways in a gait that repeats itself, so that its ZMP stays in the mean of the feet that bear:
/// the periodic solution of c'' = omega^2 f (c - p) about a point that moves on at a constant speed v, where
/// f is the load of all feet in weights (its mean is 1; none in flight) and p(phase) the mean of the feet
/// that bear, each of which is below its place half-way through its stance. With flight the body also rises
/// and falls, z'' = g (f - 1). Linear in v, and found once.
class GaitSway {
 public:
  struct Motion {
    Vector3<double> position = Vector3<double>::Zero(), velocity = Vector3<double>::Zero(),
                    acceleration = Vector3<double>::Zero();
  };

  GaitSway() = default;
  /// `places`: of the feet about the center of mass (m), of each leg; `ramp` of the period, see leg_load().
  GaitSway(const PhaseTable& table, std::span<const Vector2<double>> places, double period, double omega,
           double gravity, double ramp);

  /// At a phase, for a speed in the axes of the body (m/s).
  Motion at(double phase, const Vector2<double>& speed) const;
  /// The farthest from the middle at rest (m).
  double size() const;

 private:
  struct Sample {
    Vector3<double> sway = Vector3<double>::Zero(), sway_acceleration = Vector3<double>::Zero();  // at v = 0
    double lag = 0.0, lag_acceleration = 0.0;  // of both axes, by v (s, 1/s)
  };
  const Sample& sample(int i) const;
  std::vector<Sample> samples_;
  double period_ = 1.0;
};

}  // namespace amble
