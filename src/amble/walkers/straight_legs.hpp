#pragma once

#include "amble/walkers/kinds.hpp"
#include "amble/walkers/leg_chain.hpp"
#include "amble/walkers/mechanism_phase.hpp"

// What walkers on two straight legs share.
namespace amble {

/// Legs with a mass each on feet that are points or arcs, joined by a hip with a spring and a damper.
struct StraightLegs {
  double mass, hip_mass, length, com, inertia, radius, stiffness, damping;

  /// Throws an Error for values that no legs have.
  explicit StraightLegs(const WalkerValues& values);

  /// From the centre of the foot's arc up to the hip.
  double shank() const { return length - radius; }
  /// Measured up from the centre of the arc, and up from the hip.
  AxisMasses stance() const { return AxisMasses().body(mass, shank() - com, inertia); }
  AxisMasses swing() const { return AxisMasses().body(mass, -com, inertia); }
};

/// The parameters of those, with `spring` and `damper` saying where they are.
std::vector<WalkerParameter> straight_leg_parameters(double hip_mass, double hip_stiffness, const std::string& spring,
                                                     const std::string& damper);

/// The one phase of a walker whose legs cannot bend, DS Remark 4.3: it stands on the frame "stance_foot" until
/// "swing_foot" comes down. `passing`: as MechanismPhaseSpec has it.
MechanismPhaseSpec straight_swing(const Mechanism& stance, double radius, const OwnedMatrix& embed,
                                  const OwnedMatrix& relabel, const OwnedVector& passing, Scuffing scuffing);

}  // namespace amble
