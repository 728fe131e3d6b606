#pragma once

#include <optional>
#include <string>
#include <vector>

#include "amble/walkers/legged/legged_robot.hpp"
#include "amble/walkers/legged/posed_links.hpp"

// Where a foot touches the ground, from what the file says about its link. All in the coordinates of the
// foot's link F.
namespace amble {

/// A flat or round piece of a foot on the ground.
struct FootSupport {
  Foot::Shape shape = Foot::Shape::sole;
  Vector3<double> up = Vector3<double>::UnitZ();  ///< normal of the plane, unit
  std::vector<Vector3<double>> corners;  ///< on that plane, counterclockwise from above; of a ball its center
  double radius = 0.0;                   ///< of a ball (m)
  int body = -1;                         ///< that has the shapes

  /// The middle of the polygon's area, of a line or a point; of a ball its lowest point.
  Vector3<double> center() const;
};

/// Depth of the band above the lowest plane whose points bear (m), and the corners that are kept of their
/// hull.
inline constexpr double kSupportBand = 3e-3;
inline constexpr int kMostCorners = 8;

enum class ShapeUse { collision, visual };

/// From the shapes of `links` (the foot's link first, then what it carries, placed as in `at`): the convex
/// hull of the points near the lowest plane. With `tilts` the plane is that of the largest face that looks
/// down within 45 degrees where the lowest points make none. `trouble` says why a mesh cannot be had, the
/// first one. Nothing: no shapes.
std::optional<FootSupport> support_of_shapes(const PosedLinks& at, const std::vector<int>& links,
                                             const Vector3<double>& up_F, ShapeUse use, bool tilts,
                                             std::string& trouble);

/// How far the shapes of a link reach down (m along `up_W`, world); nothing: no shapes.
std::optional<double> lowest_point(const PosedLinks& at, int link, const Vector3<double>& up_W);

/// The lowest frame or fixed body of the foot's link whose z is up within 5 degrees and that is below the
/// link's joint.
struct SoleFrame {
  std::string name;
  int body = -1;
  Pose X_FS;
};
std::optional<SoleFrame> sole_frame(const PosedLinks& at, int link, const Vector3<double>& up_F);
/// The lowest fixed body or frame below the joint, whichever way its axes are: the tip of a leg without an
/// ankle.
std::optional<SoleFrame> lowest_frame(const PosedLinks& at, int link, const Vector3<double>& up_F);

/// Half edges, along the axes of R_FA, of the box that has the link's mass and moments of inertia (m).
Vector3<double> inertia_box(const Inertia<double>& inertia, const SO3<double>& R_FA);

/// The convex hull of points of a plane with the normal `up`, counterclockwise from above, with at most
/// `most` corners: those go first whose loss costs the least area, so that the polygon stays inside.
std::vector<Vector3<double>> support_hull(std::vector<Vector3<double>> points, const Vector3<double>& up,
                                          int most = kMostCorners);

}  // namespace amble
