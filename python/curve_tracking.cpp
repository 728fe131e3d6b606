#include "amble/control/walking/curve_tracking.hpp"

#include <pybind11/stl.h>

#include <optional>

#include "amble/control/walking/curve_field.hpp"
#include "bindings.hpp"
#include "element_handles.hpp"

namespace amble::python {

namespace {

using namespace py::literals;

OwnedVector configuration(const Mechanism& m, py::handle x, const char* what) {
  return OwnedVector(vector(numbers(x, {m.nq()}, what)));
}
OwnedVector velocity(const Mechanism& m, py::handle x, const char* what) {
  return OwnedVector(vector(numbers(x, {m.nv()}, what)));
}
OwnedVector weights_from(const Mechanism& m, const py::object& x) {
  return x.is_none() ? OwnedVector(Eigen::VectorXd::Ones(m.nv())) : velocity(m, x, "weights");
}

// ---- curves

std::function<OwnedVector(double)> position_from(const Mechanism& m, const py::object& f) {
  const py::ssize_t nq = m.nq();
  return [f = kept(f), nq](double s) {
    py::gil_scoped_acquire locked;
    return OwnedVector(vector(numbers((*f)(s), {nq}, "what path(s) returns")));
  };
}

TrackedCurve make_curve(const Mechanism& m, const py::object& path, bool closed) {
  if (PyCallable_Check(path.ptr())) return {m, position_from(m, path), closed};
  const Stack rows = stack(path, {m.nq()}, "path");
  std::vector<OwnedVector> samples;
  for (py::ssize_t i = 0; i < rows.count; ++i)
    samples.push_back(Eigen::Map<const Eigen::VectorXd>(rows.item(i), rows.size));
  return curve_through(m, samples, closed);
}

void bind_curve(py::module_& m) {
  py::class_<TrackedCurve>(m, "Curve",
                           "A curve through the configurations of a mechanism, whatever its joints.")
      .def(py::init(&make_curve), "m"_a, "path"_a, "closed"_a = false,
           "path: samples (a row each, at least five), or a function of s in [0, 1] that gives q.")
      .def_property_readonly("closed", &TrackedCurve::closed, "Whether its end is its start.")
      .def(
          "position", [](const TrackedCurve& c, double s) { return array(c.position(s)); }, "s"_a, "q at s.")
      .def(
          "tangent", [](const TrackedCurve& c, double s) { return array(c.tangent(s)); }, "s"_a,
          "dq/ds as a velocity.")
      .def(
          "nearest",
          [](const TrackedCurve& c, const py::object& q, const py::object& weights) {
            return c.nearest(configuration(c.mechanism(), q, "q"), weights_from(c.mechanism(), weights));
          },
          "q"_a, "weights"_a = py::none(),
          "s of the point nearest to q, each velocity counted times its weight.");
}

// ---- fields and laws

/// A field that leads to a curve and along it, or a function of q that gives w.
VelocityField field_from(const Mechanism& m, const py::object& x, double attraction) {
  if (py::isinstance<TrackedCurve>(x))
    return field_towards(x.cast<const TrackedCurve&>(), {.attraction = attraction});
  if (!PyCallable_Check(x.ptr()))
    throw Error("field: expected a Curve or a function of q that gives a direction");
  const py::ssize_t nv = m.nv();
  return [f = kept(x), nv](const OwnedVector& q, OwnedVector& w) {
    py::gil_scoped_acquire locked;
    w = vector(numbers((*f)(array(q)), {nv}, "what field(q) returns"));
  };
}

TrackingSettings settings_from(const Mechanism& m, double transfer, double softening, double damping,
                               bool decouple, bool compensate, double energy_gain, double energy,
                               const py::object& limit, const std::vector<std::string>& unactuated) {
  TrackingSettings s{.decouple = decouple,
                     .transfer = transfer,
                     .softening = softening,
                     .damping = damping,
                     .compensate = compensate,
                     .energy_gain = energy_gain,
                     .energy = energy};
  if (!limit.is_none()) s.limit = velocity(m, limit, "limit");
  for (const std::string& joint : unactuated) {
    const Slice at = m.joints()[m.joint_index(joint)].v;
    for (int i = 0; i < at.size; ++i) s.unactuated.push_back(at.start + i);
  }
  s.validate(m);
  return s;
}

py::dict forces_at(const Mechanism& m, const py::object& field, const py::object& q, const py::object& v,
                   const TrackingSettings& settings, double attraction) {
  Workspace work(m);
  const OwnedVector at = configuration(m, q, "q"), speed = velocity(m, v, "v");
  const MomentumSplit split(m, work, field_from(m, field, attraction), at, speed);
  const TrackingForces f = tracking_forces(m, work, split, at, speed, settings);
  return py::dict("nominal"_a = array(f.nominal), "asymptotic"_a = array(f.asymptotic),
                  "damping"_a = array(f.damping), "potential"_a = array(f.potential),
                  "energy"_a = array(f.energy), "total"_a = array(f.total()), "scale"_a = f.scale,
                  "missing"_a = f.missing, "along"_a = array(split.along), "across"_a = array(split.across),
                  "energy_along"_a = split.energy_along(), "energy_across"_a = split.energy_across());
}

void bind_laws(py::module_& m) {
  using Names = std::vector<std::string>;
  m.def(
      "curve_tracking",
      [](const Mechanism& robot, const py::object& field, double attraction, double transfer,
         double softening, double damping, bool decouple, bool compensate, double energy_gain, double energy,
         const py::object& limit, const Names& unactuated, const std::string& name) {
        std::vector<ElementHandle> out;
        for (const ElementPtr& e :
             curve_tracking(name, robot, field_from(robot, field, attraction),
                            settings_from(robot, transfer, softening, damping, decouple, compensate,
                                          energy_gain, energy, limit, unactuated)))
          out.push_back(writable(e));
        return out;
      },
      "m"_a, "field"_a, "attraction"_a = 2.0, "transfer"_a = 0.1, "softening"_a = 1e-3, "damping"_a = 0.0,
      "decouple"_a = true, "compensate"_a = true, "energy_gain"_a = 0.0, "energy"_a = 0.0,
      "limit"_a = py::none(), "unactuated"_a = Names{}, "name"_a = "tracking",
      "Port-based tracking of a Curve, or of field(q), a direction to move in at every q: a list of "
      "elements, one for "
      "each law that acts, each with its line in the ledger.");
  m.def(
      "tracking_forces",
      [](const Mechanism& robot, const py::object& field, const py::object& q, const py::object& v,
         double attraction, double transfer, double softening, double damping, bool decouple, bool compensate,
         double energy_gain, double energy, const py::object& limit, const Names& unactuated) {
        return forces_at(robot, field, q, v,
                         settings_from(robot, transfer, softening, damping, decouple, compensate, energy_gain,
                                       energy, limit, unactuated),
                         attraction);
      },
      "m"_a, "field"_a, "q"_a, "v"_a, "attraction"_a = 2.0, "transfer"_a = 0.1, "softening"_a = 1e-3,
      "damping"_a = 0.0, "decouple"_a = true, "compensate"_a = true, "energy_gain"_a = 0.0, "energy"_a = 0.0,
      "limit"_a = py::none(), "unactuated"_a = Names{},
      "What each law of curve_tracking() asks for at a state, and how the motion and its kinetic energy "
      "split into "
      "along and across the field.");
}

}  // namespace

void bind_curve_tracking(py::module_& m) {
  bind_curve(m);
  bind_laws(m);
}

}  // namespace amble::python
