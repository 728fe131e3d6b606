#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "amble/geometry/inertia.hpp"
#include "amble/mechanism/mechanism.hpp"

// Between NumPy and the library. Numbers come in from anything that NumPy can turn into floats, in any memory
// order; everything that goes out is a copy in C order, so that no array of a user's looks into the library's
// memory.
namespace amble::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Extents = std::vector<py::ssize_t>;

/// Whether a number may be infinite, as limits may.
enum class Range { finite, infinite };

/// Any shape. An Error naming `what` when `x` is not made of real numbers or has a NaN (or an infinity, by
/// `range`).
Array numbers(py::handle x, const std::string& what, Range range = Range::finite);
/// The same with one shape.
Array numbers(py::handle x, const Extents& shape, const std::string& what, Range range = Range::finite);

/// Items of one shape, alone or in a stack of any leading shape.
struct Stack {
  Array array;
  Extents leading;
  py::ssize_t count;  ///< of items
  py::ssize_t size;   ///< numbers per item

  /// A lone item stands for every row.
  const double* item(py::ssize_t i) const { return array.data() + (count == 1 ? 0 : i) * size; }
};
Stack stack(py::handle x, const Extents& item, const std::string& what);

/// The leading shape of two stacks that go row by row together: equal, or one of them a lone item.
Extents common_leading(const Stack& a, const std::string& what_a, const Stack& b, const std::string& what_b);

py::ssize_t product(const Extents& extents);
/// leading x item, not filled.
Array new_array(Extents leading, const Extents& item);

double number(py::handle x, const std::string& what);
Vector3<double> vector3(py::handle x, const std::string& what);
Vector6<double> vector6(py::handle x, const std::string& what);
Matrix3<double> matrix3(py::handle x, const std::string& what);
Pose pose_from(py::handle x, const std::string& what);
/// One number or a sequence of them; None is empty. Infinities are allowed.
std::vector<double> number_list(py::handle x, const std::string& what);
/// {name: value} from any mapping of Python's.
std::map<std::string, py::object> named_values(const py::object& x, const std::string& what);
/// Any integer that fits; NumPy's too.
std::uint64_t seed_from(py::handle x);
/// From mass, centre of mass (None: the origin) and inertia about the centre of mass (None: zero); `owner` as
/// in "body 'crank'" goes into messages.
Inertia<double> inertia_from(py::handle mass, py::handle com, py::handle inertia, const std::string& owner);

/// Row by row into memory of NumPy's order.
template <class Derived>
void put(const Eigen::MatrixBase<Derived>& m, double* to) {
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(to, m.rows(), m.cols()) = m;
}

inline void put(double x, double* to) { *to = x; }
inline void put(const Pose& X, double* to) { put(X.matrix(), to); }

/// A vector or matrix as a new array; a column vector has one dimension.
template <class Derived>
Array array(const Eigen::MatrixBase<Derived>& m) {
  Array out =
      Derived::ColsAtCompileTime == 1 ? new_array({}, {m.rows()}) : new_array({}, {m.rows(), m.cols()});
  put(m, out.mutable_data());
  return out;
}
inline Array array(const Pose& X) { return array(X.matrix()); }

/// A float for one state, an array for a stack.
inline py::object unboxed(const Array& numbers) {
  return numbers.ndim() == 0 ? py::object(py::float_(*numbers.data())) : py::object(numbers);
}

/// Where something stands in q or v, to index arrays with.
inline py::slice slice_of(const Slice& s) {
  return py::slice(py::int_(s.start), py::int_(s.start + s.size), py::none());
}

/// Text that may quote bytes that are not UTF-8, which become escapes.
py::str text(const std::string& bytes);

/// `(3, 4)`, as Python prints shapes.
std::string shape_text(const Extents& shape);
/// `[2, 0]`, where the flat index stands.
std::string index_text(const Extents& shape, py::ssize_t flat);

}  // namespace amble::python
