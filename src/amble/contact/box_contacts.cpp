#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/contact/collide_parts.hpp"

// Boxes with boxes, capsules and spheres: the best separating axis, and what the features on it have in
// common (Gottschalk, Lin and Manocha 1996 for the axes; Sutherland and Hodgman 1974 for the clipping).
namespace amble::detail {

namespace {

/// Where a box is cut by a face's outline, points this much of its size outside still count: else a stack of
/// equal boxes would get corners that come and go by rounding.
constexpr double kSeam = 1e-6;
/// An edge against an edge is a matter of faces while its axis is this near (2.6 degrees) to the normal of
/// the best face: the faces' corners then say the same, and hold the body level.
constexpr double kNearFace = 0.999;

/// A point of the incident face: across the reference face (x, y), above it (z), and what it is a corner of.
struct ClipPoint {
  double x, y, z;
  std::uint32_t key;
};

struct Polygon {
  std::array<ClipPoint, 16> points;
  int count = 0;
  void add(const ClipPoint& p) { points[count++] = p; }
};

double coordinate(const ClipPoint& p, int axis) { return axis == 0 ? p.x : p.y; }

/// What of `in` has sign * (x or y) <= limit.
void clip(const Polygon& in, int axis, double sign, double limit, Polygon& out) {
  out.count = 0;
  const double seam = limit * kSeam;
  for (int i = 0; i < in.count; ++i) {
    const ClipPoint &p = in.points[i], &next = in.points[i + 1 < in.count ? i + 1 : 0];
    const double beyond = sign * coordinate(p, axis) - limit,
                 beyond_next = sign * coordinate(next, axis) - limit;
    const bool inside = beyond <= seam, inside_next = beyond_next <= seam;
    if (inside) out.add(p);
    if (inside == inside_next || std::min(beyond, beyond_next) >= -seam)
      continue;  // a corner on the line is the crossing
    const double s = beyond / (beyond - beyond_next);
    out.add({p.x + s * (next.x - p.x), p.y + s * (next.y - p.y), p.z + s * (next.z - p.z),
             0x100u + 64 * (2 * axis + (sign > 0.0)) + (p.key & 7u) * 8 + (next.key & 7u)});
  }
}

/// The face of the reference box along `axis`, on the side of `side`, and the face of the incident box that
/// looks at it. `flipped`: the reference is b.
void clip_faces(const Placed& reference, int axis, double side, const Placed& incident, bool flipped,
                double margin, ContactManifold& out) {
  const Vector3<double> n = side * reference.R.col(axis);
  const int ix = (axis + 1) % 3, iy = (axis + 2) % 3;
  const Vector3<double> ux = reference.R.col(ix), uy = reference.R.col(iy);
  const Vector3<double> origin = reference.p + reference.shape.size[axis] * n;

  const Vector3<double> along = incident.R.transpose() * n;
  int face = 0;
  if (std::abs(along[1]) > std::abs(along[face])) face = 1;
  if (std::abs(along[2]) > std::abs(along[face])) face = 2;
  const int jx = (face + 1) % 3, jy = (face + 2) % 3;
  const double looks = along[face] > 0.0 ? -1.0 : 1.0;
  const Vector3<double> middle =
      incident.p + looks * incident.shape.size[face] * incident.R.col(face) - origin;
  const Vector3<double> ex = incident.shape.size[jx] * incident.R.col(jx),
                        ey = incident.shape.size[jy] * incident.R.col(jy);

  const auto across = [&](const Vector3<double>& d) {
    return Vector3<double>(ux.dot(d), uy.dot(d), n.dot(d));
  };
  const Vector3<double> m = across(middle), x = across(ex), y = across(ey);
  Polygon now, next;
  std::uint32_t key = 0;
  for (const auto& [sx, sy] : {std::pair(-1.0, -1.0), {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}})
    now.add(
        {m[0] + sx * x[0] + sy * y[0], m[1] + sx * x[1] + sy * y[1], m[2] + sx * x[2] + sy * y[2], key++});
  const double hx = reference.shape.size[ix], hy = reference.shape.size[iy];
  clip(now, 0, -1.0, hx, next);
  clip(next, 0, 1.0, hx, now);
  clip(now, 1, -1.0, hy, next);
  clip(next, 1, 1.0, hy, now);

  const std::uint32_t faces =
      0x1000u * (6 * (2 * axis + (side > 0.0)) + 2 * face + (looks > 0.0)) + (flipped ? 0x100000u : 0u);
  for (int i = 0; i < now.count; ++i) {
    const ClipPoint& p = now.points[i];
    if (!(p.z < margin)) continue;
    const Vector3<double> on_face = origin + p.x * ux + p.y * uy;
    if (flipped)
      put_on_b(on_face, -n, p.z, faces + p.key, out);
    else
      put_on_b(on_face + p.z * n, n, p.z, faces + p.key, out);
  }
}

/// The middle of the edge along `axis` that is farthest in the direction `n`.
Vector3<double> far_edge(const Placed& box, int axis, const Vector3<double>& n) {
  Vector3<double> middle = box.p;
  for (int k = 0; k < 3; ++k)
    if (k != axis) middle += (n.dot(box.R.col(k)) > 0.0 ? 1.0 : -1.0) * box.shape.size[k] * box.R.col(k);
  return middle;
}

/// The nearest points of two lines that are not parallel, as coordinates along them.
std::pair<double, double> between_lines(const Vector3<double>& a, const Vector3<double>& u,
                                        const Vector3<double>& b, const Vector3<double>& w) {
  const Vector3<double> d = b - a;
  const double c = u.dot(w), square = 1.0 - c * c, along_u = u.dot(d), along_w = w.dot(d);
  return {(along_u - c * along_w) / square, (c * along_u - along_w) / square};
}

/// The best axis so far: the bodies are `apart` along it, negative by how far they sink in.
struct Axis {
  double apart = -std::numeric_limits<double>::infinity();
  int i = 0, j = 0;   // of the faces, or edges
  double side = 1.0;  // of b seen from a
};

void put_edges(const Placed& a, const Placed& b, const Axis& best, const Vector3<double>& n, double margin,
               ContactManifold& out) {
  const Vector3<double> u = a.R.col(best.i), w = b.R.col(best.j);
  const Vector3<double> on_a = far_edge(a, best.i, n), on_b = far_edge(b, best.j, -n);
  const auto [s, t] = between_lines(on_a, u, on_b, w);
  const double past = std::max(std::abs(s) - a.shape.size[best.i], std::abs(t) - b.shape.size[best.j]);
  if (past > kSeam * a.shape.size[best.i])
    return convex_and_convex(a, b, margin, nullptr, out);  // apart, and past each other's ends
  const Vector3<double> p_b = on_b + t * w;
  const double distance = n.dot(p_b - on_a - s * u);
  if (distance < margin) put_on_b(p_b, n, distance, 0x200000u + 3 * best.i + best.j, out);
}

double least_distance(const ContactManifold& out) {
  double least = out.points[0].distance;
  for (int i = 1; i < out.count; ++i) least = std::min(least, out.points[i].distance);
  return least;
}

}  // namespace

void box_and_box(const Placed& a, const Placed& b, double margin, ContactManifold& out) {
  const Matrix3<double> R = a.R.transpose() * b.R;
  const Vector3<double> t = a.R.transpose() * (b.p - a.p);
  const Vector3<double>&ha = a.shape.size, &hb = b.shape.size;
  const Matrix3<double> Q = R.cwiseAbs();

  Axis on_a, on_b, edges;
  for (int i = 0; i < 3; ++i) {
    const double apart = std::abs(t[i]) - ha[i] - (Q(i, 0) * hb[0] + Q(i, 1) * hb[1] + Q(i, 2) * hb[2]);
    if (!(apart < margin)) return;
    if (apart > on_a.apart) on_a = {apart, i, 0, t[i] < 0.0 ? -1.0 : 1.0};
  }
  for (int j = 0; j < 3; ++j) {
    const double along = t[0] * R(0, j) + t[1] * R(1, j) + t[2] * R(2, j);
    const double apart = std::abs(along) - hb[j] - (Q(0, j) * ha[0] + Q(1, j) * ha[1] + Q(2, j) * ha[2]);
    if (!(apart < margin)) return;
    if (apart > on_b.apart) on_b = {apart, 0, j, along < 0.0 ? -1.0 : 1.0};
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const double square = 1.0 - R(i, j) * R(i, j);
      if (square < 1e-10) continue;  // parallel edges tell nothing that the faces do not
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double along = t[i2] * R(i1, j) - t[i1] * R(i2, j);
      const double apart =
          (std::abs(along) - ha[i1] * Q(i2, j) - ha[i2] * Q(i1, j) - hb[j1] * Q(i, j2) - hb[j2] * Q(i, j1)) /
          std::sqrt(square);
      if (!(apart < margin)) return;
      if (apart > edges.apart) edges = {apart, i, j, along < 0.0 ? -1.0 : 1.0};
    }
  }

