#pragma once

#include <functional>
#include <vector>

#include "amble/base/dual.hpp"
#include "amble/contact/curvature.hpp"

namespace amble {

/// A surface given by f(u), at one u: the mappings of DS 3.1.2 with coordinates for arguments (Remark 3.6).
struct SurfaceJet {
  Vector3<double> f = Vector3<double>::Zero();              ///< the point
  Matrix<double, 3, 2> f_u = Matrix<double, 3, 2>::Zero();  ///< f*, its tangent map
  Vector3<double> g = Vector3<double>::UnitZ();             ///< the Gauss map: the outward normal, unit
  Matrix<double, 3, 2> g_u = Matrix<double, 3, 2>::Zero();  ///< g*, along u
};

/// g* as a map of velocities in space, zero along the normal: DS (3.12), with the pseudo-inverse of f*.
Matrix3<double> bending(const SurfaceJet& at);
SurfaceCurvature curvature(const SurfaceJet& at);

/// From f and its first and second derivatives; the normal is f_1 x f_2, or against it.
SurfaceJet surface_jet(const Vector3<double>& f, const Matrix<double, 3, 2>& f_u, const Vector3<double>& f_11,
                       const Vector3<double>& f_12, const Vector3<double>& f_22, bool turned = false);

/// A place on a surface: coordinates in one of its charts.
struct SurfacePlace {
  int chart = 0;
  Vector2<double> u = Vector2<double>::Zero();
};

/// A smooth surface given by f(u) in the axes of some frame, in one chart or several. Immutable.
class ParametricSurface {
 public:
  /// One chart: f with its derivatives, and where u may be looked for.
  struct Chart {
    std::function<SurfaceJet(const Vector2<double>& u)> f;
    Vector2<double> lower, upper;
  };
  /// `better` gives the place again in the chart it is best seen in; none for one chart.
  explicit ParametricSurface(std::vector<Chart> charts,
                             std::function<SurfacePlace(const SurfacePlace&)> better = {});

  /// Throws an Error where the chart ends: f* without full rank, or numbers that are not finite.
  SurfaceJet at(const SurfacePlace& place) const;
  SurfacePlace better(const SurfacePlace& place) const { return better_ ? better_(place) : place; }
  const std::vector<Chart>& charts() const { return charts_; }

 private:
  std::vector<Chart> charts_;
  std::function<SurfacePlace(const SurfacePlace&)> better_;
};

/// A chart from f alone, a generic function of a Vector2 of any scalar to a Vector3 of it: derivatives by
/// dual numbers. The normal is f_1 x f_2, or against it when `turned`.
template <class F>
ParametricSurface::Chart surface_chart(F f, const Vector2<double>& lower, const Vector2<double>& upper,
                                       bool turned = false) {
  const auto jet = [f, turned](const Vector2<double>& u) {
    using Inner = Dual<double, 2>;
    using Outer = Dual<Inner, 2>;
    Vector2<Outer> x;
    for (int i = 0; i < 2; ++i) x[i] = Outer::variable(Inner::variable(u[i], i), i);
    const Vector3<Outer> y = f(x);
    Vector3<double> value, second[3];
    Matrix<double, 3, 2> first;
    for (int k = 0; k < 3; ++k) {
      value[k] = y[k].value.value;
      for (int i = 0; i < 2; ++i) first(k, i) = y[k].value.grad[i];
      second[0][k] = y[k].grad[0].grad[0];
      second[1][k] = y[k].grad[0].grad[1];
      second[2][k] = y[k].grad[1].grad[1];
    }
    return surface_jet(value, first, second[0], second[1], second[2], turned);
  };
  return {jet, lower, upper};
}

/// One chart from f alone.
template <class F>
ParametricSurface parametric_surface(F f, const Vector2<double>& lower, const Vector2<double>& upper,
                                     bool turned = false) {
  return ParametricSurface({surface_chart(f, lower, upper, turned)});
}

/// A closed surface in two charts, by projection of the unit sphere from (0, 0, 1) and from (0, 0, -1): u is
/// where the line from the pole meets the x-y plane. Every point is well inside one of the charts.
SurfacePlace better_pole(const SurfacePlace& place);
template <class North, class South>
ParametricSurface two_pole_surface(North from_north, South from_south) {
  const Vector2<double> lower(-1.5, -1.5), upper(1.5, 1.5);
  // seen from outside, the two turn opposite ways
  return ParametricSurface(
      {surface_chart(from_north, lower, upper, true), surface_chart(from_south, lower, upper, false)},
      better_pole);
}

/// In two charts, each by projection from a pole on z.
ParametricSurface ellipsoid_surface(const Vector3<double>& semi_axes);
/// z = amplitude sin(2 pi frequency y), DS (3.8)-(3.11) with the sign of (3.11) put right; u is (x, y),
/// looked for within `reach` of the origin.
ParametricSurface sine_surface(double amplitude, double frequency, double reach);
/// About z: the circle of radius `tube` about one of radius `ring`; u is (angle about z, angle about the
/// tube).
ParametricSurface torus_surface(double ring, double tube);
/// The x-y plane, looked at within `reach` of the origin.
ParametricSurface plane_surface(double reach);

}  // namespace amble
