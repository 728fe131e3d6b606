#include "amble/contact/parametric_surface.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble {

namespace {

constexpr double kPi = std::numbers::pi;

double positive(double value, const char* surface, const char* what) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(fmt::format("a {} with {} {}: expected more than 0", surface, what, value));
  return value;
}

}  // namespace

Matrix3<double> bending(const SurfaceJet& at) {
  const Matrix2<double> metric = at.f_u.transpose() * at.f_u;
  return at.g_u * metric.inverse() * at.f_u.transpose();
}

SurfaceCurvature curvature(const SurfaceJet& at) { return curvature_from_bending(bending(at), at.g); }

SurfaceJet surface_jet(const Vector3<double>& f, const Matrix<double, 3, 2>& f_u, const Vector3<double>& f_11,
                       const Vector3<double>& f_12, const Vector3<double>& f_22, bool turned) {
  const Vector3<double> f_1 = f_u.col(0), f_2 = f_u.col(1);
  const double side = turned ? -1.0 : 1.0;
  const Vector3<double> normal = side * cross<double>(f_1, f_2);
  const Vector3<double> along_1 = side * (cross<double>(f_11, f_2) + cross<double>(f_1, f_12));
  const Vector3<double> along_2 = side * (cross<double>(f_12, f_2) + cross<double>(f_1, f_22));
  SurfaceJet out;
  out.f = f;
  out.f_u = f_u;
  const double length = normal.norm();
  out.g = normal / length;
  const Matrix3<double> across = (Matrix3<double>::Identity() - out.g * out.g.transpose()) / length;
  out.g_u << across * along_1, across * along_2;
  return out;
}

ParametricSurface::ParametricSurface(std::vector<Chart> charts,
                                     std::function<SurfacePlace(const SurfacePlace&)> better)
    : charts_(std::move(charts)), better_(std::move(better)) {
  if (charts_.empty()) throw Error("a parametric surface of no charts: expected one or more");
  for (const Chart& chart : charts_)
    if (!((chart.upper - chart.lower).minCoeff() > 0.0) || !chart.upper.allFinite() ||
        !chart.lower.allFinite())
      throw Error(
          fmt::format("a parametric surface is looked for from ({}, {}) to ({}, {}): expected a finite range",
                      chart.lower[0], chart.lower[1], chart.upper[0], chart.upper[1]));
}

SurfaceJet ParametricSurface::at(const SurfacePlace& place) const {
  const SurfaceJet out = charts_[place.chart].f(place.u);
  const double size = out.f_u.col(0).norm() * out.f_u.col(1).norm();
  if (!out.f.allFinite() || !out.g_u.allFinite() ||
      !(cross<double>(out.f_u.col(0), out.f_u.col(1)).norm() > 1e-12 * size))
    throw Error(
        fmt::format("the surface has no tangent plane at u = ({}, {}): expected f* of full rank there",
                    place.u[0], place.u[1]));
  return out;
}

ParametricSurface ellipsoid_surface(const Vector3<double>& semi_axes) {
  for (int i = 0; i < 3; ++i) positive(semi_axes[i], "ellipsoid", "semi-axis");
  // the point of the unit sphere on the line from the pole (0, 0, pole) through (u, 0); then stretched
  const auto from_pole = [semi_axes](double pole) {
    return [semi_axes, pole](const auto& u) {
      using T = typename std::decay_t<decltype(u)>::Scalar;
      const T square = u[0] * u[0] + u[1] * u[1], over = T(1.0) / (T(1.0) + square);
      return Vector3<T>(T(2.0 * semi_axes[0]) * u[0] * over, T(2.0 * semi_axes[1]) * u[1] * over,
                        T(pole * semi_axes[2]) * (square - T(1.0)) * over);
    };
  };
  return two_pole_surface(from_pole(1.0), from_pole(-1.0));
}

SurfacePlace better_pole(const SurfacePlace& place) {
  const double square = place.u.squaredNorm();
  if (square <= 2.0) return place;
  return {1 - place.chart, place.u / square};
}

ParametricSurface sine_surface(double amplitude, double frequency, double reach) {
  if (!std::isfinite(amplitude))
    throw Error(fmt::format("a sine surface with amplitude {}: expected a number", amplitude));
  positive(frequency, "sine surface", "frequency");
  positive(reach, "sine surface", "reach");
  const double k = 2.0 * kPi * frequency;
  const auto jet = [amplitude, k](const Vector2<double>& u) {
    const double slope = amplitude * k * std::cos(k * u[1]), bend = amplitude * k * k * std::sin(k * u[1]);
    const double w = std::sqrt(1.0 + slope * slope);
    SurfaceJet out;
    out.f = {u[0], u[1], amplitude * std::sin(k * u[1])};
    out.f_u << 1.0, 0.0, 0.0, 1.0, 0.0, slope;
    out.g = Vector3<double>(0.0, -slope, 1.0) / w;
    out.g_u.col(1) = bend / (w * w * w) * Vector3<double>(0.0, 1.0, slope);  // DS (3.11) prints -1 for 1
    return out;
  };
  return ParametricSurface({{jet, Vector2<double>(-reach, -reach), Vector2<double>(reach, reach)}});
}

ParametricSurface torus_surface(double ring, double tube) {
  positive(tube, "torus", "tube");
  if (!(ring > tube) || !std::isfinite(ring))
    throw Error(fmt::format("a torus with ring {} and tube {}: expected a wider ring", ring, tube));
  return parametric_surface(
      [ring, tube](const auto& u) {
        using std::cos, std::sin;
        using T = typename std::decay_t<decltype(u)>::Scalar;
        const T out = T(ring) + T(tube) * cos(u[1]);
        return Vector3<T>(out * cos(u[0]), out * sin(u[0]), T(tube) * sin(u[1]));
      },
      Vector2<double>(-kPi, -kPi), Vector2<double>(kPi, kPi));
}

ParametricSurface plane_surface(double reach) {
  positive(reach, "plane", "reach");
  const auto jet = [](const Vector2<double>& u) {
    SurfaceJet out;
    out.f = {u[0], u[1], 0.0};
    out.f_u << 1.0, 0.0, 0.0, 1.0, 0.0, 0.0;
    return out;
  };
  return ParametricSurface({{jet, Vector2<double>(-reach, -reach), Vector2<double>(reach, reach)}});
}

}  // namespace amble
