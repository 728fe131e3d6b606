#pragma once

#include "amble/geometry/so3.hpp"

namespace amble {

/// Principal moments in descending order, and their axes.
struct MjcfMoments {
  Vector3<double> moments = Vector3<double>::Zero();
  SO3<double> axes;

  Matrix3<double> matrix() const { return axes.matrix() * moments.asDiagonal() * axes.matrix().transpose(); }
};

/// Jacobi's method as MuJoCo runs it, which stops when the largest entry off the diagonal is below 1e-12 in
/// whatever unit it has; that entry is then dropped. So the moments of small bodies differ from exact ones by
/// up to 1e-6, and a reader that took exact ones would differ from MuJoCo by as much.
MjcfMoments mjcf_principal_axes(const Matrix3<double>& symmetric);

}  // namespace amble
