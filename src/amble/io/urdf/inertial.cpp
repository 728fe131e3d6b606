#include "amble/io/urdf/inertial.hpp"

#include <cmath>
#include <limits>

#include "amble/io/urdf/simplest.hpp"

namespace amble {

Inertial exact_inertial(const Inertia<double>& inertia) {
  const double m = inertia.mass();
  constexpr double kUlps = 4.0 * std::numeric_limits<double>::epsilon();
  Inertial out{m, inertia.com(), Matrix3<double>::Zero()};
  for (int i = 0; i < 3; ++i)
    out.com[i] = simplest(out.com[i], kUlps * std::abs(out.com[i]),
                          [&](double c) { return m * c == inertia.first_moment()[i]; });

  // What from_com() adds to the inertia about the centre of mass: the same operations, so the same rounding.
  const Matrix3<double> shift = Inertia<double>::from_com(m, out.com, Matrix3<double>::Zero()).about_origin();
  const Matrix3<double>& about_origin = inertia.about_origin();
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      const auto exact = [&](double x) {
        return x + shift(i, j) == about_origin(i, j) && x + shift(j, i) == about_origin(j, i);
      };
      const double within = kUlps * (std::abs(about_origin(i, j)) + std::abs(shift(i, j)));
      out.about_com(i, j) = out.about_com(j, i) = simplest(about_origin(i, j) - shift(i, j), within, exact);
    }
  return out;
}

}  // namespace amble
