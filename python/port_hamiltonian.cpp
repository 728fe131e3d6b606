#include "amble/ports/port_hamiltonian.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "amble/simulation/port_hamiltonian_flow.hpp"
#include "amble/simulation/rkmk.hpp"
#include "bindings.hpp"
#include "motions.hpp"

namespace amble::python {

namespace {

OwnedMatrix matrix_from(const py::object& x, const char* name) {
  if (x.is_none()) return {};
  const Array a = numbers(x, name);
  if (a.ndim() != 2) throw Error(fmt::format("{} has the shape {}: expected a matrix", name, shape_text({a.shape(), a.shape() + a.ndim()})));
  return Eigen::Map<const Recording::Rows>(a.data(), a.shape(0), a.shape(1));
}

PortHamiltonianPtr linear(const py::object& Q, const py::object& J, const py::object& R, const py::object& g,
                          const py::object& K, const py::object& S) {
  return port_hamiltonian(LinearPortHamiltonian{matrix_from(Q, "Q"), matrix_from(J, "J"), matrix_from(R, "R"),
                                                matrix_from(g, "g"), matrix_from(K, "K"), matrix_from(S, "S")});
}

/// A matrix given once, or as a function of x.
using MatrixLaw = std::function<void(const py::object& x, OwnedMatrix& out)>;
MatrixLaw matrix_law(const py::object& given, const char* name, py::ssize_t rows, py::ssize_t cols) {
  const auto take = [name, rows, cols](const py::object& from, OwnedMatrix& out) {
    const Array a = numbers(from, {rows, cols}, name);
    out = Eigen::Map<const Recording::Rows>(a.data(), rows, cols);
  };
  if (given.is_none()) return [](const py::object&, OwnedMatrix&) {};
  if (PyCallable_Check(given.ptr())) return [f = kept(given), take](const py::object& x, OwnedMatrix& out) { take((*f)(x), out); };
  OwnedMatrix constant;
  take(given, constant);
  return [constant](const py::object&, OwnedMatrix& out) { out = constant; };
}

PortHamiltonianPtr from_functions(int numbers_of_x, int ports, const py::object& energy, const py::object& gradient,
                                  const py::object& J, const py::object& R, const py::object& g, const py::object& K,
                                  const py::object& S) {
  const py::ssize_t n = numbers_of_x, p = ports;
  const MatrixLaw laws[] = {matrix_law(J, "J", n, n), matrix_law(R, "R", n, n), matrix_law(g, "g", n, p),
                            matrix_law(K, "K", p, p), matrix_law(S, "S", p, p)};
  return port_hamiltonian(numbers_of_x, ports, [=, H = kept(energy), dH = kept(gradient)](const VectorRef& x, PortHamiltonianTerms& out) {
    py::gil_scoped_acquire locked;
    const py::object at = array(x);
    out.energy = number((*H)(at), "what energy(x) returns");
    out.gradient = vector(numbers((*dH)(at), {n}, "what gradient(x) returns"));
    OwnedMatrix* const matrices[] = {&out.J, &out.R, &out.g, &out.K, &out.S};
    for (int i = 0; i < 5; ++i) laws[i](at, *matrices[i]);
  });
}

OwnedVector configuration_from(const PortHamiltonian& system, const py::object& q) {
  if (system.mechanism() == nullptr) return {};
  if (q.is_none()) throw Error(fmt::format("the system has the mechanism '{}': its configuration q is needed", system.mechanism()->name()));
  return vector(numbers(q, {system.mechanism()->nq()}, "q"));
}

py::dict terms(PortHamiltonian& system, const py::object& x, const py::object& q) {
  PortHamiltonianTerms at(system.states(), system.ports());
  const OwnedVector x_at = vector(numbers(x, {system.numbers()}, "x")), q_at = configuration_from(system, q);
  system.evaluate(q_at.data(), x_at.data(), at);
  py::dict out;
  out["J"] = array(at.J), out["R"] = array(at.R), out["g"] = array(at.g), out["K"] = array(at.K), out["S"] = array(at.S);
  out["gradient"] = array(at.gradient), out["energy"] = at.energy;
  return out;
}

py::dict check(PortHamiltonian& system, const py::object& x, const py::object& q) {
  const StructureReport r =
      check_structure(system, configuration_from(system, q), vector(numbers(x, {system.numbers()}, "x")));
  py::dict out;
  out["passive"] = r.passive(), out["skew"] = r.skew, out["asymmetry"] = r.asymmetry;
  out["least_R"] = r.least_R, out["least_S"] = r.least_S, out["gradient_error"] = r.gradient_error;
  return out;
}

PortHamiltonianFlow::Input input_from(const PortHamiltonian& system, const py::object& u) {
  if (u.is_none()) return {};
  const py::ssize_t ports = system.ports();
  if (!PyCallable_Check(u.ptr())) {
    const OwnedVector steady = vector(numbers(u, {ports}, "u"));
    return [steady](double, OwnedVector& out) { out = steady; };
  }
  return [f = kept(u), ports](double t, OwnedVector& out) {
    py::gil_scoped_acquire locked;
    out = vector(numbers((*f)(t), {ports}, "what u(t) returns"));
  };
}

/// A motion of a system as arrays, a row for each time.
py::dict simulate_system(const PortHamiltonianPtr& system, const py::object& x0, double duration, const py::object& u,
                         const py::object& q0, double tolerance, double interval) {
  if (!(duration > 0.0) || !(interval > 0.0))
    throw Error(fmt::format("a duration of {} s and an interval of {} s: expected both above 0", duration, interval));
  PortHamiltonianFlow flow(system, input_from(*system, u));
  MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
  run.set_state(0.0, configuration_from(*system, q0), flow.start(vector(numbers(x0, {system->numbers()}, "x0"))));
  const double initial = flow.energy(run.q(), run.x());
  const py::ssize_t rows = static_cast<py::ssize_t>(std::floor(duration / interval + 1e-9)) + 1, n = system->numbers();
  Array t(rows), x = new_array({rows}, {n}), q = new_array({rows}, {run.q().size()}), energy(rows);
  for (py::ssize_t i = 0; i < rows; ++i) {
    if (i > 0) run.run(static_cast<double>(i) * interval, [] { go_on(0.0); });
    t.mutable_data()[i] = run.t(), energy.mutable_data()[i] = flow.energy(run.q(), run.x());
    std::copy_n(run.x().data(), n, x.mutable_data() + i * n);
    std::copy_n(run.q().data(), run.q().size(), q.mutable_data() + i * run.q().size());
  }
  py::dict out;
  out["t"] = t, out["x"] = x, out["q"] = q, out["energy"] = energy;
  out["ledger"] = ledger_dict(flow.ledger(run.q(), run.x(), initial));
  return out;
}

}  // namespace

void bind_port_hamiltonian(py::module_& m) {
  using namespace py::literals;
  py::class_<PortHamiltonian, PortHamiltonianPtr>(
      m, "PortHamiltonian",
      "xdot = (J - R) dH/dx + g u, y = g^T dH/dx + (K + S) u, with J, K skew-symmetric and R, S positive semi-definite.")
      .def(py::init(&linear), "Q"_a, "J"_a = py::none(), "R"_a = py::none(), "g"_a = py::none(), "K"_a = py::none(),
           "S"_a = py::none(), "A linear one, H = x . Q x / 2; matrices left out are zero.")
      .def_static("from_functions", &from_functions, "numbers"_a, "ports"_a, "energy"_a, "gradient"_a, "J"_a = py::none(),
                  "R"_a = py::none(), "g"_a = py::none(), "K"_a = py::none(), "S"_a = py::none(),
                  "energy(x) and gradient(x) are functions, the matrices arrays or functions of x.")
      .def_static("of", [](const Mechanism& robot) { return port_hamiltonian(robot); }, "m"_a,
                  "A mechanism: x are its momenta, u forces of the joints, y velocities.")
      .def_property_readonly("numbers", &PortHamiltonian::numbers, "How many numbers x has.")
      .def_property_readonly("ports", &PortHamiltonian::ports, "How many numbers u and y have.")
      .def("terms", &terms, "x"_a, "q"_a = py::none(), "J, R, g, K, S, gradient and energy at a state.")
      .def("check", &check, "x"_a, "q"_a = py::none(),
           "Whether the system is passive at a state, and by how much it is off what the definition asks for.")
      .def("simulate", &simulate_system, "x0"_a, "duration"_a, "u"_a = py::none(), "q0"_a = py::none(),
           "tolerance"_a = 1e-10, "interval"_a = 0.01,
           "A motion as arrays t, x, q, energy, and its ledger. u: numbers or a function of t.")
      .def("element", [](const PortHamiltonianPtr& system, const std::string& name, const std::vector<int>& velocities, const py::object& start) {
             return std::const_pointer_cast<Element>(
                 port_element(name, system, velocities, vector(numbers(start, {system->numbers()}, "start"))));
           }, "name"_a, "velocities"_a, "start"_a,
           "The system on velocities of a mechanism, as an element: u are these, y is taken off their forces.");
  m.def("interconnect", [](const PortHamiltonianPtr& a, const std::vector<int>& ports_a, const PortHamiltonianPtr& b, const std::vector<int>& ports_b) {
        return interconnect(a, ports_a, b, ports_b);
      }, "first"_a, "first_ports"_a, "second"_a, "second_ports"_a,
      "The second system on ports of the first: what the first moves drives the second, whose answer is taken off its input.");
}

}  // namespace amble::python
