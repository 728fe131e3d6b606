#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/contact/collide_parts.hpp"
#include "amble/contact/nearest_shapes.hpp"
#include "amble/contact/support.hpp"

namespace amble::detail {

namespace {

/// Faces within 2.6 degrees of flat on each other touch at the corners of what they share.
constexpr double kNearlyFlat = 0.045;
/// Of the shapes' size: sunk in deeper than this, another direction may be the way out.
constexpr double kShallow = 1e-3;

/// The nearest points, without a search while they are about where they were.
NearestShapes nearest(const Placed& a, const Placed& b, const Vector3<double>* near) {
  const Pose X_WA(SO3<double>(a.R), a.p), X_WB(SO3<double>(b.R), b.p);
  if (near != nullptr) {
    const NearestShapes out = nearest_shapes_from(a.shape, X_WA, b.shape, X_WB, *near);
    if (out.proven && out.distance > -kShallow * std::min(a.shape.reach(), b.shape.reach())) return out;
  }
  return nearest_shapes(a.shape, X_WA, b.shape, X_WB);
}

void outline(const Placed& shape, const Vector3<double>& n, int corner, std::vector<Vector3<double>>& out) {
  support_outline(shape.shape, shape.R.transpose() * n, kNearlyFlat, corner, out);
  for (Vector3<double>& x : out) x = shape.R * x + shape.p;
}

/// False for points, and for edges that cross.
bool run_along(const std::vector<Vector3<double>>& a, const std::vector<Vector3<double>>& b) {
  if (a.size() < 2 || b.size() < 2) return false;
  if (a.size() > 2 || b.size() > 2) return true;
  return std::abs((a[1] - a[0]).normalized().dot((b[1] - b[0]).normalized())) > 0.999;
}

/// Of more corners than a manifold holds: those farthest apart in turn.
void thin_out(std::vector<std::pair<Vector3<double>, Vector3<double>>>& points) {
  for (int i = 1; i < ContactManifold::kMost; ++i) {
    int far = i;
    double most = -1.0;
    for (int k = i; k < static_cast<int>(points.size()); ++k) {
      double nearest = std::numeric_limits<double>::infinity();
      for (int j = 0; j < i; ++j)
        nearest = std::min(nearest, (points[k].second - points[j].second).squaredNorm());
      if (nearest > most) most = nearest, far = k;
    }
    std::swap(points[i], points[far]);
  }
  points.resize(ContactManifold::kMost);
}

/// The nearest points, and the corners of what lies flat. `corner_a`, `corner_b`: of meshes, where to climb
/// from.
void put_nearest(const Placed& a, const Placed& b, const NearestShapes& nearest, double margin, int corner_a,
                 int corner_b, ContactManifold& out) {
  if (!(nearest.distance < margin)) return;
  const Vector3<double>& n = nearest.normal;
  thread_local std::vector<Vector3<double>> on_a, on_b;  // kept, so that steps do not allocate
  thread_local std::vector<std::pair<Vector3<double>, Vector3<double>>> shared;
  shared.clear();
  outline(a, n, corner_a, on_a);
  if (on_a.size() > 1) outline(b, -n, corner_b, on_b);
  if (on_a.size() > 1 && run_along(on_a, on_b)) overlap(on_a, on_b, n, shared);
  if (shared.size() > ContactManifold::kMost) thin_out(shared);
  std::uint32_t key = 1;
  for (const auto& [p_a, p_b] : shared) {
    const double distance = n.dot(p_b - p_a);
    if (distance < margin) put_on_b(p_b, n, distance, key++, out);
  }
  // The nearest points too, unless a corner is as near.
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < out.count; ++i) least = std::min(least, out.points[i].distance);
  if (least > nearest.distance + 1e-9 * (a.shape.reach() + b.shape.reach())) {
    if (out.count == ContactManifold::kMost) --out.count;
    put_on_b(nearest.p_b, n, nearest.distance, 0, out);
  }
}

}  // namespace

void convex_and_convex(const Placed& a, const Placed& b, double margin, const Vector3<double>* near,
                       ContactManifold& out) {
  put_nearest(a, b, nearest(a, b, near), margin, 0, 0, out);
}

void convex_and_convex_again(const Placed& a, const Placed& b, double margin, double moved,
                             PairMemory& memory, ContactManifold& out) {
  const Pose X_WA(SO3<double>(a.R), a.p), X_WB(SO3<double>(b.R), b.p);
  const NearestShapes nearest = nearest_shapes_again(a.shape, X_WA, b.shape, X_WB, margin, moved, memory);
  put_nearest(a, b, nearest, margin, memory.corner_a, memory.corner_b, out);
}

}  // namespace amble::detail
