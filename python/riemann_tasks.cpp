#include "amble/riemann/submersion.hpp"
#include "amble/riemann/task_inverse.hpp"
#include "riemann.hpp"

namespace amble::python {

namespace {

constexpr const char* kUser = R"(A map of your own into vectors.

value: a function of q that gives `dimension` numbers; jacobian: one that gives dimension x nv in the velocity frame, or
None, and it is differenced to order eight.)";

OwnedVector point_of(const TaskMap& t, const py::object& x, const char* what) {
  const OwnedVector shape = const_cast<TaskMap&>(t).value(t.mechanism().neutral());
  return vector(numbers(x, {shape.size()}, what));
}

void bind_task_class(py::module_& m) {
  using T = TaskMap;
  const auto q_of = [](const T& t, const py::object& q) { return owned(q, t.mechanism().nq(), "q"); };
  const auto d_of = [](const T& t, const py::object& d, const char* what) {
    return owned(d, t.dimension(), what);
  };
  py::class_<T, TaskMapPtr>(m, "Task",
                         "What a mechanism is there to move: a map from configurations to a workspace.")
      .def_property_readonly("name", &T::name, "What it is of.")
      .def_property_readonly("dimension", &T::dimension, "Of its velocities.")
      .def(
          "value", [q_of](T& t, const py::object& q) { return array(t.value(q_of(t, q))); }, py::arg("q"),
          "Where it is: a vector, a quaternion (x, y, z, w), or a position and a quaternion.")
      .def(
          "jacobian", [q_of](T& t, const py::object& q) { return array(t.jacobian(q_of(t, q))); },
          py::arg("q"), "dimension x nv.")
      .def(
          "jacobian_rate",
          [q_of](T& t, const py::object& q, const py::object& v) {
            return array(t.jacobian_rate(q_of(t, q), owned(v, t.mechanism().nv(), "v")));
          },
          py::arg("q"), py::arg("v"), "Its rate along v.")
      .def(
          "integrate",
          [d_of](const T& t, const py::object& x, const py::object& d) {
            return array(t.integrate(point_of(t, x, "x"), d_of(t, d, "d")));
          },
          py::arg("x"), py::arg("d"), "Where the workspace is after the velocity d for unit time.")
      .def(
          "difference",
          [](const T& t, const py::object& x0, const py::object& x1) {
            return array(t.difference(point_of(t, x0, "x0"), point_of(t, x1, "x1")));
          },
          py::arg("x0"), py::arg("x1"), "The velocity that takes x0 to x1 in unit time.");
}

void bind_task_kinds(py::module_& m) {
  m.def(
      "position_task",
      [](const Mechanism& m, const std::string& place, const py::object& point) {
        return position_task(
            m, place, point.is_none() ? Vector3<double>(Vector3<double>::Zero()) : vector3(point, "point"));
      },
      py::arg("m"), py::arg("place"), py::arg("point") = py::none(),
      "A point of a body or frame, in world axes.");
  m.def("orientation_task", &orientation_task, py::arg("m"), py::arg("place"),
        "The orientation of a body or frame, with its angular velocity in its own axes.");
  m.def("pose_task", &pose_task, py::arg("m"), py::arg("place"),
        "The pose of a body or frame, with its twist in its own axes, linear part first.");
  m.def("center_of_mass_task", &center_of_mass_task, py::arg("m"), "The centre of mass, in world axes.");
  m.def(
      "user_task",
      [](const Mechanism& m, const std::string& name, int dimension, const py::function& value,
         const std::optional<py::function>& jacobian) {
        TaskJacobian J;
        if (jacobian)
          J = configuration_function(*jacobian, dimension, m.nv(), "the Jacobian of task '" + name + "'");
        return user_task(m, name, dimension,
                         vector_function(value, dimension, "the value of task '" + name + "'"), J);
      },
      py::arg("m"), py::arg("name"), py::arg("dimension"), py::arg("value"), py::arg("jacobian") = py::none(),
      kUser);
  m.def("selected_task", &selected_task, py::arg("task"), py::arg("rows"),
        "Some of the numbers of a task whose workspace is vectors.");
  m.def("stacked_task", &stacked_task, py::arg("tasks"),
        "Several tasks of one mechanism, one after another.");
}

}  // namespace

void bind_tasks(py::module_& m) {
  bind_task_class(m);
  bind_task_kinds(m);
}

}  // namespace amble::python
