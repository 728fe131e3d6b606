#include <algorithm>
#include <cmath>

#include "amble/contact/collide_parts.hpp"
#include "amble/contact/support.hpp"

namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;

/// Takes points of b and keeps those below the margin.
struct Sieve {
  const Vector3<double>& origin;  // of the plane
  Vector3<double> normal;
  double margin;
  ContactManifold& out;

  double height(const Vector3<double>& p) const { return normal.dot(p - origin); }
  void take(const Vector3<double>& p, std::uint32_t key) const {
    const double distance = height(p);
    if (distance < margin) put_on_b(p, normal, distance, key, out);
  }
};

/// The four corners of the face that looks down most: what a box rests on. Its lowest corner is among them.
void put_box(const Sieve& sieve, const Placed& b) {
  const Vector3<double> along = b.R.transpose() * sieve.normal;
  int face = 0;
  if (std::abs(along[1]) > std::abs(along[face])) face = 1;
  if (std::abs(along[2]) > std::abs(along[face])) face = 2;
  const int i = (face + 1) % 3, j = (face + 2) % 3;
  const double down = along[face] > 0.0 ? -1.0 : 1.0;
  const Vector3<double> middle = b.p + down * b.shape.size[face] * b.R.col(face);
  const Vector3<double> u = b.shape.size[i] * b.R.col(i), w = b.shape.size[j] * b.R.col(j);
  const double lowest = sieve.height(middle) - std::abs(sieve.normal.dot(u)) - std::abs(sieve.normal.dot(w));
  if (!(lowest < sieve.margin)) return;
  const std::uint32_t key = 8 * face + (down > 0.0 ? 4 : 0);
  sieve.take(middle - u - w, key);
  sieve.take(middle + u - w, key + 1);
  sieve.take(middle + u + w, key + 2);
  sieve.take(middle - u + w, key + 3);
}

constexpr double kUpright = 1e-6;  // sine of a lean: what leans more rolls on its rim
constexpr double kLevel = 1e-12;   // m: what a lowest point may be missed by

/// Which way the rim is lowest. Level to rounding any four points of it will do, but they must not wander: the way `near` while
/// one of the four is as low as can be.
Vector3<double> lowest_way(const Vector3<double>& leaning, const Vector3<double>& axis, const Placed& b,
                           const Vector3<double>* near) {
  const double lean = leaning.norm(), r = b.shape.size[0];
  if (lean > kUpright) return leaning / lean;
  Vector3<double> way = near != nullptr ? Vector3<double>(*near - axis.dot(*near) * axis) : Vector3<double>::Zero();
  if (!(way.norm() > 1e-6 * (near != nullptr ? near->norm() : 1.0))) way = b.R.col(0);
  way.normalize();
  const double lowest = std::max(std::abs(leaning.dot(way)), std::abs(leaning.dot(cross<double>(axis, way))));
  return r * (lean - lowest) < kLevel ? way : Vector3<double>(leaning / lean);
}

/// The lowest point of each rim, and three more of the lower one, a quarter turn apart.
void put_cylinder(const Sieve& sieve, const Placed& b, const Vector3<double>* near) {
  const Vector3<double> axis = b.R.col(2);
  const double upright = axis.dot(sieve.normal);
  const Vector3<double> leaning = upright * axis - sieve.normal;  // down the flat ends
  const Vector3<double> w = lowest_way(leaning, axis, b, near), t = cross<double>(axis, w);
  const double r = b.shape.size[0];
  const Vector3<double> half = (upright > 0.0 ? -1.0 : 1.0) * b.shape.size[1] * axis;
  sieve.take(b.p + half + r * w, 0);
  sieve.take(b.p - half + r * w, 1);
  sieve.take(b.p + half + r * t, 2);
  sieve.take(b.p + half - r * t, 3);
  sieve.take(b.p + half - r * w, 4);
}

void put_ellipsoid(const Sieve& sieve, const Placed& b) {
  const Vector3<double> scaled =
      b.shape.size.cwiseProduct(b.R.transpose() * sieve.normal);  // DS (3.7), by the support function
  sieve.take(b.p - b.R * b.shape.size.cwiseProduct(scaled) / scaled.norm(), 0);
}

/// Up to eight corners below the margin; when there are more, four that span them: the lowest, the farthest
/// from that, and the farthest to either side of the line between the two.
void put_mesh(const Sieve& sieve, const Placed& b) {
  const auto& vertices = b.shape.mesh->vertices();
  const Vector3<double> along = b.R.transpose() * sieve.normal;
  const double lift = sieve.height(b.p);
  if (!(lift + along.dot(b.shape.mesh->middle()) - b.shape.mesh->radius() < sieve.margin)) return;
  int corner = 0;
  const double bottom = lift - support_height(b.shape, -along, corner);
  if (!(bottom < sieve.margin)) return;
  thread_local std::vector<int> low;  // kept, so that steps do not allocate
  corners_near_top(*b.shape.mesh, -along, sieve.margin - bottom, corner, low);
  std::sort(low.begin(), low.end());
  const auto each_low = [&](auto use) {
    for (const int i : low)
      if (const double height = lift + along.dot(vertices[i]); height < sieve.margin) use(static_cast<std::uint32_t>(i), height);
  };
  int count = 0;
  std::uint32_t lowest = 0;
  double least = sieve.margin;
  each_low([&](std::uint32_t i, double height) {
    ++count;
    if (height < least) least = height, lowest = i;
  });
  const auto put = [&](std::uint32_t i) { sieve.take(b.R * vertices[i] + b.p, i); };
  if (count <= ContactManifold::kMost) return each_low([&](std::uint32_t i, double) { put(i); });

  std::uint32_t far = lowest, left = lowest, right = lowest;
  double most = 0.0, most_left = 0.0, most_right = 0.0;
  each_low([&](std::uint32_t i, double) {
    const double away = (vertices[i] - vertices[lowest]).squaredNorm();
    if (away > most) most = away, far = i;
  });
  const Vector3<double> across = cross<double>(along, vertices[far] - vertices[lowest]);
  each_low([&](std::uint32_t i, double) {
    const double side = across.dot(vertices[i] - vertices[lowest]);
    if (side > most_left) most_left = side, left = i;
    if (-side > most_right) most_right = -side, right = i;
  });
  put(lowest);
  put(far);
  if (left != lowest) put(left);
  if (right != lowest) put(right);
}

}  // namespace

void plane_and_convex(const Placed& a, const Placed& b, double margin, const Vector3<double>* near, ContactManifold& out) {
  const Sieve sieve{a.p, a.R.col(2), margin, out};
  const double r = b.shape.size[0];
  switch (b.shape.kind) {
    case Kind::sphere:
      return sieve.take(b.p - r * sieve.normal, 0);
    case Kind::capsule: {
      const Vector3<double> half = b.shape.size[1] * b.R.col(2), low = b.p - r * sieve.normal;
      sieve.take(low - half, 0);
      return sieve.take(low + half, 1);
    }
    case Kind::box:
      return put_box(sieve, b);
    case Kind::cylinder:
      return put_cylinder(sieve, b, near);
    case Kind::ellipsoid:
      return put_ellipsoid(sieve, b);
    case Kind::mesh:
      return put_mesh(sieve, b);
    case Kind::plane:
    case Kind::ground:
      break;
  }
}

}  // namespace amble::detail
