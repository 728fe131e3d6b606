#include "amble/walkers/straight_legs.hpp"

#include "amble/base/error.hpp"

namespace amble {

StraightLegs::StraightLegs(const WalkerValues& v)
    : mass(not_negative(v, "leg_mass")),
      hip_mass(not_negative(v, "hip_mass")),
      length(positive(v, "leg_length")),
      com(v.at("leg_com")),
      inertia(not_negative(v, "leg_inertia")),
      radius(not_negative(v, "foot_radius")),
      stiffness(v.at("hip_stiffness")),
      damping(not_negative(v, "hip_damping")) {
  if (radius >= length) throw Error("parameter 'foot_radius' is not below 'leg_length'");
  if (!(mass > 0.0))
    throw Error("parameter 'leg_mass' is 0: for legs without mass there are the walkers 'simplest' and 'pointmass3d'");
}

std::vector<WalkerParameter> straight_leg_parameters(double hip_mass, double hip_stiffness, const std::string& spring,
                                                     const std::string& damper) {
  return {{"leg_mass", 1.0, "kg", "of each leg"},
          {"hip_mass", hip_mass, "kg", "at the hip"},
          {"leg_length", 1.0, "m", "from the hip to the lowest point of the foot"},
          {"leg_com", 0.5, "m", "from the hip down to a leg's centre of mass"},
          {"leg_inertia", 0.0, "kg m^2", "of a leg about its centre of mass"},
          {"foot_radius", 0.0, "m", "of feet that are arcs; 0: points"},
          {"hip_stiffness", hip_stiffness, "N m/rad", spring},
          {"hip_damping", 0.0, "N m s/rad", damper}};
}

MechanismPhaseSpec straight_swing(const Mechanism& stance, double radius, const OwnedMatrix& embed,
                                  const OwnedMatrix& relabel, const OwnedVector& passing, Scuffing scuffing) {
  const FootContact down{"stance_foot", radius}, swing{"swing_foot", radius};
  return {.name = "swing",
          .stance = stance,
          .embed = embed,
          .offset = OwnedVector(embed.rows()),
          .stance_foot = down,
          .swing_foot = swing,
          .passing = passing,
          .passed = kPassed,
          .detect_scuffing = scuffing == Scuffing::detect,
          .strike = {{swing}, {}},
          .relabel = relabel,
          .shift = OwnedVector(relabel.rows())};
}

}  // namespace amble
