#pragma once

#include <optional>
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

/// Poses of all links at `q`, into the workspace. ZB (7), DS Lemma 2.12.
void forward_kinematics(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

/// The pose in the world of a body or frame, X_WB.
Pose pose(const Mechanism& mechanism, Workspace& work, const VectorRef& q, std::string_view place);

/// 6 x nv, V = J v for a body or frame, linear part first; a view into the workspace, valid until its next use.
/// ZB (8), (9), DS Lemma 2.12.
const OwnedMatrix& jacobian(const Mechanism& mechanism, Workspace& work, const VectorRef& q, std::string_view place,
                            const JacobianOptions& options = {});

}  // namespace amble
