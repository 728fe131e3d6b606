#include <fmt/format.h>

#include "amble/constraints/surface_constraints.hpp"
#include "amble/geometry/user_chart.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"

namespace amble::python {

namespace {

// ---- surfaces

SecondOrder second_order(const py::object& x) {
  return py::isinstance<SecondOrder>(x) ? x.cast<SecondOrder>() : SecondOrder(number(x, "F of a surface"));
}

/// p with derivatives along axes i and j, as f takes it: one array, or its numbers.
py::object duals(const Vector3<double>& p, int i, int j) {
  py::object out = py::module_::import("numpy").attr("empty")(3, "O");
  for (int k = 0; k < 3; ++k) {
    SecondOrder x(p[k]);
    x.value.grad[0] = k == i, x.grad[0].value = k == j;
    out[py::int_(k)] = py::cast(x);
  }
  return out;
}

/// Each pair of axes is one call.
template <class F>
SurfaceValue by_duals(const F& f, const Vector3<double>& p) {
  py::gil_scoped_acquire locked;
  SurfaceValue out;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      const SecondOrder y = f(duals(p, i, j));
      out.F = y.value.value, out.gradient[j] = y.grad[0].value;
      out.hessian(i, j) = out.hessian(j, i) = y.grad[0].grad[0];
    }
  return out;
}

Surface implicit(const py::function& f) {
  return Surface([own = kept(f)](const Vector3<double>& at) {
    return by_duals([&](const py::object& p) { return second_order((*own)(p)); }, at);
  });
}

Surface height(const py::function& h) {
  return Surface([own = kept(h)](const Vector3<double>& at) {
    const auto f = [&](const py::object& p) {
      const auto item = [&](int i) { return py::object(p[py::int_(i)]); };
      return second_order(item(2)) - second_order((*own)(item(0), item(1)));
    };
    return by_duals(f, at);
  });
}

/// From (F, gradient, hessian) of the user's.
Surface with_derivatives(const py::function& f) {
  return Surface([own = kept(f)](const Vector3<double>& p) {
    py::gil_scoped_acquire locked;
    const py::object given = (*own)(array(p));
    if (!py::isinstance<py::sequence>(given) || py::len(given) != 3)
      throw Error("the function of a surface must give (F, gradient, hessian)");
    const auto all = given.cast<py::sequence>();
    return SurfaceValue{number(all[0], "F of a surface"), vector3(all[1], "gradient of a surface"),
                        matrix3(all[2], "hessian of a surface")};
  });
}

py::tuple at(const Surface& s, const py::object& p) {
  const SurfaceValue x = s.at(vector3(p, "p"));
  return py::make_tuple(x.F, array(x.gradient), array(x.hessian));
}

constexpr const char* kSurface = R"(A smooth surface F(p) = 0, given by a function p -> (F, gradient, hessian).

p are three numbers in the axes of some frame, usually the world's; things stand on the side where F > 0.
implicit_surface() and height_surface() need no derivatives from you.)";

constexpr const char* kPoint = R"(The origin of a frame on a body stays on a surface: one holonomic row.

With knife_edge_constraint() a skate on hilly ground. pose (4 x 4): the frame on the body. ground: the body or frame
in whose axes the surface is given; it may move.)";

ConstraintHandle point_on_surface(const Mechanism& m, const std::string& name, const std::string& body,
                                  const Surface& surface, const py::object& pose, const std::string& ground) {
  return writable(
      point_on_surface_constraint(m, name, link_frame(m, ground), surface, frame_from(m, body, pose, "pose")));
}

}  // namespace

void bind_surfaces(py::module_& m) {
  py::class_<NearestPoint>(m, "NearestPoint", "What of a surface is nearest to a point; made by Surface.nearest().")
      .def_property_readonly("point", [](const NearestPoint& x) { return array(x.point); }, "On the surface.")
      .def_property_readonly("normal", [](const NearestPoint& x) { return array(x.normal); },
                             "There, unit, towards F > 0.")
      .def_readonly("distance", &NearestPoint::distance, "From the surface, negative where F < 0.")
      .def_property_readonly("turning", [](const NearestPoint& x) { return array(x.turning); },
                             "d normal / d (the point that it is nearest to) (3 x 3).");
  py::class_<Surface>(m, "Surface", kSurface)
      .def(py::init(&with_derivatives), py::arg("F"))
      .def("at", &at, py::arg("p"), "(F, gradient, hessian) at p.")
      .def("nearest", [](const Surface& s, const py::object& p) { return s.nearest(vector3(p, "p")); }, py::arg("p"),
           "The NearestPoint to p; an Error where there is none, or several.");
  m.def("implicit_surface", &implicit, py::arg("F"),
        "F(p) = 0 for a function of an array of three Dual numbers, written with arithmetic and NumPy functions.");
  m.def("height_surface", &height, py::arg("h"),
        "z = h(x, y) for a function of two Dual numbers, written with arithmetic and NumPy functions; things stand "
        "above.");
}

void bind_surface_constraints(py::module_& m) {
  m.def("point_on_surface_constraint", &point_on_surface, py::arg("m"), py::arg("name"), py::arg("body"),
        py::arg("surface"), py::arg("pose") = py::none(), py::arg("ground") = "world", kPoint);
}

}  // namespace amble::python
