#include <algorithm>

#include "amble/contact/models/bristles.hpp"

namespace amble {

namespace {

class LuGre : public SlidingLaw {
 public:
  explicit LuGre(const SlidingNumbers& numbers) : numbers_(numbers), bristles_("LuGre friction", numbers) {
    if (numbers_.static_friction == 0.0) numbers_.static_friction = numbers_.friction;
    check_strength("LuGre friction", "friction", numbers_.friction);
    check_above_zero("LuGre friction", "Stribeck speed", numbers_.stribeck_speed);
    check_strength("LuGre friction", "damping", numbers_.damping);
    check_strength("LuGre friction", "viscosity", numbers_.viscosity);
    if (!(numbers_.static_friction >= numbers_.friction) || !std::isfinite(numbers_.static_friction))
      throw Error(
          fmt::format("'LuGre friction' has a static friction of {}: expected at least the kinetic one, {}",
                      numbers_.static_friction, numbers_.friction));
    if (bristles_.stiffness[0] != bristles_.stiffness[1])
      throw Error(fmt::format("'LuGre friction' has a stiffness across of {}: expected that along, {}",
                              bristles_.stiffness[1], bristles_.stiffness[0]));
  }

  SlidingForce at(const Sliding& x) const override {
    SlidingForce out;
    out.pull = bristles_.pull(x);
    out.energy = 0.5 * out.pull.dot(x.stretch);
    const double limit = numbers_.static_friction * x.push, size = out.pull.norm();
    out.rate = bend_rate(x, limit);
    out.force = size > limit ? Vector2<double>(limit / size * out.pull) : out.pull;
    out.dissipated = out.force.dot(x.velocity) - out.pull.dot(out.rate);
    add_damping(x, limit, out);
    return out;
  }

 private:
  /// v - |v| z / Z with Z the stretch in steady sliding, slowed down to rates of 1 / relaxation where the
  /// bristles bend further; where they straighten they follow, as otherwise they would give more power than
  /// they lose. Beyond what the push can hold they straighten by themselves.
  Vector2<double> bend_rate(const Sliding& x, double limit) const {
    const double speed = x.velocity.norm(), stiffness = x.factor * bristles_.stiffness[0],
                 tau = numbers_.relaxation;
    const double length = x.stretch.norm(), steady = friction_at(speed) * x.push / stiffness,
                 room = steady + tau * speed;
    Vector2<double> rate = Vector2<double>::Zero();
    if (room > 0.0) rate = (steady * x.velocity - speed * x.stretch) / room;
    if (length == 0.0) return rate;
    const Vector2<double> along = x.stretch / length;
    const double back = std::min(along.dot(x.velocity), 0.0),
                 beyond = std::max(length - limit / stiffness, 0.0);
    if (room > 0.0) rate += tau * speed / room * back * along;
    return rate - beyond / tau * along;
  }

  double friction_at(double speed) const {
    const double ratio = speed / numbers_.stribeck_speed;
    return numbers_.friction + (numbers_.static_friction - numbers_.friction) * std::exp(-ratio * ratio);
  }

  /// Of the bristles and of what is between them; no larger than the limit, and nowhere so large that it
  /// gives power.
  void add_damping(const Sliding& x, double limit, SlidingForce& out) const {
    Vector2<double> force = numbers_.damping * out.rate + numbers_.viscosity * x.velocity;
    const double size = force.norm();
    if (size > limit) force *= limit / size;
    double power = force.dot(x.velocity);
    if (power + out.dissipated < 0.0) force *= -out.dissipated / power, power = -out.dissipated;
    out.force += force, out.dissipated += power;
  }

  SlidingNumbers numbers_;
  Bristles bristles_;
};

}  // namespace

SlidingLawPtr lugre(const SlidingNumbers& numbers) { return std::make_shared<LuGre>(numbers); }

}  // namespace amble
