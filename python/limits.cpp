#include "amble/base/limits.hpp"

#include "bindings.hpp"

namespace amble::python {

namespace {

py::dict all_limits() {
  py::dict out;
  for (std::size_t i = 0; i < limit_table().size(); ++i) {
    const LimitInfo& info = limit_table()[i];
    out[py::str(std::string(info.name))] = limit(static_cast<Limit>(i));
  }
  return out;
}

}  // namespace

void bind_limits(py::module_& m) {
  m.def("limits", all_limits,
        "Upper bounds on what is accepted from files and clients, by name (docs/limits.md).");
  m.def(
      "set_limit", [](const std::string& name, double value) { set_limit(name, value); }, py::arg("name"),
      py::arg("value"), "Change one of limits() for this process.");
}

}  // namespace amble::python
