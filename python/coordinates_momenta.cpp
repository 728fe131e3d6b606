#include "amble/dynamics/coordinates/boltzmann_hamel.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using Number = Eigen::Matrix<double, 1, 1>;

Array all_momenta(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](Workspace& work, Row q, Row v) { return momenta(m, work, q, v); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array all_velocities(const Mechanism& m, const py::object& q, const py::object& p) {
  const auto f = [&](Workspace& work, Row q, Row p) { return velocities(m, work, q, p); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(p, m.nv(), "p"));
}

py::object energies(const Mechanism& m, const py::object& q, const py::object& p) {
  const auto f = [&](Workspace& work, Row q, Row p) { return Number(hamiltonian(m, work, q, p)); };
  const Array H = map_states(m, {}, f, Input(q, m.nq(), "q"), Input(p, m.nv(), "p"));
  return H.ndim() == 0 ? py::object(py::float_(*H.data())) : py::object(H);
}

/// Both rates of a state in one row, to be taken apart.
py::tuple rates(const Mechanism& m, const py::object& q, const py::object& p, const py::object& tau,
                const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto f = [&](Workspace& work, Row q, Row p, Row tau) {
    const HamiltonianRates r = hamiltonian_rates(m, work, q, p, tau, F);
    Eigen::Matrix<double, 2, Eigen::Dynamic> both(2, m.nv());
    both.row(0) = r.v.transpose(), both.row(1) = r.pdot.transpose();
    return both;
  };
  const Array both = map_states(m, {2, m.nv()}, f, Input(q, m.nq(), "q"), Input(p, m.nv(), "p"),
                                Input(tau, m.nv(), "tau"));
  const py::object part = py::module_::import("numpy").attr("ascontiguousarray");
  const auto at = [&](int i) {
    return part(both[py::make_tuple(py::ellipsis(), i, py::slice(py::none(), py::none(), py::none()))]);
  };
  return py::make_tuple(at(0), at(1));
}

Array in_world(const Mechanism& m, const py::object& q, const py::object& p) {
  const auto f = [&](Workspace&, Row q, Row p) { return momenta_in_world(m, q, p); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(p, m.nv(), "p"));
}

Array in_body(const Mechanism& m, const py::object& q, const py::object& p) {
  const auto f = [&](Workspace&, Row q, Row p) { return momenta_in_body(m, q, p); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(p, m.nv(), "p"));
}

Array rates_in_world(const Mechanism& m, const py::object& q, const py::object& v, const py::object& p,
                     const py::object& pdot) {
  const auto f = [&](Workspace&, Row q, Row v, Row p, Row pdot) { return momentum_rates_in_world(m, q, v, p, pdot); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(p, m.nv(), "p"),
                    Input(pdot, m.nv(), "pdot"));
}

Eigen::Map<const Eigen::VectorXd> vector(const Array& x) { return {x.data(), x.size()}; }

BoltzmannHamel terms(const Mechanism& m, const py::object& q, const py::object& p, const py::object& tau,
                     const py::object& quasi) {
  QuasiVelocities B;
  if (!quasi.is_none())
    B = [&](const VectorRef& at) -> OwnedMatrix {
      const Array matrix = numbers(quasi(array(at)), {m.nv(), m.nv()}, "the matrix of the quasi-velocities");
      return OwnedMatrix(Eigen::Map<const RowMatrix>(matrix.data(), m.nv(), m.nv()));
    };
  Workspace work(m);
  return boltzmann_hamel(m, work, vector(numbers(q, {m.nq()}, "q")), vector(numbers(p, {m.nv()}, "p")),
                         vector(numbers(tau, {m.nv()}, "tau")), B);
}

constexpr const char* kRates = R"((v, pdot): how a state (q, p) of the port-Hamiltonian form changes.

v = M^-1 p is the velocity (nv), pdot the rate of the momenta p = M v (nv) under the forces tau; DS Theorem 2.18 for
every joint type, in O(n). external as in inverse_dynamics. Takes stacks.)";

constexpr const char* kTerms = R"(DS Theorem 2.18 term by term, as a BoltzmannHamel: readable, not fast.

quasi: None, or a function q -> B (nv x nv) for velocities w = B(q) v of your own; then p and tau belong to w, and these
are the Boltzmann-Hamel equations of DS Lemma 2.17.)";

}  // namespace

void bind_momentum_form(py::module_& m) {
  using B = BoltzmannHamel;
  py::class_<B>(m, "BoltzmannHamel", "The terms of DS (2.70); made by boltzmann_hamel().")
      .def_property_readonly("w", [](const B& b) { return array(b.w); }, "The velocities that belong to p.")
      .def_property_readonly("energy_gradient", [](const B& b) { return array(b.energy_gradient); },
                             "dH/dphi at p held (nv).")
      .def_property_readonly("S0", [](const B& b) { return array(b.S0); }, "w = S0 phidot (nv x nv).")
      .def_property_readonly("structure", [](const B& b) { return array(b.structure); },
                             "(d(S^T p)/dphi)^T - d(S^T p)/dphi, antisymmetric (nv x nv).")
      .def_property_readonly("pdot", [](const B& b) { return array(b.pdot); },
                             "-S0^-T energy_gradient + S0^-T structure S0^-1 w + tau (nv).");
  m.def("momenta", &all_momenta, py::arg("m"), py::arg("q"), py::arg("v"), "p = M v (nv), in O(n). Takes stacks.");
  m.def("velocities", &all_velocities, py::arg("m"), py::arg("q"), py::arg("p"),
        "v = M^-1 p (nv), in O(n). Takes stacks.");
  m.def("hamiltonian", &energies, py::arg("m"), py::arg("q"), py::arg("p"),
        "H = p^T M^-1 p / 2 + U (J): a float, or (...) for stacks.");
  m.def("hamiltonian_rates", &rates, py::arg("m"), py::arg("q"), py::arg("p"), py::arg("tau"),
        py::arg("external") = py::none(), kRates);
  m.def("momenta_in_world", &in_world, py::arg("m"), py::arg("q"), py::arg("p"),
        "The same momenta (nv) with those of free and spherical joints in the axes and at the origin of the joint's "
        "frame on the parent: for a floating base, the world. DS (2.86). Takes stacks.");
  m.def("momenta_in_body", &in_body, py::arg("m"), py::arg("q"), py::arg("p"),
        "The inverse of momenta_in_world. Takes stacks.");
  m.def("momentum_rates_in_world", &rates_in_world, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("p"),
        py::arg("pdot"), "d/dt of momenta_in_world (nv) from v, p and pdot in the body; DS (2.87). Takes stacks.");
  m.def("boltzmann_hamel", &terms, py::arg("m"), py::arg("q"), py::arg("p"), py::arg("tau"),
        py::arg("quasi") = py::none(), kTerms);
}

}  // namespace amble::python
