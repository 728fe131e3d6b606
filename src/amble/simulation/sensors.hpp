#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "amble/base/random.hpp"
#include "amble/dynamics/dynamics.hpp"

// What sensors on a mechanism in motion read. Accelerations are those of the motion: Simulator::accelerations().
namespace amble {

// ---- without errors

/// An inertial measurement unit, in the axes of its frame.
struct ImuReading {
  Vector3<double> angular_velocity = Vector3<double>::Zero();  ///< rad/s
  Vector3<double> specific_force = Vector3<double>::Zero();    ///< acceleration of its origin minus gravity (m/s^2)
};
ImuReading imu_reading(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a, const Place& place);

/// The wrench through a joint, fixed ones too, that the parent's side exerts on the child's, in the joint's frame M
/// on the child: what gives all bodies beyond it their accelerations, beside `external`. Everything that acts on
/// those bodies from elsewhere belongs there: springs between bodies, loops, contacts. Along the joint's own motion
/// it is the joint's force, without what armature takes.
Wrench<double> joint_wrench(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                            const VectorRef& a, const std::string& joint,
                            std::span<const ExternalWrench> external = {});

/// A coordinate in whole steps of `resolution`, the nearest one; 0 means as it is.
double encoder_reading(double coordinate, double resolution);

// ---- with errors

/// Of each number that a sensor reads, in its own unit.
struct SensorErrors {
  double bias = 0.0;
  double deviation = 0.0;  ///< standard deviation of white noise, drawn anew for each reading
};

/// Draws them; the same seed gives the same readings.
class SensorNoise {
 public:
  /// Throws an Error for numbers that are not finite or a negative deviation.
  SensorNoise(const SensorErrors& errors, std::uint64_t seed);
  double operator()(double exact);
  Vector3<double> operator()(const Vector3<double>& exact);

 private:
  SensorErrors errors_;
  Random random_;
};

struct ImuErrors {
  SensorErrors angular_velocity = {}, specific_force = {};
};

/// On a body or a frame of a mechanism.
class Imu {
 public:
  Imu(const Mechanism& mechanism, const std::string& place, const ImuErrors& errors = {}, std::uint64_t seed = 0);
  ImuReading read(const VectorRef& q, const VectorRef& v, const VectorRef& a);

 private:
  Mechanism mechanism_;
  Workspace work_;
  Place place_;
  SensorNoise gyroscope_, accelerometer_;
};

/// On one coordinate of a joint: errors first, then whole steps.
class JointEncoder {
 public:
  JointEncoder(const Mechanism& mechanism, const std::string& joint, double resolution = 0.0, int axis = 0,
               const SensorErrors& errors = {}, std::uint64_t seed = 0);
  double read(const VectorRef& q);

 private:
  int q_;
  double ratio_, offset_, resolution_;
  SensorNoise noise_;
};

/// Six numbers through a joint, see joint_wrench().
class JointForceSensor {
 public:
  JointForceSensor(const Mechanism& mechanism, const std::string& joint, const SensorErrors& force = {},
                   const SensorErrors& moment = {}, std::uint64_t seed = 0);
  Wrench<double> read(const VectorRef& q, const VectorRef& v, const VectorRef& a,
                      std::span<const ExternalWrench> external = {});

 private:
  Mechanism mechanism_;
  Workspace work_;
  std::string joint_;
  SensorNoise force_, moment_;
};

}  // namespace amble
