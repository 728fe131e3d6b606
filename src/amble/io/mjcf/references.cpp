#include "amble/io/mjcf/references.hpp"

#include "amble/io/mjcf/classes.hpp"

namespace amble {

namespace {

struct Reference {
  std::string_view attribute, kind;
};
constexpr Reference kReferences[] = {
    {"joint", "joint"},   {"jointinparent", "joint"}, {"joint1", "joint"},   {"joint2", "joint"},
    {"body", "body"},     {"body1", "body"},          {"body2", "body"},     {"subtree1", "body"},
    {"subtree2", "body"}, {"target", "body"},         {"site", "site"},      {"site1", "site"},
    {"site2", "site"},    {"refsite", "site"},        {"cranksite", "site"}, {"slidersite", "site"},
    {"sidesite", "site"}, {"geom", "geom"},           {"geom1", "geom"},     {"geom2", "geom"},
    {"tendon", "tendon"}, {"tendon1", "tendon"},      {"tendon2", "tendon"}, {"actuator", "actuator"},
    {"camera", "camera"},
};

/// What the value of an attribute names; empty when it is no name.
std::string_view kind_of(const MjcfElement& e, std::string_view attribute) {
  if (e.tag == MjcfTag::attach) return {};  // its names are those of another model
  for (const Reference& r : kReferences)
    if (r.attribute == attribute) return r.kind;
  if (attribute != "objname" && attribute != "refname") return {};
  const std::string* type = e.find(attribute == "objname" ? "objtype" : "reftype");
  if (type == nullptr) return {};
  for (const Reference& r : kReferences)
    if (r.kind == *type) return r.kind;
  return *type == "xbody" ? "body" : "";
}

bool has(const MjcfNames& names, std::string_view kind, const std::string& name) {
  const auto found = names.find(kind);
  return found != names.end() && found->second.contains(name);
}

}  // namespace

std::string_view mjcf_kind(MjcfTag tag) {
  if (is_drive(tag)) return "actuator";
  switch (tag) {
    case MjcfTag::body:
      return "body";
    case MjcfTag::joint:
    case MjcfTag::freejoint:
      return "joint";
    case MjcfTag::geom:
      return "geom";
    case MjcfTag::site:
      return "site";
    case MjcfTag::camera:
      return "camera";
    case MjcfTag::light:
      return "light";
    case MjcfTag::frame:
      return "frame";
    case MjcfTag::spatial_tendon:
    case MjcfTag::fixed_tendon:
      return "tendon";
    case MjcfTag::sensor:
      return "sensor";
    case MjcfTag::pair:
    case MjcfTag::exclude:
      return "contact";
    case MjcfTag::connect:
    case MjcfTag::weld:
    case MjcfTag::joint_equality:
    case MjcfTag::tendon_equality:
      return "equality";
    default:
      return {};
  }
}

void collect_names(const MjcfElement& element, MjcfNames& into) {
  const std::string_view kind = mjcf_kind(element.tag);
  const std::string* name = element.find("name");
  if (!kind.empty() && name != nullptr) into[kind].insert(*name);
  for (const MjcfElement& child : element.children) collect_names(child, into);
}

MjcfReferences count_references(const MjcfElement& element, const MjcfNames& names) {
  MjcfReferences out;
  for (const auto& [attribute, value] : element.attributes)
    if (const std::string_view kind = kind_of(element, attribute); !kind.empty())
      ++(has(names, kind, value) ? out.inside : out.outside);
  for (const MjcfElement& child : element.children) {
    const MjcfReferences more = count_references(child, names);
    out.inside += more.inside, out.outside += more.outside;
  }
  return out;
}

void rename(MjcfElement& element, const MjcfNames& names,
            const std::function<std::string(const std::string&)>& renamed) {
  const bool is_named = !mjcf_kind(element.tag).empty();
  for (auto& [attribute, value] : element.attributes) {
    const std::string_view kind = kind_of(element, attribute);
    if ((attribute == "name" && is_named) || (!kind.empty() && has(names, kind, value)))
      value = renamed(value);
  }
  for (MjcfElement& child : element.children) rename(child, names, renamed);
}

double element_count(const MjcfElement& element) {
  double count = 1.0;
  for (const MjcfElement& child : element.children) count += element_count(child);
  return count;
}

}  // namespace amble
