#pragma once

#include "amble/control/contact_patch.hpp"

// The robot of the entries: a trunk on two legs of six joints, 57 kg, all in code.
namespace amble {

constexpr double kBipedSole = 0.05;  ///< below the ankle (m)

Mechanism verified_biped();
/// Knees bent, both soles on the floor, 0.1 m to either side.
OwnedVector bent(const Mechanism& biped);
std::vector<ContactPatch> soles();

}  // namespace amble