  // A face of b only when it is clearly better, so that the choice does not flicker.
  const double size = std::min(ha.minCoeff(), hb.minCoeff());
  const bool use_b = on_b.apart > on_a.apart + 1e-6 * size;
  const double face_apart = use_b ? on_b.apart : on_a.apart;
  const Vector3<double> face_normal = use_b ? on_b.side * b.R.col(on_b.j) : on_a.side * a.R.col(on_a.i);
  if (edges.apart > face_apart + 1e-6 * size) {
    const Vector3<double> n = edges.side * cross<double>(a.R.col(edges.i), b.R.col(edges.j)).normalized();
    if (n.dot(face_normal) < kNearFace) put_edges(a, b, edges, n, margin, out);
  }
  if (out.count == 0 && use_b) clip_faces(b, on_b.j, -on_b.side, a, true, margin, out);
  if (out.count == 0 && !use_b) clip_faces(a, on_a.i, on_a.side, b, false, margin, out);
  // Corner past corner: nothing, or not what is nearest, is above the face. Only while they are apart.
  const double apart = std::max(face_apart, edges.apart);
  if (out.count > 0 && (apart <= 0.0 || least_distance(out) <= 1.002 * apart + 1e-6 * size)) return;
  out.count = 0;
  convex_and_convex(a, b, margin, nullptr, out);
}

