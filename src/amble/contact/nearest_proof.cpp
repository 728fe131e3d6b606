#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "amble/contact/shape_meeting.hpp"

// Whether two pieces were the right ones: the points lie in the shapes, and nothing of a shape is farther
// along n.
namespace amble::detail {

namespace {

// Of the size: sunk in by more than this, the gap must be the largest among directions near it. Less is
// rounding where things touch, along whatever direction.
constexpr double kSunk = 1e-6;
constexpr double kAligned = 1e-7;  // half the sine between edges that count as parallel

NearestShapes unproven(const Vector3<double>& n0) {
  return {Vector3<double>::Zero(), Vector3<double>::Zero(), n0, 0.0, true, false};
}

/// Where flat lies on flat: the middle of what the two outlines share.
bool share_middle(const Side& a, const Side& b, const Meeting& m, NearestShapes& out) {
  thread_local std::vector<Vector3<double>> on_a, on_b;  // kept, so that steps do not allocate
  thread_local std::vector<std::pair<Vector3<double>, Vector3<double>>> shared;
  a.outline(m.n, 1e-7, on_a);
  b.outline(-m.n, 1e-7, on_b);
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

bool proves(const Side& a, const Side& b, const Try& ids, const NearestShapes& at, double tolerance) {
  return (at.p_b - at.p_a - at.distance * at.normal).norm() <= tolerance &&
         a.outside(ids.a, at.p_a) <= tolerance && b.outside(ids.b, at.p_b) <= tolerance &&
         a.height(at.normal) - at.normal.dot(at.p_a) <= tolerance &&
         b.height(-at.normal) + at.normal.dot(at.p_b) <= tolerance;
}

/// With two pieces; not proven when these are the wrong ones.
NearestShapes try_pieces(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids,
                         Meeting& m) {
  NearestShapes out = unproven(n0);
  if (!settle(a, b, n0, ids, m))
    meet(a, b, n0, ids, m);  // where a rim just touches, many directions do: then this one
  const double size = a.size() + b.size(), tolerance = kProof * size + 1e-14 * (a.p - b.p).norm();
  // what is cheap to tell first: near n0, no worse than it, and nothing farther along n
  if (m.n.dot(n0) < 0.9 || m.distance < gap(a, b, n0) - tolerance ||
      a.height(m.n) - m.n.dot(m.a.at) > tolerance || b.height(-m.n) + m.n.dot(m.b.at) > tolerance)
    return out;
  if (m.distance < -kSunk * size && !highest(m)) return out;
  const Slides by = slide(m, m.distance * m.n - (m.b.at - m.a.at));
  out.p_a = m.a.at + by.on_a;
  out.p_b = m.b.at + by.on_b;
  out.normal = m.n;
  out.distance = m.distance;
  out.one_pair = by.one;
  if (!by.one && !share_middle(a, b, m, out)) return out;
  out.proven = proves(a, b, ids, out, tolerance);
  if (out.proven) out.p_a = out.p_b - out.distance * out.normal;  // to rounding
  return out;
}

/// All pairs of pieces near n0, as a heap with the best on top.
void find_tries(const Side& a, const Side& b, const Vector3<double>& n0, std::vector<Try>& tries) {
  PieceList of_a, of_b;
  a.pieces(n0, of_a);
  b.pieces(-n0, of_b);
  tries.clear();
  for (int i = 0; i < of_a.count; ++i)
    for (int j = 0; j < of_b.count; ++j) {
      const double tilt = std::max(of_a.ids[i].tilt, of_b.ids[j].tilt);
      // of what is met alike, the widest: a face rather than its corner
      tries.push_back({of_a.ids[i], of_b.ids[j], tilt < 1e-9 ? -of_a.ids[i].free - of_b.ids[j].free : tilt});
    }
}

bool later(const Try& x, const Try& y) { return x.rank > y.rank; }

NearestShapes from_pieces(const Side& a, const Side& b, const Vector3<double>& n0, Meeting& m, Try& found) {
  thread_local std::vector<Try> tries;  // kept, so that ticks of a controller do not allocate
  find_tries(a, b, n0, tries);
  std::make_heap(tries.begin(), tries.end(), later);
  for (auto end = tries.end(); end != tries.begin(); --end) {
    std::pop_heap(tries.begin(), end, later);
    const NearestShapes out = try_pieces(a, b, n0, found = end[-1], m);
    if (out.proven) return out;
  }
  return unproven(n0);
}

/// An edge of each, not parallel: s on a and t on b with t e_b - s e_a = change.
Slides slide_edges(const Vector3<double>& e_a, const Vector3<double>& e_b, const Vector3<double>& change) {
  Slides out;
  const double cosine = e_a.dot(e_b), square = 1.0 - cosine * cosine;
  out.one = square > 4.0 * kAligned * kAligned;
  if (!out.one) return out;
  const double along_a = e_a.dot(change), along_b = e_b.dot(change);
  out.on_a = (cosine * along_b - along_a) / square * e_a;
  out.on_b = (along_b - cosine * along_a) / square * e_b;
  return out;
}

}  // namespace

Slides slide(const Meeting& m, const Vector3<double>& change) {
  Slides out;
  if (m.a.free == 1 && m.b.free == 1) return slide_edges(m.a.edges[0], m.b.edges[0], change);
  out.one = m.a.free + m.b.free <= 2;
  if (!out.one) return out;
  for (int i = 0; i < m.a.free; ++i) out.on_a -= m.a.edges[i].dot(change) * m.a.edges[i];
  for (int i = 0; i < m.b.free; ++i) out.on_b += m.b.edges[i].dot(change) * m.b.edges[i];
  return out;
}

NearestShapes from_direction(const Side& a, const Side& b, const Vector3<double>& n0, Meeting& m,
                             PairMemory* memory) {
  Try ids;
  NearestShapes out = unproven(n0);
  if (memory != nullptr && memory->met)
    out = try_pieces(a, b, n0, ids = {memory->piece_a, memory->piece_b, 0.0}, m);
  if (!out.proven) out = from_pieces(a, b, n0, m, ids);
  if (memory == nullptr) return out;
  memory->met = out.proven;
  memory->piece_a = ids.a, memory->piece_b = ids.b;
  return out;
}

NearestShapes nearest_shapes_from(const CollisionShape& a, const Pose& X_WA, const CollisionShape& b,
                                  const Pose& X_WB, const Vector3<double>& normal) {
  Meeting m;
  return from_direction(side(a, X_WA), side(b, X_WB), normal, m);
}

}  // namespace amble::detail
