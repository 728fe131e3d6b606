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

JacobianOptions jacobian_options(const py::object& point, const std::string& frame) {
  JacobianOptions options{.frame = jacobian_frame(frame)};
  if (!point.is_none()) options.point = vector3(point, "point");
  return options;
}

}  // namespace amble::python
