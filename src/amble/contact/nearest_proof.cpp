#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>

#include "amble/contact/shape_meeting.hpp"

// Whether two pieces were the right ones: the points lie in the shapes, and nothing of a shape is farther
// along n.
namespace amble::detail {

namespace {

/// Faces and edges are tried while the direction we start from is within this of normal to them: it may be
/// wrong by that much.
constexpr double kMostTilt = 0.1;

/// The columns along which the points may slide: p_b - p_a changes by them.
Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::DontAlign, 3, 4> slide_matrix(const Meeting& m) {
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::DontAlign, 3, 4> out(3, m.a.free + m.b.free);
  for (int i = 0; i < m.a.free; ++i) out.col(i) = -m.a.edges[i];
  for (int i = 0; i < m.b.free; ++i) out.col(m.a.free + i) = m.b.edges[i];
  return out;
}

/// Where flat lies on flat: the middle of what the two outlines share.
bool share_middle(const Side& a, const Side& b, const Meeting& m, NearestShapes& out) {
  thread_local std::vector<Vector3<double>> on_a, on_b;  // kept, so that steps do not allocate
  thread_local std::vector<std::pair<Vector3<double>, Vector3<double>>> shared;
  support_outline(a.shape, a.R.transpose() * m.n, 1e-7, on_a);
  support_outline(b.shape, b.R.transpose() * -m.n, 1e-7, on_b);
  for (Vector3<double>& x : on_a) x = a.R * x + a.p;
  for (Vector3<double>& x : on_b) x = b.R * x + b.p;
  Vector3<double> sum = Vector3<double>::Zero();
  int count = 0;
  if (a.shape.kind == CollisionShape::Kind::plane) {
    for (const Vector3<double>& x : on_b) sum += x, ++count;
  } else if (!on_a.empty() && !on_b.empty()) {
    overlap(on_a, on_b, m.n, shared);
    for (const auto& [p_a, p_b] : shared) sum += p_b, ++count;
  }
  if (count == 0) return false;
  out.p_b = sum / count;
  out.p_a = out.p_b - m.distance * m.n;
  return true;
}

bool proves(const Side& a, const Side& b, const NearestShapes& at, double tolerance) {
  return (at.p_b - at.p_a - at.distance * at.normal).norm() <= tolerance && a.outside(at.p_a) <= tolerance &&
         b.outside(at.p_b) <= tolerance && a.height(at.normal) - at.normal.dot(at.p_a) <= tolerance &&
         b.height(-at.normal) + at.normal.dot(at.p_b) <= tolerance;
}

/// With two pieces; not proven when these are the wrong ones.
NearestShapes try_pieces(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids,
                         Meeting& m) {
  NearestShapes out{Vector3<double>::Zero(), Vector3<double>::Zero(), n0, 0.0, true, false};
  if (!settle(a, b, n0, ids, m))
    meet(a, b, n0, ids, m);  // where a rim just touches, many directions do: then this one
  const double tolerance = kProof * (a.size() + b.size()) + 1e-14 * (a.p - b.p).norm();
  // what is cheap to tell first: near n0, no worse than it, and nothing farther along n
  if (m.n.dot(n0) < 0.9 || m.distance < gap(a, b, n0) - tolerance ||
      a.height(m.n) - m.n.dot(m.a.at) > tolerance || b.height(-m.n) + m.n.dot(m.b.at) > tolerance)
    return out;
  const Slides by = slide(m, m.distance * m.n - (m.b.at - m.a.at));
  out.p_a = m.a.at + by.on_a;
  out.p_b = m.b.at + by.on_b;
  out.normal = m.n;
  out.distance = m.distance;
  out.one_pair = by.one;
  if (!by.one && !share_middle(a, b, m, out)) return out;
  out.proven = proves(a, b, out, tolerance);
  if (out.proven) out.p_a = out.p_b - out.distance * out.normal;  // to rounding
  return out;
}

}  // namespace

Slides slide(const Meeting& m, const Vector3<double>& change) {
  Slides out;
  const int count = m.a.free + m.b.free;
  if (count == 0) return out;
  Eigen::JacobiSVD<Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 4>> svd(
      slide_matrix(m), Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(1e-7);
  out.one = svd.rank() == count;
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1> x = svd.solve(Eigen::Vector3d(change));
  for (int i = 0; i < m.a.free; ++i) out.on_a += x[i] * m.a.edges[i];
  for (int i = 0; i < m.b.free; ++i) out.on_b += x[m.a.free + i] * m.b.edges[i];
  return out;
}

NearestShapes from_direction(const Side& a, const Side& b, const Vector3<double>& n0, Meeting& m) {
  PieceList of_a, of_b;
  pieces_near(a.shape, a.R.transpose() * n0, of_a);
  pieces_near(b.shape, b.R.transpose() * -n0, of_b);
  thread_local std::vector<Try> tries;  // kept, so that ticks of a controller do not allocate
  tries.clear();
  for (int i = 0; i < of_a.count; ++i)
    for (int j = 0; j < of_b.count; ++j) {
      const double tilt = std::max(of_a.ids[i].tilt, of_b.ids[j].tilt);
      // of what is met alike, the widest: a face rather than its corner
      const double rank = tilt < 1e-9 ? -of_a.ids[i].free - of_b.ids[j].free : tilt;
      if (tilt > kMostTilt) continue;
      const auto after = [](double r, const Try& y) { return r < y.rank; };
      tries.insert(std::upper_bound(tries.begin(), tries.end(), rank, after), {of_a.ids[i], of_b.ids[j], rank});
    }
  for (const Try& ids : tries) {
    const NearestShapes out = try_pieces(a, b, n0, ids, m);
    if (out.proven) return out;
  }
  return {Vector3<double>::Zero(), Vector3<double>::Zero(), n0, 0.0, true, false};
}

NearestShapes nearest_shapes_from(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                                  const Pose& X_WB, const Vector3<double>& normal) {
  Meeting m;
  return from_direction(side(a, X_WA), side(b, X_WB), normal, m);
}

}  // namespace amble::detail
