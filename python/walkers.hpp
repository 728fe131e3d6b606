#pragma once

#include "amble/gait/cycles.hpp"
#include "amble/gait/walk.hpp"
#include "amble/gait/walker_search.hpp"
#include "amble/walkers/walkers.hpp"
#include "bindings.hpp"
#include "convert.hpp"

// What bindings of walkers share.
namespace amble::python {

inline WalkerValues values_of(const py::kwargs& parameters) {
  WalkerValues values;
  for (const auto& [key, value] : parameters) {
    const std::string name = py::cast<std::string>(key);
    values[name] = number(value, name);
  }
  return values;
}

inline Array vector_array(const VectorRef& x) { return Array(static_cast<py::ssize_t>(x.size()), x.data()); }
inline Array half(const OwnedVector& x, bool velocities) {
  const Eigen::Index m = x.size() / 2;
  return vector_array(velocities ? x.tail(m) : x.head(m));
}
inline Array matrix_array(const OwnedMatrix& x) {
  Array out = new_array({x.rows()}, {x.cols()});
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(out.mutable_data(),
                                                                                     x.rows(), x.cols()) = x;
  return out;
}

/// A walker with its parameters; what it computes has memory of its own each time.
struct Walker {
  WalkerKind kind;
  std::string scuffing;
  WalkerValues values;
  std::shared_ptr<const StepModel> model;
  bool controlled = false;  ///< by a controller that is not among the parameters

  Walker(const WalkerKind& walker, std::string how, const py::kwargs& parameters)
      : kind(walker),
        scuffing(std::move(how)),
        values(walker_values(kind, values_of(parameters))),
        model(make_walker(kind, values, amble::scuffing(scuffing))) {}

  OwnedVector state(py::handle q, py::handle v) const {
    const std::unique_ptr<StepModel> own = model->clone();
    const py::ssize_t m = own->phase(0).freedoms();
    const Array from_q = numbers(q, {m}, "q"), from_v = numbers(v, {m}, "v");
    OwnedVector x(2 * m);
    std::copy_n(from_q.data(), m, x.data());
    std::copy_n(from_v.data(), m, x.data() + m);
    return x;
  }
  Region region(const py::object& bounds) const {
    Region region = region_of(*model);
    if (bounds.is_none()) return region;
    for (const auto& [name, value] : named_values(bounds, "region")) {
      const Array ends = numbers(value, {2}, "region of '" + name + "'");
      region_of(*model, {name + "=0:1"});  // throws for a name that is not there
      const auto& names = model->section().names;
      const auto at = std::find(names.begin(), names.end(), name) - names.begin();
      if (!(ends.at(0) <= ends.at(1)))
        throw Error("region of '" + name + "': expected (lower, upper) with lower <= upper");
      region.lower[at] = ends.at(0), region.upper[at] = ends.at(1);
    }
    return region;
  }
};

/// A gait that Walker.search() found, to be followed: of which walker, with which parameters.
struct SearchedGait {
  FoundGait gait;
  std::string walker;
  WalkerValues values;
};

/// Stops long work at Ctrl-C; the interpreter lock is not held while it runs.
inline std::function<bool(double)> interrupt_watch(bool& stopped) {
  return [&stopped](double) {
    const py::gil_scoped_acquire lock;
    return !(stopped = PyErr_CheckSignals() != 0);
  };
}

/// Walker.curves(), controlled(), guided walks and steps down: walk_control.cpp.
void bind_walk_control(py::module_& m, py::class_<Walker>& walker);
/// A walk as a dictionary.
py::dict walk_dict(const Walk& walked);

}  // namespace amble::python
