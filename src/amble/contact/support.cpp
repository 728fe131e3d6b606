#include "amble/contact/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;
const Matrix3<double> kFlat = Matrix3<double>::Zero();

SupportPiece sphere_piece(double r, const Vector3<double>& n) {
  return {r * n, r * (Matrix3<double>::Identity() - n * n.transpose())};
}

SupportPiece capsule_piece(double r, double half, const Vector3<double>& n, double tilt) {
  SupportPiece out = sphere_piece(r, n);
  if (half > 0.0 && std::abs(n[2]) <= tilt) {
    out.free = 1;
    out.edges[0] = Vector3<double>::UnitZ();
  } else {
    out.at[2] += n[2] < 0.0 ? -half : half;
  }
  return out;
}

SupportPiece box_piece(const Vector3<double>& half, const Vector3<double>& n, double tilt) {
  SupportPiece out{Vector3<double>::Zero(), kFlat};
  int strongest = 0;
  n.cwiseAbs().maxCoeff(&strongest);
  for (int i = 0; i < 3; ++i) {
    if (i != strongest && std::abs(n[i]) <= tilt)
      out.edges[out.free++] = Vector3<double>::Unit(i);
    else
      out.at[i] = n[i] < 0.0 ? -half[i] : half[i];
  }
  return out;
}

SupportPiece cylinder_piece(double r, double half, const Vector3<double>& n, double tilt) {
  const double across = std::hypot(n[0], n[1]), end = n[2] < 0.0 ? -half : half;
  if (across <= tilt) return {{0.0, 0.0, end}, kFlat, 2, {Vector3<double>::UnitX(), Vector3<double>::UnitY()}};
  const Vector3<double> m(n[0] / across, n[1] / across, 0.0), t(-m[1], m[0], 0.0);
  const bool line = std::abs(n[2]) <= tilt;
  SupportPiece out{r * m, r / across * t * t.transpose(), line ? 1 : 0, {Vector3<double>::UnitZ(), Vector3<double>::Zero()}};
  if (!line) out.at[2] = end;
  return out;
}

SupportPiece ellipsoid_piece(const Vector3<double>& axes, const Vector3<double>& n) {
  const Vector3<double> square = axes.cwiseProduct(axes), far = square.cwiseProduct(n);
  const double h = axes.cwiseProduct(n).norm();
  return {far / h, Matrix3<double>(square.asDiagonal()) / h - far * far.transpose() / (h * h * h)};
}

/// The corners that a plane normal to n touches when it may tilt.
void met_corners(const ConvexMesh& mesh, const Vector3<double>& n, double tilt, std::vector<int>& out) {
  const double top = mesh.vertices()[mesh.farthest(n)].dot(n);
  out.clear();
  for (int i = 0; i < static_cast<int>(mesh.vertices().size()); ++i)
    if (mesh.vertices()[i].dot(n) >= top - tilt * mesh.radius()) out.push_back(i);
}

/// The face that n is within `tilt` of the normal of; null when there is none.
const ConvexMesh::Face* met_face(const ConvexMesh& mesh, const Vector3<double>& n, double tilt) {
  const ConvexMesh::Face* best = nullptr;
  double most = 0.0;
  for (const ConvexMesh::Face& face : mesh.faces())
    if (face.normal.dot(n) > most) most = face.normal.dot(n), best = &face;
  return best && cross<double>(best->normal, n).norm() <= tilt ? best : nullptr;
}

SupportPiece mesh_piece(const ConvexMesh& mesh, const Vector3<double>& n, double tilt) {
  const int top = mesh.farthest(n);
  SupportPiece out{mesh.vertices()[top], kFlat};
  if (const ConvexMesh::Face* const face = met_face(mesh, n, tilt)) {
    out.at = mesh.vertices()[face->corners[0]];
    out.edges[0] = (mesh.vertices()[face->corners[1]] - out.at).normalized();
    out.edges[1] = cross<double>(face->normal, out.edges[0]);
    out.free = 2;
    return out;
  }
  double level = tilt;
  for (const int next : mesh.neighbours(top)) {
    const Vector3<double> along = (mesh.vertices()[next] - mesh.vertices()[top]).normalized();
    if (std::abs(along.dot(n)) > level) continue;
    level = std::abs(along.dot(n));
    out.edges[0] = along;
    out.free = 1;
  }
  return out;
}

}  // namespace

SupportPiece support_piece(const CollisionShape& shape, const Vector3<double>& n, double tilt) {
  switch (shape.kind) {
    case Kind::sphere: return sphere_piece(shape.size[0], n);
    case Kind::capsule: return capsule_piece(shape.size[0], shape.size[1], n, tilt);
    case Kind::box: return box_piece(shape.size, n, tilt);
    case Kind::cylinder: return cylinder_piece(shape.size[0], shape.size[1], n, tilt);
    case Kind::ellipsoid: return ellipsoid_piece(shape.size, n);
    case Kind::mesh: return mesh_piece(*shape.mesh, n, tilt);
    case Kind::plane:
      return {Vector3<double>::Zero(), kFlat, 2, {Vector3<double>::UnitX(), Vector3<double>::UnitY()}};
    case Kind::ground: break;
  }
  throw Error("a ground has no farthest point: expected a convex shape");
}

