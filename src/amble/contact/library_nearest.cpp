#include "amble/contact/library_nearest.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <cmath>
#include <exception>

namespace amble::detail {

namespace {

using Kind = CollisionShape::Kind;

std::shared_ptr<fcl::CollisionGeometryd> convex(const ConvexMesh& mesh) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vector3<double>& v : mesh.vertices()) vertices->emplace_back(v[0], v[1], v[2]);
  auto faces = std::make_shared<std::vector<int>>();
  for (const ConvexMesh::Face& face : mesh.faces()) {
    faces->push_back(static_cast<int>(face.corners.size()));
    faces->insert(faces->end(), face.corners.begin(), face.corners.end());
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(mesh.faces().size()), faces);
}

std::shared_ptr<fcl::CollisionGeometryd> geometry(const CollisionShape& shape) {
  const Vector3<double>& s = shape.size;
  switch (shape.kind) {
    case Kind::sphere:
      return std::make_shared<fcl::Sphered>(s[0]);
    case Kind::capsule:
      return std::make_shared<fcl::Capsuled>(s[0], 2.0 * s[1]);
    case Kind::box:
      return std::make_shared<fcl::Boxd>(2.0 * s[0], 2.0 * s[1], 2.0 * s[2]);
    case Kind::cylinder:
      return std::make_shared<fcl::Cylinderd>(s[0], 2.0 * s[1]);
    case Kind::ellipsoid:
      return std::make_shared<fcl::Ellipsoidd>(s[0], s[1], s[2]);
    case Kind::mesh:
      return convex(*shape.mesh);
    case Kind::plane:
    case Kind::ground:
      break;
  }
  return nullptr;
}

fcl::Transform3d transform(const Pose& X) {
  fcl::Transform3d out = fcl::Transform3d::Identity();
  out.linear() = X.rotation().matrix();
  out.translation() = X.translation();
  return out;
}

/// By GJK; nothing where they are not apart.
std::optional<LibraryNearest> apart(const fcl::CollisionGeometryd& a, const fcl::Transform3d& X_WA,
                                    const fcl::CollisionGeometryd& b, const fcl::Transform3d& X_WB) {
  fcl::DistanceRequestd request(true);
  request.gjk_solver_type = fcl::GST_LIBCCD;
  fcl::DistanceResultd result;
  fcl::distance(&a, X_WA, &b, X_WB, request, result);
  const fcl::Vector3d between = result.nearest_points[1] - result.nearest_points[0];
  if (!(result.min_distance > 0.0) || !(between.norm() > 0.0)) return std::nullopt;
  return LibraryNearest{result.nearest_points[0], result.nearest_points[1], between.normalized(),
                        result.min_distance};
}

/// By EPA.
std::optional<LibraryNearest> sunk(const fcl::CollisionGeometryd& a, const fcl::Transform3d& X_WA,
                                   const fcl::CollisionGeometryd& b, const fcl::Transform3d& X_WB) {
  fcl::CollisionRequestd request(1, true);
  request.gjk_solver_type = fcl::GST_INDEP;
  fcl::CollisionResultd result;
  fcl::collide(&a, X_WA, &b, X_WB, request, result);
  if (result.numContacts() == 0) return std::nullopt;
  const fcl::Contactd& contact = result.getContact(0);
  const double depth = std::abs(contact.penetration_depth);  // the sign depends on the shapes
  const fcl::Vector3d half = 0.5 * depth * contact.normal;
  return LibraryNearest{contact.pos + half, contact.pos - half, contact.normal, -depth};
}

}  // namespace

std::optional<LibraryNearest> library_nearest(const CollisionShape& a, const Pose& X_WA,
                                              const CollisionShape& b, const Pose& X_WB) {
  const auto on_a = geometry(a), on_b = geometry(b);
  if (!on_a || !on_b) return std::nullopt;
  std::optional<LibraryNearest> out;
  try {
    out = apart(*on_a, transform(X_WA), *on_b, transform(X_WB));
    if (!out) out = sunk(*on_a, transform(X_WA), *on_b, transform(X_WB));
  } catch (const std::exception&) {
    return std::nullopt;
  }
  if (out && !(out->p_a.allFinite() && out->p_b.allFinite() && std::abs(out->normal.norm() - 1.0) < 1e-6))
    return std::nullopt;
  return out;
}

}  // namespace amble::detail
