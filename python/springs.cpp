#include "amble/dynamics/springs.hpp"

#include <fmt/format.h>

#include "bindings.hpp"
#include "parts.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using VectorMap = Eigen::Map<const Eigen::VectorXd>;

Array forces(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](Workspace& work, Row q, Row v) { return spring_forces(m, work, q, v); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

py::object energies(const Mechanism& m, const py::object& q) {
  const auto f = [&](Workspace& work, Row q) { return spring_energy(m, work, q); };
  return unboxed(map_states(m, {}, f, Input(q, m.nq(), "q")));
}

py::object dissipations(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](Workspace& work, Row q, Row v) { return spring_dissipation(m, work, q, v); };
  return unboxed(map_states(m, {}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v")));
}

SpringState state(const MechanismPtr& m, const py::object& q, const py::object& v, const std::string& spring) {
  const int index = static_cast<int>(spring_part(m, spring).record - m->springs().data());
  const Array q_one = numbers(q, {m->nq()}, "q"), v_one = numbers(v, {m->nv()}, "v");
  return spring_state(*m, thread_workspace(*m), VectorMap(q_one.data(), m->nq()), VectorMap(v_one.data(), m->nv()),
                      index);
}

}  // namespace

void bind_springs(py::module_& m) {
  py::class_<SpringState>(m, "SpringState", "A spring at a state; from spring_state().")
      .def_readonly("distance", &SpringState::distance, "Between its ends (m).")
      .def_readonly("rate", &SpringState::rate, "Of that distance (m/s).")
      .def_property_readonly(
          "direction", [](const SpringState& s) { return array(s.direction); },
          "From its first end to its second (3, unit, world axes); zero when they coincide.")
      .def_readonly("tension", &SpringState::tension, "stiffness (distance - length) + damping rate (N).")
      .def_readonly("energy", &SpringState::energy, "Stored (J).")
      .def_readonly("dissipation", &SpringState::dissipation, "Turned into heat by the damper (W).")
      .def("__repr__", [](const SpringState& s) {
        return fmt::format("<amble.SpringState: {:.6g} m, {:.6g} N, {:.6g} J>", s.distance, s.tension, s.energy);
      });
  m.def("spring_state", &state, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("spring"),
        "Distance, tension and energy of a spring by its name, as a SpringState.");
  m.def(
      "spring_forces", &forces, py::arg("m"), py::arg("q"), py::arg("v"),
      "What the springs and dampers between bodies do at the joints (nv): add it to tau. An Error when the ends of a "
      "spring with a natural length coincide. Takes stacks.");
  m.def("spring_energy", &energies, py::arg("m"), py::arg("q"),
        "Stored in the springs between bodies (J): a float, or (...) for a stack of q (..., nq).");
  m.def("spring_dissipation", &dissipations, py::arg("m"), py::arg("q"), py::arg("v"),
        "Turned into heat by the dampers of those springs (W): a float, or (...) for stacks.");
}

}  // namespace amble::python