double support_height(const CollisionShape& shape, const Vector3<double>& n) {
  switch (shape.kind) {
    case Kind::sphere: return shape.size[0];
    case Kind::capsule: return shape.size[0] + shape.size[1] * std::abs(n[2]);
    case Kind::box: return shape.size.dot(n.cwiseAbs());
    case Kind::cylinder: return shape.size[0] * std::hypot(n[0], n[1]) + shape.size[1] * std::abs(n[2]);
    case Kind::ellipsoid: return shape.size.cwiseProduct(n).norm();
    case Kind::mesh: return shape.mesh->vertices()[shape.mesh->farthest(n)].dot(n);
    case Kind::plane:
      return n[2] > 0.0 && std::hypot(n[0], n[1]) < 1e-14 ? 0.0 : std::numeric_limits<double>::infinity();
    case Kind::ground: break;
  }
  throw Error("a ground has no farthest point: expected a convex shape");
}

double outside_by(const CollisionShape& shape, const Vector3<double>& p) {
  switch (shape.kind) {
    case Kind::sphere: return p.norm() - shape.size[0];
    case Kind::capsule: {
      const double along = std::max(0.0, std::abs(p[2]) - shape.size[1]);
      return std::hypot(p[0], p[1], along) - shape.size[0];
    }
    case Kind::box: return (p.cwiseAbs() - shape.size).maxCoeff();
    case Kind::cylinder: return std::max(std::hypot(p[0], p[1]) - shape.size[0], std::abs(p[2]) - shape.size[1]);
    case Kind::ellipsoid: return (p.cwiseQuotient(shape.size).norm() - 1.0) * shape.size.minCoeff();
    case Kind::mesh: {
      double most = -std::numeric_limits<double>::infinity();
      for (const ConvexMesh::Face& face : shape.mesh->faces())
        most = std::max(most, face.normal.dot(p - shape.mesh->vertices()[face.corners[0]]));
      return most;
    }
    case Kind::plane: return p[2];
    case Kind::ground: break;
  }
  throw Error("a ground is not a convex shape: expected one");
}

namespace {

void rim(double r, double z, std::vector<Vector3<double>>& out) {
  for (int i = 0; i < kRimCorners; ++i) {
    const double angle = (z < 0.0 ? -1.0 : 1.0) * 2.0 * std::numbers::pi * i / kRimCorners;  // left seen from outside
    out.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
}

void line(const Vector3<double>& middle, double half, std::vector<Vector3<double>>& out) {
  out.push_back(middle - half * Vector3<double>::UnitZ());
  out.push_back(middle + half * Vector3<double>::UnitZ());
}

void box_outline(const Vector3<double>& half, const Vector3<double>& n, double tilt, std::vector<Vector3<double>>& out) {
  const SupportPiece piece = box_piece(half, n, tilt);
  if (piece.free == 0) return;
  const auto reach = [&](int k) { return half.dot(piece.edges[k].cwiseAbs()) * piece.edges[k]; };
  const Vector3<double> u = reach(0);
  if (piece.free == 1) return out.assign({piece.at - u, piece.at + u});
  const Vector3<double> w = reach(1);
  out.assign({piece.at - u - w, piece.at + u - w, piece.at + u + w, piece.at - u + w});
  if (cross<double>(u, w).dot(n) < 0.0) std::reverse(out.begin(), out.end());
}

void mesh_outline(const ConvexMesh& mesh, const Vector3<double>& n, double tilt, std::vector<Vector3<double>>& out) {
  if (const ConvexMesh::Face* const face = met_face(mesh, n, tilt)) {
    for (const int corner : face->corners) out.push_back(mesh.vertices()[corner]);
    return;
  }
  std::vector<int> corners;
  met_corners(mesh, n, tilt, corners);
  if (corners.size() == 2)
    for (const int corner : corners) out.push_back(mesh.vertices()[corner]);
}

}  // namespace

void support_outline(const CollisionShape& shape, const Vector3<double>& n, double tilt, std::vector<Vector3<double>>& out) {
  out.clear();
  const double r = shape.size[0], half = shape.size[1], across = std::hypot(n[0], n[1]);
  switch (shape.kind) {
    case Kind::capsule:
      if (half > 0.0 && std::abs(n[2]) <= tilt) line(r * n, half, out);
      return;
    case Kind::cylinder:
      if (across <= tilt) return rim(r, n[2] < 0.0 ? -half : half, out);
      if (std::abs(n[2]) <= tilt) line({r * n[0] / across, r * n[1] / across, 0.0}, half, out);
      return;
    case Kind::box: return box_outline(shape.size, n, tilt, out);
    case Kind::mesh: return mesh_outline(*shape.mesh, n, tilt, out);
    case Kind::sphere:
    case Kind::ellipsoid:
    case Kind::plane:
    case Kind::ground: return;
  }
}

}  // namespace amble::detail
