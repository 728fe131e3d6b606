#include "amble/io/mjcf/classes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "amble/base/limits.hpp"
#include "amble/base/names.hpp"
#include "amble/io/mjcf/orientation.hpp"
#include "amble/io/xml/numbers.hpp"

namespace amble {

namespace {

constexpr const char* kMainClass = "main";

/// A shorter list of numbers keeps the rest of what it stands over.
std::string over(const MjcfAttribute* attribute, const std::string& value, const std::string& below) {
  if (attribute == nullptr || attribute->least == attribute->most || attribute->most > 10) return value;
  auto numbers = parse_numbers(value).value_or(std::vector<double>{});
  const auto rest = parse_numbers(below).value_or(std::vector<double>{});
  if (attribute->type != MjcfAttribute::Type::number || rest.size() <= numbers.size()) return value;
  numbers.insert(numbers.end(), rest.begin() + static_cast<std::ptrdiff_t>(numbers.size()), rest.end());
  return format_numbers(numbers);
}

void put(const MjcfElement& e, MjcfAttributes& into) {
  // One of the ways to say an orientation replaces the others; a quaternion is kept beside them.
  if (has_orientation(e)) std::erase_if(into, [](const auto& pair) { return is_orientation(pair.first); });
  for (const auto& [key, value] : e.attributes) {
    const auto at =
        std::find_if(into.begin(), into.end(), [&](const auto& pair) { return pair.first == key; });
    if (at == into.end())
      into.emplace_back(key, value);
    else
      at->second = over(e.rule->find(key), value, at->second);
  }
}

/// In a class, <equality> stands for all equalities and <tendon> for both kinds of tendon.
MjcfTag tag_in_class(MjcfTag tag) {
  switch (tag) {
    case MjcfTag::connect:
    case MjcfTag::weld:
    case MjcfTag::joint_equality:
    case MjcfTag::tendon_equality:
      return MjcfTag::equality_default;
    case MjcfTag::spatial_tendon:
    case MjcfTag::fixed_tendon:
      return MjcfTag::tendon_default;
    default:
      return tag;
  }
}

double bytes_of(const MjcfAttributes& attributes) {
  double bytes = 0.0;
  for (const auto& [key, value] : attributes)
    bytes += static_cast<double>(sizeof(key) + sizeof(value) + value.size());
  return bytes;
}

}  // namespace

bool is_drive(MjcfTag tag) { return tag >= MjcfTag::general && tag <= MjcfTag::plugin_drive; }

MjcfClasses::MjcfClasses(const MjcfElement& root) {
  classes_[kMainClass];
  for (const MjcfElement& section : root.children)
    if (section.tag == MjcfTag::default_class) add(section, classes_[kMainClass], true);
}

void MjcfClasses::add(const MjcfElement& section, Class inherited, bool is_top) {
  const std::string name = section.get("class", is_top ? kMainClass : "");
  if (name.empty()) refuse(section, "a nested class has no name; expected the attribute class");
  if (!is_top && classes_.contains(name)) refuse(section, fmt::format("class '{}' is there already", name));
  // Its own elements count before its child classes, wherever they stand.
  std::set<std::string_view> seen;
  for (const MjcfElement& e : section.children) {
    if (e.tag == MjcfTag::default_class || e.tag == MjcfTag::unread) continue;
    if (!seen.insert(e.name).second) refuse(e, "stands twice in its class; expected once");
    if (is_drive(e.tag))
      inherited.drives.push_back(e);
    else
      put(e, inherited.elements[e.tag]);
  }
  count(section, inherited);
  if (is_top) classes_[kMainClass] = inherited;
  classes_[name] = inherited;
  for (const MjcfElement& nested : section.children)
    if (nested.tag == MjcfTag::default_class) add(nested, inherited, false);
}

/// A class has all that its parents have, so that a short file could ask for much memory.
void MjcfClasses::count(const MjcfElement& section, const Class& content) {
  for (const auto& [tag, attributes] : content.elements) bytes_ += bytes_of(attributes);
  for (const MjcfElement& e : content.drives) bytes_ += sizeof(e) + bytes_of(e.attributes);
  if (const std::string breach =
          limit_breach(Limit::file_bytes, bytes_, "the size of all classes with what they inherit");
      !breach.empty())
    refuse(section, breach);
}

void MjcfClasses::check(const MjcfElement& element, const std::string& name) const {
  if (classes_.contains(name)) return;
  std::vector<std::string> names;
  for (const auto& [known, content] : classes_) names.push_back(known);
  refuse(element, fmt::format("there is no class '{}'{}", name, suggestion(name, names)));
}

const MjcfClasses::Class& MjcfClasses::find(const MjcfElement& element, const std::string& childclass) const {
  const std::string* own = element.find("class");
  const std::string& name = own != nullptr ? *own : childclass;
  if (name.empty()) return classes_.at(kMainClass);
  check(element, name);
  return classes_.at(name);
}

MjcfValues MjcfClasses::values(const MjcfElement& element, const std::string& childclass) const {
  const Class& in = find(element, childclass);
  const auto found = in.elements.find(tag_in_class(element.tag));
  return {element, found == in.elements.end() ? nullptr : &found->second};
}

const std::vector<MjcfElement>& MjcfClasses::drives(const MjcfElement& element) const {
  return find(element, {}).drives;
}

}  // namespace amble
