#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/contact/shape_meeting.hpp"

// With two pieces known, the direction in which the gap between them is stationary: Newton's method in the
// directions that n may turn to, one or two numbers.
namespace amble::detail {

namespace {

constexpr double kLongest = 0.3;  // rad: of a step
constexpr double kRounding =
    4e-16;  // of the size: points that are no farther off each other are where they should be
constexpr double kSettled = 1e-6;  // rad: turns that are then a matter of rounding

Flats flats(const SupportPiece& a, const SupportPiece& b) {
  Flats out;
  for (int i = 0; i < a.free; ++i) out.add(a.edges[i]);
  for (int i = 0; i < b.free; ++i) out.add(b.edges[i]);
  return out;
}

/// Corners and edges: n is along the way between, or, where they touch, as it was.
void settle_sharp(Meeting& m, double tiny) {
  const Vector3<double> between = m.flat.without(m.b.at - m.a.at);
  // projected once more: a short way keeps the rounding of long ones along the edges
  if (between.norm() > tiny)
    m.n = (between.dot(m.n) < 0.0 ? -1.0 : 1.0) * m.flat.without(between.normalized()).normalized();
  m.distance = m.n.dot(between);
}

void put_pieces(const Side& a, const Side& b, const Try& ids, Meeting& m) {
  m.a = a.piece(ids.a, m.n);
  m.b = b.piece(ids.b, -m.n);
  m.distance = m.n.dot(m.b.at - m.a.at);
}

/// n where faces or edges leave it no choice.
void settle_flat(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  m.n = cross<double>(m.flat.along[0], m.flat.along[1]);
  if (m.n.dot(n0) < 0.0) m.n = -m.n;
  put_pieces(a, b, ids, m);
}

/// How the gap's slope changes as n turns: for turns x along t and s, -(stiffness x), with the slope t . (p_b
/// - p_a).
struct Turning {
  Vector3<double> t, s;  // unit, normal to n and each other; s is not used where an edge holds n
  double tt = 0.0, ts = 0.0, ss = 1.0;  // stiffness: t . (bend_a + bend_b) t + distance, ...
  bool highest() const { return tt > 0.0 && tt * ss - ts * ts > 0.0; }
};

Turning turning(const Meeting& m) {
  Turning out;
  const Matrix3<double> bend = m.a.bend + m.b.bend;
  const bool edge = m.flat.count == 1;
  out.t = edge ? cross<double>(m.n, m.flat.along[0]) : Vector3<double>(m.n.unitOrthogonal());
  out.s = edge ? m.flat.along[0] : cross<double>(m.n, out.t);
  const Vector3<double> bent = bend * out.t;
  out.tt = out.t.dot(bent) + m.distance;
  if (edge) return out;
  out.ts = out.s.dot(bent);
  out.ss = out.s.dot(bend * out.s) + m.distance;
  return out;
}

struct Step {
  double length;  // rad
  double left;    // what the points were off each other across n (m)
};

/// One step of Newton's method: T^T (bend_a + bend_b + distance) T x = T^T (p_b - p_a). Where the shapes
/// nearly touch, the stiffness against turns about an edge is next to nothing: what is added to it is as
/// small as what is left to do (Levenberg 1944), so that turns that matter are made first.
Step step(Meeting& m) {
  const Turning at = turning(m);
  const Vector3<double> way = m.b.at - m.a.at;
  const double slope_t = at.t.dot(way), slope_s = m.flat.count == 1 ? 0.0 : at.s.dot(way);
  const double left = std::sqrt(slope_t * slope_t + slope_s * slope_s), tt = at.tt + left, ss = at.ss + left;
  const double square = tt * ss - at.ts * at.ts;
  const double x = (ss * slope_t - at.ts * slope_s) / square, y = (tt * slope_s - at.ts * slope_t) / square;
  const double length = std::sqrt(x * x + y * y), share = std::min(1.0, kLongest / (length + 1e-300));
  m.n = m.flat.without(m.n + share * (x * at.t + y * at.s)).normalized();
  return {length, left};
}

bool settle_round(const Side& a, const Side& b, const Try& ids, Meeting& m) {
  put_pieces(a, b, ids, m);
  const double rounding = kRounding * (a.size() + b.size() + a.p.norm() + b.p.norm());
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    const auto [length, left] = step(m);
    if (!std::isfinite(length)) return false;
    put_pieces(a, b, ids, m);
    if (length < 1e-15 || (length < 1e-11 && length >= last) || (length < kSettled && left < rounding))
      return true;
    last = length;
  }
  return false;
}

}  // namespace

void meet(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  m.n = n0;
  put_pieces(a, b, ids, m);
  m.flat = flats(m.a, m.b);
}

bool settle(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  meet(a, b, n0, ids, m);
  if (m.flat.count == 2) return settle_flat(a, b, n0, ids, m), true;
  m.n = m.flat.without(m.n).normalized();
  if (!m.a.curved && !m.b.curved) return settle_sharp(m, 1e-10 * (a.size() + b.size())), true;
  return settle_round(a, b, ids, m);
}

bool highest(const Meeting& m) { return m.flat.count == 2 || turning(m).highest(); }

}  // namespace amble::detail
