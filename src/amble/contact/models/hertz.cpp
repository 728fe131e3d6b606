#include <cmath>

#include "amble/contact/models/normal_law.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

class Hertz : public NormalLaw {
 public:
  explicit Hertz(const NormalNumbers& numbers) : stiffness_(numbers.stiffness) {
    check_above_zero("Hertz contact", "stiffness", stiffness_);
    if (numbers.damping != 0.0)
      throw Error(fmt::format(
          "'Hertz contact' has a damping of {}: it is elastic, expected 0 (hunt_crossley has damping)",
          numbers.damping));
  }

  NormalForce at(double depth, double, double factor) const override {
    const double push =
        factor * stiffness_ * std::copysign(std::pow(std::abs(depth), 1.5), depth);  // odd below zero
    return {.push = push, .elastic = push, .energy = push * depth / 2.5};
  }

 private:
  double stiffness_;
};

/// (1 - nu^2) / E of one side.
double softness(const ElasticBody& body) {
  check_above_zero("elastic body", "modulus", body.modulus);
  if (!(body.poisson > -1.0 && body.poisson <= 0.5))
    throw Error(fmt::format("'elastic body' has a Poisson's ratio of {}: expected above -1, at most 0.5",
                            body.poisson));
  return (1.0 - body.poisson * body.poisson) / body.modulus;
}

}  // namespace

NormalLawPtr hertz(const NormalNumbers& numbers) { return std::make_shared<Hertz>(numbers); }

double hertz_stiffness(const ElasticBody& a, const ElasticBody& b) {
  const double curvature = 1.0 / a.radius + 1.0 / b.radius;
  if (!(curvature > 0.0) || !std::isfinite(curvature))
    throw Error(fmt::format(
        "'elastic body' has radii of {} and {}: expected one finite at least, and a curvature above 0",
        a.radius, b.radius));
  return 4.0 / 3.0 / (softness(a) + softness(b)) / std::sqrt(curvature);
}

}  // namespace amble
