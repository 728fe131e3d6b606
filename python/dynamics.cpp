#include "amble/dynamics/dynamics.hpp"

#include "bindings.hpp"
#include "states.hpp"

namespace amble::python {

namespace {

Array poses(const Mechanism& m, const py::object& q, const std::string& body) {
  m.place(body);
  const auto f = [&](Workspace& work, const VectorRef& q) { return pose(m, work, q, body).matrix(); };
  return map_states(m, {4, 4}, f, Input(q, m.nq(), "q"));
}

Array jacobians(const Mechanism& m, const py::object& q, const std::string& body, const py::object& point,
                const std::string& frame) {
  m.place(body);
  const JacobianOptions options = jacobian_options(point, frame);
  const auto f = [&](Workspace& work, const VectorRef& q) { return jacobian(m, work, q, body, options); };
  return map_states(m, {6, m.nv()}, f, Input(q, m.nq(), "q"));
}

Array inverse(const Mechanism& m, const py::object& q, const py::object& v, const py::object& a,
              const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a) {
    return inverse_dynamics(m, work, q, v, a, F);
  };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(a, m.nv(), "a"));
}

Array forward(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau,
              const py::object& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external, "external");
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& tau) {
    return forward_dynamics(m, work, q, v, tau, F);
  };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"), Input(tau, m.nv(), "tau"));
}

Array masses(const Mechanism& m, const py::object& q) {
  const auto f = [&](Workspace& work, const VectorRef& q) { return mass_matrix(m, work, q); };
  return map_states(m, {m.nv(), m.nv()}, f, Input(q, m.nq(), "q"));
}

Array biases(const Mechanism& m, const py::object& q, const py::object& v) {
  const auto f = [&](Workspace& work, const VectorRef& q, const VectorRef& v) {
    return bias_forces(m, work, q, v);
  };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"), Input(v, m.nv(), "v"));
}

Array gravities(const Mechanism& m, const py::object& q) {
  const auto f = [&](Workspace& work, const VectorRef& q) { return gravity_forces(m, work, q); };
  return map_states(m, {m.nv()}, f, Input(q, m.nq(), "q"));
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
        "body axes at the body's origin}, the same for every row. Takes stacks; a lone item goes with every row.");
  m.def("forward_dynamics", &forward, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(),
        "a (nv) with M a + bias = tau + sum J^T F; external as in inverse_dynamics. Takes stacks.");
  m.def("mass_matrix", &masses, py::arg("m"), py::arg("q"), "M (nv x nv), armature included. Takes stacks.");
  m.def("bias_forces", &biases, py::arg("m"), py::arg("q"), py::arg("v"), "C v + gravity forces (nv). Takes stacks.");
  m.def("gravity_forces", &gravities, py::arg("m"), py::arg("q"), "+dV/dq (nv). Takes stacks.");
}

}  // namespace amble::python
