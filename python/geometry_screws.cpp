#include "amble/geometry/screw.hpp"

#include <fmt/format.h>

#include "bindings.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

std::string text(const Vector3<double>& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v[0], v[1], v[2]);
}

void bind_line(py::module_& m) {
  const auto from = [](Line (*make)(const Vector3<double>&, const Vector3<double>&), const char* a,
                       const char* b) {
    return [=](const py::object& x, const py::object& y) { return make(vector3(x, a), vector3(y, b)); };
  };
  py::class_<Line>(m, "Line", "A directed line; Line() is the z axis.")
      .def(py::init<>(), "The z axis.")
      .def_static("through", from(&Line::through, "point", "direction"), py::arg("point"),
                  py::arg("direction"), "From a point on it and a direction of any length.")
      .def_static("through_points", from(&Line::through_points, "a", "b"), py::arg("a"), py::arg("b"),
                  "From a to b.")
      .def_static("from_pluecker", from(&Line::from_pluecker, "direction", "moment"), py::arg("direction"),
                  py::arg("moment"), "From Pluecker coordinates of any scale.")
      .def_property_readonly(
          "direction", [](const Line& l) { return array(l.direction()); }, "Unit vector (3).")
      .def_property_readonly(
          "moment", [](const Line& l) { return array(l.moment()); },
          "p x direction for any point p on it (3, m).")
      .def_property_readonly(
          "point", [](const Line& l) { return array(l.point()); }, "The point nearest to the origin (3, m).")
      .def(
          "nearest", [](const Line& l, const py::object& p) { return array(l.nearest(vector3(p, "point"))); },
          py::arg("point"), "The point of the line nearest to a point (3, m).")
      .def(
          "distance", [](const Line& l, const py::object& p) { return l.distance(vector3(p, "point")); },
          py::arg("point"), "How far a point is from the line (m).")
      .def("reversed", &Line::reversed, "The same line the other way round.")
      .def(
          "transformed", [](const Line& l, const py::object& X) { return pose_from(X, "pose") * l; },
          py::arg("pose"), "The same line seen from frame A, given it in B and the pose X_AB (4 x 4).")
      .def("__repr__", [](const Line& l) {
        return fmt::format("<amble.geometry.Line through {} along {}>", text(l.point()), text(l.direction()));
      });
}

void bind_screw(py::module_& m) {
  py::class_<Screw>(m, "Screw",
                    "A line, a pitch along it (m/rad; inf: pure translation or couple) and a magnitude.")
      .def(py::init([](const Line& axis, double pitch, double magnitude) {
             return Screw{axis, pitch, magnitude};
           }),
           py::arg("axis") = Line(), py::arg("pitch") = 0.0, py::arg("magnitude") = 0.0, "From its parts.")
      .def_readonly("axis", &Screw::axis, "The line.", py::return_value_policy::copy)
      .def_readonly("pitch", &Screw::pitch,
                    "Speed along per turn rate, moment along per force, or advance per angle.")
      .def_readonly("magnitude", &Screw::magnitude,
                    "Angular speed, force or angle; with infinite pitch the speed, moment or length.")
      .def_property_readonly("angle", &Screw::angle,
                             "Of a displacement: how far it turns about the axis (rad).")
      .def_property_readonly("translation", &Screw::translation,
                             "Of a displacement: how far it advances along the axis (m).")
      .def(
          "transformed", [](const Screw& s, const py::object& X) { return pose_from(X, "pose") * s; },
          py::arg("pose"), "The same screw seen from frame A, given it in B and the pose X_AB (4 x 4).")
      .def("__repr__", [](const Screw& s) {
        return fmt::format("<amble.geometry.Screw: magnitude {:.6g}, pitch {:.6g}, axis through {} along {}>",
                           s.magnitude, s.pitch, text(s.axis.point()), text(s.axis.direction()));
      });
}

void bind_perpendicular(py::module_& m) {
  using P = CommonPerpendicular;
  py::class_<P>(m, "CommonPerpendicular", "The shortest way from one line to another.")
      .def_property_readonly(
          "point_a", [](const P& p) { return array(p.point_a); }, "Its end on the first line (3, m).")
      .def_property_readonly(
          "point_b", [](const P& p) { return array(p.point_b); }, "Its end on the second line (3, m).")
      .def_property_readonly(
          "normal", [](const P& p) { return array(p.normal); },
          "Unit vector (3); turning by `angle` about it takes the first direction to the second.")
      .def_readonly("distance", &P::distance, "(point_b - point_a) . normal (m).")
      .def_readonly("angle", &P::angle, "Between the directions, 0 to pi (rad).")
      .def_readonly("parallel", &P::parallel, "Whether the directions are equal or opposite to 1e-12.");
  m.def("common_perpendicular", &common_perpendicular, py::arg("a"), py::arg("b"),
        "The shortest way from line a to line b.");
  m.def("reciprocal_product", &reciprocal_product, py::arg("a"), py::arg("b"),
        "Zero exactly when two lines meet or are parallel.");
}

}  // namespace

void bind_lines_and_screws(py::module_& m) {
  bind_line(m);
  bind_screw(m);
  bind_perpendicular(m);
  m.def(
      "twist_to_screw", [](const py::object& V) { return screw_of(Twist<double>(vector6(V, "V"))); },
      py::arg("V"), "The screw of a twist (6, linear part first).");
  m.def(
      "screw_to_twist", [](const Screw& s) { return array(twist_of(s).vector()); }, py::arg("screw"),
      "The twist (6, linear part first) of a screw.");
  m.def(
      "wrench_to_screw", [](const py::object& F) { return screw_of(Wrench<double>(vector6(F, "F"))); },
      py::arg("F"), "The screw of a wrench (6, force first).");
  m.def(
      "screw_to_wrench", [](const Screw& s) { return array(wrench_of(s).vector()); }, py::arg("screw"),
      "The wrench (6, force first) of a screw.");
  m.def(
      "pose_to_screw", [](const py::object& X) { return screw_of(pose_from(X, "X")); }, py::arg("X"),
      "The helical axis of a displacement (4 x 4).");
  m.def(
      "screw_to_pose", [](const Screw& s) { return array(pose_of(s)); }, py::arg("screw"),
      "The displacement (4 x 4) along a screw, turns beyond pi included.");
}

}  // namespace amble::python
