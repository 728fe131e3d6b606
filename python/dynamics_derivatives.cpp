#include "amble/dynamics/derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "amble/dynamics/christoffel.hpp"
#include "amble/dynamics/linearization.hpp"
#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

using Three = std::array<MatrixView, 3>;

py::tuple tuple_of(const std::array<Array, 3>& x) { return py::make_tuple(x[0], x[1], x[2]); }

py::tuple inverse_derivatives(const Mechanism& m, const py::object& q, const py::object& v,
                              const py::object& a, const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto one = [&](Workspace& w, Row q, Row v, Row a) {
    const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(m, w, q, v, a, F);
    return Three{d.dq, d.dv, d.M};
  };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q, Rows v, Rows a) {
    inverse_dynamics_derivatives(m, w, q, v, a, out[0], out[1], out[2], F);
  };
  return tuple_of(map_stacks<3>(m, {m.nv(), m.nv()}, one, all, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"),
                                Input(a, m.nv(), "a")));
}

py::tuple forward_derivatives(const Mechanism& m, const py::object& q, const py::object& v,
                              const py::object& tau, const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto one = [&](Workspace& w, Row q, Row v, Row tau) {
    const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(m, w, q, v, tau, F);
    return Three{d.dq, d.dv, d.M_inverse};
  };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q, Rows v, Rows tau) {
    forward_dynamics_derivatives(m, w, q, v, tau, out[0], out[1], out[2], F);
  };
  return tuple_of(map_stacks<3>(m, {m.nv(), m.nv()}, one, all, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"),
                                Input(tau, m.nv(), "tau")));
}

/// [A | B] row by row, then the two apart.
py::tuple linearizations(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau,
                         const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const int n = m.nv();
  const auto both = [&](Workspace& w, Row q, Row v, Row tau) {
    const Linearization l = linearize(m, w, q, v, tau, F);
    OwnedMatrix out(2 * n, 3 * n);
    out << l.A, l.B;
    return out;
  };
  const Array out = map_states(m, {2 * n, 3 * n}, both, Input(q, m.nq(), "q"), Input(v, n, "v"), Input(tau, n, "tau"));
  const auto columns = [&](int from, int to) { return out[py::make_tuple(py::ellipsis(), py::slice(from, to, 1))]; };
  return py::make_tuple(columns(0, 2 * n), columns(2 * n, 3 * n));
}

Array jacobian_rates(const Mechanism& m, const py::object& q, const py::object& v, const std::string& body,
                     const py::object& point, const std::string& frame) {
  m.place(body);
  const JacobianOptions options = jacobian_options(point, frame);
  const auto one = [&](Workspace& w, Row q, Row v) { return std::array{jacobian_dot(m, w, q, v, body, options)}; };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q, Rows v) {
    jacobian_dot(m, w, q, v, body, out[0], options);
  };
  return map_stacks<1>(m, {6, m.nv()}, one, all, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"))[0];
}

Array inverse_masses(const Mechanism& m, const py::object& q) {
  const auto f = [&](auto& work, auto&&... x) { return inverse_mass_matrix(m, work, x...); };
  return map_stack(m, {m.nv(), m.nv()}, f, Input(q, m.nq(), "q"));
}

