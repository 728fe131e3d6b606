#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/base/names.hpp"
#include "amble/ports/actuator.hpp"
#include "amble/ports/end_stops.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/ports/joint_impedance.hpp"
#include "amble/ports/lock.hpp"
#include "amble/ports/model_drives.hpp"
#include "amble/ports/motor.hpp"
#include "amble/ports/prescribed_motion.hpp"
#include "amble/ports/rigid_stop.hpp"
#include "amble/ports/watch.hpp"
#include "bindings.hpp"
#include "element_handles.hpp"

namespace amble::python {

std::function<double(double, const OwnedVector&, const OwnedVector&)> signal_from(const py::object& x,
                                                                                  const std::string& what) {
  if (!PyCallable_Check(x.ptr())) {
    const double value = number(x, what);
    return [value](double, const OwnedVector&, const OwnedVector&) { return value; };
  }
  return [f = kept(x), what](double t, const OwnedVector& q, const OwnedVector& v) {
    py::gil_scoped_acquire locked;
    return number((*f)(t, array(q), array(v)), what);
  };
}

namespace {

using namespace py::literals;

constexpr double kNone = std::numeric_limits<double>::infinity();

OwnedVector per_velocity(const Mechanism& m, const py::object& x, const char* what) {
  return OwnedVector(vector(numbers(x, {m.nv()}, what)));
}

// ---- along joints

ElementHandle make_springs(const Mechanism& m, const py::object& stiffness, const py::object& rest,
                           const std::string& name) {
  const OwnedVector at = rest.is_none() ? OwnedVector(m.nv()) : per_velocity(m, rest, "rest");
  return writable(joint_springs(name, m, per_velocity(m, stiffness, "stiffness"), at));
}

/// q, a function of t that gives (q, v).
SetPoint set_point_from(const Mechanism& m, const py::object& x) {
  if (!PyCallable_Check(x.ptr())) {
    const OwnedVector at(vector(numbers(x, {m.nq()}, "set_point")));
    return [at](double, OwnedVector& q, OwnedVector&) { q = at; };
  }
  const py::ssize_t nq = m.nq(), nv = m.nv();
  return [f = kept(x), nq, nv](double t, OwnedVector& q, OwnedVector& v) {
    py::gil_scoped_acquire locked;
    const py::object said = (*f)(t);
    if (!py::isinstance<py::tuple>(said) || py::len(said) != 2)
      throw Error("set_point(t) gives (q, v): expected a tuple of two");
    q = vector(numbers(said[py::int_(0)], {nq}, "q of set_point(t)"));
    v = vector(numbers(said[py::int_(1)], {nv}, "v of set_point(t)"));
  };
}

ElementHandle make_impedance(const Mechanism& m, const py::object& stiffness, const py::object& damping,
                             const py::object& set_point, const std::string& name) {
  return writable(joint_impedance(name, m, per_velocity(m, stiffness, "stiffness"),
                                  per_velocity(m, damping, "damping"), set_point_from(m, set_point)));
}

std::vector<double> named_controls(const Mechanism& m, const py::dict& given) {
  std::vector<double> out = default_control(m);
  std::vector<std::string> names;
  for (const DriveDescription& d : m.description().drives) names.push_back(d.name);
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) throw Error(fmt::format("there is no drive '{}'{}", name, suggestion(name, names)));
    out[static_cast<std::size_t>(at - names.begin())] = number(py::reinterpret_borrow<py::object>(value), name);
  }
  return out;
}

std::vector<double> control_numbers(const py::object& x, py::ssize_t count, const char* what) {
  const Eigen::VectorXd u = vector(numbers(x, {count}, what));
  return {u.begin(), u.end()};
}

