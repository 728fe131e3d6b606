#include "amble/dynamics/coordinates/gauss.hpp"

#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using Number = Eigen::Matrix<double, 1, 1>;
using Row = const VectorRef&;

py::object deviations(const Mechanism& m, const py::object& q, const py::object& v, const py::object& a,
                      const py::object& tau, const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto f = [&](Workspace& work, Row q, Row v, Row a, Row tau) {
    return Number(gauss_deviation(m, work, q, v, a, tau, F));
  };
  const Array D = map_states(m, {}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(a, m.nv(), "a"),
                             Input(tau, m.nv(), "tau"));
  return D.ndim() == 0 ? py::object(py::float_(*D.data())) : py::object(D);
}

/// (A, b) or None.
AccelerationConstraint constraint_from(const Mechanism& m, const py::object& given) {
  if (given.is_none()) return {};
  if (!py::isinstance<py::sequence>(given) || py::len(given) != 2)
    throw Error("constraint is given as a pair (A, b) with A a = b");
  const py::sequence pair = given;
  const Array b = numbers(pair[1], "b of the constraint");
  if (b.ndim() != 1) throw Error("b of the constraint has one dimension");
  const Array A = numbers(pair[0], {b.size(), m.nv()}, "A of the constraint");
  return {OwnedMatrix(Eigen::Map<const RowMatrix>(A.data(), b.size(), m.nv())),
          OwnedVector(Eigen::Map<const Eigen::VectorXd>(b.data(), b.size()))};
}

Eigen::Map<const Eigen::VectorXd> vector(const Array& x) { return {x.data(), x.size()}; }

py::tuple minimum(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau,
                  const py::object& external, const py::object& constraint) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const AccelerationConstraint held = constraint_from(m, constraint);
  const Array q_in = numbers(q, {m.nq()}, "q"), v_in = numbers(v, {m.nv()}, "v"), tau_in = numbers(tau, {m.nv()}, "tau");
  Workspace work(m);
  const GaussMinimum found = [&] {
    py::gil_scoped_release unlocked;
    return gauss_minimum(m, work, vector(q_in), vector(v_in), vector(tau_in), F, held);
  }();
  return py::make_tuple(array(found.a), array(found.lambda));
}

constexpr const char* kDeviation = R"(D of BK (22): how far the accelerations `a` are from those of unlinked bodies.

A float, or (...) for stacks; in kg m^2/s^4. Of all accelerations the true ones, forward_dynamics(m, q, v, tau,
external), make it least. external as in inverse_dynamics.)";

constexpr const char* kMinimum = R"((a, lambda) where D is least, by one dense system.

constraint: None, or (A, b) with conditions A a = b on the accelerations; lambda (one each) are the forces A^T lambda that
hold them. Redundant conditions share their force; conditions that cannot hold together are an Error.)";

}  // namespace

void bind_gauss(py::module_& m) {
  m.def("gauss_deviation", &deviations, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("a"), py::arg("tau"),
        py::arg("external") = py::none(), kDeviation);
  m.def("gauss_minimum", &minimum, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(), py::arg("constraint") = py::none(), kMinimum);
}

}  // namespace amble::python
