#include "properties.hpp"

#include <fmt/format.h>

#include <map>

#include "amble/base/names.hpp"
#include "convert.hpp"

namespace amble::python {

namespace {

using Member = std::vector<double> JointProperties::*;

const std::map<std::string, Member>& members() {
  static const std::map<std::string, Member> table{
      {"lower", &JointProperties::lower},         {"upper", &JointProperties::upper},
      {"velocity", &JointProperties::velocity},   {"effort", &JointProperties::effort},
      {"damping", &JointProperties::damping},     {"friction", &JointProperties::friction},
      {"armature", &JointProperties::armature},   {"stiffness", &JointProperties::stiffness},
      {"reference", &JointProperties::reference},
  };
  return table;
}

Member member(const std::string& name) {
  if (const auto found = members().find(name); found != members().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, m] : members()) names.push_back(known);
  throw Error(fmt::format("a joint has no property '{}'{}: expected {}", name, suggestion(name, names),
                          fmt::join(names, ", ")));
}

}  // namespace

void change_properties(JointProperties& properties, const py::kwargs& given, const std::string& owner) {
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    const Member target = member(name);
    if (value.is_none()) continue;
    properties.*target = number_list(value, fmt::format("{} of {}", name, owner));
  }
}

}  // namespace amble::python
