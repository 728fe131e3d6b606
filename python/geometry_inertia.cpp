#include "amble/geometry/inertia.hpp"

#include <fmt/format.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

using Class = py::class_<Inertia<double>>;

Inertia<double> from_points(const py::object& masses, const py::object& positions) {
  const Array m = numbers(masses, "masses");
  if (m.ndim() != 1)
    throw Error(fmt::format("masses has {} dimensions: expected a list of numbers", m.ndim()));
  const Array p = numbers(positions, {m.shape(0), 3}, "positions");
  std::vector<PointMass> points;
  for (py::ssize_t i = 0; i < m.shape(0); ++i)
    points.push_back({m.data()[i], Vector3<double>(p.data() + 3 * i)});
  return inertia_of_points(points);
}

py::tuple to_points(const Inertia<double>& inertia) {
  const std::vector<PointMass> points = points_of_inertia(inertia);
  const auto n = static_cast<py::ssize_t>(points.size());
  Array masses = new_array({n}, {}), positions = new_array({n}, {3});
  for (py::ssize_t i = 0; i < n; ++i) {
    masses.mutable_data()[i] = points[i].mass;
    put(points[i].position, positions.mutable_data() + 3 * i);
  }
  return py::make_tuple(masses, positions);
}

py::tuple principal(const Inertia<double>& inertia) {
  const PrincipalMoments p = principal_moments(inertia);
  return py::make_tuple(array(p.moments), array(p.axes));
}

py::tuple state(const Inertia<double>& I) {
  return py::make_tuple(I.mass(), array(I.first_moment()), array(I.about_origin()));
}
Inertia<double> from_state(const py::tuple& s) {
  return {number(s[0], "mass"), vector3(s[1], "first moment"), matrix3(s[2], "inertia")};
}

}  // namespace

void bind_inertia(py::module_& m) {
  Class(m, "Inertia", "Spatial inertia of a body. Inertias in one frame add.")
      .def(py::init([](const py::object& mass, const py::object& com, const py::object& inertia) {
             return inertia_from(mass, com, inertia, "an inertia");
           }),
           py::arg("mass") = 0.0, py::arg("com") = py::none(), py::arg("inertia") = py::none(),
           "From mass (kg), com (3, m) and inertia about the com (3 x 3, kg m^2).")
      .def_static("from_points", &from_points, py::arg("masses"), py::arg("positions"),
                  "Of point masses: n masses (kg) at n x 3 positions (m).")
      .def_property_readonly(
          "mass", [](const Inertia<double>& I) { return I.mass(); }, "Mass (kg).")
      .def_property_readonly(
          "com", [](const Inertia<double>& I) { return array(I.com()); }, "Centre of mass (3, m).")
      .def_property_readonly(
          "first_moment", [](const Inertia<double>& I) { return array(I.first_moment()); },
          "mass * com (3, kg m).")
      .def_property_readonly(
          "about_com", [](const Inertia<double>& I) { return array(I.about_com()); },
          "Rotational inertia about the centre of mass (3 x 3, kg m^2).")
      .def_property_readonly(
          "about_origin", [](const Inertia<double>& I) { return array(I.about_origin()); },
          "Rotational inertia about the frame's origin (3 x 3, kg m^2).")
      .def_property_readonly(
          "matrix", [](const Inertia<double>& I) { return array(I.matrix()); },
          "6 x 6, momentum = matrix @ twist, linear part first.")
      .def(
          "transformed",
          [](const Inertia<double>& I, const py::object& X) { return pose_from(X, "pose") * I; },
          py::arg("pose"), "The same body seen from frame A, given it in B and the pose X_AB (4 x 4).")
      .def("problem", &inertia_problem,
           "What is physically wrong with it, in words; empty when a real body can have it.")
      .def("principal_moments", &principal,
           "(moments ascending (3, kg m^2), axes as columns of a rotation (3 x 3)) about the centre of mass.")
      .def("to_points", &to_points,
           "(masses (6), positions (6 x 3)) of six equal point masses with the same inertia.")
      .def(py::self + py::self, "Both bodies as one.")
      .def(py::self - py::self, "One body less.")
      .def("__repr__",
           [](const Inertia<double>& I) {
             const Vector3<double> c = I.com();
             return fmt::format("<amble.geometry.Inertia: {:.6g} kg at ({:.6g}, {:.6g}, {:.6g})>", I.mass(),
                                c[0], c[1], c[2]);
           })
      .def(py::pickle(&state, &from_state));
}

}  // namespace amble::python
