#include "amble/io/mjcf/defaults.hpp"

namespace amble {

namespace {
constexpr const char* kMainClass = "main";
}

MjcfDefaults::MjcfDefaults(const MjcfElement& root) {
  for (const MjcfElement& section : root.children) {
    if (section.name == "default") add_class(section, classes_[kMainClass]);
    if (section.name != "compiler") continue;
    for (const auto& [key, value] : section.attributes) compiler_[key] = value;
  }
}

void MjcfDefaults::add_class(const MjcfElement& section, ByElement inherited) {
  for (const MjcfElement& element : section.children)
    for (const auto& [key, value] : element.attributes) inherited[element.name][key] = value;
  classes_[section.get("class", kMainClass)] = inherited;
  for (const MjcfElement& nested : section.children)
    if (nested.name == "default") add_class(nested, inherited);
}

std::string MjcfDefaults::compiler(const std::string& attribute, const std::string& fallback) const {
  const auto found = compiler_.find(attribute);
  return found == compiler_.end() ? fallback : found->second;
}

std::string MjcfDefaults::value(const MjcfElement& element, const std::string& childclass,
                                const std::string& attribute, const std::string& fallback) const {
  if (const std::string* own = element.find(attribute)) return *own;
  const auto in_class = classes_.find(element.get("class", childclass.empty() ? kMainClass : childclass));
  if (in_class == classes_.end()) return fallback;
  const auto of_element = in_class->second.find(element.name);
  if (of_element == in_class->second.end()) return fallback;
  const auto found = of_element->second.find(attribute);
  return found == of_element->second.end() ? fallback : found->second;
}

}  // namespace amble
