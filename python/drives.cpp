#include <pybind11/stl.h>

#include "amble/control/walking/joint_drive.hpp"
#include "amble/control/walking/knee_magnet.hpp"
#include "amble/gait/drive_sweep.hpp"
#include "amble/ports/consumer.hpp"
#include "amble/report/drive_figures.hpp"
#include "amble/scenario/walker_file.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "element_handles.hpp"

// Walks by a motor and its controller, DS 5.3, and the elements that they are made of.
namespace amble::python {

namespace {

using namespace py::literals;

constexpr double kNone = std::numeric_limits<double>::infinity();

WalkerValues values_of(const DrivenKind& kind, const py::kwargs& parameters) {
  WalkerValues values = kind.driven;
  for (const auto& [key, value] : parameters) {
    const std::string name = py::cast<std::string>(key);
    values[name] = number(value, name);
  }
  return values;
}

DrivenFloor floor_of(const std::string& word) {
  if (word != "rigid" && word != "compliant") throw Error("floor '" + word + "': expected rigid or compliant");
  return {.compliant = word == "compliant"};
}

/// Stops long work at Ctrl-C; the interpreter lock is not held while it runs.
std::function<bool(double)> interrupt_watch(bool& stopped) {
  return [&stopped](double) {
    const py::gil_scoped_acquire lock;
    return !(stopped = PyErr_CheckSignals() != 0);
  };
}

Array numbers_array(const std::vector<double>& x) { return Array(static_cast<py::ssize_t>(x.size()), x.data()); }

py::dict ledger_dict(const Ledger& books) {
  py::dict out;
  for (const LedgerEntry& e : books.entries)
    out[py::str(e.name)] = py::dict("supplied"_a = e.supplied, "delivered"_a = e.delivered, "stored"_a = e.stored,
                                    "dissipated"_a = e.dissipated);
  return out;
}

void put_samples(const DrivenWalk& w, py::dict& out) {
  const auto rows = static_cast<py::ssize_t>(w.samples.size());
  const py::ssize_t nq = w.samples.empty() ? 0 : w.samples[0].q.size(), nv = w.samples.empty() ? 0 : w.samples[0].v.size();
  Array t = new_array({rows}, {}), q = new_array({rows}, {nq}), v = new_array({rows}, {nv}), current = new_array({rows}, {});
  for (py::ssize_t i = 0; i < rows; ++i) {
    const DrivenSample& s = w.samples[static_cast<std::size_t>(i)];
    t.mutable_data()[i] = s.t, current.mutable_data()[i] = s.current;
    std::copy_n(s.q.data(), nq, q.mutable_data() + i * nq);
    std::copy_n(s.v.data(), nv, v.mutable_data() + i * nv);
  }
  out["t"] = t, out["q"] = q, out["v"] = v, out["current"] = current;
}

py::dict walk_dict(const DrivenWalk& w) {
  py::dict out("fell"_a = w.fell, "failure"_a = w.failure, "steps"_a = w.steps, "measured_steps"_a = w.measured_steps);
  for (const DrivenFigure& figure : driven_figures()) out[py::str(figure.name)] = figure.value(w);
  out["residual"] = w.ledger.residual(), out["exchanged"] = w.ledger.exchanged;
  out["footfalls"] = numbers_array(w.footfalls);
  return out;
}

py::dict drive(const std::string& walker, double duration, const std::optional<double>& measured_from, const std::string& floor,
               double interval, double tolerance, const py::kwargs& parameters) {
  const DrivenKind kind = find_driven_walker(walker);
  const DrivenWalker made = kind(values_of(kind, parameters));
  bool stopped = false;
  DrivenWalk walk;
  const DrivenWalkOptions options{.duration = duration,
                                  .measured_from = measured_from,
                                  .floor = floor_of(floor),
                                  .tolerance = tolerance,
                                  .interval = interval,
                                  .watch = interrupt_watch(stopped)};
  {
    const py::gil_scoped_release release;
    walk = walk_driven(made, options);
  }
  if (stopped) throw py::error_already_set();
  py::dict out = walk_dict(walk);
  out["ledger"] = ledger_dict(walk.ledger);
  put_samples(walk, out);
  return out;
}

using Axes = std::vector<std::tuple<std::string, double, double, int>>;

py::dict sweep(const std::string& walker, const Axes& given, double duration, const std::string& floor, int threads,
               const std::vector<std::string>& figures, const py::kwargs& parameters) {
  const DrivenKind kind = find_driven_walker(walker);
  std::vector<SweepAxis> axes;
  for (const auto& [name, from, to, count] : given) {
    if (count < 1) throw Error("the sweep of '" + name + "' has " + std::to_string(count) + " values: expected one or more");
    axes.push_back({name, from, to, count});
  }
  for (const std::string& name : figures) driven_figure(name);
  const WalkerValues values = values_of(kind, parameters);
  bool stopped = false;
  DriveSweep out;
  {
    const py::gil_scoped_release release;
    out = sweep_drive(kind, values, axes,
                      {.walk = {.duration = duration, .floor = floor_of(floor)}, .threads = threads, .watch = interrupt_watch(stopped)});
  }
  if (stopped) throw py::error_already_set();
  py::list walks;
  for (std::size_t i = 0; i < out.walks.size(); ++i) {
    py::dict one = walk_dict(*out.walks[i]);
    one["values"] = out.values(i);
    walks.append(one);
  }
  return py::dict("walks"_a = walks, "svg"_a = axes.size() <= 3 ? py::object(py::str(drive_maps(out, figures))) : py::none());
}

// ---- elements

StanceOptions stance_of(const py::object& feet, int first, double period) {
  StanceOptions out{.feet = {}, .first = first, .period = period};
  for (const py::handle& foot : feet) {
    SwitchedFoot f;
    for (const auto& [name, value] : named_values(py::reinterpret_borrow<py::object>(foot), "a foot")) {
      if (name == "body")
        f.place = py::cast<std::string>(value);
      else if (name == "point")
        f.point = vector(numbers(value, {3}, "point of a foot"));
      else if (name == "radius")
        f.radius = number(value, "radius of a foot");
      else
        throw Error("a foot has no '" + name + "': it has body, point and radius");
    }
    out.feet.push_back(f);
  }
  return out;
}

void bind_elements(py::module_& m) {
  m.def(
      "joint_drive",
      [](const Mechanism& robot, const std::string& joint, const py::object& feet, const std::vector<double>& set_points,
         double proportional, double constant, double resistance, double derivative, double ratio, double efficiency,
         double voltage_limit, double current_limit, bool regenerates, double period, int first, double adaptation,
         double target_speed, int axis, const std::string& name) {
        JointDriveOptions o{.joint = joint, .axis = axis};
        o.motor = {.constant = constant, .resistance = resistance, .ratio = ratio, .efficiency = efficiency,
                   .voltage_limit = voltage_limit, .current_limit = current_limit, .regenerates = regenerates};
        o.law = {.proportional = proportional, .derivative = derivative, .set_points = set_points};
        o.law.adaptation = adaptation, o.law.target_speed = target_speed;
        o.stance = stance_of(feet, first, period);
        std::vector<ElementHandle> out;
        for (const ElementPtr& part : joint_drive(name, robot, o)) out.push_back(writable(part));
        return out;
      },
      "m"_a, "joint"_a, "feet"_a, "set_points"_a, "proportional"_a, "constant"_a, "resistance"_a, "derivative"_a = 0.0,
      "ratio"_a = 1.0, "efficiency"_a = 1.0, "voltage_limit"_a = kNone, "current_limit"_a = kNone, "regenerates"_a = false,
      "period"_a = 0.01, "first"_a = 0, "adaptation"_a = 0.0, "target_speed"_a = 0.0, "axis"_a = 0, "name"_a = "drive",
      "A motor at a joint whose controller holds the current proportional (set point - q) - derivative q', DS (5.29), with a set "
      "point for each of `feet`, dicts with body, point and radius, that the mechanism may stand on; asked every `period` (s; 0: all "
      "the time). A list of elements: motor, gearbox, amplifier. The rotor's inertia is armature of the mechanism.");
  m.def(
      "knee_magnet",
      [](const Mechanism& robot, const std::string& joint, const py::object& feet, int foot, double angle, bool bends_upwards,
         double power, double delay, double holding_force, double period, int first, int axis, const std::string& name) {
        return writable(knee_magnet(name, robot,
                                    {.joint = joint, .axis = axis, .angle = angle, .bends_upwards = bends_upwards, .foot = foot,
                                     .stance = stance_of(feet, first, period), .delay = delay, .power = power,
                                     .holding_force = holding_force}));
      },
      "m"_a, "joint"_a, "feet"_a, "foot"_a, "angle"_a = 0.0, "bends_upwards"_a = true, "power"_a = 0.0, "delay"_a = 0.0,
      "holding_force"_a = kNone, "period"_a = 0.01, "first"_a = 0, "axis"_a = 0, "name"_a = "knee",
      "A knee with a cap at `angle` and a magnet that holds it there while foot number `foot` of `feet` stands, DS 4.3.1.");
  m.def(
      "consumer", [](double power, const std::string& name) { return writable(consumer(name, power)); }, "power"_a,
      "name"_a = "consumer", "Something that takes a constant power (W) and turns it into heat, as electronics do.");
}

}  // namespace

void bind_drives(py::module_& m) {
  bind_elements(m);
  m.def("driven_walk", &drive, "walker"_a, "duration"_a = 10.0, "measured_from"_a = py::none(), "floor"_a = "rigid", "interval"_a = 0.0,
        "tolerance"_a = 1e-9,
        "Walks by a motor at a joint and its sampled controller, DS 5.3: a walker by its name or the path of a file with [drive], "
        "with parameters by their names. A dict with 'fell', 'failure', 'steps', figures measured from `measured_from` on (the "
        "second half) such as 'speed', 'cost_of_transport', 'peak_current' and powers, the 'ledger', and states every `interval` "
        "seconds: 't', 'q', 'v', 'current'.");
  m.def("drive_sweep", &sweep, "walker"_a, "axes"_a, "duration"_a = 10.0, "floor"_a = "rigid", "threads"_a = 0,
        "figures"_a = std::vector<std::string>{"speed", "cost_of_transport", "clearance", "peak_current"},
        "Walks with every combination of parameters, on all cores: `axes` are (name, from, to, count). {'walks': a list, the last axis "
        "changing fastest, of dicts as of driven_walk() with 'values', 'svg': maps of the figures, for up to three axes}.");
}

}  // namespace amble::python
