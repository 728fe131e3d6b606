#include <fmt/format.h>
#include <pybind11/stl.h>

#include "amble/geometry/user_chart.hpp"
#include "bindings.hpp"
#include "charts.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

using Row = Eigen::Map<const Eigen::VectorXd>;
using Class = py::class_<Chart, std::shared_ptr<Chart>>;
using OfTheta = ChartJacobian (Chart::*)(const ChartArgument&) const;
using OfMotion = ChartJacobian (Chart::*)(const ChartArgument&, const ChartArgument&) const;

// ---- a user's chart

/// A Python object inside a std::function: copied and freed by C++, perhaps where the interpreter is not
/// locked.
std::shared_ptr<py::object> shared(const py::object& x) {
  return {new py::object(x), [](py::object* p) {
            py::gil_scoped_acquire locked;
            delete p;
          }};
}

py::object object_array(const SecondOrder* theta, int size) {
  py::object out = py::module_::import("numpy").attr("empty")(size, "O");
  for (int i = 0; i < size; ++i) out[py::int_(i)] = py::cast(theta[i]);
  return out;
}

SecondOrder second_order(const py::object& x, const std::string& what) {
  return py::isinstance<SecondOrder>(x) ? x.cast<SecondOrder>() : SecondOrder(number(x, what));
}

/// The items of what a callback returned, in C order.
std::vector<SecondOrder> items(const py::object& returned, const std::string& what) {
  std::vector<SecondOrder> out;
  const py::object all = py::module_::import("numpy").attr("asarray")(returned, "O");
  for (const py::handle& x : all.attr("ravel")())
    out.push_back(second_order(py::reinterpret_borrow<py::object>(x), what));
  return out;
}

Matrix3<SecondOrder> rotation_from(const py::object& returned, const std::string& what) {
  const auto shape = py::module_::import("numpy").attr("shape")(returned).cast<Extents>();
  if (shape != Extents{3, 3})
    throw Error(fmt::format("{} has shape {}: expected (3, 3)", what, shape_text(shape)));
  return Matrix3<SecondOrder>(items(returned, what).data()).transpose();
}

/// A callback that gives `count` matrices of numbers for plain coordinates.
auto matrices_from(const std::shared_ptr<py::object>& f, int size, const Extents& shape,
                   const std::string& what) {
  return [=](const double* theta) {
    py::gil_scoped_acquire locked;
    const Array all = numbers((*f)(array(Row(theta, size))), shape, what);
    std::vector<Matrix3<double>> out;
    for (py::ssize_t i = 0; i < all.size(); i += 9)
      out.push_back(Matrix3<double>(all.data() + i).transpose());
    return out;
  };
}

ChartDefinition definition_of(const py::object& user) {
  const std::string name = py::str(py::getattr(user, "name", py::type::of(user).attr("__name__")));
  const int size = py::getattr(user, "size", py::int_(3)).cast<int>();
  ChartDefinition d{.name = name, .size = size};
  d.rho = [f = shared(user.attr("rho")), size,
           what = fmt::format("rho of chart '{}'", name)](const SecondOrder* theta) {
    py::gil_scoped_acquire locked;
    return rotation_from((*f)(object_array(theta, size)), what);
  };
  if (py::hasattr(user, "constraints"))
    d.constraints = [f = shared(user.attr("constraints")), size,
                     what = fmt::format("constraints of chart '{}'", name)](const SecondOrder* theta) {
      py::gil_scoped_acquire locked;
      return items((*f)(object_array(theta, size)), what);
    };
  if (py::hasattr(user, "partials"))
    d.partials = matrices_from(shared(user.attr("partials")), size, {size, 3, 3},
                               fmt::format("partials of chart '{}'", name));
  if (py::hasattr(user, "second_partials"))
    d.second_partials = matrices_from(shared(user.attr("second_partials")), size, {size, size, 3, 3},
                                      fmt::format("second_partials of chart '{}'", name));
  if (py::hasattr(user, "start"))
    d.start = number_list(user.attr("start"), fmt::format("start of chart '{}'", name));
  return d;
}

/// Python has no constant objects; a chart has no method that changes it.
std::shared_ptr<Chart> writable(const ChartPtr& c) { return std::const_pointer_cast<Chart>(c); }

}  // namespace

std::shared_ptr<Chart> chart_from(const py::object& x) {
  if (py::isinstance<Chart>(x)) return x.cast<std::shared_ptr<Chart>>();
  if (py::isinstance<py::str>(x)) return writable(chart(x.cast<std::string>()));
  if (!py::hasattr(x, "rho"))
    throw Error(fmt::format("chart is {}: expected a name, or an object with rho(theta)",
                            py::repr(x).cast<std::string>()));
  return writable(user_chart(definition_of(x)));
}

