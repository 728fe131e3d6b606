#include "amble/dynamics/coordinates/gauss.hpp"

#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using Number = Eigen::Matrix<double, 1, 1>;

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

/// a and lambda of a state in one row, to be taken apart.
py::tuple minimum(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau,
                  const py::object& external, const py::object& constraint) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const AccelerationConstraint held = constraint_from(m, constraint);
  const int rows = static_cast<int>(held.b.size());
  const auto f = [&](Workspace& work, Row q, Row v, Row tau) {
    const GaussMinimum found = gauss_minimum(m, work, q, v, tau, F, held);
    Eigen::VectorXd both(m.nv() + rows);
    both << found.a, found.lambda;
    return both;
  };
  const Array both = map_states(m, {m.nv() + rows}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(tau, m.nv(), "tau"));
  const py::object part = py::module_::import("numpy").attr("ascontiguousarray");
  const auto at = [&](int start, int end) {
    return part(both[py::make_tuple(py::ellipsis(), py::slice(py::int_(start), py::int_(end), py::none()))]);
  };
  return py::make_tuple(at(0, m.nv()), at(m.nv(), m.nv() + rows));
}

constexpr const char* kDeviation = R"(D of BK (22): how far the accelerations `a` are from those of unlinked bodies.

A float, or (...) for stacks; in kg m^2/s^4. Of all accelerations the true ones, forward_dynamics(m, q, v, tau,
external), make it least. external as in inverse_dynamics.)";

constexpr const char* kMinimum = R"((a, lambda) where D is least, by one dense system.

constraint: None, or (A, b) with conditions A a = b on the accelerations; lambda (one each) are the forces A^T lambda that
hold them. Redundant conditions share their force; conditions that cannot hold together are an Error. Takes stacks, with
the same conditions for every row.)";

}  // namespace

void bind_gauss(py::module_& m) {
  m.def("gauss_deviation", &deviations, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("a"), py::arg("tau"),
        py::arg("external") = py::none(), kDeviation);
  m.def("gauss_minimum", &minimum, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(), py::arg("constraint") = py::none(), kMinimum);
}

}  // namespace amble::python
