#pragma once

#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// A serial chain by its reference pose and joint screws, ZB 1.2:
///   X(q) = exp(screws[0] q[0]) ... exp(screws[n-1] q[n-1]) reference,
/// each screw a unit twist in the base frame's axes, for the chain at q = 0.
struct ProductOfExponentials {
  Pose reference;
  std::vector<Twist<double>> screws;
  std::vector<std::string> joints;  ///< name of each screw's joint; a joint with several axes has several
  std::vector<int> coordinates;     ///< where each screw's q stands in the mechanism's q
  std::vector<double> ratios;       ///< q is ratio * coordinate + offset for joints that follow another
  std::vector<double> offsets;

  /// The pose for one number per screw.
  Pose pose(const VectorRef& q) const;
};

/// The chain from the world to a body or frame. Throws an Error naming the joint when one on the way has no product of
/// exponentials in its own coordinates (spherical, free and custom joints).
ProductOfExponentials product_of_exponentials(const Mechanism& mechanism, std::string_view place);

/// The chain as a mechanism: one revolute, prismatic or helical joint per screw, bodies with the given inertias (in
/// the base frame's axes at q = 0; none means massless), and a frame named "tool" at the reference pose.
Mechanism mechanism_of(const ProductOfExponentials& chain, const std::vector<Inertia<double>>& inertias = {},
                       const std::string& name = "chain");

}  // namespace amble
