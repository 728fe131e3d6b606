#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/tree.hpp"

// Things that touch each other, as any library can be told them: plain numbers only, because peers are
// compiled apart.
namespace amble::bench {

/// A collision shape on a link of the tree; -1 is the world.
struct SceneShape {
  enum class Kind { box, sphere, capsule, cylinder, plane };
  Kind kind = Kind::box;
  int link = -1;
  /// Metres. box: half edges; sphere: (radius, 0, 0); capsule, cylinder: (radius, half length, 0) along z, a
  /// capsule's without its caps; plane: none, solid below z = 0.
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R_LS = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_LS = Eigen::Vector3d::Zero();
};

/// What acts along the axis of a link's joint, when that has one.
struct SceneJoint {
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double damping = 0.0, friction = 0.0, stiffness = 0.0, reference = 0.0;
};

struct LinkPose {
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
};

struct Scene {
  Tree tree;
  std::vector<SceneJoint> joints;  ///< one for each link
  std::vector<SceneShape> shapes;
  std::vector<std::pair<int, int>> apart;  ///< links that do not collide, beside those that a joint connects
  std::vector<LinkPose> neutral;           ///< of the links, where all coordinates are zero
  double friction = 0.8;                   ///< Coulomb's coefficient of every pair
  double step = 1e-3;                      ///< s
};

/// A point where links touch, at the start of a step, and its force in that step. All in world axes.
struct SceneContact {
  int link_a = -1, link_b = -1;
  Eigen::Vector3d point;
  Eigen::Vector3d normal;  ///< unit, from a towards b
  Eigen::Vector3d force;   ///< on b (N)
};

/// A scene inside a library.
class SceneStepper {
 public:
  virtual ~SceneStepper() = default;
  /// At rest; `poses` are those of the links at `q`.
  virtual void reset(const Eigen::VectorXd& q, const std::vector<LinkPose>& poses) = 0;
  virtual void step() = 0;
  /// Of the links, after the last step.
  virtual void find_poses(std::vector<LinkPose>& out) = 0;
  /// Of the last step.
  virtual void find_contacts(std::vector<SceneContact>& out) const = 0;
  /// How far steps since the start were from the laws of contact, at worst and relative to speeds; NaN where a library
  /// does not tell.
  virtual double worst_residual() const { return std::numeric_limits<double>::quiet_NaN(); }
};

/// How a peer is set for a scene.
struct SceneSetting {
  std::string name;    ///< empty for that which it has by itself
  std::string remark;  ///< what is set
  std::unique_ptr<SceneStepper> (*make)(const Scene& scene);
};

}  // namespace amble::bench
