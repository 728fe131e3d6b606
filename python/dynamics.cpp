#include "amble/dynamics/dynamics.hpp"

#include <pybind11/stl.h>

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "amble/dynamics/kinematics.hpp"
#include "bindings.hpp"
#include "rows.hpp"

namespace amble::python {

namespace {

/// An argument of a function: one item or a stack of them.
struct Input {
  Stack rows;
  const char* name;
  Input(const py::object& x, int size, const char* what) : rows(stack(x, {size}, what)), name(what) {}
};

/// f(work, rows, out) for every state of the stacks, which go together row by row; each thread has a workspace of its
/// own.
template <class F>
Array map_states(const Mechanism& m, const std::vector<Input>& inputs, const Extents& item, F f) {
  const Input* longest = &inputs[0];
  for (const Input& x : inputs) {
    common_leading(longest->rows, longest->name, x.rows, x.name);
    if (longest->rows.leading.empty()) longest = &x;
  }
  Array out = new_array(longest->rows.leading, item);
  double* to = out.mutable_data();
  const py::ssize_t size = product(item);
  py::gil_scoped_release unlocked;
  for_each_row(longest->rows.count, [&]() -> Worker {
    return [&, work = std::make_shared<Workspace>(m)](std::ptrdiff_t i) {
      std::array<Eigen::Map<const Eigen::VectorXd>, 3> rows{
          Eigen::Map<const Eigen::VectorXd>(nullptr, 0), Eigen::Map<const Eigen::VectorXd>(nullptr, 0),
          Eigen::Map<const Eigen::VectorXd>(nullptr, 0)};
      for (std::size_t k = 0; k < inputs.size(); ++k)
        new (&rows[k]) Eigen::Map<const Eigen::VectorXd>(inputs[k].rows.item(i), inputs[k].rows.size);
      f(*work, rows, to + i * size);
    };
  });
  return out;
}

template <class F>
Array map_configurations(const Mechanism& m, const py::object& q, const Extents& item, F f) {
  return map_states(m, {{q, m.nq(), "q"}}, item,
                    [&](Workspace& work, const auto& rows, double* to) { f(work, rows[0], to); });
}

/// {body: wrench} as the library takes it.
std::vector<ExternalWrench> wrenches(const Mechanism& m, const std::optional<std::map<std::string, py::object>>& given) {
  std::vector<ExternalWrench> out;
  if (!given) return out;
  for (const auto& [body, wrench] : *given)
    out.push_back({m.body_index(body), Wrench<double>(vector6(wrench, "the wrench on '" + body + "'"))});
  return out;
}
using External = std::optional<std::map<std::string, py::object>>;

Array poses(const Mechanism& m, const py::object& q, const std::string& body) {
  m.place(body);
  return map_configurations(m, q, {4, 4}, [&](Workspace& work, const VectorRef& row, double* to) {
    put(pose(m, work, row, body).matrix(), to);
  });
}

Array jacobians(const Mechanism& m, const py::object& q, const std::string& body, const py::object& point,
                const std::string& frame) {
  m.place(body);
  JacobianOptions options{.frame = jacobian_frame(frame)};
  if (!point.is_none()) options.point = vector3(point, "point");
  return map_configurations(m, q, {6, m.nv()}, [&](Workspace& work, const VectorRef& row, double* to) {
    put(jacobian(m, work, row, body, options), to);
  });
}

Array inverse(const Mechanism& m, const py::object& q, const py::object& v, const py::object& a, const External& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external);
  return map_states(m, {{q, m.nq(), "q"}, {v, m.nv(), "v"}, {a, m.nv(), "a"}}, {m.nv()},
                    [&](Workspace& work, const auto& rows, double* to) {
                      put(inverse_dynamics(m, work, rows[0], rows[1], rows[2], F), to);
                    });
}

Array forward(const Mechanism& m, const py::object& q, const py::object& v, const py::object& tau, const External& external) {
  const std::vector<ExternalWrench> F = wrenches(m, external);
  return map_states(m, {{q, m.nq(), "q"}, {v, m.nv(), "v"}, {tau, m.nv(), "tau"}}, {m.nv()},
                    [&](Workspace& work, const auto& rows, double* to) {
                      put(forward_dynamics(m, work, rows[0], rows[1], rows[2], F), to);
                    });
}

Array masses(const Mechanism& m, const py::object& q) {
  return map_configurations(m, q, {m.nv(), m.nv()}, [&](Workspace& work, const VectorRef& row, double* to) {
    put(mass_matrix(m, work, row), to);
  });
}

Array biases(const Mechanism& m, const py::object& q, const py::object& v) {
  return map_states(m, {{q, m.nq(), "q"}, {v, m.nv(), "v"}}, {m.nv()},
                    [&](Workspace& work, const auto& rows, double* to) { put(bias_forces(m, work, rows[0], rows[1]), to); });
}

Array gravities(const Mechanism& m, const py::object& q) {
  return map_configurations(m, q, {m.nv()}, [&](Workspace& work, const VectorRef& row, double* to) {
    put(gravity_forces(m, work, row), to);
  });
}

constexpr const char* kJacobian = R"(J (6 x nv) with V = J v, the twist of a body or frame, linear part first.

point: where the twist is taken, in body coordinates (m); the body's origin when None.
frame: "local" (body axes, at the point), "aligned" (world axes, at the point) or "world" (world axes, at the
world's origin). A stack of q (..., nq) gives (..., 6, nv).)";

}  // namespace

void bind_dynamics(py::module_& m) {
  m.def("pose", &poses, py::arg("m"), py::arg("q"), py::arg("body"),
        "X_WB (4 x 4), the pose of a body or frame in the world; for a stack of q (..., nq) it is (..., 4, "
        "4).");
  m.def("jacobian", &jacobians, py::arg("m"), py::arg("q"), py::arg("body"), py::arg("point") = py::none(),
        py::arg("frame") = "local", kJacobian);
  m.def("inverse_dynamics", &inverse, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("a"),
        py::arg("external") = py::none(),
        "tau (nv) with M a + bias = tau + sum J^T F. external: {body: wrench (6), linear part first, in body axes at the "
        "body's origin}. Takes stacks.");
  m.def("forward_dynamics", &forward, py::arg("m"), py::arg("q"), py::arg("v"), py::arg("tau"),
        py::arg("external") = py::none(),
        "a (nv) with M a + bias = tau + sum J^T F; external as in inverse_dynamics. Takes stacks.");
  m.def("mass_matrix", &masses, py::arg("m"), py::arg("q"), "M (nv x nv), armature included. Takes stacks.");
  m.def("bias_forces", &biases, py::arg("m"), py::arg("q"), py::arg("v"), "C v + gravity forces (nv). Takes stacks.");
  m.def("gravity_forces", &gravities, py::arg("m"), py::arg("q"), "+dV/dq (nv). Takes stacks.");
}

}  // namespace amble::python
