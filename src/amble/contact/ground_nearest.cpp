#include "amble/contact/ground_nearest.hpp"

#include <Eigen/LU>
#include <cmath>

namespace amble {

namespace {

constexpr int kMostSteps = 50;

/// The way from a place of the ground to p.
struct Way {
  GroundPoint at;
  Vector2<double> across;  // p - place, along x and y
  double above;            // and along z
  double square() const { return across.squaredNorm() + above * above; }
  /// Of half the square, by the place.
  Vector2<double> slope() const { return -across - above * at.gradient; }
};

Way way_from(const Ground& ground, const Vector2<double>& place, const Vector3<double>& p) {
  Way out{ground.at(place.x(), place.y()), {p.x() - place.x(), p.y() - place.y()}, 0.0};
  out.above = p.z() - out.at.height;
  return out;
}

/// Newton's step where the way is convex there, else one that goes down all the same.
Vector2<double> step(const Way& way) {
  const Matrix2<double> metric = Matrix2<double>::Identity() + way.at.gradient * way.at.gradient.transpose();
  const Matrix2<double> full = metric - way.above * way.at.curvature;
  const Vector2<double> down = -way.slope();
  const bool convex = full.determinant() > 1e-3 * metric.determinant() && full.trace() > 0.0;
  return (convex ? full : metric).inverse() * down;
}

}  // namespace

Matrix3<double> ground_bending(const GroundPoint& at) {
  const Vector3<double> n = at.normal();
  const double w = std::sqrt(1.0 + at.gradient.squaredNorm());
  Matrix3<double> second = Matrix3<double>::Zero();
  second.topLeftCorner<2, 2>() = -at.curvature / w;
  const Matrix3<double> along = Matrix3<double>::Identity() - n * n.transpose();
  return along * second * along;
}

GroundNearest nearest_on_ground(const Ground& ground, const Vector3<double>& p) {
  Vector2<double> place = p.head<2>();
  Way way = way_from(ground, place, p);
  GroundNearest out;
  out.settled = false;
  for (int i = 0; i < kMostSteps && !out.settled; ++i) {
    Vector2<double> by = step(way);
    const double tiny = 1e-15 * (1.0 + p.norm());
    if (by.norm() <= tiny) {
      out.settled = true;
      break;
    }
    Way next = way_from(ground, place + by, p);
    const double slack = 1e-15 * (1.0 + way.square());
    for (int k = 0; k < 30 && next.square() > way.square() + slack; ++k)
      next = way_from(ground, place + (by *= 0.5), p);
    place += by;
    way = next;
    out.settled = by.norm() <= 1e3 * tiny && way.slope().norm() < 1e-10 * (1.0 + std::sqrt(way.square()));
  }
  out.point = {place.x(), place.y(), way.at.height};
  out.normal = way.at.normal();
  out.distance = out.normal.dot(p - out.point);
  out.bending = ground_bending(way.at);
  const Matrix3<double> stretch = Matrix3<double>::Identity() + out.distance * out.bending;
  out.settled = out.settled && stretch.determinant() > 0.0 && stretch.trace() > 1.0;
  out.turning = out.settled ? Matrix3<double>(out.bending * stretch.inverse()) : Matrix3<double>::Zero();
  return out;
}

}  // namespace amble
