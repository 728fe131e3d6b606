#pragma once

#include <memory>

#include "amble/geometry/vector.hpp"

// What resists sliding in the plane of a contact: two components along its axes.
namespace amble {

/// How two surfaces that are pressed together slide.
struct Sliding {
  Vector2<double> stretch = Vector2<double>::Zero();   ///< how far the surfaces are strained (m)
  Vector2<double> velocity = Vector2<double>::Zero();  ///< of b against a (m/s)
  double push = 0.0;                                   ///< the normal force; not negative (N)
  double factor = 1.0;                                 ///< on the stiffness
};

/// What a law says of it: force . velocity = pull . rate + dissipated, with dissipated not negative.
struct SlidingForce {
  Vector2<double> force = Vector2<double>::Zero();  ///< against the sliding of b (N)
  Vector2<double> pull = Vector2<double>::Zero();   ///< the slope of `energy` in the stretch (N)
  Vector2<double> rate = Vector2<double>::Zero();  ///< of the stretch (m/s); the rest of the velocity is slip
  double energy = 0.0;                             ///< stored in the stretch (J)
  double dissipated = 0.0;                         ///< W
  double corner = -1.0;                            ///< changes its sign where the law has a corner
};

/// Immutable.
class SlidingLaw {
 public:
  virtual ~SlidingLaw() = default;
  virtual SlidingForce at(const Sliding& sliding) const = 0;
};

using SlidingLawPtr = std::shared_ptr<const SlidingLaw>;

/// The numbers of a law; each law says which it reads.
struct SlidingNumbers {
  double stiffness = 1e5;         ///< N/m, along the first axis of the contact
  double stiffness_across = 0.0;  ///< along the second; the same when 0
  double friction = 0.5;         ///< Coulomb's coefficient; infinite: no slip (of lugre: kinetic, and finite)
  double relaxation = 1e-3;      ///< s: damping beside the spring is stiffness times this; see stick_slip()
  double exponent = 1.0 / 3.0;   ///< of micro_slip()
  double static_friction = 0.0;  ///< of lugre(): at rest; as kinetic when 0
  double stribeck_speed = 0.01;  ///< of lugre() (m/s): where friction falls from static to kinetic
  double damping = 0.0;          ///< of lugre(): of the bristles (N s/m)
  double viscosity = 0.0;        ///< of viscous() and lugre() (N s/m)
};

/// A spring with a damper beside it, behind a slider of Coulomb: the force is K s + c v, at most `friction`
/// push; what is too much slips. Within the limit nothing creeps; beyond it the force is friction push
/// exactly, against the slip, and the spring goes to what that force stretches it to with the time constant
/// `relaxation`.
SlidingLawPtr stick_slip(const SlidingNumbers& numbers);
/// The same, where a part of the contact slips long before all of it does: under growing load the stretch
/// grows slower than the velocity by (1 - |K s| / limit)^exponent, at the latest the limit. 1/3 is the curve
/// of Mindlin for round bodies (Johnson 1985), 1 the slip function DS (3.26).
SlidingLawPtr micro_slip(const SlidingNumbers& numbers);
/// Bristles (Canudas de Wit et al. 1995), kept passive: their damping gives way where it would give power.
/// Friction falls from static to kinetic with the speed of sliding. Bristles bend within the way friction
/// push / stiffness, but in no shorter time than `relaxation`: fast sliding asks for steps of that size.
SlidingLawPtr lugre(const SlidingNumbers& numbers);
/// viscosity v, whatever the normal force.
SlidingLawPtr viscous(const SlidingNumbers& numbers);

}  // namespace amble