namespace {

// ---- its methods on stacks. The interpreter stays locked: a user's rho needs it, and the work is small.

Stack coordinates(const Chart& c, const py::object& x, const char* what) {
  return stack(x, {c.size()}, what);
}

template <class F>
Array map_theta(const Chart& c, const py::object& theta, const Extents& item, F f) {
  const Stack rows = coordinates(c, theta, "theta");
  Array out = new_array(rows.leading, item);
  for (py::ssize_t i = 0; i < rows.count; ++i)
    f(Row(rows.item(i), c.size()), out.mutable_data() + i * product(item));
  return out;
}

/// f(a, b, out) for rows of `a` (coordinates) and of another stack.
template <class F>
Array map_two(const Chart& c, const py::object& theta, const Stack& other, const char* name,
              const Extents& item, F f) {
  const Stack rows = coordinates(c, theta, "theta");
  const Extents leading = common_leading(rows, "theta", other, name);
  Array out = new_array(leading, item);
  for (py::ssize_t i = 0; i < product(leading); ++i)
    f(Row(rows.item(i), rows.size), Row(other.item(i), other.size), out.mutable_data() + i * product(item));
  return out;
}

auto jacobian_method(OfTheta f) {
  return [f](const Chart& c, const py::object& theta) {
    return map_theta(c, theta, {3, c.size()}, [&](const Row& t, double* to) { put((c.*f)(t), to); });
  };
}

auto jacobian_dot_method(OfMotion f) {
  return [f](const Chart& c, const py::object& theta, const py::object& thetadot) {
    return map_two(c, theta, coordinates(c, thetadot, "thetadot"), "thetadot", {3, c.size()},
                   [&](const Row& t, const Row& rate, double* to) { put((c.*f)(t, rate), to); });
  };
}

Array partials(const Chart& c, const py::object& theta) {
  return map_theta(c, theta, {c.size(), 3, 3}, [&](const Row& t, double* to) {
    const ChartPartials p = c.partials(t);
    for (int i = 0; i < c.size(); ++i) put(p[i], to + 9 * i);
  });
}

Array second_partials(const Chart& c, const py::object& theta) {
  return map_theta(c, theta, {c.size(), c.size(), 3, 3}, [&](const Row& t, double* to) {
    const ChartSecondPartials p = c.second_partials(t);
    for (int i = 0; i < c.size(); ++i)
      for (int j = 0; j < c.size(); ++j) put(p[i][j], to + 9 * (i * c.size() + j));
  });
}

std::optional<ChartVector> hint_from(const Chart& c, const py::object& hint) {
  if (hint.is_none()) return std::nullopt;
  return ChartVector(Row(numbers(hint, {c.size()}, "hint").data(), c.size()));
}

Array from_rotation(const Chart& c, const py::object& R, const py::object& hint) {
  const Stack rows = stack(R, {3, 3}, "R");
  const std::optional<ChartVector> near = hint_from(c, hint);
  Array out = new_array(rows.leading, {c.size()});
  for (py::ssize_t i = 0; i < rows.count; ++i)
    put(c.from_rotation(Matrix3<double>(rows.item(i)).transpose(), near), out.mutable_data() + i * c.size());
  return out;
}

void bind_map(Class& c) {
  c.def(
       "rho",
       [](const Chart& c, const py::object& theta) {
         return map_theta(c, theta, {3, 3}, [&](const Row& t, double* to) { put(c.rho(t), to); });
       },
       py::arg("theta"), "The formula for R (3 x 3) at theta (size), also off the constraint. Takes stacks.")
      .def(
          "rotation",
          [](const Chart& c, const py::object& theta) {
            return map_theta(c, theta, {3, 3},
                             [&](const Row& t, double* to) { put(c.rotation(t).matrix(), to); });
          },
          py::arg("theta"),
          "The rotation (3 x 3) at theta; an Error where a length is off by more than 1e-6, a constraint by 2e-6.")
      .def("from_rotation", &from_rotation, py::arg("R"), py::arg("hint") = py::none(),
           "Coordinates (size) of a rotation (3 x 3), those nearest to the hint if there is one. Takes "
           "stacks of R.")
      .def("partials", &partials, py::arg("theta"), "d rho / d theta_i (size x 3 x 3). Takes stacks.")
      .def("second_partials", &second_partials, py::arg("theta"),
           "d^2 rho / d theta_i d theta_j (size x size x 3 x 3). Takes stacks.");
}

void bind_velocities(Class& c) {
  constexpr OfTheta global = &Chart::angular_velocity_jacobian_global,
                    base = &Chart::angular_velocity_jacobian_base;
  constexpr OfMotion global_dot = &Chart::angular_velocity_jacobian_global_dot;
  constexpr OfMotion base_dot = &Chart::angular_velocity_jacobian_base_dot;
  c.def("angular_velocity_jacobian_global", jacobian_method(global), py::arg("theta"),
        "J (3 x size) with omega = J thetadot, omega in world axes. Takes stacks.")
      .def("angular_velocity_jacobian_base", jacobian_method(base), py::arg("theta"),
           "J (3 x size) with omega = J thetadot, omega in body axes. Takes stacks.")
      .def("J_omega", jacobian_method(global), py::arg("theta"),
           "angular_velocity_jacobian_global by its symbol, BK (10).")
      .def("J_omega_base", jacobian_method(base), py::arg("theta"),
           "angular_velocity_jacobian_base by its symbol, BK (13).")
      .def("angular_velocity_jacobian_global_dot", jacobian_dot_method(global_dot), py::arg("theta"),
           py::arg("thetadot"), "Time derivative of the Jacobian in world axes (3 x size). Takes stacks.")
      .def("angular_velocity_jacobian_base_dot", jacobian_dot_method(base_dot), py::arg("theta"),
           py::arg("thetadot"), "Time derivative of the Jacobian in body axes (3 x size). Takes stacks.")
      .def(
          "rates",
          [](const Chart& c, const py::object& theta, const py::object& omega) {
            return map_two(
                c, theta, stack(omega, {3}, "omega"), "omega", {c.size()},
                [&](const Row& t, const Row& w, double* to) { put(c.rates(t, Vector3<double>(w)), to); });
          },
          py::arg("theta"), py::arg("omega"),
          "The thetadot (size) of an angular velocity in body axes (3, rad/s). Takes stacks.")
      .def(
          "singularity_measure",
          [](const Chart& c, const py::object& theta) {
            return c.singularity_measure(Row(numbers(theta, {c.size()}, "theta").data(), c.size()));
          },
          py::arg("theta"), "How far the chart is from losing a direction of rotation; 0 is singular.");
}

void bind_constraints(Class& c) {
  c.def(
       "constraints",
       [](const Chart& c, const py::object& theta) {
         return map_theta(c, theta, {c.constraint_count()},
                          [&](const Row& t, double* to) { put(c.constraints(t), to); });
       },
       py::arg("theta"), "C(theta) (constraint_count), zero on the manifold. Takes stacks.")
      .def(
          "constraint_jacobian",
          [](const Chart& c, const py::object& theta) {
            return map_theta(c, theta, {c.constraint_count(), c.size()},
                             [&](const Row& t, double* to) { put(c.constraint_jacobian(t), to); });
          },
          py::arg("theta"), "dC/dtheta (constraint_count x size). Takes stacks.")
      .def(
          "constraint_bias",
          [](const Chart& c, const py::object& theta, const py::object& thetadot) {
            return map_two(
                c, theta, coordinates(c, thetadot, "thetadot"), "thetadot", {c.constraint_count()},
                [&](const Row& t, const Row& rate, double* to) { put(c.constraint_bias(t, rate), to); });
          },
          py::arg("theta"), py::arg("thetadot"),
          "What d^2C/dt^2 has beside the Jacobian times thetaddot (constraint_count). Takes stacks.");
}

constexpr const char* kChart =
    R"(A chart of SO(3): "rpy", "quaternion", "matrix", "exponential", a sequence such as "xyz", or your own.

Your own is an object with rho(theta), which gets an array of Dual numbers and returns a 3 x 3 array. It may also have
name, size (3 when absent), constraints(theta), partials(theta), second_partials(theta) and start, coordinates where
the chart is regular (zeros when absent).)";

