#include "amble/io/sdf/content.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>

#include "amble/io/xml/tally.hpp"
#include "amble/io/xml/unread.hpp"

namespace amble {

namespace {

using tinyxml2::XMLElement;

// With what libsdformat converts from before version 1.7: `frame` of poses, use_parent_model_frame.
constexpr KnownElement kKnown[] = {
    {"sdf", "version"},
    {"sdf/world", "name"},
    {"world/gravity", "#text"},
    {"world/joint", "*"},  // has a warning of its own
    {"model", "name canonical_link placement_frame"},
    {"model/static", "#text"},
    {"pose", "relative_to degrees rotation_format frame #text"},
    {"include", "merge"},
    {"include/uri", "#text"},
    {"include/name", "#text"},
    {"include/static", "#text"},
    {"include/placement_frame", "#text"},
    {"frame", "name attached_to"},
    {"model/link", "name"},
    {"link/gravity", "#text"},    // has a warning of its own
    {"link/kinematic", "#text"},  // has a warning of its own
    {"link/inertial", "auto"},
    {"inertial/mass", "#text"},
    {"inertial/inertia", ""},
    {"inertia/ixx", "#text"},
    {"inertia/ixy", "#text"},
    {"inertia/ixz", "#text"},
    {"inertia/iyy", "#text"},
    {"inertia/iyz", "#text"},
    {"inertia/izz", "#text"},
    {"link/collision", "name"},
    {"collision/surface", ""},
    {"surface/friction", ""},
    {"friction/ode", ""},
    {"ode/mu", "#text"},
    {"surface/contact", ""},
    {"contact/collide_bitmask", "#text"},
    {"link/visual", "name"},
    {"visual/transparency", "#text"},
    {"visual/material", ""},
    {"material/diffuse", "#text"},
    {"geometry", ""},
    {"geometry/box", ""},
    {"box/size", "#text"},
    {"geometry/sphere", ""},
    {"sphere/radius", "#text"},
    {"geometry/cylinder", ""},
    {"cylinder/radius", "#text"},
    {"cylinder/length", "#text"},
    {"geometry/capsule", ""},
    {"capsule/radius", "#text"},
    {"capsule/length", "#text"},
    {"geometry/ellipsoid", ""},
    {"ellipsoid/radii", "#text"},
    {"geometry/plane", ""},
    {"plane/normal", "#text"},
    {"geometry/mesh", ""},
    {"mesh/uri", "#text"},
    {"mesh/scale", "#text"},
    {"model/joint", "name type"},
    {"joint/parent", "#text"},
    {"joint/child", "#text"},
    {"joint/thread_pitch", "#text"},
    {"joint/screw_thread_pitch", "#text"},
    {"joint/gearbox_ratio", "#text"},
    {"joint/gearbox_reference_body", "#text"},
    {"joint/axis", ""},
    {"joint/axis2", ""},
    {"axis/xyz", "expressed_in #text"},
    {"axis2/xyz", "expressed_in #text"},
    {"axis/use_parent_model_frame", "#text"},
    {"axis2/use_parent_model_frame", "#text"},
    {"axis/mimic", "joint axis"},
    {"axis2/mimic", "joint axis"},
    {"mimic/multiplier", "#text"},
    {"mimic/offset", "#text"},
    {"mimic/reference", "#text"},
    {"axis/dynamics", ""},
    {"axis2/dynamics", ""},
    {"dynamics/damping", "#text"},
    {"dynamics/friction", "#text"},
    {"dynamics/spring_reference", "#text"},
    {"dynamics/spring_stiffness", "#text"},
    {"axis/limit", ""},
    {"axis2/limit", ""},
    {"limit/lower", "#text"},
    {"limit/upper", "#text"},
    {"limit/effort", "#text"},
    {"limit/velocity", "#text"},
};

/// Up to version 1.5.
bool gravity_is_in_physics(const XMLElement& root) {
  const char* version = root.Attribute("version");
  return version != nullptr && std::string_view(version) < "1.6" && std::string_view(version).size() == 3;
}

bool says(const XMLElement& element, std::string_view word, std::string_view digit) {
  const char* text = element.GetText();
  return text != nullptr && (text == word || text == digit);
}

/// What is left out although it changes the motion.
std::string consequence(const XMLElement& parent, const XMLElement& element) {
  const std::string_view in = parent.Name(), name = element.Name();
  if (in == "link" && name == "gravity" && says(element, "false", "0"))
    return "its <gravity> false is not used: gravity acts on every body";
  if (in == "link" && name == "kinematic" && says(element, "true", "1"))
    return "its <kinematic> true is not used: the body moves by its dynamics";
  if (in == "world" && name == "joint")
    return "a <joint> directly in a world is not used; put the models it joins into one <model>";
  if (in == "link" && name == "inertial" && element.BoolAttribute("auto"))
    return "its inertia is not computed from the collisions as auto=\"true\" asks";
  if (in == "inertial" && name == "pose" && element.Attribute("relative_to") != nullptr)
    return "relative_to is not used here: the pose of an inertial is in its link";
  return {};
}

void warn(const XMLElement& parent, Tally& tally) {
  for (const auto* e = parent.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (const std::string reason = consequence(parent, *e); !reason.empty()) {
      const char* name = parent.Attribute("name");
      tally.add(Severity::warning, reason, e->GetLineNum(),
                fmt::format("{} '{}'", parent.Name(), name != nullptr ? name : ""));
    }
    if (std::string_view(e->Name()) != "plugin") warn(*e, tally);
  }
}

constexpr std::string_view kOldVersions[] = {"1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9"};
constexpr std::string_view kNewVersions[] = {"1.10", "1.11", "1.12"};

Problems check_version(const std::string_view version, int line, const std::string& file) {
  if (version == "1.0")
    return {{Severity::error, file, line, "sdf",
             "version 1.0 keeps its numbers in attributes, which is not read; expected 1.2 or later"}};
  if (std::ranges::find(kOldVersions, version) != std::end(kOldVersions)) return {};
  if (std::ranges::find(kNewVersions, version) != std::end(kNewVersions))
    return {{Severity::note, file, line, "sdf", fmt::format("version {} is read as version 1.9", version)}};
  return {{Severity::warning, file, line, "sdf",
           fmt::format("unknown version '{}' is read as version 1.9", version)}};
}

void check_names(const XMLElement& element, const std::string& file, Problems& out) {
  const std::string_view kind = element.Name();
  if (kind == "plugin" || kind.find(':') != std::string_view::npos) return;
  if (const char* name = element.Attribute("name");
      name != nullptr && std::string_view(name).find("::") != std::string_view::npos)
    out.push_back({Severity::error, file, element.GetLineNum(), fmt::format("{} '{}'", kind, name),
                   "a name cannot contain '::'"});
  for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    check_names(*e, file, out);
}

/// The first element, in the order of the text, for which `wanted` holds.
template <class Wanted>
const XMLElement* find(const XMLElement* element, Wanted& wanted) {
  for (; element != nullptr; element = element->NextSiblingElement()) {
    if (wanted(*element)) return element;
    if (const XMLElement* inside = find(element->FirstChildElement(), wanted)) return inside;
  }
  return nullptr;
}

}  // namespace

std::vector<KnownElement> sdf_known(const XMLElement& root) {
  std::vector<KnownElement> known(std::begin(kKnown), std::end(kKnown));
  if (gravity_is_in_physics(root))
    known.insert(known.end(), {{"world/physics", ""}, {"physics/gravity", "#text"}});
  return known;
}

Problems sdf_unused(const tinyxml2::XMLDocument& document, const std::string& file) {
  Tally tally;
  warn(*document.RootElement(), tally);
  Problems out = tally.problems(file);
  for (Problem& p : unread(document, file, sdf_known(*document.RootElement()))) out.push_back(std::move(p));
  return out;
}

Problems check_sdf_text(const tinyxml2::XMLDocument& document, const std::string& file) {
  const XMLElement& root = *document.RootElement();
  const char* version = root.Attribute("version");
  if (version == nullptr) return {{Severity::error, file, root.GetLineNum(), "sdf", "has no version"}};
  Problems out = check_version(version, root.GetLineNum(), file);
  const bool nested_names_are_flat = std::ranges::find(kOldVersions, version) < std::end(kOldVersions) - 2;
  if (!nested_names_are_flat) check_names(root, file, out);
  return out;
}

int sdf_line(const tinyxml2::XMLDocument& document, std::string_view kind, std::string_view name,
             int occurrence) {
  int last = 0;
  auto wanted = [&](const XMLElement& e) {
    const char* own = e.Attribute("name");
    if (e.Name() != kind || own == nullptr || own != name) return false;
    last = e.GetLineNum();
    return occurrence-- == 0;
  };
  find(document.RootElement(), wanted);
  return last;
}

std::string sdf_text(const tinyxml2::XMLDocument& document, std::string_view kind, int line) {
  auto wanted = [&](const XMLElement& e) { return e.GetLineNum() == line && e.Name() == kind; };
  const XMLElement* found = find(document.RootElement(), wanted);
  return found != nullptr && found->GetText() != nullptr ? found->GetText() : "";
}

}  // namespace amble
