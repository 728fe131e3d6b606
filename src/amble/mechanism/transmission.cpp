#include "amble/mechanism/transmission.hpp"

#include <cmath>

namespace amble {

namespace {

Vector3<double> forces(const std::array<double, 6>& gear) { return {gear[0], gear[1], gear[2]}; }
Vector3<double> torques(const std::array<double, 6>& gear) { return {gear[3], gear[4], gear[5]}; }

}  // namespace

Transmission frame_transmission(const std::array<double, 6>& gear, const Pose& X_WF) {
  const SO3<double>& R = X_WF.rotation();
  return {0.0, {R * forces(gear), R * torques(gear), X_WF.translation()}, {}};
}

Transmission relative_transmission(const std::array<double, 6>& gear, const PlacedFrame& frame,
                                   const PlacedFrame& reference) {
  const Pose &X_WF = frame.X_WF, &X_WR = reference.X_WF;
  const SO3<double>& R = X_WR.rotation();
  const Vector3<double> p_RF = X_WR.inverse() * X_WF.translation();
  const SO3<double> turn = (reference.R_BF * reference.R_WB()).inverse() * (frame.R_BF * frame.R_WB());
  const Vector3<double> force = R * forces(gear), moment = R * torques(gear);
  return {p_RF.dot(forces(gear)) + turn.log().dot(torques(gear)),
          {force, moment, X_WF.translation()},
          {Vector3<double>(-force), Vector3<double>(-moment), X_WR.translation()}};
}

/// length = a . v - root with root^2 = (a . v)^2 + rod^2 - v^2, a along the slider, v from there to the
/// frame. Its change with v is a force on the frame, back on the slider; with a, which turns with the slider,
/// a moment a x (dl/da).
Transmission slider_transmission(double gear, double rod, const Pose& X_WF, const Pose& X_WS) {
  const Vector3<double> a = X_WS.rotation().matrix().col(2), v = X_WF.translation() - X_WS.translation();
  const double along = a.dot(v), square = along * along + rod * rod - v.dot(v),
               root = std::sqrt(std::max(0.0, square));
  const bool reaches = square > 0.0;
  const double slope = reaches ? 1.0 - along / root : 1.0;
  const Vector3<double> by_v = reaches ? Vector3<double>(slope * a + v / root) : a, by_a = slope * v;
  const Vector3<double> force = gear * by_v, moment = gear * cross<double>(a, by_a);
  return {gear * (along - root),
          {force, Vector3<double>::Zero(), X_WF.translation()},
          {Vector3<double>(-force), moment, X_WS.translation()}};
}

}  // namespace amble
