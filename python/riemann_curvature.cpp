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
Exact for every joint type, groups included; loops do not hold the joints. Takes stacks, whose shape then stands in
front of all that it gives.)";

constexpr const char* kFlatness =
    R"(Whether a mechanism has no curvature: at q, or at random configurations when q is None.

The largest sectional curvature found, relative to the terms that would have to cancel, is compared with tolerance. Takes stacks of q.)";

constexpr const char* kFlat =
    R"(Coordinates x(q) around q0 in which M is the identity, where there is no curvature: M = N^T N.

Raises Error with the largest sectional curvature, and where, when there is some.)";

constexpr const char* kMap = R"(A picture (SVG) of the sectional curvature over two coordinates of q.

coordinates: their places in q. The plane is that of the two velocities which belong to them; cells each way.)";

Array brackets(const Mechanism& m, const py::object& q) {
  const auto worker = [&] {
    return [&m, c = Christoffel(m.nv())](const OwnedVector& q) mutable {
      structure_constants(m, q, c);
      return flat(c, 3);
    };
  };
  return map_arrays({m.nv(), m.nv(), m.nv()}, worker, Input(q, m.nq(), "q"));
}

struct Curvatures : Records<Curvature> {
  int nv;
};

Curvatures curvatures(const Mechanism& m, const py::object& q) {
  return {map_records([&] { return [&](const OwnedVector& q) { return Curvature(m, q); }; }, Input(q, m.nq(), "q")), m.nv()};
}

/// (curvature, x, y) of an extreme plane.
py::tuple plane(const Curvatures& c, Curvature::Plane Curvature::Range::*which) {
  Records<Curvature::Plane> planes{c.leading, {}};
  for (const Curvature& at : c.rows) planes.rows.push_back(at.range().*which);
  return py::make_tuple(stacked(planes, [](const Curvature::Plane& p) { return p.curvature; }),
                        stacked(planes, [](const Curvature::Plane& p) -> auto& { return p.x; }),
                        stacked(planes, [](const Curvature::Plane& p) -> auto& { return p.y; }));
}

Array riemann_array(const Curvatures& c) {
  const int n = c.nv;
  return map_with(c, {n, n, n, n}, [](const Curvature& c) { return flat(c.riemann(), 4); });
}

Array riemann_applied(const Curvatures& c, const py::object& X, const py::object& Y, const py::object& Z) {
  const int n = c.nv;
  const auto f = [](const Curvature& c, Row X, Row Y, Row Z) { return c.apply(X, Y, Z); };
  return map_with(c, {n}, f, Input(X, n, "X"), Input(Y, n, "Y"), Input(Z, n, "Z"));
}

py::object sectional(const Curvatures& c, const py::object& x, const py::object& y) {
  const int n = c.nv;
  const auto f = [](const Curvature& c, Row x, Row y) { return c.sectional(x, y); };
  return unboxed(map_with(c, {}, f, Input(x, n, "x"), Input(y, n, "y")));
}

void bind_tensor(py::module_& m) {
  py::class_<Curvatures> c(m, "Curvature", kCurvature);
  c.def(py::init(&curvatures), py::arg("m"), py::arg("q"))
      .def_property_readonly("riemann", &riemann_array, "The tensor (nv x nv x nv x nv), all indices down.")
      .def_property_readonly(
          "least", [](const Curvatures& c) { return plane(c, &Curvature::Range::least); },
          "(curvature, x, y): the least sectional curvature and its plane.")
      .def_property_readonly(
          "most", [](const Curvatures& c) { return plane(c, &Curvature::Range::most); },
          "(curvature, x, y): the largest sectional curvature and its plane.")
      .def("sectional", &sectional, py::arg("x"), py::arg("y"),
           "Of the plane of two vectors; 1/r^2 on a sphere of radius r. Takes stacks.")
      .def("apply", &riemann_applied, py::arg("X"), py::arg("Y"), py::arg("Z"), "R(X, Y) Z (nv). Takes stacks.");
  def_stacked(c, "metric", &Curvature::metric, "M (nv x nv).");
  def_stacked(c, "ricci", &Curvature::ricci, "Its trace over the first and third index, raised (nv x nv).");
  def_stacked(c, "scalar", &Curvature::scalar, "The trace of that.");
}

Records<Flatness> flatness_of(const Mechanism& m, const py::object& q, int samples, double tolerance, unsigned long seed) {
  if (q.is_none()) return {{}, {flatness(m, {.tolerance = tolerance, .samples = samples, .seed = seed})}};
  return map_records([&] { return [&](const OwnedVector& q) { return flatness_at(m, q, tolerance); }; },
                     Input(q, m.nq(), "q"));
}

/// f(coordinates, row) in each thread with a copy of its own.
template <class F>
auto with_own(const FlatCoordinates& f, F of) {
  return [&f, of] {
    return [own = std::make_shared<FlatCoordinates>(f), of](const OwnedVector& x) { return of(*own, x); };
  };
}

py::tuple flat_point(const FlatCoordinates& f, const py::object& q) {
  using Point = FlatCoordinates::Point;
  const auto points = map_records(with_own(f, [](FlatCoordinates& f, Row q) { return f.at(q); }),
                                  Input(q, static_cast<int>(f.origin().size()), "q"));
  return py::make_tuple(stacked(points, [](const Point& p) -> auto& { return p.x; }),
                        stacked(points, [](const Point& p) -> auto& { return p.N; }));
}

Array configuration_at(const FlatCoordinates& f, const py::object& x) {
  return map_arrays({f.origin().size()}, with_own(f, [](FlatCoordinates& f, Row x) { return f.configuration(x); }),
                    Input(x, f.dimension(), "x"));
}

void bind_flatness(py::module_& m) {
  py::class_<Records<Flatness>> f(m, "Flatness", "What flatness() found.");
  def_stacked(f, "flat", &Flatness::flat, "Whether there is no curvature.");
  def_stacked(f, "largest", &Flatness::largest, "The largest absolute sectional curvature.");
  def_stacked(f, "terms", &Flatness::terms, "The terms that would have to cancel.");
  def_stacked(f, "q", &Flatness::q, "Where.");
  def_stacked(f, "x", &Flatness::x, "One vector of the plane.");
  def_stacked(f, "y", &Flatness::y, "The other.");
  m.def("flatness", &flatness_of, py::arg("m"), py::arg("q") = py::none(), py::arg("samples") = 16,
        py::arg("tolerance") = 1e-9, py::arg("seed") = 1, kFlatness);
  py::class_<FlatCoordinates>(m, "FlatCoordinates", kFlat)
      .def(py::init([](const Mechanism& m, const py::object& q0) {
             return std::make_unique<FlatCoordinates>(m, owned(q0, m.nq(), "q0"));
           }),
           py::arg("m"), py::arg("q0"))
      .def("at", &flat_point, py::arg("q"),
           "(x, N) at q: the coordinates and their differential (nv x nv). Takes stacks.")
      .def("configuration", &configuration_at, py::arg("x"), "The configuration with these coordinates. Takes stacks.");
}

}  // namespace

void bind_curvature(py::module_& m) {
  m.def("structure_constants", &brackets, py::arg("m"), py::arg("q"),
        "Brackets of the velocity frame (nv x nv x nv): [e_j, e_k] = sum over i of out[i, j, k] e_i. Takes stacks.");
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
