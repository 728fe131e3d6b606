#include "amble/io/mjcf/inertial.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// Axes with the smallest possible turn: none when the matrix is diagonal already.
void diagonalise(const Inertia<double>& inertia, MjcfInertial& out) {
  const Matrix3<double> I = inertia.about_com();
  out.moments = I.diagonal();
  if (I(0, 1) == 0.0 && I(0, 2) == 0.0 && I(1, 2) == 0.0) return;
  PrincipalMoments principal = principal_moments(inertia);
  if (principal.axes.determinant() < 0.0) principal.axes.col(0) = -principal.axes.col(0);
  out.moments = principal.moments;
  out.q_BI = Quaternion<double>::from_matrix(principal.axes).normalized();
}

/// MuJoCo checks the triangle inequality without tolerance; flat and slender bodies sit on its edge.
void settle_rounding(Vector3<double>& m, double scale, const std::string& body) {
  constexpr double kRounding = 1e-12;
  int largest = 0, smallest = 0;
  m.maxCoeff(&largest), m.minCoeff(&smallest);
  if (smallest == largest) smallest = (largest + 1) % 3;  // all three are equal
  const double slack = kRounding * scale;
  const double others = m.sum() - m[largest];
  if (m[smallest] < -slack || others < m[largest] - slack)
    throw Error(
        fmt::format("body '{}': MJCF cannot say principal moments of inertia {}, {}, {} kg m^2, since MuJoCo "
                    "wants none negative and none larger than the sum of the others",
                    body, m[0], m[1], m[2]));
  m = m.cwiseMax(0.0);
  const double second = m[3 - largest - smallest];
  m[smallest] = std::max(m[smallest], m[largest] - second);
  while (m[smallest] + second < m[largest]) m[smallest] = std::nextafter(m[smallest], m[largest]);
}

}  // namespace

bool MjcfInertial::can_move() const {
  constexpr double kSmallest = 1e-15;  // mjMINVAL
  return mass >= kSmallest && moments.minCoeff() >= kSmallest;
}

MjcfInertial mjcf_inertial(const Inertia<double>& inertia, const std::string& body) {
  MjcfInertial out{inertia.mass(), inertia.com(), {}, {}};
  diagonalise(inertia, out);
  if (!(out.mass >= 0.0)) throw Error(fmt::format("body '{}': mass {} kg is negative", body, out.mass));
  if (out.mass == 0.0 && !inertia.first_moment().isZero(0.0))
    throw Error(fmt::format("body '{}': MJCF cannot say a first moment without mass", body));
  settle_rounding(out.moments, inertia.about_origin().cwiseAbs().maxCoeff(), body);
  return out;
}

}  // namespace amble
