#pragma once

#include <array>
#include <span>

#include "amble/geometry/vector.hpp"

// The divergent component of motion (DCM) xi = c + c'/omega of a center of mass at constant height over ZMP
// references made of straight pieces: xi' = omega (xi - p), in closed form (Englsberger et al. 2015,
// "Three-dimensional bipedal walking control based on divergent component of motion").
namespace amble {

/// The natural frequency of the pendulum and the durations of a step.
struct DcmTiming {
  double omega = 1.0;           ///< sqrt(gravity / height of the center of mass) (1/s)
  double single_support = 0.0;  ///< s
  double double_support = 0.0;  ///< s, above 0

  double step() const { return single_support + double_support; }
  double growth() const;  ///< of xi - p in single support: e^(omega Ts)
  double decay() const;   ///< of a distance to the DCM's end over double support: e^(-omega Td)
  double share() const;   ///< (1 - decay) / (omega Td)
};

struct DcmReference {
  Vector2<double> dcm = Vector2<double>::Zero(), zmp = Vector2<double>::Zero();
};

/// A ZMP that goes straight from `zmp_start` to `zmp_end` in `duration`, and the DCM that is at `dcm_end`
/// then. The ZMP stays at its end afterwards, the DCM follows from it.
struct DcmPiece {
  Vector2<double> zmp_start = Vector2<double>::Zero(), zmp_end = Vector2<double>::Zero(),
                  dcm_end = Vector2<double>::Zero();
  double duration = 0.0;  ///< s, above 0

  DcmReference at(double omega, double t) const;
};

/// Two pieces of equal duration that lead the DCM from `dcm` to `dcm_end` while the ZMP goes from `zmp_start`
/// to `zmp_end`: the point where they meet is free, and found.
std::array<DcmPiece, 2> dcm_transition(double omega, double duration, const Vector2<double>& dcm,
                                       const Vector2<double>& zmp_start, const Vector2<double>& zmp_end,
                                       const Vector2<double>& dcm_end);

/// b = xi - p at the start of each single support of a walk that repeats itself: `step` in the axes of the
/// walk (m), `width` between the feet, `side` +1 on the left foot, -1 on the right one.
Vector2<double> periodic_dcm_offset(const DcmTiming& timing, const Vector2<double>& step, double width,
                                    double side);

/// Offsets at the start of the single supports on `places`, backwards from the one on the last place:
/// E b_n = share (p_(n+1) - p_n) + decay b_(n+1). `offsets` has as many entries as `places`.
void dcm_offsets(const DcmTiming& timing, std::span<const Vector2<double>> places,
                 const Vector2<double>& last, std::span<Vector2<double>> offsets);

/// The DCM at touchdown, at the end of a single support on `stance`, from which double support leads to
/// offset `next` on the foot that comes down at `place`.
Vector2<double> dcm_at_touchdown(const DcmTiming& timing, const Vector2<double>& stance,
                                 const Vector2<double>& place, const Vector2<double>& next);

}  // namespace amble
