#include <algorithm>
#include <cmath>

#include "amble/contact/models/normal_law.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

class HuntCrossley : public NormalLaw {
 public:
  explicit HuntCrossley(const NormalNumbers& numbers) : numbers_(numbers) {
    check_above_zero("Hunt-Crossley contact", "stiffness", numbers.stiffness);
    check_strength("Hunt-Crossley contact", "damping", numbers.damping);
    if (!(numbers.exponent >= 1.0) || !std::isfinite(numbers.exponent))
      throw Error(
          fmt::format("'Hunt-Crossley contact' has an exponent of {}: expected 1 or more", numbers.exponent));
  }

  NormalForce at(double depth, double rate, double factor) const override {
    const double elastic =
        factor * numbers_.stiffness * std::copysign(std::pow(std::abs(depth), numbers_.exponent), depth);
    const double follows = 1.0 + numbers_.damping * rate;
    return {.push = elastic * std::max(follows, 0.0),
            .elastic = elastic,
            .energy = elastic * depth / (numbers_.exponent + 1.0),
            .margin = follows};
  }

 private:
  NormalNumbers numbers_;
};

}  // namespace

NormalLawPtr hunt_crossley(const NormalNumbers& numbers) { return std::make_shared<HuntCrossley>(numbers); }

}  // namespace amble
