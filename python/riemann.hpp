#pragma once

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <cmath>

#include "amble/riemann/repeatability.hpp"
#include "bindings.hpp"
#include "constraint_handles.hpp"
#include "records.hpp"

// Geometry of mechanisms in Python.
namespace amble::python {

inline OwnedVector owned(const py::object& x, int size, const char* what) {
  return vector(numbers(x, {size}, what));
}
inline OwnedMatrix owned(const py::object& x, int rows, int cols, const std::string& what) {
  const Array given = numbers(x, {rows, cols}, what);
  return Eigen::Map<const RowMatrix>(given.data(), rows, cols);
}
/// The numbers of a tensor of nv numbers each way, as one vector.
template <class Tensor>
Eigen::Map<const Eigen::VectorXd> flat(const Tensor& t, int ways) {
  return {t.data(), static_cast<Eigen::Index>(std::pow(t.nv(), ways))};
}
/// A row of an input that is a matrix.
inline OwnedMatrix matrix_of(const OwnedVector& row, int cols) {
  return Eigen::Map<const RowMatrix>(row.data(), row.size() / cols, cols);
}
/// Vectors of one size as the rows of a matrix.
inline OwnedMatrix rows_of(const std::vector<OwnedVector>& vectors) {
  OwnedMatrix out(static_cast<int>(vectors.size()), vectors.empty() ? 0 : static_cast<int>(vectors[0].size()));
  for (std::size_t i = 0; i < vectors.size(); ++i) out.row(static_cast<int>(i)) = vectors[i].transpose();
  return out;
}
/// All records of several, one after another, as pictures take them.
template <class Record>
std::vector<Record> in_one_list(const std::vector<Records<Record>>& several) {
  std::vector<Record> out;
  for (const Records<Record>& records : several) out.insert(out.end(), records.rows.begin(), records.rows.end());
  return out;
}

/// With memory of its own, for one thread; nothing of nothing.
template <class Tool>
std::shared_ptr<Tool> cloned(const std::shared_ptr<Tool>& tool) {
  return tool ? tool->clone() : nullptr;
}

/// A function of Python's that takes q and gives numbers of this shape; any thread may call it.
inline auto configuration_function(const py::object& f, int rows, int cols, const std::string& what) {
  return [own = kept(f), rows, cols, what](const VectorRef& q) -> OwnedMatrix {
    py::gil_scoped_acquire locked;
    return owned((*own)(array(q)), rows, cols, what);
  };
}
inline auto vector_function(const py::object& f, int size, const std::string& what) {
  return [own = kept(f), size, what](const VectorRef& q) -> OwnedVector {
    py::gil_scoped_acquire locked;
    return vector(numbers((*own)(array(q)), {size}, what));
  };
}

}  // namespace amble::python