Array coriolis_matrices(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](auto& work, auto&&... x) { return coriolis_matrix(m, work, x...); };
  return map_stack(m, {m.nv(), m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

ChristoffelKind christoffel_kind(const std::string& name) {
  if (name == "first") return ChristoffelKind::first;
  if (name == "second") return ChristoffelKind::second;
  throw Error(fmt::format("unknown kind '{}', expected 'first' or 'second'", name));
}

Array symbols(const Mechanism& m, const py::object& q, const std::string& kind_name) {
  const ChristoffelKind kind = christoffel_kind(kind_name);
  const Input rows(q, m.nq(), "q");
  const Extents item{m.nv(), m.nv(), m.nv()};
  Array out = new_array(rows.rows.leading, item);
  double* to = out.mutable_data();
  py::gil_scoped_release unlocked;
  for_each_row(rows.rows.leading, [&]() -> Worker {
    const auto work = std::make_shared<Workspace>(m);
    const auto symbols = std::make_shared<Christoffel>(m.nv());
    return [&, work, symbols, size = product(item)](std::ptrdiff_t i) {
      christoffel(m, *work, rows[i], *symbols, kind);
      std::copy_n(symbols->data(), size, to + i * size);
    };
  });
  return out;
}

constexpr const char* kInverse =
    R"((dtau_dq, dtau_dv, M) of inverse_dynamics, nv x nv each: row i is of tau[i].

Column k of dtau_dq is the slope along m.integrate(q, t e_k); M is the derivative in a. external as in
inverse_dynamics, each wrench staying as it is in its body's axes. Stacks of q, v, a give three stacks; a lone item
goes with every row.)";

constexpr const char* kForward = R"((da_dq, da_dv, Minv) of forward_dynamics, nv x nv each: row i is of a[i].

Column k of da_dq is the slope along m.integrate(q, t e_k); Minv, the inverse of M, is the derivative in tau. external
as in inverse_dynamics, each wrench staying as it is in its body's axes. Takes stacks.)";

constexpr const char* kLinearize = R"((A, B) of the motion near a state, x' = A x + B dtau for x = (dq, dv): 2 nv x 2 nv and 2 nv x nv.

The nearby configuration is m.integrate(q, dq). The state need not be at rest: dq is then measured from a configuration that
moves, and with spherical and free joints dq' = dv - [v, dq]. external as in forward_dynamics_derivatives. Takes stacks.)";

constexpr const char* kJacobianDot = R"(dJ/dt (6 x nv) along v, of J = jacobian(m, q, body, point, frame).

The rate of J's numbers, so the twist's change as it is written in that frame is J a + dJ/dt v. point and frame as in
jacobian. Takes stacks.)";

constexpr const char* kCoriolis =
    R"(C (nv x nv) with bias_forces = C v + gravity_forces and dM/dt = C + C^T along v.

C[i, j] = sum over k of christoffel[i, j, k] v[k], of the Levi-Civita connection of M. Takes stacks.)";

constexpr const char* kChristoffel = R"(Gamma (nv x nv x nv) with (C v)[i] = sum of Gamma[i, j, k] v[j] v[k].

Of the Levi-Civita connection of M in the frame of v; no factor 1/2. With spherical and free joints that frame is not
one of coordinates, and Gamma[i, j, k] - Gamma[i, k, j] = <e_i, [e_k, e_j]>, from the structure constants.
kind: "first" (all indices down) or "second" (the first index raised by the inverse of M, so that without forces
a[i] = -sum of Gamma[i, j, k] v[j] v[k]). Takes stacks of q.)";

}  // namespace

void bind_dynamics_derivatives(py::module_& m) {
  m.def("inverse_dynamics_derivatives", &inverse_derivatives, py::arg("m"), py::arg("q"), py::arg("v"),
        py::arg("a"), py::arg("external") = py::none(), kInverse);
  m.def("forward_dynamics_derivatives", &forward_derivatives, py::arg("m"), py::arg("q"), py::arg("v"),
        py::arg("tau"), py::arg("external") = py::none(), kForward);
  m.def("linearize", &linearizations, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(), kLinearize);
  m.def("jacobian_dot", &jacobian_rates, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("body"),
        py::arg("point") = py::none(), py::arg("frame") = "local", kJacobianDot);
  m.def("inverse_mass_matrix", &inverse_masses, py::arg("m"), py::arg("q"),
        "The inverse of M (nv x nv); an Error names the joint where M is singular. Takes stacks.");
  m.def("coriolis_matrix", &coriolis_matrices, py::arg("m"), py::arg("q"), py::arg("v"), kCoriolis);
  m.def("christoffel", &symbols, py::arg("m"), py::arg("q"), py::arg("kind") = "first", kChristoffel);
}

}  // namespace amble::python
