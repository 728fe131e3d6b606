#include "amble/dynamics/dynamics.hpp"

#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

Array poses(const Mechanism& m, const py::object& q, const std::string& body) {
  m.place(body);
  const auto one = [&](Workspace& w, Row q) { return std::array{pose(m, w, q, body)}; };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q) { pose(m, w, q, body, out[0]); };
  return map_stacks<1>(m, {4, 4}, one, all, Input(q, m.nq(), "q"))[0];
}

Array jacobians(const Mechanism& m, const py::object& q, const std::string& body, const py::object& point,
                const std::string& frame) {
  m.place(body);
  const JacobianOptions options = jacobian_options(point, frame);
  const auto one = [&](Workspace& w, Row q) { return std::array{jacobian(m, w, q, body, options)}; };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q) { jacobian(m, w, q, body, out[0], options); };
  return map_stacks<1>(m, {6, m.nv()}, one, all, Input(q, m.nq(), "q"))[0];
}

Array inverse(const Mechanism& m, const py::object& q, const py::object& v, const py::object& a,
              const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto one = [&](Workspace& w, Row q, Row v, Row a) { return std::array{inverse_dynamics(m, w, q, v, a, F)}; };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q, Rows v, Rows a) {
    inverse_dynamics(m, w, q, v, a, out[0], F);
  };
  return map_stacks<1>(m, {m.nv()}, one, all, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(a, m.nv(), "a"))[0];
}

Array forward(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau,
              const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto one = [&](Workspace& w, Row q, Row v, Row tau) {
    return std::array{forward_dynamics(m, w, q, v, tau, F)};
  };
  const auto all = [&](StackWorkspace& w, StackRows& out, Rows q, Rows v, Rows tau) {
    forward_dynamics(m, w, q, v, tau, out[0], F);
  };
  return map_stacks<1>(m, {m.nv()}, one, all, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"),
                       Input(tau, m.nv(), "tau"))[0];
}

Array masses(const Mechanism& m, const py::object& q) {
  const auto f = [&](auto& work, auto&&... x) { return mass_matrix(m, work, x...); };
  return map_stack(m, {m.nv(), m.nv()}, f, Input(q, m.nq(), "q"));
}

Array biases(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](auto& work, auto&&... x) { return bias_forces(m, work, x...); };
  return map_stack(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array gravities(const Mechanism& m, const py::object& q) {
  const auto f = [&](auto& work, auto&&... x) { return gravity_forces(m, work, x...); };
  return map_stack(m, {m.nv()}, f, Input(q, m.nq(), "q"));
}

constexpr const char* kJacobian = R"(J (6 x nv) with V = J v, the twist of a body or frame, linear part first.

point: where the twist is taken, in body coordinates (m); the body's origin when None.
frame: "local" (body axes, at the point), "aligned" (world axes, at the point) or "world" (world axes, at the
world's origin). A stack of q (..., nq) gives (..., 6, nv).)";

}  // namespace

void bind_dynamics(py::module_& m) {
  m.def("pose", &poses, py::arg("m"), py::arg("q"), py::arg("body"),
        "X_WB (4 x 4), the pose of a body or frame in the world; for a stack of q (..., nq) it is (..., 4, 4).");
  m.def("jacobian", &jacobians, py::arg("m"), py::arg("q"), py::arg("body"), py::arg("point") = py::none(),
        py::arg("frame") = "local", kJacobian);
  m.def("inverse_dynamics", &inverse, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("a"),
        py::arg("external") = py::none(),
        "tau (nv) with M a + bias = tau + sum J^T F. external: a mapping {body: wrench (6), linear part first, in "
        "body axes at the body's origin}, the same for every row. Of the tree of joints alone: loops, rolling wheels "
        "and springs do not act, see constrained_dynamics() and spring_forces(). Takes stacks; a lone item goes with "
        "every row.");
  m.def("forward_dynamics", &forward, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(),
        "a (nv) with M a + bias = tau + sum J^T F; external as in inverse_dynamics. Of the tree of joints alone: "
        "loops and rolling wheels do not hold it, see constrained_dynamics(); springs do not act. Takes stacks.");
  m.def("mass_matrix", &masses, py::arg("m"), py::arg("q"), "M (nv x nv), armature included. Takes stacks.");
  m.def("bias_forces", &biases, py::arg("m"), py::arg("q"), py::arg("v"), "C v + gravity forces (nv). Takes stacks.");
  m.def("gravity_forces", &gravities, py::arg("m"), py::arg("q"), "+dV/dq (nv). Takes stacks.");
}

}  // namespace amble::python
