#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "amble/geometry/shape.hpp"
#include "amble/io/mjcf/assets.hpp"
#include "amble/io/mjcf/principal_axes.hpp"
#include "amble/io/mjcf/settings.hpp"

// A model with its classes, units, frames and shorthands resolved: bodies in MuJoCo's order, everything on
// them in the axes of its body. Made of the tree, and what the description for Amble is made of.
namespace amble {

/// Where a model's elements come from: the file itself, or one that it attaches.
struct MjcfSource {
  std::string file;
  MjcfElement root;
  MjcfSettings settings;
  std::unique_ptr<MjcfClasses> classes;
  std::unique_ptr<MjcfAssets> assets;
};
using MjcfSources = std::vector<std::unique_ptr<MjcfSource>>;

/// A lower and an upper bound; nothing where there is no limit.
using MjcfRange = std::optional<std::array<double, 2>>;

struct CompiledJoint {
  enum class Type { free, ball, slide, hinge };

  const MjcfElement* element = nullptr;
  std::string name;  ///< of the file; may be empty
  std::string childclass;
  Type type = Type::hinge;
  Vector3<double> anchor{0.0, 0.0, 0.0}, axis{0.0, 0.0, 1.0};
  MjcfRange range;                    ///< m or rad; of a ball its largest angle above
  std::array<double, 2> raw_range{};  ///< as the file says it, converted where limited
  MjcfRange force;                    ///< of all drives together (N, N m)
  double ref = 0.0, springref = 0.0;
  std::array<double, 3> stiffness{}, damping{};
  double armature = 0.0, frictionloss = 0.0;
  bool drives_compensate_gravity = false;
  int q = 0, v = 0;  ///< where its coordinates stand in MuJoCo's order

  int coordinates() const { return type == Type::free ? 7 : type == Type::ball ? 4 : 1; }
  int freedoms() const { return type == Type::free ? 6 : type == Type::ball ? 3 : 1; }
};

struct CompiledGeom {
  enum class Type { plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf };

  const MjcfElement* element = nullptr;
  std::string name;
  Type type = Type::sphere;
  Vector3<double> size{0.0, 0.0, 0.0};  ///< half sizes, as in MuJoCo
  Pose X_BX;                            ///< as drawn
  Pose X_BG;                            ///< of its mass: of a mesh, its principal axes at its centre of mass
  const MjcfMesh* mesh = nullptr;
  std::optional<MjcfColor> color;
  double group = 0.0;
  ContactSurface surface;
  int condim = 3;  ///< 1: no friction; 3: sliding; 4 and 6: twisting and rolling too

  bool collides() const { return surface.type != 0 || surface.affinity != 0; }
  bool has_shape() const;  ///< whether it becomes a shape here
};

struct CompiledSite {
  const MjcfElement* element = nullptr;
  std::string name;
  Pose X_BS;
};

struct CompiledBody {
  const MjcfElement* element = nullptr;
  std::string name;
  int parent = 0;
  Pose X_PB, X_WB;  ///< as drawn, which is at qpos0
  double mass = 0.0;
  Pose X_BI;  ///< centre of mass and the axes of `moments`
  Vector3<double> moments{0.0, 0.0, 0.0};
  bool mocap = false;
  double gravity_compensation = 0.0;
  int children = 0;
  std::vector<CompiledJoint> joints;
  std::vector<CompiledGeom> geoms;
  std::vector<CompiledSite> sites;
};

struct CompiledModel {
  std::vector<CompiledBody> bodies;  ///< the world first; depth first
  bool has_unread_bodies =
      false;  ///< deformable ones make bodies and joints of their own, which others may name
  MjcfOptions options;
  int nq = 0, nv = 0;
};

/// Bodies, joints, geoms and sites. Throws an Error at the element for what cannot be.
CompiledModel compile_mjcf(const MjcfSources& sources, Problems& findings);

/// Finds what a model names. Null when there is none.
class CompiledNames {
 public:
  explicit CompiledNames(const CompiledModel& model);
  const CompiledJoint* joint(const std::string& name) const;
  int joint_body(const CompiledJoint* joint) const { return joint_bodies_.at(joint); }
  int body(const std::string& name) const;  ///< -1 when there is none; "world" is 0
  const CompiledSite* site(const std::string& name, int& body) const;
  const CompiledGeom* geom(const std::string& name, int& body) const;
  std::vector<std::string> joint_names() const;
  std::vector<std::string> body_names() const;

 private:
  const CompiledModel& model_;
  std::map<std::string, const CompiledJoint*> joints_;
  std::map<const CompiledJoint*, int> joint_bodies_;
  std::map<std::string, int> bodies_;
  std::map<std::string, std::pair<const CompiledSite*, int>> sites_;
  std::map<std::string, std::pair<const CompiledGeom*, int>> geoms_;
};

}  // namespace amble
