#pragma once

#include <array>
#include <optional>

#include "amble/constraints/surface.hpp"
#include "amble/contact/contact_pair.hpp"
#include "amble/contact/curvature.hpp"
#include "amble/geometry/ground.hpp"

// Contact kinematics without a search (DS 3.1.1): a point or a simple outline of body b over a plane, a
// ground or a smooth surface, which is a. Points, distance, normal and their velocities are exact: in closed
// form over a plane, by Newton's method to rounding over others.
//
// The shape of b is round, or an outline in the x-y plane of its frame; a plane is the x-y plane of its
// frame, outward +z. Any link may carry either: the world, a slope, a moving table.
namespace amble {

/// What of a body may touch: the farthest point along a direction in its own axes, as a function of the
/// direction.
struct Tip {
  enum class Kind { point, sphere, ellipse, ellipsoid };
  Kind kind = Kind::point;
  Vector3<double> size = Vector3<double>::Zero();  ///< radius; two radii; three semi-axes (m)
};
Tip point_tip();                ///< the frame's origin, DS Ex 3.1
Tip sphere_tip(double radius);  ///< about the origin
/// The rim of a flat round plate, DS Ex 3.2. The book divides by a small number where it lies flat; here that
/// is an Error, since all of the rim is then as near: use three points or more, or collide().
Tip disc_tip(double radius);
Tip ellipse_tip(double radius_x, double radius_y);  ///< the rim of a flat elliptic plate, DS Ex 3.3, likewise
Tip ellipsoid_tip(const Vector3<double>& semi_axes);  ///< DS Ex 3.4

/// A pair that knows how its surfaces bend.
class CurvedPair : public ContactPair {
 public:
  using ContactPair::ContactPair;
  struct Curvatures {
    SurfaceCurvature a, b;  ///< directions in world axes
  };
  virtual Curvatures curvatures(const ContactPoint& at, const FrameMotion& a, const FrameMotion& b) const = 0;
};

/// Of any pair; nothing for those that do not know.
std::optional<CurvedPair::Curvatures> curvatures(const ContactPair& pair, const ContactPoint& at,
                                                 const FrameMotion& a, const FrameMotion& b);

/// Over a plane.
ContactPairPtr tip_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                 const Tip& tip);
ContactPairPtr point_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body);
ContactPairPtr sphere_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                    double radius);
ContactPairPtr disc_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                  double radius);
ContactPairPtr ellipse_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                     double radius_x, double radius_y);
ContactPairPtr ellipsoid_on_plane_pair(std::string name, const LinkFrame& plane, const LinkFrame& body,
                                       const Vector3<double>& semi_axes);
/// A capsule along z of its frame, its length without the caps: one pair for each of its end spheres.
std::array<ContactPairPtr, 2> capsule_on_plane_pairs(std::string name, const LinkFrame& plane,
                                                     const LinkFrame& body, double radius, double length);

/// Over a height above the x-y plane of a frame. The nearest place is the one that Newton's method comes to
/// from below the body's middle; on a ground that is more hollow than the tip is round, or on steps, there
/// may be none: an Error.
ContactPairPtr tip_on_ground_pair(std::string name, const LinkFrame& frame, GroundPtr ground,
                                  const LinkFrame& body, const Tip& tip);

/// Over a surface F = 0 in the axes of a frame, on its side F > 0; likewise.
ContactPairPtr tip_on_surface_pair(std::string name, const LinkFrame& frame, const Surface& surface,
                                   const LinkFrame& body, const Tip& tip);

/// Two balls about the origins of their frames. One centre in the other is an Error.
ContactPairPtr sphere_on_sphere_pair(std::string name, const LinkFrame& a, double radius_a,
                                     const LinkFrame& b, double radius_b);

}  // namespace amble
