#include <algorithm>

#include "amble/contact/models/normal_law.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

class KelvinVoigt : public NormalLaw {
 public:
  KelvinVoigt(const NormalNumbers& numbers, bool pulls)
      : stiffness_(numbers.stiffness), damping_(numbers.damping), pulls_(pulls) {
    check_above_zero("Kelvin-Voigt contact", "stiffness", stiffness_);
    check_strength("Kelvin-Voigt contact", "damping", damping_);
  }

  NormalForce at(double depth, double rate, double factor) const override {
    const double elastic = factor * stiffness_ * depth, whole = elastic + damping_ * rate;
    const bool clips =
        !pulls_ && damping_ > 0.0;  // without damping it has no corner before the surfaces part
    return {.push = clips ? std::max(whole, 0.0) : whole,
            .elastic = elastic,
            .energy = 0.5 * elastic * depth,
            .margin = clips ? whole : 1.0};
  }

 private:
  double stiffness_, damping_;
  bool pulls_;
};

}  // namespace

NormalLawPtr kelvin_voigt(const NormalNumbers& numbers) {
  return std::make_shared<KelvinVoigt>(numbers, false);
}
NormalLawPtr kelvin_voigt_pulling(const NormalNumbers& numbers) {
  return std::make_shared<KelvinVoigt>(numbers, true);
}

}  // namespace amble
