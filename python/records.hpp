#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "states.hpp"

// What functions find out about states, alone or in stacks.
namespace amble::python {

/// One record for a lone state, or one for each state of a stack. Their numbers go out with the stack's shape in
/// front.
template <class Record>
struct Records {
  using Item = Record;
  Extents leading;
  std::vector<Record> rows;
  const Record& operator[](std::ptrdiff_t i) const { return rows[leading.empty() ? 0 : i]; }
};

/// Rows of this weight (a curvature, a geodesic) are worth a thread of their own in small numbers.
inline constexpr std::ptrdiff_t kFewestHeavyRows = 8;

/// for_each_row() of rows.hpp, with a thread for so many rows at least.
void for_each_row(const Extents& leading, const std::function<Worker()>& new_worker, std::ptrdiff_t fewest_rows);

/// An argument whose items are matrices: a row is its numbers, the last axis running fastest.
inline Input matrix_input(const py::object& x, int rows, int cols, const char* what) {
  const Stack given = stack(x, {rows, cols}, what);
  Extents shape = given.leading;
  shape.push_back(given.size);
  return Input(given.array.attr("reshape")(shape), static_cast<int>(given.size), what);
}

/// A row of an input in memory of its own: sums over it do not depend on where it stood in the stack.
inline OwnedVector row_of(const Input& x, std::ptrdiff_t i) { return x[i]; }

/// new_worker() is called in each thread and gives f(rows...), with memory of that thread's alone; `take(i, result)` gets
/// what it makes of each row.
template <class NewWorker, class Take, class... Inputs>
void run_rows(const Extents& leading, NewWorker new_worker, Take take, const Inputs&... inputs) {
  py::gil_scoped_release unlocked;
  for_each_row(
      leading,
      [&]() -> Worker {
        return [&, f = new_worker()](std::ptrdiff_t i) mutable { take(i, f(row_of(inputs, i)...)); };
      },
      kFewestHeavyRows);
}

/// A record for every row of the inputs.
template <class NewWorker, class... Inputs>
auto map_records(NewWorker new_worker, const Inputs&... inputs) {
  using Record = decltype(new_worker()(row_of(inputs, 0)...));
  const Extents leading = shared_leading({&inputs...});
  std::vector<std::optional<Record>> found(product(leading));
  run_rows(leading, new_worker, [&](std::ptrdiff_t i, Record r) { found[i] = std::move(r); }, inputs...);
  Records<Record> out{leading, {}};
  out.rows.reserve(found.size());
  for (std::optional<Record>& r : found) out.rows.push_back(std::move(*r));
  return out;
}

/// An array of shape `item` for every row of the inputs.
template <class NewWorker, class... Inputs>
Array map_arrays(const Extents& item, NewWorker new_worker, const Inputs&... inputs) {
  const Extents leading = shared_leading({&inputs...});
  Array out = new_array(leading, item);
  double* to = out.mutable_data();
  run_rows(leading, new_worker, [&](std::ptrdiff_t i, const auto& x) { put(x, to + i * product(item)); }, inputs...);
  return out;
}

/// f(record, rows...) as an array of shape `item`, for every record with its row of the inputs.
template <class Record, class F, class... Inputs>
Array map_with(const Records<Record>& records, const Extents& item, F f, const Inputs&... inputs) {
  Extents leading;
  if constexpr (sizeof...(inputs) > 0) leading = shared_leading({&inputs...});
  if (leading.empty()) leading = records.leading;
  if (!records.leading.empty() && leading != records.leading)
    throw Error("the records are a stack of shape " + shape_text(records.leading) + " but what goes with them is one of shape " +
                shape_text(leading) + ": expected the same, or a lone item");
  Array out = new_array(leading, item);
  for (py::ssize_t i = 0; i < product(leading); ++i)
    put(f(records[i], row_of(inputs, i)...), out.mutable_data() + i * product(item));
  return out;
}

/// Objects of any kind: the one of a lone state, or an array of them.
inline py::object objects(const Extents& leading, const std::vector<py::object>& rows) {
  if (leading.empty()) return rows[0];
  py::object out = py::module_::import("numpy").attr("empty")(rows.size(), "O");
  for (std::size_t i = 0; i < rows.size(); ++i) out[py::int_(i)] = rows[i];
  return out.attr("reshape")(leading);
}
template <class Record, class F>
py::object objects(const Records<Record>& records, F f) {
  std::vector<py::object> out;
  for (const Record& r : records.rows) {
    if constexpr (std::is_base_of_v<py::object, std::invoke_result_t<F, const Record&>>)
      out.push_back(f(r));
    else
      out.push_back(py::cast(f(r)));
  }
  return objects(records.leading, out);
}

template <class Number>
constexpr bool kIsNumber = std::is_arithmetic_v<std::decay_t<Number>>;

/// What f makes of each record: numbers and truth values, or vectors and matrices of one shape.
template <class Record, class F>
py::object stacked(const Records<Record>& records, F f) {
  using Result = std::decay_t<std::invoke_result_t<F, const Record&>>;
  if constexpr (kIsNumber<Result>) {
    if (records.leading.empty()) return py::cast(f(records.rows[0]));
    py::array_t<Result> out(records.leading);
    for (std::size_t i = 0; i < records.rows.size(); ++i) out.mutable_data()[i] = f(records.rows[i]);
    return out;
  } else {
    const Result shape = records.rows.empty() ? Result() : Result(f(records.rows[0]));
    const Extents item =
        Result::ColsAtCompileTime == 1 ? Extents{shape.rows()} : Extents{shape.rows(), shape.cols()};
    Array out = new_array(records.leading, item);
    for (std::size_t i = 0; i < records.rows.size(); ++i)
      put(f(records.rows[i]), out.mutable_data() + static_cast<py::ssize_t>(i) * product(item));
    return out;
  }
}

/// A read-only property: a member of the records, or what a function makes of each.
template <class Class, class F>
void def_stacked(Class& c, const char* name, F f, const char* doc) {
  using R = typename Class::type;
  c.def_property_readonly(
      name, [f](const R& r) { return stacked(r, [f](const typename R::Item& x) -> decltype(auto) { return std::invoke(f, x); }); },
      doc);
}

}  // namespace amble::python
