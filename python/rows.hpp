#pragma once

#include <cstddef>
#include <functional>

#include "convert.hpp"

// Stacks: the same computation for every row, on all cores.
namespace amble::python {

/// What one thread does with row i; it owns whatever memory it needs.
using Worker = std::function<void(std::ptrdiff_t)>;

/// Runs every row of a stack of shape `leading`, each thread with a worker of its own; the caller holds no
/// interpreter lock. A row's result does not depend on which thread runs it. An Error of a stack's row is
/// rethrown, the first one, with its row; that of a lone item (no leading shape) as it is.
void for_each_row(const Extents& leading, const std::function<Worker()>& new_worker);

/// `row 7`, or `row [2, 0]` in a stack of stacks.
std::string row_name(const Extents& leading, std::ptrdiff_t row);

/// How many threads stacks may use; 0 is one per core.
int threads();
void set_threads(int count);

/// f(const double* in, double* out) for every item of `x`, which all become items of shape `out_item`;
/// without the interpreter lock.
template <class F>
Array map_rows(const Stack& x, const Extents& out_item, F f) {
  Array out = new_array(x.leading, out_item);
  double* to = out.mutable_data();
  const py::ssize_t size = product(out_item);
  {
    py::gil_scoped_release unlocked;
    for_each_row(x.leading, [&] { return [&](std::ptrdiff_t i) { f(x.item(i), to + i * size); }; });
  }
  return out;
}

}  // namespace amble::python
