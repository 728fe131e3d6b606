#pragma once

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// How a foot is turned in space, R = Rz(yaw) Ry(pitch) Rx(roll), for a foot whose frame stands along the
/// floor's axes where all are zero. Yaw comes first, about the floor's normal: on a level floor nothing
/// depends on it.
struct FootAngles {
  Vector3<double> angles, rates;  ///< yaw, pitch, roll (rad, rad/s)
  OwnedMatrix J;                  ///< rates = J v, and the derivative of the angles in q; 3 x nv
  OwnedMatrix drates;             ///< of the rates in q
};

/// Of the frame `place`; of its image in a mirror that exchanges left and right when `mirrored`. The
/// mechanism has joints with one axis only. `drates` is filled when asked for. Not finite where the foot is
/// upended and yaw and roll are one.
FootAngles foot_angles(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const std::string& place, bool mirrored, bool derivative);

}  // namespace amble
