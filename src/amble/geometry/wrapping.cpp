#include "amble/geometry/wrapping.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace amble {

namespace {

using Point = Vector2<double>;

constexpr double kTiny = 1e-15;  // MuJoCo's, for squares of lengths too

double cross2(const Point& a, const Point& b) { return a[0] * b[1] - a[1] * b[0]; }
Point unit(const Point& a) { return a.norm() > kTiny ? Point(a / a.norm()) : Point(1.0, 0.0); }

/// In the plane of the circle.
struct Touch {
  Point first, second;
  double length = 0.0;
};

Point nearest_to_origin(const Point& d0, const Point& d1) {
  const Point along = d1 - d0;
  const double s = -along.dot(d0) / along.squaredNorm();
  return d0 + std::clamp(s, 0.0, 1.0) * along;
}

bool segments_cross(const Point& a0, const Point& a1, const Point& b0, const Point& b1) {
  const Point a = a1 - a0, b = b1 - b0;
  const double det = cross2(a, b);
  if (std::abs(det) < kTiny) return false;
  const double s = cross2(b0 - a0, b) / det, t = cross2(b0 - a0, a) / det;
  return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

/// Where a tangent from p touches, to the left (turn = 1) or right of the way to the origin.
Point tangent_point(const Point& p, double radius, double turn) {
  const double square = p.squaredNorm(), root = std::sqrt(square - radius * radius);
  return (radius * radius * p + turn * radius * root * Point(p[1], -p[0])) / square;
}

/// From the first to the second point of the circle, clockwise for turn = 1: may exceed half a turn. Where
/// they meet, rounding must not make it a whole one.
double arc(const Touch& at, double radius, double turn) {
  constexpr double kRounding = 1e-9;
  const double angle = std::atan2(-turn * cross2(at.first, at.second), at.first.dot(at.second));
  return radius * (angle < -kRounding ? angle + 2.0 * std::numbers::pi : std::max(0.0, angle));
}

struct Candidate {
  Touch at;
  double goodness = 0.0;
  bool crosses = false;
};

Candidate candidate(const Point& d0, const Point& d1, const std::optional<Point>& side, double radius,
                    double turn) {
  Candidate out;
  out.at.first = tangent_point(d0, radius, turn), out.at.second = tangent_point(d1, radius, -turn);
  out.crosses = segments_cross(d0, out.at.first, d1, out.at.second);
  out.at.length = arc(out.at, radius, turn);
  const Point middle = out.at.first + out.at.second;
  out.goodness = side ? unit(middle).dot(*side) : -(out.at.first - out.at.second).squaredNorm();
  return out;
}

std::optional<Touch> around(const Point& d0, const Point& d1, const std::optional<Point>& side,
                            double radius) {
  const double square = radius * radius;
  if (d0.squaredNorm() < square || d1.squaredNorm() < square || (d1 - d0).squaredNorm() < kTiny) return {};
  const Point nearest = nearest_to_origin(d0, d1);
  if (nearest.squaredNorm() > square && (!side || side->dot(nearest) >= 0.0)) return {};
  const Candidate left = candidate(d0, d1, side, radius, 1.0), right = candidate(d0, d1, side, radius, -1.0);
  if (left.crosses && right.crosses) return {};
  if (left.crosses != right.crosses) return left.crosses ? right.at : left.at;
  return left.goodness > right.goodness ? left.at : right.at;
}

/// The root of asin(Az) + asin(Bz) - 2 asin(z) + G below 1, from above; nothing where the iteration leaves
/// its way.
std::optional<double> inside_angle(double A, double B, double G) {
  const auto f = [&](double z) { return std::asin(A * z) + std::asin(B * z) - 2.0 * std::asin(z) + G; };
  const auto slope = [](double c, double z) { return c / std::max(kTiny, std::sqrt(1.0 - c * c * z * z)); };
  constexpr double kStart = 1.0 - 1e-7, kConverged = 1e-6;
  constexpr int kMostSteps = 40;
  double z = kStart, value = f(z);
  if (value > 0.0) return {};
  for (int step = 0; step < kMostSteps && value < 0.0; ++step) {
    const double df = slope(A, z) + slope(B, z) - 2.0 * slope(1.0, z);
    if (df > -kTiny) return {};
    const double next = z - value / df;
    if (next > z) return {};
    if (next == z) break;
    z = next, value = f(z);
    if (value > kConverged) return {};
  }
  return std::abs(value) <= kConverged ? std::optional(z) : std::nullopt;
}

std::optional<Touch> inside(const Point& d0, const Point& d1, double radius) {
  const double l0 = d0.norm(), l1 = d1.norm();
  if (l0 <= radius || l1 <= radius || radius < kTiny) return {};
  const Point along = d1 - d0;
  if (along.squaredNorm() > kTiny) {
    const double s = -along.dot(d0) / along.squaredNorm();
    if (s > 0.0 && s < 1.0 && (d0 + s * along).norm() <= radius) return {};
  }
  const Point average = radius * unit(0.5 * (d0 + d1));
  const double cosine = (l0 * l0 + l1 * l1 - along.squaredNorm()) / (2.0 * l0 * l1);
  if (cosine < -1.0 + kTiny) return {};
  if (cosine > 1.0 - kTiny) return Touch{average, average};
  const double A = radius / l0, B = radius / l1;
  const auto z = inside_angle(A, B, std::acos(cosine));
  if (!z) return Touch{average, average};
  const bool from_first = cross2(d0, d1) > 0.0;
  const double angle = std::asin(*z) - std::asin((from_first ? A : B) * *z);
  const Point u = unit(from_first ? d0 : d1);
  const Point at = radius * Point(std::cos(angle) * u[0] - std::sin(angle) * u[1],
                                  std::sin(angle) * u[0] + std::cos(angle) * u[1]);
  return Touch{at, at};
}

/// Two axes of the plane in which the cord turns.
struct Plane {
  Vector3<double> x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0};
  Point project(const Vector3<double>& p) const { return {p.dot(x), p.dot(y)}; }
  Vector3<double> lift(const Point& p) const { return p[0] * x + p[1] * y; }
};

/// Through the origin and both ends; where these are in one line with it, any such plane.
Plane plane_of(const Vector3<double>& p0, const Vector3<double>& p1) {
  Plane out;
  out.x = p0.normalized();
  Vector3<double> normal = cross<double>(p0, p1);
  if (normal.norm() < kTiny) {
    Eigen::Index largest = 0;
    out.x.cwiseAbs().maxCoeff(&largest);
    Vector3<double> other(1.0, 1.0, 1.0);
    other[largest] = 0.0;
    normal = cross<double>(out.x, other);
  }
  out.y = cross<double>(normal.normalized(), out.x).normalized();
  return out;
}

/// The height goes in proportion to the way.
void climb(const Vector3<double>& p0, const Vector3<double>& p1, const Point& d0, const Point& d1,
           const Touch& touch, Wrap& out) {
  const double to = (d0 - touch.first).norm(), on = touch.length, from = (d1 - touch.second).norm(),
               all = to + on + from;
  const double rise = p1[2] - p0[2];
  out.first[2] = p0[2] + rise * to / all, out.second[2] = p0[2] + rise * (to + on) / all;
  out.length = std::hypot(on, out.second[2] - out.first[2]);
}

}  // namespace

std::optional<Wrap> wrap(const WrapShape& shape, const Vector3<double>& p0, const Vector3<double>& p1,
                         const std::optional<Vector3<double>>& side) {
  if (p0.norm() < kTiny || p1.norm() < kTiny || !(shape.radius > kTiny)) return {};
  const Plane plane = shape.cylinder ? Plane() : plane_of(p0, p1);
  const Point d0 = plane.project(p0), d1 = plane.project(p1);
  const bool is_inside = side && side->norm() < shape.radius;
  std::optional<Point> towards;
  if (side) towards = unit(plane.project(*side));
  const auto touch = is_inside ? inside(d0, d1, shape.radius) : around(d0, d1, towards, shape.radius);
  if (!touch) return {};
  Wrap out{plane.lift(touch->first), plane.lift(touch->second), touch->length};
  if (shape.cylinder) climb(p0, p1, d0, d1, *touch, out);
  return out;
}

}  // namespace amble
