#include "amble/simulation/sensors.hpp"

#include "bindings.hpp"
#include "constraint_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

struct Motion {
  OwnedVector q, v, a;
};
Motion motion_from(const py::object& q, const py::object& v, const py::object& a) {
  const auto all = [](const py::object& x, const char* what) {
    const Array given = numbers(x, what);
    return OwnedVector(vector(given));
  };
  return {all(q, "q"), all(v, "v"), all(a, "a")};
}

std::vector<ExternalWrench> wrenches_from(const Mechanism& m, const py::object& external) {
  std::vector<ExternalWrench> out;
  if (external.is_none()) return out;
  for (const auto& [body, wrench] : named_values(external, "external"))
    out.push_back({m.body_index(body), Wrench<double>(vector6(wrench, "the wrench on '" + body + "'"))});
  return out;
}

/// A mechanism beside its sensor, for the names of wrenches.
struct NamedForceSensor {
  Mechanism mechanism;
  JointForceSensor sensor;
};

}  // namespace

void bind_sensors(py::module_& m) {
  py::class_<Imu>(m, "Imu", "An inertial measurement unit on a body or frame.")
      .def(py::init([](const Mechanism& robot, const std::string& place, double gyroscope_bias,
                       double gyroscope_deviation, double accelerometer_bias, double accelerometer_deviation,
                       const py::object& seed) {
             return Imu(robot, place,
                        {{gyroscope_bias, gyroscope_deviation}, {accelerometer_bias, accelerometer_deviation}},
                        seed_from(seed));
           }),
           "m"_a, "place"_a, "gyroscope_bias"_a = 0.0, "gyroscope_deviation"_a = 0.0, "accelerometer_bias"_a = 0.0,
           "accelerometer_deviation"_a = 0.0, "seed"_a = 0)
      .def(
          "read",
          [](Imu& imu, const py::object& q, const py::object& v, const py::object& a) {
            const Motion at = motion_from(q, v, a);
            const ImuReading read = imu.read(at.q, at.v, at.a);
            return py::make_tuple(array(read.angular_velocity), array(read.specific_force));
          },
          "q"_a, "v"_a, "a"_a, "(angular velocity, acceleration minus gravity) in its own axes (rad/s, m/s^2).");
  py::class_<JointEncoder>(m, "JointEncoder", "Reads one coordinate of a joint in whole steps.")
      .def(py::init([](const Mechanism& robot, const std::string& joint, double resolution, int axis, double bias,
                       double deviation, const py::object& seed) {
             return JointEncoder(robot, joint, resolution, axis, {bias, deviation}, seed_from(seed));
           }),
           "m"_a, "joint"_a, "resolution"_a = 0.0, "axis"_a = 0, "bias"_a = 0.0, "deviation"_a = 0.0, "seed"_a = 0)
      .def(
          "read",
          [](JointEncoder& encoder, const py::object& q) {
            const Array given = numbers(q, "q");
            return encoder.read(vector(given));
          },
          "q"_a, "The coordinate (rad, m).");
  py::class_<NamedForceSensor>(m, "JointForceSensor", "Six numbers through a joint, fixed ones too.")
      .def(py::init([](const Mechanism& robot, const std::string& joint, double force_bias, double force_deviation,
                       double moment_bias, double moment_deviation, const py::object& seed) {
             return NamedForceSensor{robot, JointForceSensor(robot, joint, {force_bias, force_deviation},
                                                             {moment_bias, moment_deviation}, seed_from(seed))};
           }),
           "m"_a, "joint"_a, "force_bias"_a = 0.0, "force_deviation"_a = 0.0, "moment_bias"_a = 0.0,
           "moment_deviation"_a = 0.0, "seed"_a = 0)
      .def(
          "read",
          [](NamedForceSensor& self, const py::object& q, const py::object& v, const py::object& a,
             const py::object& external) {
            const Motion at = motion_from(q, v, a);
            return array(self.sensor.read(at.q, at.v, at.a, wrenches_from(self.mechanism, external)).vector());
          },
          "q"_a, "v"_a, "a"_a, "external"_a = py::none(),
          "The wrench of the parent's side on the child's, linear first, in the joint's frame on the child. "
          "external: what acts on "
          "bodies beyond it from elsewhere, {body: wrench}.");
}

}  // namespace amble::python
