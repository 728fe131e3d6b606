#include "amble/contact/support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;

double sign(double x) { return x < 0.0 ? -1.0 : 1.0; }

double length(double x, double y) { return std::sqrt(x * x + y * y); }

// A box: i = 9 (1 + sx) + 3 (1 + sy) + (1 + sz), each s the side it is on, or 0 where the piece goes from
// side to side.
std::array<int, 3> box_sides(int i) { return {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1}; }

void box_pieces(const Vector3<double>& n, PieceList& out) {
  for (int i = 0; i < 27; ++i) {
    if (i == 13) continue;  // the whole box
    const std::array<int, 3> sides = box_sides(i);
    double square = 0.0;
    int free = 0;
    for (int k = 0; k < 3; ++k) {
      if (sides[k] != static_cast<int>(sign(n[k]))) square += n[k] * n[k];
      free += sides[k] == 0;
    }
    out.add({i, -1, std::sqrt(square), free});
  }
}

SupportPiece box_piece(const Vector3<double>& half, int i) {
  SupportPiece out;
  const std::array<int, 3> sides = box_sides(i);
  for (int k = 0; k < 3; ++k) {
    out.at[k] = sides[k] * half[k];
    if (sides[k] == 0) out.edges[out.free++] = Vector3<double>::Unit(k);
  }
  return out;
}

// A capsule: i = -1 and 1 its ends, 0 the line between. A cylinder: i = -1 and 1 its rims, 0 the side, -2 and
// 2 its flat ends.
constexpr int kSide = 0;

void stick_pieces(const CollisionShape& shape, const Vector3<double>& n, PieceList& out) {
  const bool cylinder = shape.kind == Kind::cylinder;
  out.add({static_cast<int>(sign(n[2]))});
  if (shape.size[1] > 0.0) out.add({kSide, -1, std::abs(n[2]), 1});
  if (cylinder) out.add({2 * static_cast<int>(sign(n[2])), -1, length(n[0], n[1]), 2});
  out.add({-static_cast<int>(sign(n[2])), -1, std::abs(n[2])});
}

SupportPiece ball_piece(double r, const Vector3<double>& n) {
  SupportPiece out;
  out.at = r * n;
  out.bend = r * (Matrix3<double>::Identity() - n * n.transpose());
  out.curved = true;
  return out;
}

SupportPiece capsule_piece(double r, double half, int i, const Vector3<double>& n) {
  SupportPiece out = ball_piece(r, n);
  out.at[2] += i * half;
  if (i != kSide) return out;
  out.free = 1;
  out.edges[0] = Vector3<double>::UnitZ();
  return out;
}

SupportPiece cylinder_piece(double r, double half, int i, const Vector3<double>& n) {
  SupportPiece out;
  if (std::abs(i) == 2) {
    out.at[2] = 0.5 * i * half;
    out.free = 2;
    out.edges = {Vector3<double>::UnitX(), Vector3<double>::UnitY()};
    return out;
  }
  const double across = std::max(length(n[0], n[1]), 1e-150);  // its square is still a number
  const Vector3<double> m(n[0] / across, n[1] / across, 0.0), t(-m[1], m[0], 0.0);
  out.at = r * m;
  out.at[2] = i * half;
  out.bend = r / across * t * t.transpose();
  out.curved = true;
  if (i == kSide) {
    out.free = 1;
    out.edges[0] = Vector3<double>::UnitZ();
  }
  return out;
}

SupportPiece ellipsoid_piece(const Vector3<double>& axes, const Vector3<double>& n) {
  const Vector3<double> square = axes.cwiseProduct(axes), far = square.cwiseProduct(n);
  const double h = axes.cwiseProduct(n).norm();
  SupportPiece out;
  out.at = far / h;
  out.bend = Matrix3<double>(square.asDiagonal()) / h - far * far.transpose() / (h * h * h);
  out.curved = true;
  return out;
}

// A mesh: a corner is (corner, -1), an edge (corner, corner), a face (-1 - face, -1).

