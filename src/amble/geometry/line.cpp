#include "amble/geometry/line.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

namespace {

std::string text(const Vector3<double>& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v[0], v[1], v[2]);
}

double checked_length(const Vector3<double>& direction) {
  const double length = direction.stableNorm();
  if (!std::isfinite(length) || length == 0.0)
    throw Error("direction of a line is " + text(direction) +
                ": expected finite numbers that are not all zero");
  return length;
}

/// Any unit vector at right angles to the unit vector `d`.
Vector3<double> perpendicular(const Vector3<double>& d) {
  int smallest = 0;
  d.cwiseAbs().minCoeff(&smallest);
  return cross<double>(d, Vector3<double>::Unit(smallest)).normalized();
}

CommonPerpendicular between_parallels(const Line& a, const Line& b) {
  const Vector3<double> from = a.point(), to = b.nearest(from), way = to - from;
  const double distance = way.norm();
  const Vector3<double> normal =
      distance > 0.0 ? Vector3<double>(way / distance) : perpendicular(a.direction());
  return {from, to, normal, distance, a.direction().dot(b.direction()) > 0.0 ? 0.0 : std::numbers::pi, true};
}

}  // namespace

Line Line::through(const Vector3<double>& point, const Vector3<double>& direction) {
  const Vector3<double> d = direction / checked_length(direction);
  return Line(d, cross<double>(point, d));
}

Line Line::through_points(const Vector3<double>& a, const Vector3<double>& b) {
  if (a == b) throw Error("a line needs two different points, but both are " + text(a));
  return through(a, b - a);
}

Line Line::from_pluecker(const Vector3<double>& direction, const Vector3<double>& moment) {
  const double length = checked_length(direction);
  const Vector3<double> d = direction / length, m = moment / length;
  const double along = d.dot(m);
  if (!(std::abs(along) <= 1e-9 * m.norm()))
    throw Error(
        fmt::format("direction {} and moment {} are not those of a line: they must be at right angles, but "
                    "the moment has {:.6g} along the direction",
                    text(direction), text(moment), along * length));
  return Line(d, m - along * d);
}

Line operator*(const Pose& X_AB, const Line& line) {
  const Vector3<double> d = X_AB.rotation() * line.direction();
  return Line(d, X_AB.rotation() * line.moment() + cross<double>(X_AB.translation(), d));
}

double reciprocal_product(const Line& a, const Line& b) {
  return a.direction().dot(b.moment()) + b.direction().dot(a.moment());
}

CommonPerpendicular common_perpendicular(const Line& a, const Line& b) {
  constexpr double kParallel = 1e-12;  // below this sine the feet of the perpendicular are lost to rounding
  const Vector3<double> n = cross<double>(a.direction(), b.direction());
  const double sine = n.norm(), cosine = a.direction().dot(b.direction());
  if (sine < kParallel) return between_parallels(a, b);
  const Vector3<double> normal = n / sine, way = b.point() - a.point();
  // Parameters along the lines of the two feet, from way + t_b d_b - t_a d_a parallel to the normal.
  const double t_a = cross<double>(way, b.direction()).dot(normal) / sine;
  const double t_b = cross<double>(way, a.direction()).dot(normal) / sine;
  return {a.point() + t_a * a.direction(),
          b.point() + t_b * b.direction(),
          normal,
          way.dot(normal),
          std::atan2(sine, cosine),
          false};
}

}  // namespace amble
