#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "amble/geometry/ground.hpp"
#include "amble/geometry/shape.hpp"

namespace amble {

/// A convex polyhedron: the hull of points. Immutable.
class ConvexMesh {
 public:
  /// The hull of at least four points that do not lie in one plane (m). Throws an Error otherwise.
  explicit ConvexMesh(const std::vector<Vector3<double>>& points);

  /// The corners, and nothing inside.
  const std::vector<Vector3<double>>& vertices() const { return vertices_; }
  /// Flat faces, each a loop of corners that turns left seen from outside; the normals are unit and outward.
  struct Face {
    std::vector<int> corners;
    Vector3<double> normal;
  };
  const std::vector<Face>& faces() const { return faces_; }
  /// The corner farthest along a direction, climbed to from another one.
  int farthest(const Vector3<double>& direction, int from = 0) const;
  /// The corners that a corner shares an edge with.
  std::span<const int> neighbours(int corner) const { return neighbours_.of(corner); }
  /// The faces that a corner is of.
  std::span<const int> faces_at(int corner) const { return faces_at_.of(corner); }
  /// The middle of the box that holds it, and the largest distance of a corner from there.
  const Vector3<double>& middle() const { return middle_; }
  double radius() const { return radius_; }

 private:
  std::vector<Vector3<double>> vertices_;
  std::vector<Face> faces_;
  /// Lists of corners, one after another: what climbing reads lies side by side.
  struct Lists {
    std::vector<int> start, all;
    void collect(const std::vector<std::vector<int>>& lists);
    std::span<const int> of(int i) const { return {all.data() + start[i], all.data() + start[i + 1]}; }
  };
  Lists neighbours_, faces_at_;  // of each corner
  Vector3<double> middle_ = Vector3<double>::Zero();
  double radius_ = 0.0;
};

/// The hull of what a mesh file (OBJ, STL, COLLADA, ...) holds, each coordinate times its scale. Throws an
/// Error when the file cannot be read.
std::shared_ptr<const ConvexMesh> load_convex_mesh(const std::string& file,
                                                   const Vector3<double>& scale = Vector3<double>::Ones());
/// That of a shape of a model, from the file that was found when the model was loaded.
std::shared_ptr<const ConvexMesh> load_convex_mesh(const Shape& shape);

/// What a body collides as, in the axes of its own frame: solid, convex, or a plane or ground that is solid
/// below. Made by the functions below, which check the numbers.
struct CollisionShape {
  enum class Kind { sphere, capsule, box, cylinder, ellipsoid, mesh, plane, ground };
  Kind kind = Kind::sphere;
  /// Metres. sphere: (radius, 0, 0); capsule, cylinder: (radius, half length, 0) along z, a capsule's without
  /// its caps; box: half edges; ellipsoid: semi-axes.
  Vector3<double> size = Vector3<double>::Zero();
  std::shared_ptr<const ConvexMesh> mesh;  ///< of kind mesh only
  GroundPtr ground;                        ///< of kind ground only

  /// The radius about the frame's origin that holds the shape; infinite for a plane and a ground.
  double reach() const;
};

CollisionShape sphere_shape(double radius);
/// Along z; the length is without the caps. A length of zero is a sphere.
CollisionShape capsule_shape(double radius, double length);
/// Full edge lengths.
CollisionShape box_shape(const Vector3<double>& edges);
/// Along z.
CollisionShape cylinder_shape(double radius, double length);
CollisionShape ellipsoid_shape(const Vector3<double>& semi_axes);
CollisionShape mesh_shape(std::shared_ptr<const ConvexMesh> mesh);
/// The x-y plane of its frame; what stands on it is on the side of +z.
CollisionShape plane_shape();
/// A height over the x-y plane of its frame.
CollisionShape ground_shape(GroundPtr ground);

/// As a model describes it. A mesh's file is looked for as it is named.
CollisionShape collision_shape(const Shape& shape);

}  // namespace amble
