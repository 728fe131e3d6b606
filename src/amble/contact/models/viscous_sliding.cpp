#include "amble/contact/models/sliding_law.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

class Viscous : public SlidingLaw {
 public:
  explicit Viscous(const SlidingNumbers& numbers) : viscosity_(numbers.viscosity) {
    check_strength("viscous sliding", "viscosity", viscosity_);
  }
  SlidingForce at(const Sliding& x) const override {
    SlidingForce out;
    out.force = viscosity_ * x.velocity;
    out.dissipated = viscosity_ * x.velocity.squaredNorm();
    return out;
  }

 private:
  double viscosity_;
};

}  // namespace

SlidingLawPtr viscous(const SlidingNumbers& numbers) { return std::make_shared<Viscous>(numbers); }

}  // namespace amble
