#include "states.hpp"

#include <algorithm>

namespace amble::python {

Extents shared_leading(std::initializer_list<const Input*> inputs) {
  const Input* stacked = *inputs.begin();
  for (const Input* x : inputs) {
    common_leading(stacked->rows, stacked->name, x->rows, x->name);
    if (stacked->rows.leading.empty()) stacked = x;
  }
  return stacked->rows.leading;
}

Workspace& thread_workspace(const Mechanism& m) {
  thread_local std::shared_ptr<const ModelDescription> owner;
  thread_local std::unique_ptr<Workspace> work;
  if (owner.get() != &m.description()) {
    work = std::make_unique<Workspace>(m);
    owner = m.shared_description();
  }
  return *work;
}

StackInput stack_input(const Input& x, py::ssize_t count) {
  return {x.rows.item(0), count, x.rows.size, x.rows.leading.empty() ? 0 : x.rows.size};
}

StackWorkspace stack_workspace(const Mechanism& m, const Extents& leading) {
  constexpr py::ssize_t kRowsOfAThread = 256;
  StackWorkspace work(m, static_cast<int>(std::clamp<py::ssize_t>(product(leading) / kRowsOfAThread, 1, threads())));
  work.row_name = [leading](Eigen::Index row) { return row_name(leading, row); };
  return work;
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
