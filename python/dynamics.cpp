#include "amble/dynamics/kinematics.hpp"

#include "bindings.hpp"
#include "rows.hpp"

namespace amble::python {

namespace {

/// f(work, q, out) for every configuration of the stack, each thread with its own workspace.
template <class F>
Array map_configurations(const Mechanism& m, const py::object& q, const Extents& item, F f) {
  const Stack rows = stack(q, {m.nq()}, "q");
  Array out = new_array(rows.leading, item);
  double* to = out.mutable_data();
  const py::ssize_t size = product(item);
  py::gil_scoped_release unlocked;
  for_each_row(rows.count, [&]() -> Worker {
    return [&, work = Workspace(m)](std::ptrdiff_t i) mutable {
      f(work, Eigen::Map<const Eigen::VectorXd>(rows.item(i), m.nq()), to + i * size);
    };
  });
  return out;
}

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
}

}  // namespace amble::python
