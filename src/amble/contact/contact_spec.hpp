#pragma once

#include <limits>
#include <string>

#include "amble/geometry/vector.hpp"

namespace amble {

/// A point or a ball on a body, and a plane that does not move: contact in a few words, for lists of them. The plane is
/// normal . x = offset in world coordinates; the body is kept on the side that the normal points to.
struct ContactSpec {
  std::string body;                                       ///< a body or frame of the mechanism
  Vector3<double> point = Vector3<double>::Zero();        ///< in its coordinates: the point, or the centre of the ball (m)
  double radius = 0.0;                                    ///< of the ball (m); 0 for a point
  Vector3<double> normal = Vector3<double>::UnitZ();      ///< of the plane, in world axes; any length
  double offset = 0.0;                                    ///< of the plane along its unit normal from the world's origin (m)
  double friction = std::numeric_limits<double>::infinity();  ///< Coulomb's coefficient; infinite: never slips
  double restitution = 0.0;                               ///< 0 to 1
  std::string name = {};                                  ///< for reports; made from the body when empty
};

}  // namespace amble
