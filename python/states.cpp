#include "states.hpp"

namespace amble::python {

Extents shared_leading(std::initializer_list<const Input*> inputs) {
  const Input* stacked = *inputs.begin();
  for (const Input* x : inputs) {
    common_leading(stacked->rows, stacked->name, x->rows, x->name);
    if (stacked->rows.leading.empty()) stacked = x;
  }
  return stacked->rows.leading;
}

std::vector<ExternalWrench> wrenches(const Mechanism& m, const py::object& given, const char* what) {
  std::vector<ExternalWrench> out;
  if (given.is_none()) return out;
  for (const auto& [body, wrench] : named_values(given, what))
    out.push_back({m.body_index(body), Wrench<double>(vector6(wrench, "the wrench on '" + body + "'"))});
  return out;
}

}  // namespace amble::python
