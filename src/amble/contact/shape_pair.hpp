#pragma once

#include "amble/contact/collision_shape.hpp"
#include "amble/contact/contact_pair.hpp"

namespace amble {

/// Two solid shapes (collision_shape.hpp), each on a frame: where they are nearest, or deepest in each other
/// along the direction of least depth.
///
/// The shortest way between the shapes, or the best of directions all round where they are sunk in, is where Newton's method
/// starts on the faces, edges, corners or round pieces that meet. The points are then proven: they lie in the shapes to 1e-10 of
/// their size and no point of either is farther along the normal. Where that fails the points are as FCL (GJK, EPA) gives them,
/// some 1e-6 off.
///
/// Where flat lies on flat, the points are the middle of what they share, and motion() throws an Error: use
/// collide() for the corners. Over a plane (either side), likewise. Over a ground: spheres, ellipsoids and
/// points of direct_pairs.hpp; other shapes are an Error.
ContactPairPtr shape_pair(std::string name, const LinkFrame& a, const CollisionShape& shape_a,
                          const LinkFrame& b, const CollisionShape& shape_b);

}  // namespace amble
