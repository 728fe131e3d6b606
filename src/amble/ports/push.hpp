#pragma once

#include "amble/ports/element.hpp"

namespace amble {

/// A constant force on a point of a body for a while, as of a hand that pushes it.
struct Push {
  std::string body;                                 ///< a body or frame
  Vector3<double> force = Vector3<double>::Zero();  ///< world axes (N)
  Vector3<double> point = Vector3<double>::Zero();  ///< where it acts, in the coordinates of the body (m)
  double start = 0.0;                               ///< s
  double duration = 0.1;                            ///< s
};

/// Throws an Error for a body that is not there, or numbers that are not finite. Its work is supplied from
/// outside.
ElementPtr push(std::string name, const Mechanism& mechanism, const Push& push);

}  // namespace amble