void corner_pieces(const ConvexMesh& mesh, int corner, const Vector3<double>& n, double tilt,
                   PieceList& out) {
  out.add({corner, -1, tilt, 0});
  for (const int face : mesh.faces_at(corner))
    out.add({-1 - face, -1, cross<double>(mesh.faces()[face].normal, n).norm(), 2});
  for (const int next : mesh.neighbours(corner))
    out.add({corner, next,
             std::max(tilt, std::abs((mesh.vertices()[next] - mesh.vertices()[corner]).normalized().dot(n))),
             1});
}

/// The corner farthest along n with its edges and faces, and those of corners that are almost as far.
void mesh_pieces(const ConvexMesh& mesh, const Vector3<double>& n, int& corner, PieceList& out) {
  const int top = corner = mesh.farthest(n, corner);
  corner_pieces(mesh, top, n, 0.0, out);
  for (const int next : mesh.neighbours(top)) {
    const double tilt = std::abs((mesh.vertices()[next] - mesh.vertices()[top]).normalized().dot(n));
    if (tilt < 0.02) corner_pieces(mesh, next, n, tilt, out);
  }
}

SupportPiece mesh_piece(const ConvexMesh& mesh, const PieceId& id) {
  SupportPiece out;
  if (id.i >= 0) {
    out.at = mesh.vertices()[id.i];
    if (id.j >= 0) out.edges[out.free++] = (mesh.vertices()[id.j] - out.at).normalized();
    return out;
  }
  const ConvexMesh::Face& face = mesh.faces()[-1 - id.i];
  out.at = mesh.vertices()[face.corners[0]];
  out.edges[0] = (mesh.vertices()[face.corners[1]] - out.at).normalized();
  out.edges[1] = cross<double>(face.normal, out.edges[0]).normalized();
  out.free = 2;
  return out;
}

/// Outside of a corner, an edge or a face.
double outside_of_piece(const ConvexMesh& mesh, const PieceId& id, const Vector3<double>& p) {
  if (id.i >= 0) {
    const Vector3<double>& from = mesh.vertices()[id.i];
    if (id.j < 0) return (p - from).norm();
    const Vector3<double> edge = mesh.vertices()[id.j] - from;
    const double share = std::clamp(edge.dot(p - from) / edge.squaredNorm(), 0.0, 1.0);
    return (p - from - share * edge).norm();
  }
  const ConvexMesh::Face& face = mesh.faces()[-1 - id.i];
  double most = std::abs(face.normal.dot(p - mesh.vertices()[face.corners[0]]));
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const Vector3<double>& from = mesh.vertices()[face.corners[k]];
    const Vector3<double> along = mesh.vertices()[face.corners[(k + 1) % face.corners.size()]] - from;
    most = std::max(most, cross<double>(along, face.normal).dot(p - from) / along.norm());
  }
  return most;
}

}  // namespace

void corners_near_top(const ConvexMesh& mesh, const Vector3<double>& n, double below, int& corner,
                      std::vector<int>& out) {
  thread_local std::vector<unsigned> seen;  // kept, so that steps do not allocate
  thread_local unsigned round = 0;
  if (seen.size() < mesh.vertices().size()) seen.resize(mesh.vertices().size(), 0);
  ++round;
  corner = mesh.farthest(n, corner);
  const double least = mesh.vertices()[corner].dot(n) - below;
  out.assign(1, corner);
  seen[corner] = round;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (const int next : mesh.neighbours(out[k])) {
      if (seen[next] == round || mesh.vertices()[next].dot(n) < least) continue;
      seen[next] = round;
      out.push_back(next);
    }
}

void pieces_near(const CollisionShape& shape, const Vector3<double>& n, int& corner, PieceList& out) {
  out.count = 0;
  switch (shape.kind) {
    case Kind::box:
      return box_pieces(n, out);
    case Kind::capsule:
    case Kind::cylinder:
      return stick_pieces(shape, n, out);
    case Kind::mesh:
      return mesh_pieces(*shape.mesh, n, corner, out);
    case Kind::sphere:
    case Kind::ellipsoid:
    case Kind::plane:
      return out.add({});
    case Kind::ground:
      break;
  }
  throw Error("a ground has no farthest point: expected a convex shape");
}

