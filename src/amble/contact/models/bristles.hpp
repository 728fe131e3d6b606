#pragma once

#include <cmath>
#include <limits>

#include "amble/contact/models/sliding_law.hpp"
#include "amble/ports/checks.hpp"

// What the springs of several laws of sliding share; of no interest to callers.
namespace amble {

/// Springs along the two axes of a contact.
struct Bristles {
  explicit Bristles(const char* law, const SlidingNumbers& numbers)
      : stiffness(numbers.stiffness,
                  numbers.stiffness_across != 0.0 ? numbers.stiffness_across : numbers.stiffness),
        damping(numbers.relaxation * stiffness.maxCoeff()) {
    check_above_zero(law, "stiffness", numbers.stiffness);
    check_above_zero(law, "stiffness across", stiffness[1]);
    check_above_zero(law, "relaxation", numbers.relaxation);
    check_strength(law, "friction", numbers.friction, true);
  }
  Vector2<double> pull(const Sliding& x) const { return x.factor * stiffness.cwiseProduct(x.stretch); }

  Vector2<double> stiffness;
  double damping;  // beside them, the same along all directions (N s/m)
};

/// Infinite friction needs no push.
inline double friction_limit(double friction, double push) {
  return std::isinf(friction) ? std::numeric_limits<double>::infinity() : friction * push;
}

/// Springs and damper behind a slider: they are drawn by `drawn`, what of it the slider lets through. Along
/// the whole force slips what is beyond the limit, so that slip never gives power.
inline SlidingForce behind_slider(const Bristles& bristles, const Sliding& x, const Vector2<double>& drawn,
                                  double limit) {
  SlidingForce out;
  out.pull = bristles.pull(x);
  out.energy = 0.5 * out.pull.dot(x.stretch);
  const Vector2<double> tried = out.pull + bristles.damping * drawn;
  const double size = tried.norm();
  out.corner = std::isinf(limit) ? -1.0 : size - limit;
  const bool slips = size > limit;
  out.force = slips ? Vector2<double>(limit / size * tried) : tried;
  out.rate = slips ? Vector2<double>((out.force - out.pull) / bristles.damping) : drawn;
  out.dissipated = out.force.dot(x.velocity - out.rate) + bristles.damping * out.rate.squaredNorm();
  return out;
}

}  // namespace amble
