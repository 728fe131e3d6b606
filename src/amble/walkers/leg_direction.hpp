#pragma once

#include <array>
#include <cmath>

#include "amble/geometry/vector.hpp"

namespace amble {

template <class S>
using Numbers3 = std::array<S, 3>;
template <class S>
S dot(const Numbers3<S>& a, const Numbers3<S>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// A straight leg in space at the angles a, forward, and b, sideways: the direction from its foot to the hip, and how
/// that changes with each angle. DS (5.34), its columns.
template <class S>
struct LegDirection {
  Numbers3<S> along, forward, sideways;
  LegDirection(const S& a, const S& b) {
    using std::cos, std::sin;
    along = {sin(a) * cos(b), -sin(b), cos(a) * cos(b)};
    forward = {cos(a) * cos(b), S(0.0), -sin(a) * cos(b)};
    sideways = {-sin(a) * sin(b), -cos(b), -cos(a) * sin(b)};
  }
};

/// The angles of a leg and their rates.
struct LegAngles {
  double a = 0.0, b = 0.0, da = 0.0, db = 0.0;

  LegAngles mirrored() const { return {a, -b, da, -db}; }
  /// After the leg was turned about the floor's normal.
  LegAngles turned(double angle) const {
    const LegDirection<double> leg(a, b);
    const double c = std::cos(angle), s = std::sin(angle);
    const auto turn = [&](const Numbers3<double>& p) {
      return Numbers3<double>{c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
    };
    Numbers3<double> rate;
    for (std::size_t i = 0; i < 3; ++i) rate[i] = leg.forward[i] * da + leg.sideways[i] * db;
    const Numbers3<double> along = turn(leg.along), moves = turn(rate);
    LegAngles out{std::atan2(along[0], along[2]), -std::asin(along[1])};
    const LegDirection<double> now(out.a, out.b);
    out.da = dot(now.forward, moves) / dot(now.forward, now.forward), out.db = dot(now.sideways, moves);
    return out;
  }
};

}  // namespace amble
