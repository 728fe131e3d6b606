#pragma once

#include <string_view>

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// In which axes, and about which point, a Jacobian's twist is given.
enum class JacobianFrame {
  local,    ///< body axes, at the point
  world,    ///< world axes, at the world's origin (spatial twist)
  aligned,  ///< world axes, at the point
};

/// The place a Jacobian is about.
struct JacobianOptions {
  Vector3<double> point = Vector3<double>::Zero();  ///< in body coordinates
  JacobianFrame frame = JacobianFrame::local;
};

/// "local", "world" or "aligned"; an Error otherwise.
JacobianFrame jacobian_frame(std::string_view name);

/// The poses of all links in the world, X_WL, inside a Workspace; to be read as View says.
class LinkPoses {
 public:
  LinkPoses(std::span<const Pose> poses, const Watch& watch) : poses_(poses), watch_(watch) {}
  std::size_t size() const { return poses_.size(); }
  const Pose& operator[](std::size_t link) const {
    watch_.check();
    return poses_[link];
  }

 private:
  std::span<const Pose> poses_;
  Watch watch_;
};

/// Poses of all links at `q`. ZB (7), DS Lemma 2.12.
LinkPoses forward_kinematics(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

/// The pose in the world of a body or frame, X_WB.
Pose pose(const Mechanism& mechanism, Workspace& work, const VectorRef& q, std::string_view place);

/// 6 x nv, V = J v for a body or frame, linear part first. ZB (8), (9), DS Lemma 2.12, BK (14)-(17).
MatrixView jacobian(const Mechanism& mechanism, Workspace& work, const VectorRef& q, std::string_view place,
                    const JacobianOptions& options = {});

/// Its rate along v: the numbers of jacobian() differentiated in time. BK (26).
MatrixView jacobian_dot(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                        std::string_view place, const JacobianOptions& options = {});

}  // namespace amble
