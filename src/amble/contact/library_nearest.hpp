#pragma once

#include <optional>

#include "amble/contact/collision_shape.hpp"

// The collision library (FCL) behind one function: its headers are slow to compile. It is for shapes sunk in each other that
// nothing else finds the way out of.
namespace amble::detail {

/// Where the library finds two convex shapes nearest, or deepest in each other, by GJK and EPA: good to some
/// 1e-6 of their size.
struct LibraryNearest {
  Vector3<double> p_a, p_b, normal;  ///< world axes; from a to b
  double distance = 0.0;
};
/// Nothing when the library gives up, which it does on some shapes that just touch. Of its two solvers this
/// takes the better one for bodies that are apart, and for those sunk in the one that does not end the
/// program where its own checks fail.
std::optional<LibraryNearest> library_nearest(const CollisionShape& a, const Pose& X_WA,
                                              const CollisionShape& b, const Pose& X_WB);

}  // namespace amble::detail
