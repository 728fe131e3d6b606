#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/ports/bonds/behaviour.hpp"
#include "amble/ports/bonds/block_diagram.hpp"
#include "amble/ports/bonds/drawing.hpp"
#include "amble/ports/bonds/port_hamiltonian_form.hpp"
#include "amble/scenario/bond_file.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "motions.hpp"

namespace amble::python {

namespace {

using Strings = std::vector<std::string>;

// ---- values

Expression expression_from(py::handle x, const std::string& what) {
  return py::isinstance<py::str>(x) ? Expression(x.cast<std::string>()) : Expression(number(x, what));
}

bool is_row(py::handle x) { return !py::isinstance<py::str>(x) && py::isinstance<py::sequence>(x); }

/// A number, an expression, a vector or a matrix of them; arrays of NumPy too.
BondValue value_from(py::handle x, const std::string& what) {
  if (py::isinstance<py::array>(x) && py::cast<py::array>(x).ndim() > 0) return value_from(x.attr("tolist")(), what);
  if (!is_row(x)) return expression_from(x, what);
  std::vector<std::vector<Expression>> rows;
  for (const py::handle row : x) {
    rows.emplace_back();
    if (!is_row(row)) rows.back().push_back(expression_from(row, what));
    for (const py::handle entry : is_row(row) ? py::list(py::reinterpret_borrow<py::object>(row)) : py::list())
      rows.back().push_back(expression_from(entry, what));
  }
  return BondValue::matrix(std::move(rows));
}

Strings words_from(const py::object& x) {
  if (x.is_none()) return {};
  return py::isinstance<py::str>(x) ? Strings{x.cast<std::string>()} : x.cast<Strings>();
}

// ---- building

BondGraphBuilder& add_element(BondGraphBuilder& b, const std::string& name, const std::string& type,
                              const py::object& states, const py::object& initial, const py::object& ports,
                              const std::string& domain, const std::shared_ptr<Mechanism>& mechanism,
                              const py::kwargs& law) {
  BondElementDescription d{.name = name, .type = type, .domain = domain};
  d.states = words_from(states), d.initial = number_list(initial, "initial"), d.ports = words_from(ports);
  d.mechanism = mechanism;
  if (law.size() > 1) throw Error(fmt::format("element '{}' is given {} laws: expected one", name, law.size()));
  for (const auto& [key, value] : law) {
    d.law = py::str(key).cast<std::string>();
    d.value = value_from(value, fmt::format("{} of element '{}'", d.law, name));
  }
  return b.element(std::move(d));
}

BondGraphBuilder& add_signal(BondGraphBuilder& b, const std::string& name, const py::object& value,
                             const py::object& rate, double initial) {
  if (value.is_none() == rate.is_none())
    throw Error(fmt::format("signal '{}' needs a value or a rate, one of them", name));
  const bool integrated = value.is_none();
  return b.signal({name, expression_from(integrated ? rate : value, "a signal"), integrated, initial});
}

// ---- results

py::dict matrices(const BondGraph& graph) {
  const PortHamiltonianMatrices m = port_hamiltonian_matrices(graph);
  return py::dict(py::arg("states") = m.states, py::arg("sources") = m.sources,
                  py::arg("J") = array(m.interconnection), py::arg("R") = array(m.dissipation),
                  py::arg("g") = array(m.input), py::arg("Q") = array(m.energy_hessian));
}

py::dict blocks(const BondGraph& graph) {
  const BlockDiagram d = block_diagram(graph);
  py::list lines, integrators;
  for (const SignalBlock& b : d.blocks)
    lines.append(py::dict(py::arg("output") = b.output, py::arg("of") = b.title, py::arg("text") = b.text()));
  for (const IntegratorBlock& i : d.integrators)
    integrators.append(py::dict(py::arg("state") = i.state, py::arg("initial") = i.initial));
  return py::dict(py::arg("blocks") = lines, py::arg("integrators") = integrators, py::arg("loops") = d.loops);
}

py::dict matrix_form(const BondGraph& graph) {
  const BondPortHamiltonian form = port_hamiltonian(graph);
  py::dict out = matrices(graph);
  out["feedthrough"] = array(form.feedthrough);
  out["collocated"] = form.collocated;
  out["initial"] = array(form.initial);
  out["text"] = port_hamiltonian_text(graph);
  return out;
}

Strings element_names(const BondGraph& g) {
  Strings out;
  for (const BondElement& e : g.elements()) out.push_back(e.name);
  return out;
}

Array rates(const BondGraph& graph, double t, const py::object& x) {
  BondEquations equations(graph);
  return array(equations.rates_at(
      t, Eigen::Map<const Eigen::VectorXd>(numbers(x, {equations.size()}, "x").data(), equations.size())));
}

void restart(BondSimulator& s, const py::object& q, const py::object& v, double t) {
  const BondElement* m = s.graph().mechanism();
  if (m == nullptr && !(q.is_none() && v.is_none()))
    throw Error(fmt::format("bond graph '{}' has no mechanism: q and v are for one", s.graph().name()));
  if (m == nullptr) return s.reset(t);
  const OwnedVector at = q.is_none() ? m->mechanism->neutral()
                                     : OwnedVector(Eigen::Map<const Eigen::VectorXd>(
                                           numbers(q, {m->mechanism->nq()}, "q").data(), m->mechanism->nq()));
  OwnedVector speed(m->mechanism->nv());
  if (!v.is_none())
    speed = Eigen::Map<const Eigen::VectorXd>(numbers(v, {m->mechanism->nv()}, "v").data(), m->mechanism->nv());
  s.reset(at, speed, t);
}

void step(BondSimulator& s, double duration) {
  const double end = s.t() + duration;
  py::gil_scoped_release unlocked;
  if (!(end > s.t())) return s.advance(end);
  while (s.t() < end) s.step_towards(end), go_on(s.t());
}

py::tuple run_file(const py::object& path, const py::object& duration) {
  const BondFile file = load_bond_file(py::module_::import("os").attr("fspath")(path).cast<std::string>());
  BondRunSettings how = file.simulation.value_or(BondRunSettings{});
  if (!duration.is_none()) how.duration = number(duration, "duration");
  BondFileRun run(file, how);
  {
    py::gil_scoped_release unlocked;
    run.run(go_on);
  }
  const BondRecord record = run.record();
  py::dict columns;
  columns["t"] = Array(static_cast<py::ssize_t>(record.t.size()), record.t.data());
  for (std::size_t j = 0; j < record.names.size(); ++j)
    columns[py::str(record.names[j])] = array(Eigen::VectorXd(record.values.col(static_cast<Eigen::Index>(j))));
  return py::make_tuple(columns, ledger_dict(run.simulator().ledger()));
}

constexpr const char* kBuilder = R"(Makes a bond graph part by part, in any order; build() checks it whole.

Half arrows point towards I, C, R and mechanisms, away from sources, and through TF, GY and RS.)";
constexpr const char* kElement =
    R"(Add an element. One keyword is its law, with a number, an expression, a vector or a matrix:

I: inertance, energy. C: compliance, stiffness, energy. IC: energy, with ports=["I", "C"]. R, RS: resistance,
conductance, effort (a function of f), flow (of e). Se: effort. Sf: flow. TF: flow_ratio, effort_ratio. GY: impedance,
admittance. 0 and 1 have none; a mechanism has mechanism=, and its joints are ports "NAME.JOINT" of bonds.
Expressions know the parameters, t, states, signals, and NAME.e, NAME.f of elements and bonds.)";
constexpr const char* kMatrixForm = R"(A linear graph as x' = (J - R) dH/dx + g u, H = x . Q x / 2 (DS (B.1)).