namespace {

/// A stick -half u .. half u about c in the axes of a box with these half edges, and how far from the box its
/// points are.
struct StickOverBox {
  Vector3<double> c, u;
  double half;
  const Vector3<double>& edges;

  Vector3<double> at(double s) const { return c + s * u; }
  /// Half the derivative of the squared distance: it never falls along the stick.
  double slope(double s) const {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double x = c[i] + s * u[i];
      sum += u[i] * (x - std::clamp(x, -edges[i], edges[i]));
    }
    return sum;
  }
  /// The middle of where the distance is least, exactly: the slope is a broken line with breaks where the
  /// stick crosses the six planes.
  double nearest() const {
    std::array<double, 8> breaks;
    int count = 0;
    breaks[count++] = -half;
    for (int i = 0; i < 3; ++i)
      for (const double side : {-1.0, 1.0}) {
        const double s = (side * edges[i] - c[i]) / u[i];
        if (!(std::abs(s) < half)) continue;
        int k = count++;
        for (; breaks[k - 1] > s; --k) breaks[k] = breaks[k - 1];
        breaks[k] = s;
      }
    breaks[count++] = half;
    return 0.5 * (edge_of_zero(breaks, count, false) + edge_of_zero(breaks, count, true));
  }

 private:
  /// The first (or last) place where the slope is zero.
  double edge_of_zero(const std::array<double, 8>& breaks, int count, bool last) const {
    const double tiny = 1e-14 * (edges.maxCoeff() + half);
    const double level = last ? tiny : -tiny;
    double s0 = breaks[0], f0 = slope(s0) - level;
    if (f0 >= 0.0) return s0;
    for (int k = 1; k < count; ++k) {
      const double s1 = breaks[k], f1 = slope(s1) - level;
      if (f1 >= 0.0) return f1 > f0 ? s0 + (s1 - s0) * (-f0 / (f1 - f0)) : s0;
      s0 = s1, f0 = f1;
    }
    return half;
  }
};

/// A ball about c (axes of the box) against it.
void put_ball(const Placed& box, const Vector3<double>& c, double radius, double margin, std::uint32_t key,
              ContactManifold& out) {
  const Vector3<double>& h = box.shape.size;
  const Vector3<double> on = c.cwiseMax(-h).cwiseMin(h), d = c - on;
  const double square = d.squaredNorm(), reach = radius + margin;
  if (!(square < reach * reach)) return;
  if (square > 0.0) {
    const double apart = std::sqrt(square);
    const Vector3<double> n = box.R * (d / apart);
    return put_on_b(box.p + box.R * c - radius * n, n, apart - radius, key, out);
  }
  int face = 0;  // inside: out through the nearest face
  for (int i = 1; i < 3; ++i)
    if (h[i] - std::abs(c[i]) < h[face] - std::abs(c[face])) face = i;
  const double side = c[face] < 0.0 ? -1.0 : 1.0;
  const Vector3<double> n = side * box.R.col(face);
  put_on_b(box.p + box.R * c - radius * n, n, std::abs(c[face]) - h[face] - radius, key, out);
}

/// From where to where the stick is over a face.
std::pair<double, double> over_face(const StickOverBox& stick, int face) {
  double from = -stick.half, to = stick.half;
  for (int i = 0; i < 3; ++i) {
    if (i == face) continue;
    const double limit = stick.edges[i] * (1.0 + kSeam);
    if (std::abs(stick.u[i]) < 1e-12) {
      if (std::abs(stick.c[i]) > limit) return {1.0, -1.0};
      continue;
    }
    const double s0 = (-limit - stick.c[i]) / stick.u[i], s1 = (limit - stick.c[i]) / stick.u[i];
    from = std::max(from, std::min(s0, s1)), to = std::min(to, std::max(s0, s1));
  }
  return {from, to};
}

