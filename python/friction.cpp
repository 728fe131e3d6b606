#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>
#include <variant>

#include "amble/base/error.hpp"
#include "amble/contact/solvers/friction_solver.hpp"
#include "amble/dynamics/view.hpp"
#include "bindings.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

using namespace pybind11::literals;

constexpr const char* kSolve =
    R"(Forces f and velocities u = G f + w of many contacts at once, with Coulomb's true cone.

G: rows x rows, symmetric and at least semidefinite; w: the velocities without forces. friction: the laws, in the order of
the rows: a number is the coefficient of a contact of three rows (normal, t1, t2), 0 to infinity; "unilateral" one row that
pushes (the stop of a joint); ("box", bound) one row of dry friction; ("bilateral", rows) rows that keep still. method:
"newton" or "gauss_seidel". tolerance: of certificate.residual. offset: added to u in normal, unilateral and bilateral rows;
compliance: added to the diagonal of G; guess: forces to start from; each one number per row.)";

constexpr const char* kCertificate = R"(How far a solution is from the laws, computed from their definitions.

residual: the natural map of all laws, relative to the largest free velocity; natural: the same in m/s. signorini (m/s), cone
(N), dissipation (W), bilateral (m/s), box (W): law by law, the worst over all blocks. work: f . u. worst_block: its index.)";

using Law = std::variant<double, std::string, std::pair<std::string, double>>;

FrictionLaw law_from(const Law& law, std::size_t i) {
  if (const double* mu = std::get_if<double>(&law)) return FrictionLaw::contact(*mu);
  if (const auto* pair = std::get_if<std::pair<std::string, double>>(&law)) {
    if (pair->first == "box") return FrictionLaw::box(pair->second);
    if (pair->first == "bilateral" && pair->second == std::floor(pair->second) &&
        std::abs(pair->second) < 1e6)
      return FrictionLaw::bilateral(static_cast<int>(pair->second));
    throw Error(fmt::format("friction[{}] is ('{}', {}): expected ('box', bound) or ('bilateral', rows)", i,
                            pair->first, pair->second));
  }
  const std::string& name = std::get<std::string>(law);
  if (name == "unilateral") return FrictionLaw::unilateral();
  throw Error(fmt::format(
      "friction[{}] is '{}': expected a coefficient, 'unilateral', ('box', bound) or ('bilateral', rows)", i,
      name));
}

FrictionSolution solve(const py::object& G, const py::object& w, const std::vector<Law>& friction,
                       const std::string& method, double tolerance, int iterations, const py::object& offset,
                       const py::object& compliance, const py::object& guess) {
  const Array free = numbers(w, "w");
  if (free.ndim() != 1) throw Error(fmt::format("w has {} dimensions, expected 1", free.ndim()));
  const py::ssize_t n = free.size();
  const Array matrix = numbers(G, {n, n}, "G");
  std::vector<FrictionLaw> laws;
  for (std::size_t i = 0; i < friction.size(); ++i) laws.push_back(law_from(friction[i], i));
  FrictionProblem problem(Eigen::Map<const RowMatrix>(matrix.data(), n, n),
                          Eigen::Map<const Eigen::VectorXd>(free.data(), n), laws);
  const auto fill = [&](const py::object& given, const char* what, auto&& number) {
    if (given.is_none()) return;
    const Array list = numbers(given, {n}, what);
    for (py::ssize_t r = 0; r < n; ++r) number(static_cast<int>(r)) = list.data()[r];
  };
  std::vector<double> start(guess.is_none() ? 0 : n);
  fill(offset, "offset", [&](int r) -> double& { return problem.offset(r); });
  fill(compliance, "compliance", [&](int r) -> double& { return problem.compliance(r); });
  fill(guess, "guess", [&](int r) -> double& { return start[r]; });
  const auto solver = make_friction_solver(method, {.tolerance = tolerance, .iterations = iterations});
  py::gil_scoped_release released;
  return solver->solve(problem, start);
}

Array array_of(const std::vector<double>& x) {
  return array(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
}

}  // namespace

void bind_friction(py::module_& m) {
  py::class_<FrictionCertificate>(m, "FrictionCertificate", kCertificate)
      .def_readonly("residual", &FrictionCertificate::residual, "The natural map relative to the largest speed without forces: what tolerances are about.")
      .def_readonly("natural", &FrictionCertificate::natural, "How far forces and velocities are from all laws, as one speed (m/s).")
      .def_readonly("signorini", &FrictionCertificate::signorini, "Of the normal laws: forces that pull, speeds into each other, both at once.")
      .def_readonly("cone", &FrictionCertificate::cone, "How far friction is outside its cone (N).")
      .def_readonly("dissipation", &FrictionCertificate::dissipation, "How far friction is from acting against the slip in full (W).")
      .def_readonly("bilateral", &FrictionCertificate::bilateral, "Speeds of rows that hold (m/s).")
      .def_readonly("box", &FrictionCertificate::box, "How far dry friction in joints is from its law (W).")
      .def_readonly("work", &FrictionCertificate::work, "forces . velocities: negative where contacts take energy.")
      .def_readonly("worst_block", &FrictionCertificate::worst_block, "The block that is farthest from its law.");
  py::class_<FrictionSolution>(m, "FrictionSolution", "What solve_friction finds, and how good it is.")
      .def_property_readonly("forces", [](const FrictionSolution& s) { return array_of(s.forces); }, "One per row.")
      .def_property_readonly("velocities", [](const FrictionSolution& s) { return array_of(s.velocities); },
                             "G f + w, one per row.")
      .def_readonly("certificate", &FrictionSolution::certificate, "How far it is from the laws.")
      .def_property_readonly(
          "status", [](const FrictionSolution& s) { return name_of(s.status); },
          "'solved', 'not reached' or 'inconsistent'")
      .def_readonly("iterations", &FrictionSolution::iterations, "linear systems solved, or sweeps");
  m.def("solve_friction", &solve, "G"_a, "w"_a, "friction"_a, "method"_a = "newton", "tolerance"_a = 1e-10,
        "iterations"_a = 0, "offset"_a = py::none(), "compliance"_a = py::none(), "guess"_a = py::none(),
        kSolve);
}

}  // namespace amble::python
