#include "amble/geometry/inertia.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble {

PrincipalMoments principal_moments(const Inertia<double>& inertia) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(Eigen::Matrix3d(inertia.about_com()));
  Matrix3<double> axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
  return {solver.eigenvalues(), axes};
}

std::string inertia_problem(const Inertia<double>& inertia) {
  constexpr double kTolerance = 1e-9, kRounding = 1e-13;
  const double mass = inertia.mass();
  const Matrix3<double>& I = inertia.about_origin();
  if (!std::isfinite(mass) || !inertia.first_moment().allFinite() || !I.allFinite())
    return fmt::format("mass, centre of mass or inertia is not finite (mass {})", mass);
  if (mass < 0.0) return fmt::format("mass {} kg is negative", mass);
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > kTolerance * I.cwiseAbs().maxCoeff())
    return "inertia matrix is not symmetric";
  if (mass == 0.0) {
    if (inertia.first_moment().isZero(0.0) && I.isZero(0.0)) return {};
    return "mass is zero but the inertia is not";
  }
  const Vector3<double> m = principal_moments(inertia).moments;
  // The second term is what subtracting m c^2 may lose to rounding when the centre of mass is far from the
  // origin.
  const double slack = kTolerance * std::abs(m[2]) + kRounding * I.cwiseAbs().maxCoeff();
  if (m[0] < -slack) return fmt::format("principal moment of inertia {:.6g} kg m^2 is negative", m[0]);
  if (m[0] + m[1] < m[2] - slack)
    return fmt::format(
        "principal moments of inertia {:.6g}, {:.6g}, {:.6g} kg m^2 break the triangle inequality ({:.6g} + "
        "{:.6g} < "
        "{:.6g}): no body can have them",
        m[0], m[1], m[2], m[0], m[1], m[2]);
  return {};
}

Inertia<double> inertia_of_points(const std::vector<PointMass>& points) {
  Inertia<double> sum;
  for (const PointMass& p : points)
    sum = sum + Inertia<double>::from_com(p.mass, p.position, Matrix3<double>::Zero());
  return sum;
}

std::vector<PointMass> points_of_inertia(const Inertia<double>& inertia) {
  if (const std::string problem = inertia_problem(inertia); !problem.empty())
    throw Error("no point masses have this inertia: " + problem);
  const double mass = inertia.mass();
  if (mass == 0.0) return {};
  const PrincipalMoments principal = principal_moments(inertia);
  const double half_trace = 0.5 * principal.moments.sum();
  std::vector<PointMass> points;
  for (int i = 0; i < 3; ++i) {
    // The second moment along axis i is tr(I)/2 - I_i; two masses m/6 at distance r give m r^2 / 3.
    const double second_moment = std::max(0.0, half_trace - principal.moments[i]);
    const Vector3<double> arm = std::sqrt(3.0 * second_moment / mass) * principal.axes.col(i);
    points.push_back({mass / 6.0, inertia.com() + arm});
    points.push_back({mass / 6.0, inertia.com() - arm});
  }
  return points;
}

}  // namespace amble