/// None, numbers, numbers by name, or a function of (t, q, v) that gives numbers.
DriveControl control_from(const Mechanism& m, const py::object& x) {
  const auto count = static_cast<py::ssize_t>(m.description().drives.size());
  if (PyCallable_Check(x.ptr()))
    return [f = kept(x), count](double t, const OwnedVector& q, const OwnedVector& v, std::vector<double>& u) {
      py::gil_scoped_acquire locked;
      u = control_numbers((*f)(t, array(q), array(v)), count, "what ctrl(t, q, v) returns");
    };
  const std::vector<double> fixed = x.is_none()                 ? default_control(m)
                                    : py::isinstance<py::dict>(x) ? named_controls(m, x)
                                                                  : control_numbers(x, count, "ctrl");
  return [fixed](double, const OwnedVector&, const OwnedVector&, std::vector<double>& u) { u = fixed; };
}

void bind_model_drives(py::module_& m) {
  m.def(
      "model_drives",
      [](const Mechanism& robot, const py::object& ctrl, const std::string& name, const py::object& act) {
        std::vector<double> start;
        if (!act.is_none())
          start = control_numbers(act, static_cast<py::ssize_t>(activation_names(robot).size()), "act");
        return writable(model_drives(name, robot, control_from(robot, ctrl), std::move(start)));
      },
      "m"_a, "ctrl"_a = py::none(), "name"_a = "drives", "act"_a = py::none(),
      "The drives of a model file (Mechanism.drives): motors, servos, muscles on joints, tendons and frames, "
      "with their gears "
      "and ranges. act: where activations start (one for each of Mechanism.activations), unless given as the "
      "first keyframe has "
      "them, else at rest under the first control. "
      "ctrl: one number for each, a mapping {name: number}, or a function of (t, q, v) that gives the "
      "numbers; drives "
      "that are not named, or None for all: what the first keyframe sets or holds. What is delivered is "
      "supplied.");
}

void bind_joint_elements(py::module_& m) {
  m.def("joint_springs", &make_springs, "m"_a, "stiffness"_a, "rest"_a = py::none(), "name"_a = "springs",
        "Springs along every velocity (nv numbers, N/m or N m/rad), at rest at `rest`.");
  m.def(
      "joint_dampers",
      [](const Mechanism& robot, const py::object& damping, const std::string& name) {
        return writable(joint_dampers(name, per_velocity(robot, damping, "damping")));
      },
      "m"_a, "damping"_a, "name"_a = "dampers", "tau = -damping v (nv numbers, N s/m or N m s/rad).");
  m.def(
      "joint_friction",
      [](const Mechanism& robot, const py::object& friction, double slip, const std::string& name) {
        return writable(joint_friction(name, per_velocity(robot, friction, "friction"), slip));
      },
      "m"_a, "friction"_a, "slip"_a = 1e-3, "name"_a = "friction",
      "Dry friction (nv numbers, N or N m), whole well above the speed `slip`; below it the joint creeps.");
  m.def("joint_impedance", &make_impedance, "m"_a, "stiffness"_a, "damping"_a, "set_point"_a, "name"_a = "impedance",
        "A controller like springs and dampers (nv numbers each) about a set point: q, or a function of t that gives "
        "(q, v). "
        "What moving it takes is supplied.");
}

// ---- stops and locks

/// Of the whole mechanism, of a joint, or given for it.
std::vector<JointLimit> limits_from(const Mechanism& m, const std::string& name,
                                    const std::optional<std::string>& joint, std::optional<double> lower,
                                    std::optional<double> upper, int axis) {
  if (!joint && (lower || upper)) throw Error(fmt::format("'{}' has limits, but no joint", name));
  if (!joint) return limits_of(m);
  if (!lower && !upper) return limits_of_joint(m, name, *joint, axis);
  return limits_of_joint(m, name, *joint, lower.value_or(-kNone), upper.value_or(kNone), axis);
}

int direction_from(const std::string& word) {
  if (word == "up") return 1;
  if (word == "down") return -1;
  if (word != "either") throw Error(fmt::format("direction is '{}': expected up, down or either", word));
  return 0;
}

