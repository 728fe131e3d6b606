#include "amble/gait/identify.hpp"

#include <pybind11/stl.h>

#include "amble/base/error.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

OwnedRowMatrix rows_from(py::handle x, py::ssize_t rows, py::ssize_t columns, const char* what) {
  if (x.is_none()) return {};
  const Array all = numbers(x, {rows, columns}, what);
  OwnedRowMatrix out(rows, columns);
  std::copy_n(all.data(), rows * columns, out.data());
  return out;
}

/// A Recording, or (t, q) or (t, q, v).
MeasuredMotion motion_from(const Mechanism& m, const py::object& motion, const py::object& tau) {
  MeasuredMotion out;
  if (py::isinstance<Recording>(motion)) {
    out = motion_of(motion.cast<const Recording&>());
  } else {
    if (!py::isinstance<py::sequence>(motion) || py::len(motion) < 2 || py::len(motion) > 3)
      throw Error("motion is neither a Recording nor (t, q) nor (t, q, v)");
    const auto parts = motion.cast<py::sequence>();
    const Array t = numbers(parts[0], "t");
    if (t.ndim() != 1) throw Error("t of the motion has several dimensions: expected one");
    out.t.assign(t.data(), t.data() + t.size());
    out.q = rows_from(parts[1], t.size(), m.nq(), "q of the motion");
    if (py::len(motion) == 3) out.v = rows_from(parts[2], t.size(), m.nv(), "v of the motion");
  }
  out.tau = rows_from(tau, static_cast<py::ssize_t>(out.t.size()), m.nv(), "tau");
  return out;
}

Identification run(const Mechanism& m, const py::object& motion, const std::vector<std::string>& free,
                   const py::object& tau, double piece, double q_noise, double v_noise, double confidence,
                   int iterations) {
  const MeasuredMotion measured = motion_from(m, motion, tau);
  const IdentifyOptions options{.free = free,
                                .piece = piece,
                                .q_noise = q_noise,
                                .v_noise = v_noise,
                                .confidence = confidence,
                                .iterations = iterations};
  const py::gil_scoped_release release;
  return identify(m, measured, options);
}

}  // namespace

void bind_identify(py::module_& m) {
  using namespace pybind11::literals;
  py::class_<IdentifiedValue>(m, "IdentifiedValue", "A number of a model that was found from a motion.")
      .def_readonly("name", &IdentifiedValue::name, "as it was asked for: 'leg.mass'")
      .def_readonly("start", &IdentifiedValue::start, "in the model that was given")
      .def_readonly("value", &IdentifiedValue::value, "that fits best")
      .def_readonly("deviation", &IdentifiedValue::deviation,
                    "standard; infinite where the motion does not tell the number")
      .def_readonly("lower", &IdentifiedValue::lower, "end of the confidence interval")
      .def_readonly("upper", &IdentifiedValue::upper, "end of the confidence interval")
      .def_readonly("identified", &IdentifiedValue::identified, "whether the motion tells it")
      .def("__repr__", [](const IdentifiedValue& v) {
        return "<" + v.name + " = " + std::to_string(v.value) + " +- " + std::to_string(v.deviation) + ">";
      });
  py::class_<Identification>(m, "Identification", "What identify() found.")
      .def_property_readonly(
          "mechanism",
          [](const py::object& i) { return mechanism_in(i, i.cast<const Identification&>().mechanism); },
          "with what was found")
      .def_readonly("values", &Identification::values, "each number that was free")
      .def_property_readonly(
          "covariance", [](const Identification& i) { return array(i.covariance); }, "of the values")
      .def_readonly("rank", &Identification::rank, "how many combinations of the values the motion tells")
      .def_property_readonly(
          "unseen", [](const Identification& i) { return array(i.unseen); },
          "changes of the values, a column each, that leave the motion as it is")
      .def_readonly("unseen_names", &Identification::unseen_names, "the columns of `unseen` in words")
      .def_property_readonly(
          "combinations",
          [](const Identification& i) {
            py::list out;
            for (const IdentifiedCombination& c : i.combinations)
              out.append(py::make_tuple(c.text, c.value, c.deviation));
            return out;
          },
          "(text, value, deviation) of what the motion tells of numbers that it does not tell by themselves")
      .def_readonly("q_noise", &Identification::q_noise, "of the configurations, as found or given")
      .def_readonly("v_noise", &Identification::v_noise, "of the velocities, as found or given")
      .def_readonly("misfit", &Identification::misfit, "root of the mean square of what is left over, in those noises")
      .def_readonly("samples", &Identification::samples, "how many were used")
      .def_readonly("iterations", &Identification::iterations, "how many it took")
      .def_readonly("converged", &Identification::converged, "whether they came to an end")
      .def("__getitem__", [](const Identification& i, const std::string& name) {
        for (const IdentifiedValue& v : i.values)
          if (v.name == name) return v;
        throw py::key_error(name);
      });
  m.def("identify", &run, "m"_a, "motion"_a, "free"_a, "tau"_a = py::none(), "piece"_a = 1.0,
        "q_noise"_a = 0.0, "v_noise"_a = 0.0, "confidence"_a = 0.95, "iterations"_a = 40,
        "Numbers of a model from a motion of the real thing: a Recording, (t, q) or (t, q, v), with actuator "
        "forces `tau` (a "
        "row for each time) if there were any. `free`: names such as 'leg.mass', 'leg.com', 'leg.inertia', "
        "'hip.damping', "
        "'*.friction'.");
}

}  // namespace amble::python
