#include "amble/io/mjcf/mesh_mass.hpp"

#include <cmath>

namespace amble {

namespace {

constexpr double kLeastVolume = 1e-15;

using Points = std::array<Vector3<double>, 3>;

Points corners(const TriangleMesh& mesh, const std::array<int, 3>& triangle) {
  return {mesh.vertices[triangle[0]], mesh.vertices[triangle[1]], mesh.vertices[triangle[2]]};
}

/// Twice the area, along the normal.
Vector3<double> double_area(const Points& p) { return cross<double>(p[1] - p[0], p[2] - p[0]); }

Vector3<double> center(const Points& p) { return (p[0] + p[1] + p[2]) / 3.0; }

/// What a face counts for: the volume of its tetrahedron with the apex, or its area.
double weight(const Points& p, const Vector3<double>& apex, MjcfMeshInertia mode) {
  const Vector3<double> normal = double_area(p);
  if (mode == MjcfMeshInertia::shell) return 0.5 * normal.norm();
  const double volume = normal.dot(center(p) - apex) / 6.0;
  return mode == MjcfMeshInertia::legacy ? std::abs(volume) : volume;
}

/// The mean of the faces' centers, by area.
Vector3<double> middle(const TriangleMesh& mesh) {
  Vector3<double> sum = Vector3<double>::Zero();
  double area = 0.0;
  for (const auto& triangle : mesh.triangles) {
    const Points p = corners(mesh, triangle);
    const double a = 0.5 * double_area(p).norm();
    area += a, sum += a * center(p);
  }
  return area > 0.0 ? Vector3<double>(sum / area) : Vector3<double>::Zero();
}

struct Sums {
  double mass = 0.0;
  Vector3<double> com = Vector3<double>::Zero();
};

Sums center_of_mass(const TriangleMesh& mesh, MjcfMeshInertia mode) {
  const Vector3<double> apex = middle(mesh);
  Sums out;
  for (const auto& triangle : mesh.triangles) {
    const Points p = corners(mesh, triangle);
    const double w = weight(p, apex, mode);
    out.mass += w, out.com += w * (0.75 * center(p) + 0.25 * apex);
  }
  if (std::abs(out.mass) > 0.0) out.com /= out.mass;
  return out;
}

/// The integral of x x^T about `com`, of tetrahedra with their apex there or of triangles.
Matrix3<double> second_moment(const TriangleMesh& mesh, const Vector3<double>& com, MjcfMeshInertia mode,
                              double& mass) {
  const double divisor = mode == MjcfMeshInertia::shell ? 12.0 : 20.0;
  Matrix3<double> P = Matrix3<double>::Zero();
  for (const auto& triangle : mesh.triangles) {
    Points p = corners(mesh, triangle);
    for (Vector3<double>& x : p) x -= com;
    const double w = weight(p, Vector3<double>::Zero(), mode);
    const Vector3<double> sum = p[0] + p[1] + p[2];
    mass += w;
    Matrix3<double> squares = sum * sum.transpose();
    for (const Vector3<double>& x : p) squares += x * x.transpose();
    P += w / divisor * squares;
  }
  return P;
}

void bound(const TriangleMesh& mesh, MjcfMeshMass& out) {
  const Pose X_IM = out.X_MI.inverse();
  out.lower.setConstant(1e300), out.upper.setConstant(-1e300);
  for (const Vector3<double>& v : mesh.vertices) {
    const Vector3<double> x = X_IM * v;
    out.lower = out.lower.cwiseMin(x), out.upper = out.upper.cwiseMax(x);
  }
}

}  // namespace

std::optional<MjcfMeshMass> mjcf_mesh_mass(const TriangleMesh& mesh, MjcfMeshInertia mode) {
  const Sums first = center_of_mass(mesh, mode);
  if (!(first.mass > kLeastVolume)) return {};
  MjcfMeshMass out;
  const Matrix3<double> P = second_moment(mesh, first.com, mode, out.mass);
  if (!(out.mass > kLeastVolume)) return {};
  const MjcfMoments principal = mjcf_principal_axes(P.trace() * Matrix3<double>::Identity() - P);
  out.moments = principal.moments;
  out.X_MI = Pose(principal.axes, first.com);
  bound(mesh, out);
  return out;
}

}  // namespace amble
