#pragma once

#include "amble/walkers/walker_description.hpp"

// What the parameters of a walker file can set.
namespace amble {

/// A number of a body, a joint or a foot, as a multiple of a parameter: plus + factor x value.
struct WalkerQuantity {
  std::string quantity;  ///< one of walker_quantities()
  std::string of;        ///< the body, joint or foot
  double factor = 1.0, plus = 0.0;
};

/// Of bodies: "mass" (moments about the centre of mass change in proportion), "inertia_scale" (of those
/// moments), "com.x", "com.y", "com.z" (in the body's frame). Of joints: "stiffness", "damping", "armature",
/// "rest" (of the spring), "place.x", "place.y", "place.z" (of the joint on its parent). Of feet: "point.x",
/// "point.y", "point.z", "radius".
std::vector<std::string> walker_quantities();

/// What it is now. Throws an Error for a body, joint or foot that is not there.
double read_quantity(const WalkerQuantity& quantity, const ModelDescription& model,
                     const std::vector<WalkerDescription::Foot>& feet);
/// Sets it. Throws an Error as well for a value that it cannot have.
void set_quantity(const WalkerQuantity& quantity, double value, ModelDescription& model,
                  std::vector<WalkerDescription::Foot>& feet);

}  // namespace amble
