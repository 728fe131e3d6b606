#include "convert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

namespace amble::python {

namespace {

Extents shape_of(const py::array& a) { return {a.shape(), a.shape() + a.ndim()}; }

[[noreturn]] void refuse(const std::string& what, const std::string& is, const std::string& expected) {
  throw Error(fmt::format("{} {}: expected {}", what, is, expected));
}

void check_range(const Array& a, const std::string& what, Range range) {
  const auto good = [&](double x) { return range == Range::finite ? std::isfinite(x) : !std::isnan(x); };
  const double* x = a.data();
  for (py::ssize_t i = 0; i < a.size(); ++i)
    if (!good(x[i]))
      refuse(what + index_text(shape_of(a), i),
             fmt::format("is {} (of shape {})", x[i], shape_text(shape_of(a))),
             range == Range::finite ? "finite numbers" : "numbers");
}

/// Numbers of any kind as they are; Python objects such as fractions are left to float().
bool is_real(const py::array& a) {
  return std::string_view("biufO").find(a.dtype().kind()) != std::string_view::npos;
}

std::string kind_text(py::handle x) {
  return py::str(py::type::handle_of(x).attr("__name__")).cast<std::string>();
}

std::string repr_text(py::handle x) { return py::repr(x).cast<std::string>(); }

}  // namespace

py::str text(const std::string& bytes) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "backslashreplace");
  if (!decoded) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

std::string shape_text(const Extents& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string index_text(const Extents& shape, py::ssize_t flat) {
  Extents index(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; flat /= shape[k]) index[k] = flat % shape[k];
  return index.empty() ? "" : fmt::format("[{}]", fmt::join(index, ", "));
}

Array numbers(py::handle x, const std::string& what, Range range) {
  if (x.is_none()) refuse(what, "is None", "numbers");  // NumPy would make it NaN
  const py::array given = py::array::ensure(py::reinterpret_borrow<py::object>(x));
  if (!given) {
    PyErr_Clear();
    refuse(what, fmt::format("is a {} that is no array (rows of different lengths?)", kind_text(x)),
           "numbers");
  }
  const std::string is =
      fmt::format("is a {} of type {}", kind_text(x), py::str(given.dtype()).cast<std::string>());
  if (!is_real(given)) refuse(what, is, "real numbers");
  const Array floats = Array::ensure(given);
  if (!floats) {
    PyErr_Clear();
    refuse(what, is, "real numbers");
  }
  check_range(floats, what, range);
  return floats;
}

Array numbers(py::handle x, const Extents& shape, const std::string& what, Range range) {
  Array a = numbers(x, what, range);
  if (shape_of(a) != shape) refuse(what, "has shape " + shape_text(shape_of(a)), shape_text(shape));
  return a;
}

py::ssize_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), py::ssize_t{1}, std::multiplies<>());
}

Stack stack(py::handle x, const Extents& item, const std::string& what) {
  const Array a = numbers(x, what);
  const Extents shape = shape_of(a);
  const bool fits = shape.size() >= item.size() && std::equal(item.rbegin(), item.rend(), shape.rbegin());
  if (!fits)
    refuse(what, "has shape " + shape_text(shape),
           fmt::format("{}, or (..., {}) for a stack", shape_text(item), fmt::join(item, ", ")));
  const Extents leading(shape.begin(), shape.end() - item.size());
  return {a, leading, product(leading), product(item)};
}

Extents common_leading(const Stack& a, const std::string& what_a, const Stack& b, const std::string& what_b) {
  if (a.leading.empty()) return b.leading;
  if (b.leading.empty() || a.leading == b.leading) return a.leading;
  throw Error(
      fmt::format("{} is a stack of shape {} but {} is one of shape {}: expected the same, or a lone item",
                  what_a, shape_text(a.leading), what_b, shape_text(b.leading)));
}

Array new_array(Extents leading, const Extents& item) {
  leading.insert(leading.end(), item.begin(), item.end());
  return Array(leading);
}

double number(py::handle x, const std::string& what) { return *numbers(x, {}, what).data(); }

Vector3<double> vector3(py::handle x, const std::string& what) {
  return Vector3<double>(numbers(x, {3}, what).data());
}

Vector6<double> vector6(py::handle x, const std::string& what) {
  return Vector6<double>(numbers(x, {6}, what).data());
}

Matrix3<double> matrix3(py::handle x, const std::string& what) {
  return Matrix3<double>(numbers(x, {3, 3}, what).data()).transpose();
}

Pose pose_from(py::handle x, const std::string& what) {
  return check_pose(Matrix4<double>(numbers(x, {4, 4}, what).data()).transpose(), what.c_str());
}

std::vector<double> number_list(py::handle x, const std::string& what) {
  if (x.is_none()) return {};
  const Array a = numbers(x, what, Range::infinite);
  if (a.ndim() > 1) refuse(what, "has shape " + shape_text(shape_of(a)), "a number or a list of numbers");
  return {a.data(), a.data() + a.size()};
}

std::map<std::string, py::object> named_values(const py::object& x, const std::string& what) {
  if (!py::isinstance(x, py::module_::import("collections.abc").attr("Mapping")))
    refuse(what, "is a " + kind_text(x), "a mapping {name: value}");
  std::map<std::string, py::object> out;
  for (const auto& [key, value] : py::dict(x)) {
    if (!py::isinstance<py::str>(key)) refuse(what, "has the key " + repr_text(key), "names");
    out[key.cast<std::string>()] = py::reinterpret_borrow<py::object>(value);
  }
  return out;
}

std::uint64_t seed_from(py::handle x) {
  const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(x.ptr()));
  const std::uint64_t seed = whole ? PyLong_AsUnsignedLongLong(whole.ptr()) : 0;
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse("seed", "is " + repr_text(x), "a whole number from 0 to 2^64 - 1");
  }
  return seed;
}

Inertia<double> inertia_from(py::handle mass, py::handle com, py::handle inertia, const std::string& owner) {
  const double m = number(mass, "mass of " + owner);
  const Vector3<double> c = com.is_none() ? Vector3<double>::Zero() : vector3(com, "com of " + owner);
  const Matrix3<double> I =
      inertia.is_none() ? Matrix3<double>::Zero() : matrix3(inertia, "inertia of " + owner);
  return Inertia<double>::from_com(m, c, I);
}

}  // namespace amble::python