void bind_watch(py::module_& m) {
  m.def(
      "watch",
      [](const std::string& name, const py::object& quantity, double level, const std::string& direction) {
        const auto f = signal_from(quantity, "what quantity(t, q, v) returns");
        return writable(watch(name, [f](const PortState& at) { return f(at.t, at.q, at.v); }, level, direction_from(direction)));
      },
      "name"_a, "quantity"_a, "level"_a = 0.0, "direction"_a = "either",
      "Looks on: an event of this name where quantity(t, q, v) passes through level, up, down or either way.");
}

void bind_stops(py::module_& m) {
  using Text = std::optional<std::string>;
  using Number = std::optional<double>;
  m.def(
      "end_stops",
      [](const Mechanism& robot, const Text& joint, Number lower, Number upper, double stiffness, double damping,
         double exponent, int axis, const std::string& name) {
        return writable(
            end_stops(name, limits_from(robot, name, joint, lower, upper, axis), {stiffness, damping, exponent}));
      },
      "m"_a, "joint"_a = py::none(), "lower"_a = py::none(), "upper"_a = py::none(), "stiffness"_a = 1e4,
      "damping"_a = 0.1, "exponent"_a = 1.0, "axis"_a = 0, "name"_a = "stops",
      "Stops that give way, pushing back by stiffness d^exponent (1 + damping d') and never pulling; at the limits "
      "of the "
      "mechanism, of a joint, or given for it.");
  m.def(
      "rigid_stops",
      [](const Mechanism& robot, const Text& joint, Number lower, Number upper, double restitution, double rest_speed,
         int axis, const std::string& name) {
        std::vector<ElementHandle> out;
        for (const ElementPtr& e : rigid_stops(name, limits_from(robot, name, joint, lower, upper, axis),
                                               {.restitution = restitution, .rest_speed = rest_speed}))
          out.push_back(writable(e));
        return out;
      },
      "m"_a, "joint"_a = py::none(), "lower"_a = py::none(), "upper"_a = py::none(), "restitution"_a = 0.0,
      "rest_speed"_a = 1e-3, "axis"_a = 0, "name"_a = "stop",
      "Stops that do not give way, a list of one for each limit. Impacts slower than rest_speed leave the joint at "
      "rest there "
      "until the stop would have to pull.");
  m.def(
      "lock",
      [](const Mechanism& robot, const std::string& joint, Number angle, int axis, int direction,
         const std::vector<double>& engage_times, const std::vector<double>& release_times, double holding_force,
         bool engaged, double clearance, const std::string& name) {
        return writable(
            lock(name, robot,
                 {joint, angle, axis, direction, engage_times, release_times, holding_force, engaged, clearance}));
      },
      "m"_a, "joint"_a, "angle"_a = py::none(), "axis"_a = 0, "direction"_a = 0,
      "engage_times"_a = std::vector<double>(), "release_times"_a = std::vector<double>(), "holding_force"_a = kNone,
      "engaged"_a = false, "clearance"_a = 1e-6, "name"_a = "lock",
      "A joint that is held: where it comes by an angle, or wherever a time to engage finds it; until a time to "
      "release, or "
      "until holding it takes more than holding_force.");
}

// ---- motors

ElementHandle make_motor(const Mechanism& m, const std::string& joint, double resistance, double constant,
                         const py::object& voltage, const py::object& current, double inductance, double ratio,
                         double voltage_limit, double current_limit, int axis, const std::string& name) {
  if (voltage.is_none() == current.is_none())
    throw Error(fmt::format("motor '{}' is driven by a voltage or by a current: expected one of them", name));
  const MotorOptions options{.joint = joint,
                             .axis = axis,
                             .resistance = resistance,
                             .inductance = inductance,
                             .constant = constant,
                             .ratio = ratio,
                             .voltage_limit = voltage_limit,
                             .current_limit = current_limit};
  if (!voltage.is_none())
    return writable(voltage_motor(name, m, options, signal_from(voltage, fmt::format("voltage of '{}'", name))));
  return writable(current_motor(name, m, options, signal_from(current, fmt::format("current of '{}'", name))));
}

