#include "amble/simulation/sensors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/link_motion.hpp"
#include "amble/ports/coordinate.hpp"

namespace amble {

namespace {

/// Whether `body` is `root` or beyond it.
bool beyond(const Mechanism& m, int body, int root) {
  while (body > root) body = m.bodies()[body].parent;  // parents come before children
  return body == root;
}

/// The wrench on a body that its motion asks for, in its frame; the motion is that of its link.
Wrench<double> asked_for(const Body& body, const LinkMotion& link) {
  const Pose X_BL = body.X_LB.inverse();
  const Twist<double> V = X_BL * link.V;
  return body.inertia * (X_BL * link.A) + cross(V, body.inertia * V);
}

}  // namespace

ImuReading imu_reading(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a, const Place& place) {
  const LinkMotion& link = link_accelerations(m, work, q, v, a)[place.link];
  const Pose X_PL = place.X_LP.inverse();
  const Twist<double> V = X_PL * link.V;
  // The components of V change also because the axes turn.
  return {V.angular(), (X_PL * link.A).linear() + cross<double>(V.angular(), V.linear())};
}

Wrench<double> joint_wrench(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& a, const std::string& name, std::span<const ExternalWrench> external) {
  const Joint& joint = m.joints()[m.joint_index(name)];
  const std::span<const LinkMotion> links = link_accelerations(m, work, q, v, a);
  const int child = joint.child, count = static_cast<int>(m.bodies().size());
  const auto pose_in_world = [&](int body) {
    Pose X = m.bodies()[body].X_LB;
    for (int link = m.bodies()[body].link; link > 0; link = m.links()[link].parent) X = links[link].X_PL * X;
    return X;
  };
  const Pose X_CW = pose_in_world(child).inverse();
  Wrench<double> F_C;
  for (int body = child; body < count && beyond(m, body, child); ++body)
    F_C += (X_CW * pose_in_world(body)) * asked_for(m.bodies()[body], links[m.bodies()[body].link]);
  for (const ExternalWrench& outside : external)
    if (outside.body >= 0 && beyond(m, outside.body, child))
      F_C += -((X_CW * pose_in_world(outside.body)) * outside.F_B_B);
  return joint.X_CM.inverse() * F_C;
}

double encoder_reading(double coordinate, double resolution) {
  return resolution > 0.0 ? resolution * std::round(coordinate / resolution) : coordinate;
}

SensorNoise::SensorNoise(const SensorErrors& errors, std::uint64_t seed) : errors_(errors), random_(seed) {
  if (!std::isfinite(errors.bias) || !std::isfinite(errors.deviation) || errors.deviation < 0.0)
    throw Error(
        fmt::format("a sensor has a bias of {} and a deviation of {}: expected numbers, the deviation not negative",
                    errors.bias, errors.deviation));
}

double SensorNoise::operator()(double exact) {
  return exact + errors_.bias + (errors_.deviation > 0.0 ? errors_.deviation * random_.normal() : 0.0);
}

Vector3<double> SensorNoise::operator()(const Vector3<double>& exact) {
  Vector3<double> out;
  for (int k = 0; k < 3; ++k) out[k] = (*this)(exact[k]);
  return out;
}

Imu::Imu(const Mechanism& m, const std::string& place, const ImuErrors& errors, std::uint64_t seed)
    : mechanism_(m),
      work_(m),
      place_(m.place(place)),
      gyroscope_(errors.angular_velocity, seed),
      accelerometer_(errors.specific_force, ~seed) {}

ImuReading Imu::read(const VectorRef& q, const VectorRef& v, const VectorRef& a) {
  const ImuReading exact = imu_reading(mechanism_, work_, q, v, a, place_);
  return {gyroscope_(exact.angular_velocity), accelerometer_(exact.specific_force)};
}

JointEncoder::JointEncoder(const Mechanism& m, const std::string& joint, double resolution, int axis,
                           const SensorErrors& errors, std::uint64_t seed)
    : resolution_(resolution), noise_(errors, seed) {
  const Coordinate c = coordinate_of(m, "encoder", joint, axis);
  q_ = c.q, ratio_ = c.ratio, offset_ = c.offset;
  if (!(resolution >= 0.0) || !std::isfinite(resolution))
    throw Error(fmt::format("the encoder of '{}' has a resolution of {}: expected 0 or more", joint, resolution));
}

double JointEncoder::read(const VectorRef& q) {
  return encoder_reading(noise_(ratio_ * q[q_] + offset_), resolution_);
}

JointForceSensor::JointForceSensor(const Mechanism& m, const std::string& joint, const SensorErrors& force,
                                   const SensorErrors& moment, std::uint64_t seed)
    : mechanism_(m), work_(m), joint_(joint), force_(force, seed), moment_(moment, ~seed) {
  m.joint_index(joint);  // an unknown one is told now
}

Wrench<double> JointForceSensor::read(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                                      std::span<const ExternalWrench> external) {
  const Wrench<double> exact = joint_wrench(mechanism_, work_, q, v, a, joint_, external);
  return {force_(exact.linear()), moment_(exact.angular())};
}

}  // namespace amble