void put_stick_on_face(const Placed& box, const StickOverBox& stick, int face, double side, double radius,
                       double margin, ContactManifold& out) {
  const auto [from, to] = over_face(stick, face);
  const Vector3<double> n = side * box.R.col(face);
  const auto put = [&](double s, std::uint32_t key) {
    const Vector3<double> x = stick.at(s);
    const double distance = side * x[face] - stick.edges[face] - radius;
    if (distance < margin) put_on_b(box.p + box.R * x - radius * n, n, distance, key, out);
  };
  const std::uint32_t key = 4 * (2 * face + (side > 0.0));
  put(from, key);
  if (to - from > kSeam * stick.half) put(to, key + 1);
}

/// Balls at the nearest place of the stick, and at the ends of what else of it may touch: of the part over a
/// face where it runs nearly along it, else of the whole.
void put_stick_outside(const Placed& box, const StickOverBox& stick, double s, const Vector3<double>& d,
                       double radius, double margin, ContactManifold& out) {
  int face = 0;
  d.cwiseAbs().maxCoeff(&face);
  const auto [over_from, over_to] = over_face(stick, face);
  const bool level = std::abs(stick.u[face]) < 0.05 && over_from <= over_to;
  const double from = level ? over_from : -stick.half, to = level ? over_to : stick.half,
               seam = kSeam * stick.half;
  const std::uint32_t key = 0x200u + (level ? 4 * (face + 1) : 0);
  if (!(level && s > from - seam && s < to + seam)) put_ball(box, stick.at(s), radius, margin, key, out);
  if (level || s > from + seam) put_ball(box, stick.at(from), radius, margin, key + 1, out);
  if ((level && to - from > seam) || (!level && s < to - seam))
    put_ball(box, stick.at(to), radius, margin, key + 2, out);
}

/// A stick that goes through the box: out along the axis of least depth.
void put_sunk_stick(const Placed& box, const StickOverBox& stick, double radius, double margin,
                    ContactManifold& out) {
  Axis face, edge;
  for (int i = 0; i < 3; ++i) {
    const double apart = std::abs(stick.c[i]) - stick.edges[i] - stick.half * std::abs(stick.u[i]);
    if (apart > face.apart) face = {apart, i, 0, stick.c[i] < 0.0 ? -1.0 : 1.0};
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const double length = std::hypot(stick.u[i1], stick.u[i2]);
    if (length < 1e-5) continue;
    const double along = (stick.c[i2] * stick.u[i1] - stick.c[i1] * stick.u[i2]) / length;
    const double apart =
        std::abs(along) -
        (stick.edges[i1] * std::abs(stick.u[i2]) + stick.edges[i2] * std::abs(stick.u[i1])) / length;
    if (apart > edge.apart) edge = {apart, i, 0, along < 0.0 ? -1.0 : 1.0};
  }
  if (edge.apart > face.apart + 1e-6 * stick.edges.minCoeff()) {
    const Vector3<double> u = box.R * stick.u;
    const Vector3<double> n = edge.side * cross<double>(box.R.col(edge.i), u).normalized();
    const Vector3<double> on_box = far_edge(box, edge.i, n), middle = box.p + box.R * stick.c;
    const auto [s, t] = between_lines(on_box, box.R.col(edge.i), middle, u);
    const Vector3<double> p_b = middle + t * u - radius * n;
    const double distance = n.dot(p_b - on_box - s * box.R.col(edge.i));
    if (distance < margin) put_on_b(p_b, n, distance, 0x100u + edge.i, out);
    return;
  }
  put_stick_on_face(box, stick, face.i, face.side, radius, margin, out);
}

}  // namespace

void box_and_capsule(const Placed& a, const Placed& b, double margin, ContactManifold& out) {
  const double radius = b.shape.size[0], half = b.shape.size[1];
  const Vector3<double> c = a.R.transpose() * (b.p - a.p);
  const double reach = radius + half + margin;
  if ((c.cwiseAbs() - a.shape.size).maxCoeff() >= reach) return;
  if (half == 0.0) return put_ball(a, c, radius, margin, 0, out);

  const StickOverBox stick{c, a.R.transpose() * b.R.col(2), half, a.shape.size};
  const double s = stick.nearest();
  const Vector3<double> x = stick.at(s), d = x - x.cwiseMax(-stick.edges).cwiseMin(stick.edges);
  const double apart = d.norm();
  if (!(apart - radius < margin)) return;
  if (apart < 1e-9 * stick.edges.minCoeff()) return put_sunk_stick(a, stick, radius, margin, out);
  put_stick_outside(a, stick, s, d, radius, margin, out);
}

}  // namespace amble::detail
