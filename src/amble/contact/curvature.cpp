#include "amble/contact/curvature.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <limits>

namespace amble {

namespace {

/// Eigenvalues and directions along the surface, the smaller first.
SurfaceCurvature along_surface(const Matrix3<double>& m, const Vector3<double>& normal) {
  Matrix<double, 3, 2> t;
  t.col(0) = normal.unitOrthogonal();
  t.col(1) = cross<double>(normal, t.col(0));
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(Eigen::Matrix2d(t.transpose() * m * t));
  return {eigen.eigenvalues(), t * eigen.eigenvectors()};
}

}  // namespace

SurfaceCurvature curvature_from_bending(const Matrix3<double>& bending, const Vector3<double>& normal) {
  return along_surface(bending, normal);
}

SurfaceCurvature curvature_from_radii(const Matrix3<double>& radii, const Vector3<double>& normal) {
  const SurfaceCurvature r = along_surface(radii, normal);
  const double tiny = 1e-14 * r.principal.cwiseAbs().maxCoeff();
  const auto curvature = [&](double radius) {
    return radius > tiny ? 1.0 / radius : std::numeric_limits<double>::infinity();
  };
  SurfaceCurvature out;
  out.principal << curvature(r.principal[1]), curvature(r.principal[0]);
  out.directions << r.directions.col(1), r.directions.col(0);
  return out;
}

}  // namespace amble