SupportPiece support_piece(const CollisionShape& shape, const PieceId& id, const Vector3<double>& n) {
  SupportPiece plane;
  switch (shape.kind) {
    case Kind::sphere:
      return ball_piece(shape.size[0], n);
    case Kind::capsule:
      return capsule_piece(shape.size[0], shape.size[1], id.i, n);
    case Kind::box:
      return box_piece(shape.size, id.i);
    case Kind::cylinder:
      return cylinder_piece(shape.size[0], shape.size[1], id.i, n);
    case Kind::ellipsoid:
      return ellipsoid_piece(shape.size, n);
    case Kind::mesh:
      return mesh_piece(*shape.mesh, id);
    case Kind::plane:
      plane.free = 2;
      plane.edges = {Vector3<double>::UnitX(), Vector3<double>::UnitY()};
      return plane;
    case Kind::ground:
      break;
  }
  throw Error("a ground has no farthest point: expected a convex shape");
}

double support_height(const CollisionShape& shape, const Vector3<double>& n, int& corner) {
  switch (shape.kind) {
    case Kind::sphere:
      return shape.size[0];
    case Kind::capsule:
      return shape.size[0] + shape.size[1] * std::abs(n[2]);
    case Kind::box:
      return shape.size.dot(n.cwiseAbs());
    case Kind::cylinder:
      return shape.size[0] * length(n[0], n[1]) + shape.size[1] * std::abs(n[2]);
    case Kind::ellipsoid:
      return shape.size.cwiseProduct(n).norm();
    case Kind::mesh:
      corner = shape.mesh->farthest(n, corner);
      return shape.mesh->vertices()[corner].dot(n);
    case Kind::plane:
      return n[2] > 0.0 && length(n[0], n[1]) < 1e-14 ? 0.0 : std::numeric_limits<double>::infinity();
    case Kind::ground:
      break;
  }
  throw Error("a ground has no farthest point: expected a convex shape");
}

Vector3<double> support_point(const CollisionShape& shape, const Vector3<double>& n, int& corner) {
  switch (shape.kind) {
    case Kind::sphere:
      return shape.size[0] * n;
    case Kind::capsule:
      return shape.size[0] * n + Vector3<double>(0.0, 0.0, sign(n[2]) * shape.size[1]);
    case Kind::box:
      return {sign(n[0]) * shape.size[0], sign(n[1]) * shape.size[1], sign(n[2]) * shape.size[2]};
    case Kind::cylinder: {
      const double share = shape.size[0] / std::max(length(n[0], n[1]), 1e-150);
      return {share * n[0], share * n[1], sign(n[2]) * shape.size[1]};
    }
    case Kind::ellipsoid: {
      const Vector3<double> scaled = shape.size.cwiseProduct(n);
      return shape.size.cwiseProduct(scaled) / scaled.norm();
    }
    case Kind::mesh:
      corner = shape.mesh->farthest(n, corner);
      return shape.mesh->vertices()[corner];
    case Kind::plane:
    case Kind::ground:
      break;
  }
  throw Error("a plane or a ground has no farthest point: expected a convex shape");
}

double outside_by(const CollisionShape& shape, const PieceId& id, const Vector3<double>& p) {
  switch (shape.kind) {
    case Kind::sphere:
      return p.norm() - shape.size[0];
    case Kind::capsule: {
      const double along = std::max(0.0, std::abs(p[2]) - shape.size[1]);
      return std::sqrt(p[0] * p[0] + p[1] * p[1] + along * along) - shape.size[0];
    }
    case Kind::box:
      return (p.cwiseAbs() - shape.size).maxCoeff();
    case Kind::cylinder:
      return std::max(length(p[0], p[1]) - shape.size[0], std::abs(p[2]) - shape.size[1]);
    case Kind::ellipsoid:
      return (p.cwiseQuotient(shape.size).norm() - 1.0) * shape.size.minCoeff();
    case Kind::mesh:
      return outside_of_piece(*shape.mesh, id, p);
    case Kind::plane:
      return p[2];
    case Kind::ground:
      break;
  }
  throw Error("a ground is not a convex shape: expected one");
}

