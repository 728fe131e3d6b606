#include <fmt/format.h>
#include <pybind11/operators.h>

#include "amble/geometry/user_chart.hpp"
#include "bindings.hpp"

namespace amble::python {

namespace {

// Functions that the library itself does not need, by the chain rule on every level of nesting.
double power(double x, double p) { return std::pow(x, p); }
template <class T, int N>
Dual<T, N> power(const Dual<T, N>& x, double p) {
  if (p == 0.0)
    return Dual<T, N>(1.0);  // ends the recursion of whole powers, whose last slope is not 0 * inf
  return Dual<T, N>::chain(power(x.value, p), T(p) * power(x.value, p - 1.0), x);
}
double sinh(double x) { return std::sinh(x); }
double cosh(double x) { return std::cosh(x); }
template <class T, int N>
Dual<T, N> cosh(const Dual<T, N>& x);
template <class T, int N>
Dual<T, N> sinh(const Dual<T, N>& x) {
  return Dual<T, N>::chain(sinh(x.value), cosh(x.value), x);
}
template <class T, int N>
Dual<T, N> cosh(const Dual<T, N>& x) {
  return Dual<T, N>::chain(cosh(x.value), sinh(x.value), x);
}

SecondOrder made(double value, double d1, double d2, double d12) {
  SecondOrder x(value);
  x.value.grad[0] = d1;
  x.grad[0].value = d2;
  x.grad[0].grad[0] = d12;
  return x;
}

SecondOrder general_power(const SecondOrder& x, const SecondOrder& p) { return exp(p * log(x)); }

using Class = py::class_<SecondOrder>;

void bind_arithmetic(Class& c) {
  c.def(
       "__pos__", [](const SecondOrder& x) { return x; }, "x")
      .def(-py::self, "-x")
      .def(py::self + py::self, "x + y")
      .def(py::self + double(), "x + y")
      .def(double() + py::self, "y + x")
      .def(py::self - py::self, "x - y")
      .def(py::self - double(), "x - y")
      .def(double() - py::self, "y - x")
      .def(py::self * py::self, "x * y")
      .def(py::self * double(), "x * y")
      .def(double() * py::self, "y * x")
      .def(py::self / py::self, "x / y")
      .def(py::self / double(), "x / y")
      .def(double() / py::self, "y / x")
      .def(
          "__pow__", [](const SecondOrder& x, double p) { return power(x, p); }, py::is_operator(), "x ** p")
      .def("__pow__", &general_power, py::is_operator(), "x ** p")
      .def(
          "__rpow__", [](const SecondOrder& p, double x) { return general_power(SecondOrder(x), p); },
          py::is_operator(), "y ** x")
      .def(
          "__abs__", [](const SecondOrder& x) { return abs(x); }, "|x|");
}

void bind_comparisons(Class& c) {
  c.def(py::self < py::self, "By value.")
      .def(py::self < double(), "By value.")
      .def(py::self <= py::self, "By value.")
      .def(py::self <= double(), "By value.")
      .def(py::self > py::self, "By value.")
      .def(py::self > double(), "By value.")
      .def(py::self >= py::self, "By value.")
      .def(py::self >= double(), "By value.")
      .def(py::self == py::self, "By value.")
      .def(py::self == double(), "By value.")
      .def(py::self != py::self, "By value.")
      .def(py::self != double(), "By value.");
}

/// Under NumPy's names: np.sin and its like call the method of that name on the items of an array of objects.
void bind_functions(Class& c) {
  const auto arctan2 = [](const SecondOrder& y, const SecondOrder& x) { return atan2(y, x); };
  c.def(
       "sqrt", [](const SecondOrder& x) { return sqrt(x); }, "Square root.")
      .def(
          "exp", [](const SecondOrder& x) { return exp(x); }, "e ** x")
      .def(
          "log", [](const SecondOrder& x) { return log(x); }, "Natural logarithm.")
      .def(
          "sin", [](const SecondOrder& x) { return sin(x); }, "Sine.")
      .def(
          "cos", [](const SecondOrder& x) { return cos(x); }, "Cosine.")
      .def(
          "tan", [](const SecondOrder& x) { return tan(x); }, "Tangent.")
      .def(
          "arcsin", [](const SecondOrder& x) { return asin(x); }, "Inverse sine.")
      .def(
          "arccos", [](const SecondOrder& x) { return acos(x); }, "Inverse cosine.")
      .def(
          "arctan", [=](const SecondOrder& x) { return arctan2(x, SecondOrder(1.0)); }, "Inverse tangent.")
      .def("arctan2", arctan2, py::arg("x"), "Angle of the point (x, self).")
      .def(
          "arctan2", [=](const SecondOrder& y, double x) { return arctan2(y, SecondOrder(x)); }, py::arg("x"),
          "Angle of the point (x, self).")
      .def(
          "sinh", [](const SecondOrder& x) { return sinh(x); }, "Hyperbolic sine.")
      .def(
          "cosh", [](const SecondOrder& x) { return cosh(x); }, "Hyperbolic cosine.")
      .def(
          "tanh", [](const SecondOrder& x) { return sinh(x) / cosh(x); }, "Hyperbolic tangent.")
      .def(
          "hypot", [](const SecondOrder& x, const SecondOrder& y) { return sqrt(x * x + y * y); },
          py::arg("y"), "sqrt(x^2 + y^2)");
}

constexpr const char* kDual =
    R"(A number with a derivative in each of two directions, d1 and d2, and the second one in both, d12.

Charts of your own are called with these: write rho with arithmetic and NumPy functions and its derivatives follow.
A Dual does not turn into a float by itself, because that would lose its derivatives.)";

}  // namespace

void bind_dual(py::module_& m) {
  Class c(m, "Dual", kDual);
  c.def(py::init(&made), py::arg("value"), py::arg("d1") = 0.0, py::arg("d2") = 0.0, py::arg("d12") = 0.0,
        "A number with the derivatives given.")
      .def_property_readonly(
          "value", [](const SecondOrder& x) { return x.value.value; }, "The number itself.")
      .def_property_readonly(
          "d1", [](const SecondOrder& x) { return x.value.grad[0]; }, "Its first derivative.")
      .def_property_readonly(
          "d2", [](const SecondOrder& x) { return x.grad[0].value; }, "The other first derivative.")
      .def_property_readonly(
          "d12", [](const SecondOrder& x) { return x.grad[0].grad[0]; }, "The second derivative.")
      .def("__repr__", [](const SecondOrder& x) {
        return fmt::format("Dual({}, d1={}, d2={}, d12={})", x.value.value, x.value.grad[0], x.grad[0].value,
                           x.grad[0].grad[0]);
      });
  bind_arithmetic(c);
  bind_comparisons(c);
  bind_functions(c);
}

}  // namespace amble::python
