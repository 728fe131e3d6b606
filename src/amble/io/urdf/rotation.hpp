#pragma once

#include "amble/geometry/so3.hpp"

namespace amble {

/// R = Rz(yaw) Ry(pitch) Rx(roll), with rpy = (roll, pitch, yaw).
SO3<double> rotation_of_rpy(const Vector3<double>& rpy);

/// Angles that give this rotation back to 1e-15, and to the last bit where simple angles do (a file's own
/// usually do).
Vector3<double> rpy_of_rotation(const SO3<double>& R);

}  // namespace amble
