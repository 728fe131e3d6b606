#include "amble/walkers/foot_angles.hpp"

#include <Eigen/LU>
#include <cmath>

#include "amble/dynamics/kinematics.hpp"

namespace amble {

namespace {

using Eigen::Matrix3d, Eigen::Matrix3Xd, Eigen::Vector3d;

/// The mirror y -> -y, and what it makes of turning: omega -> -S omega.
Matrix3d mirror() { return Vector3d(1.0, -1.0, 1.0).asDiagonal(); }

Vector3d angles_of(const Matrix3d& R) {
  return {std::atan2(R(1, 0), R(0, 0)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
          std::atan2(R(2, 1), R(2, 2))};
}

/// omega = E (yaw', pitch', roll'), and the derivatives of E in yaw and in pitch.
struct RateMap {
  Matrix3d E, in_yaw, in_pitch;
};

RateMap rate_map(const Vector3d& angles) {
  const double cy = std::cos(angles[0]), sy = std::sin(angles[0]), cp = std::cos(angles[1]),
               sp = std::sin(angles[1]);
  RateMap map;
  map.E << 0, -sy, cy * cp, 0, cy, sy * cp, 1, 0, -sp;
  map.in_yaw << 0, -cy, -sy * cp, 0, -sy, cy * cp, 0, 0, 0;
  map.in_pitch << 0, 0, -cy * sp, 0, 0, -sy * sp, 0, 0, -cp;
  return map;
}

}  // namespace

FootAngles foot_angles(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const std::string& place, bool mirrored, bool derivative) {
  const Matrix3d S = mirrored ? mirror() : Matrix3d::Identity(), turning = mirrored ? -mirror() : S;
  const Matrix3d R = S * pose(mechanism, work, q, place).rotation().matrix() * S;
  const JacobianOptions aligned{.frame = JacobianFrame::aligned};
  const Matrix3Xd J = turning * jacobian(mechanism, work, q, place, aligned).bottomRows(3);
  FootAngles out;
  out.angles = angles_of(R);
  const RateMap map = rate_map(out.angles);
  const Matrix3d inverse = map.E.inverse();
  const Matrix3Xd angle_rates = inverse * J;
  out.rates = angle_rates * v;
  out.J = angle_rates;
  if (!derivative) return out;
  Matrix3Xd drates(3, J.cols());
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const Matrix3Xd dJ =
        turning *
        jacobian_dot(mechanism, work, q, Eigen::VectorXd::Unit(J.cols(), k), place, aligned).bottomRows(3);
    const Matrix3d dE = map.in_yaw * angle_rates(0, k) + map.in_pitch * angle_rates(1, k);
    drates.col(k) = inverse * (dJ * v - dE * out.rates);
  }
  out.drates = drates;
  return out;
}

}  // namespace amble