Array converted(const py::object& source, const py::object& theta, const py::object& target,
                const py::object& hint) {
  const auto from = chart_from(source), to = chart_from(target);
  const Array given = numbers(theta, {from->size()}, "theta");
  return array(convert(*from, Row(given.data(), from->size()), *to, hint_from(*to, hint)));
}

Array converted_rates(const py::object& source, const py::object& theta, const py::object& thetadot,
                      const py::object& target, const py::object& theta_target) {
  const auto from = chart_from(source), to = chart_from(target);
  const Array t = numbers(theta, {from->size()}, "theta"),
              rate = numbers(thetadot, {from->size()}, "thetadot");
  const Array there = numbers(theta_target, {to->size()}, "theta_target");
  return array(convert_rates(*from, Row(t.data(), from->size()), Row(rate.data(), from->size()), *to,
                             Row(there.data(), to->size())));
}

}  // namespace

void bind_charts(py::module_& m) {
  Class c(m, "Chart", "Coordinates theta of rotations; made by chart().");
  c.def_property_readonly("name", &Chart::name, "Its name.")
      .def_property_readonly("size", &Chart::size, "How many coordinates it has.")
      .def_property_readonly("constraint_count", &Chart::constraint_count, "How many constraints bind them.")
      .def("__repr__", [](const Chart& c) {
        return fmt::format("<amble.geometry.Chart '{}': {} coordinates>", c.name(), c.size());
      });
  bind_map(c);
  bind_velocities(c);
  bind_constraints(c);
  m.def("chart", &chart_from, py::arg("chart"), kChart);
  m.def("chart_names", &chart_names, "The names that chart() knows.");
  m.def("convert", &converted, py::arg("source"), py::arg("theta"), py::arg("target"),
        py::arg("hint") = py::none(),
        "The same rotation in the coordinates of another chart; charts by name or as objects.");
  m.def("convert_rates", &converted_rates, py::arg("source"), py::arg("theta"), py::arg("thetadot"),
        py::arg("target"), py::arg("theta_target"),
        "The same angular velocity in the coordinates of another chart.");
}

}  // namespace amble::python
