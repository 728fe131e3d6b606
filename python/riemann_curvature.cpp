#include "amble/base/slope.hpp"
#include "amble/report/geometry_figures.hpp"
#include "amble/riemann/curvature.hpp"
#include "amble/riemann/flat_coordinates.hpp"
#include "riemann.hpp"

namespace amble::python {

namespace {

constexpr const char* kCurvature =
    R"(The curvature of the metric of kinetic energy at q, in the velocity frame.

riemann[i, j, k, l] = <e_i, R(e_k, e_l) e_j> with R(X, Y) Z = nabla_X nabla_Y Z - nabla_Y nabla_X Z - nabla_[X, Y] Z.
Exact for every joint type, groups included; loops do not hold the joints.)";

constexpr const char* kFlatness =
    R"(Whether a mechanism has no curvature: at q, or at random configurations when q is None.

The largest sectional curvature found, relative to the terms that would have to cancel, is compared with tolerance.)";

constexpr const char* kFlat =
    R"(Coordinates x(q) around q0 in which M is the identity, where there is no curvature: M = N^T N.

Raises Error with the largest sectional curvature, and where, when there is some.)";

constexpr const char* kMap = R"(A picture (SVG) of the sectional curvature over two coordinates of q.

coordinates: their places in q. The plane is that of the two velocities which belong to them; cells each way.)";

py::tuple plane(const Curvature::Plane& p) { return py::make_tuple(p.curvature, array(p.x), array(p.y)); }

Array riemann_array(const Curvature& c) {
  const int n = c.riemann().nv();
  Array out = new_array({}, {n, n, n, n});
  std::copy_n(c.riemann().data(), out.size(), out.mutable_data());
  return out;
}

void bind_tensor(py::module_& m) {
  const auto three = [](const Curvature& c, const py::object& X, const py::object& Y, const py::object& Z) {
    const int n = c.riemann().nv();
    return array(c.apply(owned(X, n, "X"), owned(Y, n, "Y"), owned(Z, n, "Z")));
  };
  py::class_<Curvature>(m, "Curvature", kCurvature)
      .def(py::init(
               [](const Mechanism& m, const py::object& q) { return Curvature(m, owned(q, m.nq(), "q")); }),
           py::arg("m"), py::arg("q"))
      .def_property_readonly("riemann", &riemann_array, "The tensor (nv x nv x nv x nv), all indices down.")
      .def_property_readonly(
          "metric", [](const Curvature& c) { return array(c.metric()); }, "M (nv x nv).")
      .def_property_readonly(
          "ricci", [](const Curvature& c) { return array(c.ricci()); },
          "Its trace over the first and third index, raised (nv x nv).")
      .def_property_readonly("scalar", &Curvature::scalar, "The trace of that.")
      .def_property_readonly(
          "least", [](const Curvature& c) { return plane(c.range().least); },
          "(curvature, x, y): the least sectional curvature and its plane.")
      .def_property_readonly(
          "most", [](const Curvature& c) { return plane(c.range().most); },
          "(curvature, x, y): the largest sectional curvature and its plane.")
      .def(
          "sectional",
          [](const Curvature& c, const py::object& x, const py::object& y) {
            const int n = c.riemann().nv();
            return c.sectional(owned(x, n, "x"), owned(y, n, "y"));
          },
          py::arg("x"), py::arg("y"), "Of the plane of two vectors; 1/r^2 on a sphere of radius r.")
      .def("apply", three, py::arg("X"), py::arg("Y"), py::arg("Z"), "R(X, Y) Z (nv).");
}

void bind_flatness(py::module_& m) {
  py::class_<Flatness> flat(m, "Flatness", "What flatness() found.");
  flat.def_readonly("flat", &Flatness::flat, "Whether there is no curvature.")
      .def_readonly("largest", &Flatness::largest, "The largest absolute sectional curvature.")
      .def_readonly("terms", &Flatness::terms, "The terms that would have to cancel.");
  def_array(flat, "q", &Flatness::q, "Where.");
  def_array(flat, "x", &Flatness::x, "One vector of the plane.");
  def_array(flat, "y", &Flatness::y, "The other.");
  m.def(
      "flatness",
      [](const Mechanism& m, const py::object& q, int samples, double tolerance, unsigned long seed) {
        if (!q.is_none()) return flatness_at(m, owned(q, m.nq(), "q"), tolerance);
        return flatness(m, {.tolerance = tolerance, .samples = samples, .seed = seed});
      },
      py::arg("m"), py::arg("q") = py::none(), py::arg("samples") = 16, py::arg("tolerance") = 1e-9,
      py::arg("seed") = 1, kFlatness);
  py::class_<FlatCoordinates>(m, "FlatCoordinates", kFlat)
      .def(py::init([](const Mechanism& m, const py::object& q0) {
             return std::make_unique<FlatCoordinates>(m, owned(q0, m.nq(), "q0"));
           }),
           py::arg("m"), py::arg("q0"))
      .def(
          "at",
          [](FlatCoordinates& f, const py::object& q) {
            const FlatCoordinates::Point p = f.at(owned(q, static_cast<int>(f.origin().size()), "q"));
            return py::make_tuple(array(p.x), array(p.N));
          },
          py::arg("q"), "(x, N) at q: the coordinates and their differential (nv x nv).")
      .def(
          "configuration",
          [](FlatCoordinates& f, const py::object& x) {
            return array(f.configuration(vector(numbers(x, "x"))));
          },
          py::arg("x"), "The configuration with these coordinates.");
}

}  // namespace

void bind_curvature(py::module_& m) {
  m.def(
      "structure_constants",
      [](const Mechanism& m, const py::object& q) {
        Christoffel c(m.nv());
        structure_constants(m, owned(q, m.nq(), "q"), c);
        return cube(c);
      },
      py::arg("m"), py::arg("q"),
      "Brackets of the velocity frame (nv x nv x nv): [e_j, e_k] = sum over i of out[i, j, k] e_i.");
  bind_tensor(m);
  bind_flatness(m);
  m.def(
      "curvature_map",
      [](const Mechanism& m, const py::object& q, std::pair<int, int> coordinates, int cells) {
        return svg(curvature_map(m, owned(q, m.nq(), "q"), {coordinates.first, coordinates.second}, cells));
      },
      py::arg("m"), py::arg("q"), py::arg("coordinates") = std::pair(0, 1), py::arg("cells") = 60, kMap);
}

}  // namespace amble::python
