#include "amble/constraints/surface.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

constexpr int kMostSteps = 60;

[[noreturn]] void throw_nowhere(const Vector3<double>& p, const char* why) {
  throw Error(
      fmt::format("the surface has no one point nearest to ({:.6g}, {:.6g}, {:.6g}): {}", p[0], p[1], p[2], why));
}

double checked_slope(const SurfaceValue& f, const Vector3<double>& p) {
  const double slope = f.gradient.norm();
  if (!(slope > 0.0) || !std::isfinite(slope) || !std::isfinite(f.F)) throw_nowhere(p, "F has no slope on the way");
  return slope;
}

/// d normal / d point along the surface.
Matrix3<double> shape_operator(const SurfaceValue& f, const Vector3<double>& n, double slope) {
  const Matrix3<double> along = Matrix3<double>::Identity() - n * n.transpose();
  return along * f.hessian * along / slope;
}

}  // namespace

NearestPoint Surface::nearest(const Vector3<double>& p) const {
  NearestPoint out{p, Vector3<double>::Zero(), 0.0, Matrix3<double>::Zero()};
  const double scale = 1.0 + p.norm();
  for (int i = 0; i < kMostSteps; ++i) {
    const SurfaceValue f = F_(out.point);
    const double slope = checked_slope(f, p);
    const Vector3<double> n = f.gradient / slope;
    const double s = n.dot(p - out.point);
    const Matrix3<double> bend = Matrix3<double>::Identity() + s * shape_operator(f, n, slope);
    // p = c + s n(c) along the surface, F(c) = 0 across it; far out, where that bends over, straight to the tangent
    // plane
    const Vector3<double> across = -f.F / slope * n, along = p - out.point - s * n;
    const double bent = bend.determinant();
    const Vector3<double> step = across + (bent > 0.1 ? Vector3<double>(bend.inverse() * along) : along);
    out.point += step;
    if (step.norm() > 4e-16 * scale && (step.norm() > 1e-11 * scale || i < 3)) continue;
    const SurfaceValue there = F_(out.point);
    const double steep = checked_slope(there, p);
    out.normal = there.gradient / steep;
    out.distance = out.normal.dot(p - out.point);
    const Matrix3<double> turn = shape_operator(there, out.normal, steep);
    const Matrix3<double> stretch = Matrix3<double>::Identity() + out.distance * turn;
    if (!(stretch.determinant() > 0.0) || !(stretch.trace() > 1.0))
      throw_nowhere(p, "it is beyond a centre of curvature");
    out.turning = turn * stretch.inverse();
    return out;
  }
  throw_nowhere(p, "Newton's method does not settle");
}

}  // namespace amble
