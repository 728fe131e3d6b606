#pragma once

#include <optional>

#include "amble/geometry/wrapping.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// A stop on the way of a tendon, in the world.
struct TendonStop {
  TendonPoint::Kind kind = TendonPoint::Kind::point;
  int body = 0;  ///< whatever carries it
  Pose X_WP;
  double radius = 0.0, divisor = 1.0;
  std::optional<Vector3<double>> side;
};

/// A straight piece between two carriers. Its length counts `share` times.
struct TendonPiece {
  int body_a = 0, body_b = 0;
  Vector3<double> a{0.0, 0.0, 0.0}, b{0.0, 0.0, 0.0};
  double share = 1.0;
};

/// Length of a path of `count` stops, stop(i) each; piece(TendonPiece) is called for the straight ones. The
/// shortest way does not change its length, to first order, with where it touches: so the straight pieces
/// alone give the moment arms.
template <class Stop, class Piece>
double tendon_path_length(std::size_t count, Stop stop, Piece piece) {
  using Kind = TendonPoint::Kind;
  double length = 0.0, share = 1.0;
  const auto straight = [&](int body_a, const Vector3<double>& a, int body_b, const Vector3<double>& b) {
    length += share * (b - a).norm();
    piece(TendonPiece{body_a, body_b, a, b, share});
  };
  const auto past = [&](const TendonStop& from, const TendonStop& shape, const TendonStop& to) {
    const Vector3<double>&a = from.X_WP.translation(), &b = to.X_WP.translation();
    const Pose X_GW = shape.X_WP.inverse();
    std::optional<Vector3<double>> side;
    if (shape.side) side = X_GW * *shape.side;
    const auto way = wrap({shape.kind == Kind::cylinder, shape.radius}, X_GW * a, X_GW * b, side);
    if (!way) return straight(from.body, a, to.body, b);
    straight(from.body, a, shape.body, shape.X_WP * way->first);
    length += share * way->length;
    straight(shape.body, shape.X_WP * way->second, to.body, b);
  };
  for (std::size_t i = 0; i + 1 < count;) {
    const TendonStop at = stop(i), next = stop(i + 1);
    if (at.kind == Kind::pulley) share = 1.0 / at.divisor;
    const bool broken = at.kind == Kind::pulley || next.kind == Kind::pulley;
    const bool wraps = !broken && next.kind != Kind::point;
    if (!broken && !wraps) straight(at.body, at.X_WP.translation(), next.body, next.X_WP.translation());
    if (wraps) past(at, next, stop(i + 2));
    i += wraps ? 2 : 1;
  }
  return length;
}

}  // namespace amble
