#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "amble/contact/shape_meeting.hpp"

// With two pieces known, the direction in which the gap between them is stationary: Newton's method.
namespace amble::detail {

namespace {

Flats flats(const SupportPiece& a, const SupportPiece& b) {
  Flats out;
  for (int i = 0; i < a.free; ++i) out.add(a.edges[i]);
  for (int i = 0; i < b.free; ++i) out.add(b.edges[i]);
  return out;
}

/// Corners and edges: n is along the way between, or, where they touch, as it was.
bool settle_sharp(Meeting& m, double tiny) {
  const Vector3<double> between = m.flat.without(m.b.at - m.a.at);
  // projected once more: a short way keeps the rounding of long ones along the edges
  if (between.norm() > tiny)
    m.n = (between.dot(m.n) < 0.0 ? -1.0 : 1.0) * m.flat.without(between.normalized()).normalized();
  m.distance = m.n.dot(between);
  return true;
}

void put_pieces(const Side& a, const Side& b, const Try& ids, Meeting& m) {
  m.a = a.piece(ids.a, m.n);
  m.b = b.piece(ids.b, -m.n);
}

/// One step of Newton's method in (n, distance, mu); its length.
double step(Meeting& m, SmallVector& mu) {
  SmallVector f(4 + m.flat.count);
  Vector3<double> miss = m.b.at - m.a.at - m.distance * m.n;
  for (int k = 0; k < m.flat.count; ++k) {
    miss -= mu[k] * m.flat.along[k];
    f[4 + k] = -m.flat.along[k].dot(m.n);
  }
  f.head<3>() = miss;
  f[3] = 0.5 * (1.0 - m.n.squaredNorm());
  const SmallVector by = stationarity(m).fullPivLu().solve(-f);
  const double shorter = std::min(1.0, 0.3 / (by.head<3>().norm() + 1e-300));
  m.n = (m.n + shorter * by.head<3>()).normalized();
  m.distance += shorter * by[3];
  for (int k = 0; k < m.flat.count; ++k) mu[k] += shorter * by[4 + k];
  return by.norm();
}

/// n where faces or edges leave it no choice.
void settle_flat(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  m.n = cross<double>(m.flat.along[0], m.flat.along[1]);
  if (m.n.dot(n0) < 0.0) m.n = -m.n;
  put_pieces(a, b, ids, m);
  m.distance = m.n.dot(m.b.at - m.a.at);
}

bool settle_round(const Side& a, const Side& b, const Try& ids, Meeting& m) {
  put_pieces(a, b, ids, m);
  m.distance = m.n.dot(m.b.at - m.a.at);
  SmallVector mu(m.flat.count);
  for (int k = 0; k < m.flat.count; ++k) mu[k] = m.flat.along[k].dot(m.b.at - m.a.at);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 30; ++i) {
    const double length = step(m, mu);
    if (!std::isfinite(length)) return false;
    put_pieces(a, b, ids, m);
    if (length < 1e-15 || (length < 1e-11 && length >= last)) {
      m.distance = m.n.dot(m.b.at - m.a.at);
      return true;
    }
    last = length;
  }
  return false;
}

}  // namespace

Small stationarity(const Meeting& m) {
  Small out = Small::Zero(4 + m.flat.count, 4 + m.flat.count);
  out.topLeftCorner<3, 3>() = -m.a.bend - m.b.bend - m.distance * Matrix3<double>::Identity();
  out.block<3, 1>(0, 3) = -m.n;
  out.block<1, 3>(3, 0) = -m.n.transpose();
  for (int k = 0; k < m.flat.count; ++k) {
    out.block<3, 1>(0, 4 + k) = -m.flat.along[k];
    out.block<1, 3>(4 + k, 0) = -m.flat.along[k].transpose();
  }
  return out;
}

void meet(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  m.n = n0;
  put_pieces(a, b, ids, m);
  m.flat = flats(m.a, m.b);
  m.distance = n0.dot(m.b.at - m.a.at);
}

bool settle(const Side& a, const Side& b, const Vector3<double>& n0, const Try& ids, Meeting& m) {
  meet(a, b, n0, ids, m);
  if (m.flat.count == 2) return settle_flat(a, b, n0, ids, m), true;
  m.n = m.flat.without(m.n).normalized();
  if (m.a.bend.isZero(0.0) && m.b.bend.isZero(0.0)) return settle_sharp(m, 1e-10 * (a.size() + b.size()));
  return settle_round(a, b, ids, m);
}

}  // namespace amble::detail
