#pragma once

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "amble/riemann/repeatability.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"
#include "states.hpp"

// Geometry of mechanisms in Python.
namespace amble::python {

inline OwnedVector owned(const py::object& x, int size, const char* what) {
  return vector(numbers(x, {size}, what));
}
inline OwnedMatrix owned(const py::object& x, int rows, int cols, const std::string& what) {
  const Array given = numbers(x, {rows, cols}, what);
  return Eigen::Map<const RowMatrix>(given.data(), rows, cols);
}
inline Array cube(const Christoffel& c) {
  Array out = new_array({}, {c.nv(), c.nv(), c.nv()});
  std::copy_n(c.data(), out.size(), out.mutable_data());
  return out;
}
/// Vectors of one size as rows.
inline Array rows_of(const std::vector<OwnedVector>& vectors) {
  const py::ssize_t size = vectors.empty() ? 0 : vectors[0].size();
  Array out = new_array({}, {static_cast<py::ssize_t>(vectors.size()), size});
  for (std::size_t i = 0; i < vectors.size(); ++i) put(vectors[i].transpose(), out.mutable_data() + i * size);
  return out;
}

/// A read-only property that is a vector or matrix of a record.
template <class Class, class Record, class Numbers>
void def_array(Class& c, const char* name, Numbers Record::*member, const char* doc) {
  c.def_property_readonly(
      name, [member](const Record& r) { return array(r.*member); }, doc);
}

/// A function of Python's that takes q and gives numbers of this shape.
inline auto configuration_function(const py::object& f, int rows, int cols, const std::string& what) {
  return [own = kept(f), rows, cols, what](const VectorRef& q) -> OwnedMatrix {
    return owned((*own)(array(q)), rows, cols, what);
  };
}
inline auto vector_function(const py::object& f, int size, const std::string& what) {
  return [own = kept(f), size, what](const VectorRef& q) -> OwnedVector {
    return vector(numbers((*own)(array(q)), {size}, what));
  };
}

}  // namespace amble::python