As matrices(), with initial, text, and feedthrough: y = g^T dH/dx + feedthrough u where the form is collocated.)";
constexpr const char* kSimulator = R"(At the graph's initial values; a mechanism neutral and at rest.

representation: "block" (by causality), "behaviour" (relations solved together) or "port-hamiltonian" (matrices).
integrator: "radau" for stiff graphs; step (s): of those with fixed steps.)";
constexpr const char* kRunFile = R"(Run a bond graph file (TOML): ({'t', and what the file records}, ledger).

The same as `amble bond` on the command line. duration (s) takes the place of what the file says.)";

void bind_builder_of_bonds(py::module_& m) {
  const py::return_value_policy same = py::return_value_policy::reference;
  const py::none none;
  py::class_<BondGraphBuilder>(m, "BondGraphBuilder", kBuilder)
      .def(py::init<std::string>(), py::arg("name") = "bond graph", "An empty graph.")
      .def(
          "parameter",
          [](BondGraphBuilder& b, const std::string& name, const py::object& value) -> BondGraphBuilder& {
            return b.parameter(name, expression_from(value, "a parameter"));
          },
          same, py::arg("name"), py::arg("value"), "A number, or an expression of parameters given before.")
      .def("element", &add_element, same, py::arg("name"), py::arg("type"), py::arg("states") = none,
           py::arg("initial") = none, py::arg("ports") = none, py::arg("domain") = "", py::arg("mechanism") = nullptr,
           kElement)
      .def("junction", &BondGraphBuilder::junction, same, py::arg("name"), py::arg("which"), py::arg("domain") = "",
           "Add a junction, 0 or 1.")
      .def(
          "bond",
          [](BondGraphBuilder& b, const std::string& from, const std::string& to, const std::string& name,
             int dimension, const std::string& domain) -> BondGraphBuilder& {
            return b.bond({from, to, name, dimension, domain});
          },
          same, py::arg("start"), py::arg("end"), py::arg("name") = "", py::arg("dimension") = 1,
          py::arg("domain") = "", "Add a bond; the half arrow is at `end`.")
      .def("signal", &add_signal, same, py::arg("name"), py::arg("value") = none, py::arg("rate") = none,
           py::arg("initial") = 0.0, "Name a quantity that expressions use; with a rate it is a state.")
      .def("build", &BondGraphBuilder::build, "The graph. One Error with every problem.");
}

