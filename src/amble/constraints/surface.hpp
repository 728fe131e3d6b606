#pragma once

#include <functional>
#include <string>

#include "amble/base/dual.hpp"
#include "amble/geometry/vector.hpp"

namespace amble {

/// F at a point, with its derivatives.
struct SurfaceValue {
  double F = 0.0;
  Vector3<double> gradient = Vector3<double>::Zero();
  Matrix3<double> hessian = Matrix3<double>::Zero();
};

/// What stands on F(p) = 0, on the side where F > 0: what is nearest to a point.
struct NearestPoint {
  Vector3<double> point;    ///< on the surface
  Vector3<double> normal;   ///< there, unit, towards F > 0
  double distance = 0.0;    ///< from the surface, negative where F < 0
  Matrix3<double> turning;  ///< d normal / d (the point it is nearest to)
};

/// A smooth surface F(p) = 0 in the axes of some frame. Things stand on the side where F > 0.
class Surface {
 public:
  using Function = std::function<SurfaceValue(const Vector3<double>& p)>;
  /// With the user's own derivatives.
  explicit Surface(Function F) : F_(std::move(F)) {}

  SurfaceValue at(const Vector3<double>& p) const { return F_(p); }
  /// By Newton's method from `p` itself. Throws an Error when there is no such point, or when `p` is so far on the
  /// hollow side that several are as near (beyond the centre of curvature).
  NearestPoint nearest(const Vector3<double>& p) const;

 private:
  Function F_;
};

/// From f(p) alone, a generic function of a Vector3 of any scalar: derivatives by dual numbers.
template <class F>
Surface implicit_surface(F f) {
  return Surface([f](const Vector3<double>& p) {
    using Inner = Dual<double, 3>;
    using Outer = Dual<Inner, 3>;
    Vector3<Outer> x;
    for (int i = 0; i < 3; ++i) x[i] = Outer::variable(Inner::variable(p[i], i), i);
    const Outer value = f(x);
    SurfaceValue out;
    out.F = value.value.value;
    for (int i = 0; i < 3; ++i) {
      out.gradient[i] = value.value.grad[i];
      for (int j = 0; j < 3; ++j) out.hessian(i, j) = value.grad[i].grad[j];
    }
    return out;
  });
}

/// z = h(x, y), things stand above it; h takes two numbers of any scalar.
template <class H>
Surface height_surface(H h) {
  return implicit_surface([h](const auto& p) { return p[2] - h(p[0], p[1]); });
}

}  // namespace amble
