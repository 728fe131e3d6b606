#include "amble/riemann/submersion.hpp"
#include "amble/riemann/task_inverse.hpp"
#include "riemann.hpp"

namespace amble::python {

namespace {

constexpr const char* kUser = R"(A map of your own into vectors.

value: a function of q that gives `dimension` numbers; jacobian: one that gives dimension x nv in the velocity frame, or
None, and it is differenced to order eight.)";

/// How many numbers its value has.
int point_size(const TaskMapPtr& t) { return static_cast<int>(t->value(t->mechanism().neutral()).size()); }

/// f(task, rows...) for every row, with a task of each thread's own.
template <class F, class... Inputs>
Array map_task(const TaskMapPtr& t, const Extents& item, F f, const Inputs&... inputs) {
  const auto worker = [&] { return [f, own = cloned(t)](const auto&... rows) { return f(*own, rows...); }; };
  return map_arrays(item, worker, inputs...);
}

Input q_of(const TaskMapPtr& t, const py::object& q) { return Input(q, t->mechanism().nq(), "q"); }

Array value(const TaskMapPtr& t, const py::object& q) {
  return map_task(t, {point_size(t)}, [](TaskMap& t, Row q) { return t.value(q); }, q_of(t, q));
}
Array jacobian(const TaskMapPtr& t, const py::object& q) {
  return map_task(t, {t->dimension(), t->mechanism().nv()}, [](TaskMap& t, Row q) { return t.jacobian(q); }, q_of(t, q));
}
Array jacobian_rate(const TaskMapPtr& t, const py::object& q, const py::object& v) {
  return map_task(t, {t->dimension(), t->mechanism().nv()}, [](TaskMap& t, Row q, Row v) { return t.jacobian_rate(q, v); },
                  q_of(t, q), Input(v, t->mechanism().nv(), "v"));
}
Array integrate(const TaskMapPtr& t, const py::object& x, const py::object& d) {
  const int size = point_size(t);
  return map_task(t, {size}, [](TaskMap& t, Row x, Row d) { return t.integrate(x, d); }, Input(x, size, "x"),
                  Input(d, t->dimension(), "d"));
}
Array difference(const TaskMapPtr& t, const py::object& x0, const py::object& x1) {
  const int size = point_size(t);
  return map_task(t, {t->dimension()}, [](TaskMap& t, Row x0, Row x1) { return t.difference(x0, x1); },
                  Input(x0, size, "x0"), Input(x1, size, "x1"));
}

void bind_task_class(py::module_& m) {
  py::class_<TaskMap, TaskMapPtr>(m, "Task", "What a mechanism is there to move: a map from configurations to a workspace.")
      .def_property_readonly("name", &TaskMap::name, "What it is of.")
      .def_property_readonly("dimension", &TaskMap::dimension, "Of its velocities.")
      .def("value", &value, py::arg("q"),
           "Where it is: a vector, a quaternion (x, y, z, w), or a position and a quaternion. Takes stacks.")
      .def("jacobian", &jacobian, py::arg("q"), "dimension x nv. Takes stacks.")
      .def("jacobian_rate", &jacobian_rate, py::arg("q"), py::arg("v"), "Its rate along v. Takes stacks.")
      .def("integrate", &integrate, py::arg("x"), py::arg("d"),
           "Where the workspace is after the velocity d for unit time. Takes stacks.")
      .def("difference", &difference, py::arg("x0"), py::arg("x1"),
           "The velocity that takes x0 to x1 in unit time. Takes stacks.");
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
