#pragma once

#include <optional>

#include "amble/walkers/leg_direction.hpp"
#include "amble/walkers/step_model.hpp"

namespace amble {

/// What a walker that places its feet is told before a step. Lengths and rates are along the axes of the step, in which
/// left and right change places each time.
struct PlacementCommand {
  double offset = 0.0;  ///< of the stance foot from the line to follow, along y (m)
  /// The lateral rate that is wanted when the stance leg is upright, DS (5.41): position_gain y + velocity_gain dy, of the
  /// hip from that line, and no more than the limit. 1/(m s), 1/m, rad/s.
  double position_gain = 0.0, velocity_gain = 0.0, rate_limit = 0.3;
  double line_speed = 0.0;  ///< how fast the line itself goes sideways (m/s): dy is beside that
  double lead = 0.0;        ///< of that rate, what a line that bends asks for (rad/s)
  /// That push-off leads to (J): kinetic and in gravity, with height zero at the foot. None: the walker's own.
  std::optional<double> energy = {};

  template <class S>
  S lateral_rate(const S& y, const S& dy) const {
    const S rate = S(lead) + S(position_gain) * (S(offset) + y) + S(velocity_gain) * (dy - S(line_speed));
    return rate > S(rate_limit) ? S(rate_limit) : rate < S(-rate_limit) ? S(-rate_limit) : rate;
  }
};

/// A walker in space that is controlled by where it puts its feet and how it pushes off, DS 5.4. Its first four
/// coordinates are the angles of the stance leg, forward and sideways, and of the swing leg.
class PlacingWalker : public StepModel {
 public:
  virtual void command(const PlacementCommand& command) = 0;
  /// The energy of walking with the hip at this speed (m/s) when the stance leg is upright (J).
  virtual double energy_at(double speed) const = 0;
  /// The state right after a push at the hip (N s, in the axes of the step), the stance foot held.
  virtual void push(const Vector3<double>& impulse, double* x) = 0;
  virtual double leg_length() const = 0;
  /// The lateral rate to ask for so that the hip is accelerated along y by this (m/s^2) on average: a foot beside it by an
  /// angle accelerates it by that angle times gravity, and the law places feet by Kl times the rate. 0 without feedback.
  virtual double lead_for(double acceleration) const = 0;
  virtual bool powered() const override { return true; }

  FloorPlace next_place(int phase, const double* x_before) override;
  std::pair<OwnedVector, OwnedVector> full_state(int phase, const double* x) override {
    return full_state_at({}, phase, x);
  }
  std::pair<OwnedVector, OwnedVector> full_state_at(const FloorPlace& place, int phase, const double* x) override;
  std::vector<std::string> full_coordinates() const override { return {"x", "y", "z", "q4", "q5", "q6", "q7"}; }
  std::vector<std::string> coordinates() const override { return {"q4", "q5", "q6", "q7"}; }
  double step_length(const double* x_before) override { return next_place(1, x_before).x; }
  std::vector<Stick> sticks(const VectorRef& q_full) override;
  void set_drop(double height) override { drop_ = height; }

  /// The hip in the axes of the step, at its start: where it is from the stance foot, and its velocity (m, m/s).
  struct Hip {
    Vector3<double> place, velocity;
  };
  Hip hip(const double* x) const;
  /// The state at the start of a step in axes that are turned by this (rad). Throws an Error on a floor that slopes.
  void turn(double angle, double* x) const;

 protected:
  double drop_ = 0.0;
};

/// Why such a walker did not make its step when it has not the energy for it: what a stop looks like.
inline constexpr const char* kStopsBeforeUpright = "comes to rest before its stance leg is upright";

}  // namespace amble
