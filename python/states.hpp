#pragma once

#include <array>
#include <memory>
#include <vector>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/stack.hpp"
#include "rows.hpp"

// Functions of states: q, v, a and tau, alone or in stacks.
namespace amble::python {

/// An argument of a function: one item or a stack of them.
struct Input {
  Stack rows;
  const char* name;
  Input(const py::object& x, int size, const char* what) : rows(stack(x, {size}, what)), name(what) {}
  Eigen::Map<const Eigen::VectorXd> operator[](std::ptrdiff_t i) const { return {rows.item(i), rows.size}; }
};

/// The leading shape of the stacks among the inputs, which must agree; none when all are lone items.
Extents shared_leading(std::initializer_list<const Input*> inputs);

/// The calling thread's own workspace, kept from call to call as long as these are about one mechanism: a loop over
/// single states does not pay for memory each time.
Workspace& thread_workspace(const Mechanism& m);

/// f(work, rows...) -> vector or matrix for every row of the inputs, which go together row by row; each thread has a
/// workspace of its own.
template <class F, class... Inputs>
Array map_states(const Mechanism& m, const Extents& item, F f, const Inputs&... inputs) {
  const Extents leading = shared_leading({&inputs...});
  Array out = new_array(leading, item);
  double* to = out.mutable_data();
  const py::ssize_t size = product(item);
  py::gil_scoped_release unlocked;
  if (leading.empty()) {
    put(f(thread_workspace(m), inputs[0]...), to);
    return out;
  }
  for_each_row(leading, [&]() -> Worker {
    return
        [&, work = std::make_shared<Workspace>(m)](std::ptrdiff_t i) { put(f(*work, inputs[i]...), to + i * size); };
  });
  return out;
}

/// An input as the library takes stacks of `count` rows: a lone item goes with every row.
StackInput stack_input(const Input& x, py::ssize_t count);
/// Memory for a stack of this shape, with its rows named by their place in it.
StackWorkspace stack_workspace(const Mechanism& m, const Extents& leading);

/// Where the results of a stack go, one after another; a state and a stack of them as the library takes them.
using StackRows = std::vector<Eigen::Map<RowMatrix>>;
using Row = const VectorRef&;
using Rows = const StackInput&;

/// single(work, inputs...) -> K vectors or matrices of shape `item` for one state; stacked(work, outputs, inputs...) for
/// stacks, in SIMD lanes and on all cores.
template <std::size_t K, class F, class G, class... Inputs>
std::array<Array, K> map_stacks(const Mechanism& m, const Extents& item, F single, G stacked, const Inputs&... inputs) {
  const Extents leading = shared_leading({&inputs...});
  const py::ssize_t count = product(leading), size = product(item);
  std::array<Array, K> out;
  StackRows rows;
  for (Array& x : out) {
    x = new_array(leading, item);
    rows.emplace_back(x.mutable_data(), count, size);
  }
  py::gil_scoped_release unlocked;
  if (leading.empty()) {
    const auto results = single(thread_workspace(m), inputs[0]...);
    for (std::size_t k = 0; k < K; ++k) put(results[k], rows[k].data());
  } else {
    StackWorkspace work = stack_workspace(m, leading);
    stacked(work, rows, stack_input(inputs, count)...);
  }
  return out;
}

/// The same for one result and a function f(work, inputs...) for one state, f(work, inputs..., output) for stacks.
template <class F, class... Inputs>
Array map_stack(const Mechanism& m, const Extents& item, F f, const Inputs&... inputs) {
  const auto single = [&](Workspace& work, const auto&... x) { return std::array{f(work, x...)}; };
  const auto stacked = [&](StackWorkspace& work, StackRows& out, const auto&... x) { f(work, x..., out[0]); };
  return map_stacks<1>(m, item, single, stacked, inputs...)[0];
}

/// {body: wrench} or None, the argument `what`, as the library takes it.
std::vector<ExternalWrench> wrenches(const Mechanism& m, const py::object& given, const char* what);

/// The place in a body, None being its origin, and the axes of a Jacobian.
JacobianOptions jacobian_options(const py::object& point, const std::string& frame);

}  // namespace amble::python