void bind_graph(py::module_& m) {
  py::class_<BondGraph>(m, "BondGraph", "A checked, immutable bond graph.")
      .def_property_readonly("name", &BondGraph::name, "As given.")
      .def_property_readonly("elements", &element_names, "Their names.")
      .def_property_readonly(
          "states", [](const BondGraph& g) { return BondEquations(g).state_names(); },
          "Names of the independent states.")
      .def_property_readonly(
          "initial", [](const BondGraph& g) { return array(BondEquations(g).initial()); }, "Of the states.")
      .def_property_readonly("causality", &causality_report,
                             "A report in words: conflicts, dependent storage, algebraic loops.")
      .def_property_readonly(
          "equations", [](const BondGraph& g) { return equations_text(BondEquations(g)); }, "As text, one line each.")
      .def("rates", &rates, py::arg("t"), py::arg("x"), "Of the states; of a graph without a mechanism.")
      .def("matrices", &matrices,
           "J, R, g and the Hessian Q of the energy of a linear graph: x' = (J - R) Q x + g u.")
      .def_property_readonly("block_diagram", &block_diagram_text,
                             "As text: assignments in the order of causality, integrators, algebraic loops.")
      .def("blocks", &blocks, "The block diagram as data: blocks in order, integrators, loops.")
      .def_property_readonly("behaviour", &behaviour_text,
                             "As text: relations without direction, component by component.")
      .def("port_hamiltonian", &matrix_form, kMatrixForm)
      .def("svg", &bond_graph_svg, "A drawing; needs Graphviz.");
}

}  // namespace

void bind_bonds(py::module_& m) {
  bind_graph(m);
  bind_builder_of_bonds(m);
  const py::none none;
  py::class_<BondSimulator>(m, "BondSimulator", "A bond graph run in time, with its books of energy.")
      .def(py::init([](const BondGraph& g, double tolerance, const std::string& representation,
                       const std::string& integrator, double step) {
             return BondSimulator(g, {.tolerance = tolerance, .step = step}, bond_representation(representation), integrator);
           }),
           py::arg("graph"), py::arg("tolerance") = 1e-10, py::arg("representation") = "block",
           py::arg("integrator") = "rkmk45", py::arg("step") = 1e-3, kSimulator)
      .def("reset", &restart, py::arg("q") = none, py::arg("v") = none, py::arg("t") = 0.0,
           "Start again; q and v are the mechanism's.")
      .def("step", &step, py::arg("duration"), "Go on for a time (s).")
      .def("value", &BondSimulator::value, py::arg("name"),
           "Now: a state, a signal, NAME.e, NAME.f, or MECHANISM.JOINT.q.")
      .def_property_readonly("t", &BondSimulator::t, "s")
      .def_property_readonly(
          "states", [](const BondSimulator& s) { return array(s.states()); }, "As BondGraph.states names them.")
      .def_property_readonly(
          "q", [](const BondSimulator& s) { return array(s.q()); }, "Of the mechanism.")
      .def_property_readonly(
          "v", [](const BondSimulator& s) { return array(s.v()); }, "Of the mechanism.")
      .def_property_readonly("energy", &BondSimulator::energy, "Of storage and mechanism (J).")
      .def_property_readonly(
          "ledger", [](BondSimulator& s) { return ledger_dict(s.ledger()); }, "The books since reset().");
  m.def(
      "load_bond_graph",
      [](const py::object& path) {
        return load_bond_file(py::module_::import("os").attr("fspath")(path).cast<std::string>()).graph;
      },
      py::arg("path"), "The graph of a bond graph file (TOML).");
  m.def("run_bond_graph", &run_file, py::arg("path"), py::arg("duration") = none, kRunFile);
}

}  // namespace amble::python
