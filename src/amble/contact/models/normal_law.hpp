#pragma once

#include <memory>

// How hard two surfaces press against each other, from how deep they are in each other (DS 3.2.2).
namespace amble {

/// What a law says of a depth and its rate.
struct NormalForce {
  double push = 0.0;     ///< on both, apart from each other (N)
  double elastic = 0.0;  ///< the part of it that is the slope of `energy` (N)
  double energy = 0.0;   ///< stored (J)
  double margin =
      1.0;  ///< below zero where the surfaces part faster than they give way: the push is clipped there
};

/// The law of a contact along its normal. What it dissipates, (push - elastic) rate, is not negative.
/// Immutable.
class NormalLaw {
 public:
  virtual ~NormalLaw() = default;
  /// `depth` (m) may be slightly below zero within a step that ends at zero; `rate` is its rate (m/s);
  /// `factor` multiplies the stiffness.
  virtual NormalForce at(double depth, double rate, double factor) const = 0;
};

using NormalLawPtr = std::shared_ptr<const NormalLaw>;

/// The numbers of a law.
struct NormalNumbers {
  double stiffness = 1e5;  ///< N/m, or N/m^exponent
  double damping = 0.0;    ///< N s/m (Kelvin-Voigt); s/m (Hunt-Crossley)
  double exponent = 1.5;   ///< of Hunt-Crossley
};

/// stiffness d + damping d', never pulling: where that would be negative it is zero.
NormalLawPtr kelvin_voigt(const NormalNumbers& numbers);
/// The same as printed below DS (3.34): it pulls while the surfaces part, until the depth is zero.
NormalLawPtr kelvin_voigt_pulling(const NormalNumbers& numbers);
/// stiffness d^(3/2), elastic: round bodies (Johnson 1985). Takes no damping.
NormalLawPtr hertz(const NormalNumbers& numbers);
/// stiffness d^exponent (1 + damping d'), never pulling. For small losses the restitution is about 1 - 2/3
/// damping speed.
NormalLawPtr hunt_crossley(const NormalNumbers& numbers);

/// One side of a contact.
struct ElasticBody {
  double radius = 0.0;   ///< of curvature (m); infinite for a plane
  double modulus = 0.0;  ///< Young's (Pa)
  double poisson = 0.3;  ///< Poisson's ratio
};
/// The stiffness of hertz() (N/m^1.5): 4/3 E sqrt(R) with 1/R = 1/R_a + 1/R_b and 1/E = (1 - nu_a^2)/E_a + (1
/// - nu_b^2)/E_b.
double hertz_stiffness(const ElasticBody& a, const ElasticBody& b);

}  // namespace amble