namespace {

void rim(double r, double z, std::vector<Vector3<double>>& out) {
  for (int i = 0; i < kRimCorners; ++i) {
    const double angle =
        (z < 0.0 ? -1.0 : 1.0) * 2.0 * std::numbers::pi * i / kRimCorners;  // left seen from outside
    out.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
}

void line(const Vector3<double>& middle, double half, std::vector<Vector3<double>>& out) {
  out.push_back(middle - half * Vector3<double>::UnitZ());
  out.push_back(middle + half * Vector3<double>::UnitZ());
}

void box_outline(const Vector3<double>& half, const Vector3<double>& n, double tilt,
                 std::vector<Vector3<double>>& out) {
  PieceList pieces;
  box_pieces(n, pieces);
  SupportPiece widest;
  for (int i = 0; i < pieces.count; ++i) {
    const SupportPiece piece = box_piece(half, pieces.ids[i].i);
    if (pieces.ids[i].tilt <= tilt && piece.free > widest.free) widest = piece;
  }
  if (widest.free == 0) return;
  const auto reach = [&](int k) -> Vector3<double> {
    return half.dot(widest.edges[k].cwiseAbs()) * widest.edges[k];
  };
  const Vector3<double> u = reach(0);
  if (widest.free == 1) return out.assign({widest.at - u, widest.at + u});
  const Vector3<double> w = reach(1);
  out.assign({widest.at - u - w, widest.at + u - w, widest.at + u + w, widest.at - u + w});
  if (cross<double>(u, w).dot(n) < 0.0) std::reverse(out.begin(), out.end());
}

/// The face whose normal is nearest to n if that is within `tilt` of it, else the edge that a plane normal to
/// n touches when it may tilt.
void mesh_outline(const ConvexMesh& mesh, const Vector3<double>& n, double tilt, int& corner,
                  std::vector<Vector3<double>>& out) {
  thread_local std::vector<int> top;  // kept, so that steps do not allocate
  // a face within the tilt is at most tilt times the mesh's width below the top
  corners_near_top(mesh, n, 2.0 * tilt * mesh.radius(), corner, top);
  const ConvexMesh::Face* best = nullptr;
  double most = 0.0;
  for (const int c : top)
    for (const int f : mesh.faces_at(c))
      if (const double cosine = mesh.faces()[f].normal.dot(n); cosine > most)
        most = cosine, best = &mesh.faces()[f];
  if (best && cross<double>(best->normal, n).norm() <= tilt) {
    for (const int c : best->corners) out.push_back(mesh.vertices()[c]);
    return;
  }
  const double least = mesh.vertices()[corner].dot(n) - tilt * mesh.radius();
  for (const int c : top)
    if (mesh.vertices()[c].dot(n) >= least) out.push_back(mesh.vertices()[c]);
  if (out.size() != 2) out.clear();
}

}  // namespace

void support_outline(const CollisionShape& shape, const Vector3<double>& n, double tilt, int& corner,
                     std::vector<Vector3<double>>& out) {
  out.clear();
  const double r = shape.size[0], half = shape.size[1], across = length(n[0], n[1]);
  switch (shape.kind) {
    case Kind::capsule:
      if (half > 0.0 && std::abs(n[2]) <= tilt) line(r * n, half, out);
      return;
    case Kind::cylinder:
      if (across <= tilt) return rim(r, n[2] < 0.0 ? -half : half, out);
      if (std::abs(n[2]) <= tilt) line({r * n[0] / across, r * n[1] / across, 0.0}, half, out);
      return;
    case Kind::box:
      return box_outline(shape.size, n, tilt, out);
    case Kind::mesh:
      return mesh_outline(*shape.mesh, n, tilt, corner, out);
    case Kind::sphere:
    case Kind::ellipsoid:
    case Kind::plane:
    case Kind::ground:
      return;
  }
}

}  // namespace amble::detail
