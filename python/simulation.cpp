#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/mechanism/coordinate_names.hpp"
#include "amble/ports/drive.hpp"
#include "amble/recording/certificates.hpp"
#include "amble/simulation/simulate.hpp"
#include "bindings.hpp"
#include "contact_specs.hpp"
#include "element_handles.hpp"
#include "motions.hpp"

namespace amble::python {

// ---- what acts

std::vector<ElementPtr> drives_from(const Mechanism& m, const py::object& tau) {
  if (tau.is_none()) return {};
  if (!PyCallable_Check(tau.ptr())) {
    const OwnedVector force(vector(numbers(tau, {m.nv()}, "tau")));
    return {drive("tau", [force](double, const OwnedVector&, const OwnedVector&, OwnedVector& out) { out = force; })};
  }
  const py::ssize_t nv = m.nv();
  return {drive("tau", [f = kept(tau), nv](double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& out) {
    py::gil_scoped_acquire locked;
    out = vector(numbers((*f)(t, array(q), array(v)), {nv}, "what tau(t, q, v) returns"));
  })};
}

/// q may be the name of a keyframe, and v None: then it is that of the keyframe, or else at rest.
void reset(Simulator& s, const py::object& q, const py::object& v, double t) {
  const Mechanism& m = s.mechanism();
  const Keyframe* const key = py::isinstance<py::str>(q) ? &m.keyframe(q.cast<std::string>()) : nullptr;
  OwnedVector v0(m.nv());
  if (!v.is_none())
    v0 = vector(numbers(v, {m.nv()}, "v"));
  else if (key != nullptr)
    v0 = key->v;
  if (key != nullptr)
    s.reset(key->q, v0, t);
  else
    s.reset(vector(numbers(q, {m.nq()}, "q")), v0, t);
}

bool go_on(double) {
  thread_local int steps = 0;
  if (++steps % 100 != 0) return true;
  py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

py::dict ledger_dict(const Ledger& books) {
  py::list entries;
  for (const LedgerEntry& e : books.entries) {
    py::dict entry;
    entry["name"] = e.name, entry["supplied"] = e.supplied, entry["delivered"] = e.delivered;
    entry["stored"] = e.stored, entry["dissipated"] = e.dissipated;
    entries.append(entry);
  }
  py::dict out;
  out["initial"] = books.initial, out["final"] = books.final, out["entries"] = entries, out["losses"] = books.losses;
  out["exchanged"] = books.exchanged, out["residual"] = books.residual();
  return out;
}

namespace {

Array rows_array(const Eigen::Map<const Recording::Rows>& rows) {
  Array out({rows.rows(), rows.cols()});
  std::copy_n(rows.data(), rows.size(), out.mutable_data());
  return out;
}
Array array_of(const std::vector<double>& x) { return Array(static_cast<py::ssize_t>(x.size()), x.data()); }

std::vector<ElementPtr> elements_from(const Mechanism& m, const py::object& tau, const std::vector<ElementHandle>& given) {
  std::vector<ElementPtr> out;
  for (const ElementHandle& element : given) out.push_back(lasting(element));
  for (ElementPtr& element : drives_from(m, tau)) out.push_back(std::move(element));
  return out;
}

/// As the integrator takes them: solved for step by step, or by events.
std::vector<ElementPtr> contacts_for(const Mechanism& m, const std::string& integrator,
                                     const std::vector<ContactSpec>& specs) {
  if (specs.empty() || !solves_elements(integrator)) return rigid_contacts(m, specs);
  return {contact_scene("contacts", m,
                        {.ground = GroundPtr(), .shapes = false, .between_bodies = false, .contacts = specs})};
}

Simulator simulator_from(const Mechanism& m, const py::object& tau, const std::vector<ElementHandle>& elements,
                         const ConstraintHandles& constraints, const std::string& integrator, double tolerance,
                         double step, const py::object& contacts) {
  std::vector<ElementPtr> all = elements_from(m, tau, elements);
  for (ElementPtr& contact : contacts_for(m, integrator, contact_specs_from(contacts)))
    all.push_back(std::move(contact));
  return Simulator(m, std::move(all), {constraints.begin(), constraints.end()},
                   {.integrator = {.tolerance = tolerance, .step = step}, .method = integrator});
}

/// As amble.Error with what was recorded until then in its attribute `recording`.
[[noreturn]] void throw_with_recording(const Error& e, const Recording& recording) {
  const py::object type = py::module_::import("amble").attr("Error"), error = type(text(e.what()));
  error.attr("recording") = recording;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

/// As Python warns: once for each place in the user's program, or an exception where warnings are errors.
void warn_of(const std::vector<Certificate>& certificates) {
  for (const std::string& warning : warnings(certificates))
    if (PyErr_WarnEx(PyExc_RuntimeWarning, warning.c_str(), 2) != 0) throw py::error_already_set();
}

Recording run(const Mechanism& m, const py::object& q0, const py::object& v0, double duration, const py::object& tau,
              const std::vector<ElementHandle>& elements, const ConstraintHandles& constraints,
              const std::string& integrator, double tolerance, double interval, double step,
              const py::object& contacts) {
  Simulator s = simulator_from(m, tau, elements, constraints, integrator, tolerance, step, contacts);
  reset(s, q0, v0, 0.0);
  Recording out(m);
  try {
    py::gil_scoped_release unlocked;
    simulate(s, duration, interval, out, go_on);
  } catch (const Error& e) {
    throw_with_recording(e, out);
  }
  warn_of(certificates(out, {constraints.begin(), constraints.end()}));
  return out;
}

// ---- what came of it

py::list events_list(const std::vector<RecordedEvent>& events) {
  py::list out;
  for (const RecordedEvent& e : events) {
    py::dict event;
    event["t"] = e.t, event["name"] = e.name, event["lost"] = e.lost;
    out.append(event);
  }
  return out;
}

Array energy(const Recording& r) {
  Array out(r.rows());
  for (Eigen::Index i = 0; i < r.rows(); ++i) out.mutable_data()[i] = r.kinetic()[i] + r.potential()[i];
  return out;
}

Array table_of(const std::vector<double>& x, std::size_t rows, std::size_t columns) {
  Array out({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
  std::copy(x.begin(), x.end(), out.mutable_data());
  return out;
}

py::dict ledgers_dict(const LedgerHistory& h) {
  py::dict out;
  out["t"] = array_of(h.t()), out["names"] = h.names(), out["initial"] = h.initial(), out["energy"] = array_of(h.energy());
  for (std::size_t k = 0; k < LedgerHistory::kParts.size(); ++k)
    out[LedgerHistory::kParts[k]] = table_of(h.part(k), h.rows(), h.names().size());
  out["losses"] = array_of(h.losses()), out["exchanged"] = array_of(h.exchanged());
  out["numbers"] = table_of(h.numbers(), h.rows(), h.numbers_per_row());
  return out;
}

py::dict origin_dict(const RecordingOrigin& o) {
  py::dict out;
  out["scenario"] = o.scenario, out["file"] = o.file, out["settings"] = o.settings, out["seed"] = o.seed;
  out["version"] = o.version, out["instructions"] = o.instructions, out["command"] = o.command, out["notes"] = o.notes;
  return out;
}

/// One of the columns that begin at `first`, `width` of them: a list or a table.
Array contact_columns(const RecordedContacts& c, std::size_t first, std::size_t width) {
  const auto rows = static_cast<py::ssize_t>(c.rows());
  Array out(width == 1 ? std::vector<py::ssize_t>{rows} : std::vector<py::ssize_t>{rows, static_cast<py::ssize_t>(width)});
  for (std::size_t i = 0; i < c.rows(); ++i) std::copy_n(c.row(i) + first, width, out.mutable_data() + i * width);
  return out;
}

py::list contact_bodies(const Recording& r, std::size_t column) {
  py::list out;
  for (std::size_t i = 0; i < r.contacts().rows(); ++i) {
    const double body = r.contacts().row(i)[column];
    out.append(body < 0.0 ? std::string(kWorld) : r.mechanism().bodies()[static_cast<std::size_t>(body)].name);
  }
  return out;
}

py::dict contacts_dict(const Recording& r) {
  py::dict out;
  out["t"] = contact_columns(r.contacts(), 0, 1), out["a"] = contact_bodies(r, 1), out["b"] = contact_bodies(r, 2);
  out["point"] = contact_columns(r.contacts(), 3, 3), out["force"] = contact_columns(r.contacts(), 6, 3);
  out["normal"] = contact_columns(r.contacts(), 9, 3), out["friction"] = contact_columns(r.contacts(), 12, 1);
  return out;
}

void save(const Recording& r, const py::object& path) {
  r.save(py::module_::import("os").attr("fspath")(path).cast<std::string>());
}

py::list certificates_list(const Recording& r, const ConstraintHandles& constraints, double energy, double manifold,
                           double places, double rates, double cone) {
  py::list out;
  for (const Certificate& c : certificates(r, {constraints.begin(), constraints.end()},
                                           {.energy = energy, .manifold = manifold, .constraints = places, .rates = rates, .cone = cone})) {
    py::dict each;
    each["name"] = c.name, each["value"] = c.value, each["bound"] = c.bound, each["unit"] = c.unit, each["t"] = c.t;
    each["holds"] = c.holds();
    out.append(each);
  }
  return out;
}

constexpr const char* kCertificates = R"(How good the motion is, from what was recorded alone: a list of dicts.

Each has 'name', 'value', 'bound', 'unit', 't' (when it was at its worst) and 'holds'. energy: the ledger's residual over
what was exchanged; manifold: quaternions off unit length; constraints, constraint rates: |phi(q)| and |A v - b| of what the
mechanism carries and of `constraints`; contact forces: those that pull or leave their friction cone. simulate() warns of
those that do not hold.)";

void bind_recording(py::module_& m) {
  const CertificateBounds bounds;
  py::class_<Recording>(m, "Recording", "A motion as it was: states, energies, events and the books.")
      .def_property_readonly(
          "mechanism", [](const py::object& r) { return mechanism_in(r, r.cast<const Recording&>().mechanism()); },
          "What moved.")
      .def_property_readonly("t", [](const Recording& r) { return array_of(r.t()); }, "Times (s).")
      .def_property_readonly("q", [](const Recording& r) { return rows_array(r.q()); }, "A row for each time.")
      .def_property_readonly("v", [](const Recording& r) { return rows_array(r.v()); }, "A row for each time.")
      .def_property_readonly("kinetic", [](const Recording& r) { return array_of(r.kinetic()); }, "Kinetic energy (J).")
      .def_property_readonly("potential", [](const Recording& r) { return array_of(r.potential()); }, "Energy in gravity (J).")
      .def_property_readonly("energy", &energy, "Of the mechanism: kinetic and in gravity (J).")
      .def_property_readonly("ledger", [](const Recording& r) { return ledger_dict(r.ledger()); },
                             "What each element was supplied, delivered, stored and dissipated (J), and the residual.")
      .def_property_readonly("ledgers", [](const Recording& r) { return ledgers_dict(r.ledgers()); },
                             "The ledger as it grew: times, and arrays with a row for each; columns as in 'names'. 'numbers' "
                             "are the states of elements that have some.")
      .def_property_readonly("origin", [](const Recording& r) { return origin_dict(r.origin()); },
                             "Where it comes from: scenario, settings, seed, version.")
      .def_property_readonly("complete", &Recording::complete, "True when the motion came to its end.")
      .def_property_readonly("events", [](const Recording& r) { return events_list(r.events()); },
                             "What happened: a list of {'t', 'name', 'lost'}, joules lost.")
      .def_property_readonly("contacts", &contacts_dict,
                             "What touched: arrays with a row for each contact of each instant: 't', bodies 'a' and 'b', 'point', "
                             "'force' of a on b (N), 'normal' out of a, 'friction'; world axes.")
      .def_property_readonly("q_names", [](const Recording& r) { return q_names(r.mechanism()); }, "What each number of q is.")
      .def_property_readonly("v_names", [](const Recording& r) { return v_names(r.mechanism()); }, "What each number of v is.")
      .def("certificates", &certificates_list, py::arg("constraints") = ConstraintHandles(),
           py::arg("energy") = bounds.energy, py::arg("manifold") = bounds.manifold,
           py::arg("constraint") = bounds.constraints, py::arg("rate") = bounds.rates, py::arg("cone") = bounds.cone,
           kCertificates)
      .def("save", &save, py::arg("path"), 
           "Write all of it (.h5, .hdf5), for load_recording(), or a table (.csv) of time, q, v and energies.")
      .def("__len__", &Recording::rows)
      .def("__repr__", [](const Recording& r) {
        return fmt::format("<amble.Recording of '{}': {} states>", r.mechanism().name(), r.rows());
      });
}

py::dict report_dict(const IntegratorReport& r) {
  py::dict out;
  out["steps"] = r.steps, out["rejected"] = r.rejected, out["evaluations"] = r.evaluations;
  out["shortest_step"] = r.shortest_step, out["longest_step"] = r.longest_step, out["stiff_steps"] = r.stiff_steps;
  return out;
}

/// Of the motion under constraints; zero where there are none.
template <class T>
auto fact(T (ConstrainedFlow::*get)() const) {
  return [get](Simulator& s) { return s.constrained() == nullptr ? T() : (s.constrained()->*get)(); };
}

void bind_simulator(py::module_& m) {
  using namespace py::literals;
  py::class_<Simulator::Snapshot>(m, "Snapshot", "All that a motion to come depends on.");
  py::class_<Simulator>(m, "Simulator", "A mechanism in motion, for those who own the loop.")
      .def(py::init(&simulator_from), "m"_a, "tau"_a = py::none(), "elements"_a = std::vector<ElementHandle>(),
           "constraints"_a = ConstraintHandles(), "integrator"_a = "rkmk45", "tolerance"_a = 1e-10, "step"_a = 1e-3,
           "contacts"_a = py::none(),
           "What the mechanism carries (loops, wheels, springs, damping and friction of joints) acts by itself; tau, "
           "elements and constraints come on top. `integrator` is one of integrator_names(): those of fixed steps read "
           "`step` (s), the others `tolerance`.")
      .def("reset", &reset, "q"_a, "v"_a = py::none(), "t"_a = 0.0, "Start a motion and its ledger here. q may be the name of a keyframe; v None is the keyframe's, or at rest.")
      .def("step", &Simulator::step, "duration"_a, py::call_guard<py::gil_scoped_release>(), "Go on for that many seconds.")
      .def_property_readonly("t", &Simulator::t, "Where it is (s).")
      .def_property_readonly("q", [](const Simulator& s) { return array(s.q()); }, "The configuration (nq).")
      .def_property_readonly("v", [](const Simulator& s) { return array(s.v()); }, "The velocity (nv).")
      .def_property_readonly("a", [](Simulator& s) { return array(s.accelerations()); },
                             "The acceleration (nv) under all that acts.")
      .def_property_readonly("events", [](const Simulator& s) { return events_list(s.events()); },
                             "What happened since reset(): a list of {'t', 'name', 'lost'} (s, J).")
      .def_property_readonly("energy", [](Simulator& s) { return s.kinetic_energy() + s.potential_energy(); },
                             "Of the mechanism: kinetic and in gravity (J).")
      .def_property_readonly("ledger", [](Simulator& s) { return ledger_dict(s.ledger()); }, "The books since reset().")
      .def_property_readonly("report", [](const Simulator& s) { return report_dict(s.report()); },
                             "What the integrator did: steps, those rejected, evaluations, shortest and longest step (s), and how "
                             "many steps were short because the system is stiff.")
      .def_property_readonly("contacts", [](const Simulator& s) { return contacts_list(s.mechanism(), s.contacts()); },
                             "What touched in the last step of \"time_stepping\": a list of {'body_a', 'body_b', 'point', "
                             "'normal', 'distance', 'force', 'friction'}; the force (N) acts on b, in world axes.")
      .def_property_readonly("contact_report", [](const Simulator& s) { return contact_report_dict(s.contact_report()); },
                             "How well contacts were solved for since reset(): {'residual', 'worst_residual', "
                             "'unsolved_steps', 'eased_steps', 'deepest'} (m), or None.")
      .def_property_readonly("projections", fact(&ConstrainedFlow::projections),
                             "How often the state was brought back onto the constraints.")
      .def_property_readonly("worst_violation", fact(&ConstrainedFlow::worst_violation),
                             "The largest |phi(q)| of the constraints after a step, before the state was brought back.")
      .def_property_readonly("singularities_passed", fact(&ConstrainedFlow::singularities_passed),
                             "How many singular configurations the mechanism went through.")
      .def("save", &Simulator::save, "A Snapshot to come back to.")
      .def("restore", &Simulator::restore, "snapshot"_a, "Go on from a snapshot of this simulator or one like it.");
}

py::tuple closed_mechanism(const std::string& name, const py::kwargs& parameters) {
  std::map<std::string, double> values;
  for (const auto& [key, value] : parameters) values[py::cast<std::string>(key)] = py::cast<double>(value);
  const ConstrainedMechanism made = builtin_mechanism(name, values);
  py::list constraints;
  for (const ConstraintPtr& c : made.constraints) constraints.append(writable(c));
  return py::make_tuple(made.mechanism, constraints, array(made.q));
}

py::dict closed_mechanism_parameters(const std::string& name) {
  py::dict out;
  for (const auto& [parameter, value] : builtin_mechanism_parameters(name)) out[py::str(parameter)] = value;
  return out;
}

}  // namespace

void bind_simulation(py::module_& m) {
  using namespace py::literals;
  bind_recording(m);
  bind_simulator(m);
  m.def("simulate", &run, "m"_a, "q0"_a, "v0"_a, "duration"_a, "tau"_a = py::none(),
        "elements"_a = std::vector<ElementHandle>(), "constraints"_a = ConstraintHandles(),
        "integrator"_a = "rkmk45", "tolerance"_a = 1e-10, "interval"_a = 0.01, "step"_a = 1e-3,
        "contacts"_a = py::none(),
        "Run for `duration` seconds and record every `interval` of them (0: every step). q0 may be the name of a keyframe; v0 "
        "None is the keyframe's, or at rest. tau: numbers (nv) or a function of "
        "(t, q, v). What the mechanism carries acts by itself; elements and constraints come on top. `integrator` is one of "
        "integrator_names(): those of fixed steps read `step` (s), the others `tolerance`. `contacts`: dicts of "
        "body, point, radius, normal, offset (or height), friction, restitution: points and balls over planes of the "
        "world, see rigid_contacts().");
  m.def("integrator_names", &integrator_names, "Those that `integrator` may be.");
  m.def("closed_mechanism", &closed_mechanism, "name"_a,
        "A classic mechanism with loops, gears or wheels by its name, with parameters by theirs: (mechanism, constraints, "
        "a configuration that fulfils them).");
  m.def("closed_mechanism_names", &builtin_mechanism_names, "Those that closed_mechanism() has.");
  m.def("closed_mechanism_parameters", &closed_mechanism_parameters, "name"_a, "The parameters of one and their defaults.");
}

}  // namespace amble::python