Drive command_from(const Mechanism& m, const py::object& x, const std::string& name) {
  const std::string what = fmt::format("the command of '{}'", name);
  const py::ssize_t nv = m.nv();
  if (!PyCallable_Check(x.ptr())) {
    const OwnedVector tau(vector(numbers(x, {nv}, what)));
    return [tau](double, const OwnedVector&, const OwnedVector&, OwnedVector& out) { out = tau; };
  }
  return [f = kept(x), nv, what](double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& out) {
    py::gil_scoped_acquire locked;
    out = vector(numbers((*f)(t, array(q), array(v)), {nv}, what));
  };
}

ElementHandle make_actuators(const Mechanism& m, const py::object& command, const py::object& effort,
                             const py::object& speed, double corner, const std::string& name) {
  const auto limits = [&](const py::object& x, const char* what) {
    return OwnedVector(vector(numbers(x, {m.nv()}, what, Range::infinite)));
  };
  ActuatorLimits out = actuator_limits(m);
  if (!effort.is_none()) out.effort = limits(effort, "effort");
  if (!speed.is_none()) out.speed = limits(speed, "speed");
  out.corner = corner;
  return writable(actuators(name, m, command_from(m, command, name), out));
}

CoordinateMotion motion_of(const py::object& said) {
  const Array x = numbers(said, {3}, "motion(t), which is (place, rate, acceleration),");
  return {x.data()[0], x.data()[1], x.data()[2]};
}

void bind_motors(py::module_& m) {
  m.def("motor", &make_motor, "m"_a, "joint"_a, "resistance"_a, "constant"_a, "voltage"_a = py::none(),
        "current"_a = py::none(), "inductance"_a = 0.0, "ratio"_a = 1.0, "voltage_limit"_a = kNone,
        "current_limit"_a = kNone, "axis"_a = 0, "name"_a = "motor",
        "A DC motor with a gearbox, driven by a voltage or a current: a number or a function of (t, q, v). The "
        "rotor's inertia "
        "is armature of the mechanism: ratio^2 times its own.");
  m.def("actuators", &make_actuators, "m"_a, "command"_a, "effort"_a = py::none(), "speed"_a = py::none(),
        "corner"_a = 0.0, "name"_a = "actuators",
        "Forces as commanded (nv numbers or a function of (t, q, v)) within effort limits, those of the mechanism "
        "unless given; "
        "with speed, along a line from corner * speed to none at speed.");
  m.def(
      "prescribed_motion",
      [](const Mechanism& robot, const std::string& joint, const py::object& motion, int axis,
         const std::string& name) {
        if (!PyCallable_Check(motion.ptr()))
          throw Error(fmt::format("the motion of '{}' is not a function of t", name));
        return writable(prescribed_motion(
            name, robot, joint,
            [f = kept(motion)](double t) {
              py::gil_scoped_acquire locked;
              return motion_of((*f)(t));
            },
            axis));
      },
      "m"_a, "joint"_a, "motion"_a, "axis"_a = 0, "name"_a = "motion",
      "A coordinate goes where motion(t) has it: (place, rate, acceleration). What that takes is supplied.");
  m.def(
      "drive",
      [](const Mechanism& robot, const py::object& tau, const std::string& name) {
        return writable(drive(name, command_from(robot, tau, name)));
      },
      "m"_a, "tau"_a, "name"_a = "drive",
      "Forces on the joints (nv numbers or a function of (t, q, v)), supplied as delivered.");
}

}  // namespace

void bind_elements(py::module_& m) {
  bind_user_elements(m);
  bind_joint_elements(m);
  bind_model_drives(m);
  bind_spatial_elements(m);
  bind_stops(m);
  bind_watch(m);
  bind_motors(m);
}

}  // namespace amble::python
