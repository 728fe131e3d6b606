#include <algorithm>
#include <cmath>

#include "amble/contact/models/bristles.hpp"
#include "amble/contact/models/surface_law.hpp"

namespace amble {

namespace {

class SlippingSurface : public SurfaceLaw {
 public:
  SlippingSurface(SlidingLawPtr sliding, const TwistNumbers& twist, const RollNumbers& roll)
      : sliding_(std::move(sliding)),
        twist_(twist),
        roll_(roll),
        twist_damping_(twist.stiffness * twist.relaxation) {
    check_strength("twisting contact", "stiffness", twist.stiffness);
    check_strength("twisting contact", "friction", twist.friction, true);
    check_above_zero("twisting contact", "relaxation", twist.relaxation);
    if (twist.stiffness == 0.0 && twist.friction != 0.0)
      throw Error(fmt::format(
          "'twisting contact' has a friction of {} and no stiffness: expected one above 0", twist.friction));
    check_strength("rolling contact", "lever arm", roll.arm);
    check_above_zero("rolling contact", "creep", roll.creep);
    check_strength("rolling contact", "damping", roll.damping);
    check_strength("rolling contact", "relief", roll.relief);
  }

  SurfaceForce at(const SurfaceMotion& x) const override {
    SurfaceForce out;
    const SlidingForce sliding = slide(x, out);
    twist(x, sliding.pull, out);
    roll(x, sliding.pull, out);
    return out;
  }

  StrainEnergy energy(const Strain& strain, double factor) const override {
    StrainEnergy out;
    if (sliding_ != nullptr) {
      const SlidingForce sliding = sliding_->at({.stretch = strain.stretch, .factor = factor});
      out.energy = sliding.energy, out.pull = sliding.pull;
    }
    out.moment = factor * twist_.stiffness * strain.twist;
    out.energy += 0.5 * out.moment * strain.twist;
    return out;
  }

 private:
  SlidingForce slide(const SurfaceMotion& x, SurfaceForce& out) const {
    if (sliding_ == nullptr) return {};
    const SlidingForce sliding =
        sliding_->at({.stretch = x.strain.stretch, .velocity = x.slide, .push = x.push, .factor = x.factor});
    out.force = sliding.force, out.slide_d = sliding.rate, out.corner = sliding.corner;
    out.energy = sliding.energy, out.dissipated = sliding.dissipated;
    return sliding;
  }

  /// The stretch on the side of b turns with what of the spin is strain: with a pull that is not along it,
  /// that is a moment too.
  void twist(const SurfaceMotion& x, const Vector2<double>& pull, SurfaceForce& out) const {
    if (twist_.stiffness == 0.0) return;  // all spin is slip
    const double spring = x.factor * twist_.stiffness * x.strain.twist,
                 elastic = spring + pull.dot(turned(x.strain.stretch_b));
    const double tried = elastic + twist_damping_ * x.spin, limit = friction_limit(twist_.friction, x.push);
    const bool slips = std::abs(tried) > limit;
    out.moment = slips ? std::copysign(limit, tried) : tried;
    out.spin_d = slips ? (out.moment - elastic) / twist_damping_ : x.spin;
    out.twist_corner = std::isinf(limit) ? -1.0 : std::abs(tried) - limit;
    out.energy += 0.5 * spring * x.strain.twist;
    out.dissipated += out.moment * (x.spin - out.spin_d) + twist_damping_ * out.spin_d * out.spin_d;
  }

  void roll(const SurfaceMotion& x, const Vector2<double>& pull, SurfaceForce& out) const {
    const double speed = x.roll.norm(), slack = roll_.relief * speed;
    out.slide_d -= slack * x.strain.stretch;
    out.roll_moment = (roll_.arm * x.push / std::hypot(speed, roll_.creep) + roll_.damping) * x.roll;
    out.dissipated += slack * pull.dot(x.strain.stretch) + out.roll_moment.dot(x.roll);
  }

  SlidingLawPtr sliding_;
  TwistNumbers twist_;
  RollNumbers roll_;
  double twist_damping_;
};

}  // namespace

SurfaceLawPtr slipping_surface(SlidingLawPtr sliding, const TwistNumbers& twist, const RollNumbers& roll) {
  return std::make_shared<SlippingSurface>(std::move(sliding), twist, roll);
}

}  // namespace amble
