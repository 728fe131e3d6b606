#include "amble/io/mjcf/unused.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace amble {

namespace {

using Names = std::set<std::string_view>;

/// Sections of which nothing is used, and what they are about.
const std::map<std::string_view, const char*> kUnusedSections{
    {"size", "sizes of MuJoCo's buffers"},
    {"visual", "settings of MuJoCo's viewer"},
    {"statistic", "statistics of the model"},
    {"contact", "pairs of geoms to collide or not to collide"},
    {"tendon", "tendons"},
    {"sensor", "sensors"},
    {"keyframe", "key frames"},
    {"extension", "extensions"},
};

/// Elements that are not used wherever they stand.
const Names kUnusedElements{"texture", "hfield", "skin", "camera", "light", "plugin"};

/// Attributes that place something, in all the ways of MJCF.
const Names kPlacing{"name", "class", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "fromto"};

/// For elements that are used: the attributes that are, beside the placing ones. Others are reported.
const std::map<std::string_view, Names> kUsed{
    {"option", {"gravity"}},
    {"flag", {"gravity", "equality", "limit", "frictionloss", "passive"}},
    {"body", {"childclass", "mocap"}},
    {"joint",
     {"type", "axis", "springdamper", "limited", "stiffness", "range", "damping", "frictionloss", "armature",
      "springref", "ref", "active", "joint1", "joint2", "polycoef"}},
    {"freejoint", {}},
    {"geom",
     {"type", "contype", "conaffinity", "group", "size", "material", "rgba", "mass", "density",
      "shellinertia", "mesh", "fitscale", "hfield"}},
    {"site", {}},
    {"material", {"rgba"}},
    {"connect", {"active", "body1", "body2", "anchor"}},
    {"weld", {"active", "body1", "body2", "anchor", "relpose"}},
};

bool is_our_field(const MjcfElement& e) {
  const std::string name = e.get("name");
  const auto starts = [&](const char* prefix) { return name.starts_with(prefix); };
  return starts(kMjcfVelocityLimit) || starts(kMjcfEffortLimit) || starts(kMjcfFixedJoint);
}

/// One note in the making.
struct Tally {
  const MjcfElement* first = nullptr;
  int count = 0;
  std::vector<std::string> attributes;  ///< empty: the elements as such

  void add(const MjcfElement& e) {
    if (first == nullptr) first = &e;
    ++count;
  }
};

class Collector {
 public:
  void walk(const MjcfElement& e) {
    const auto section = kUnusedSections.find(e.name);
    if (section != kUnusedSections.end()) return add_section(e, section->second);
    if (e.name == "custom") return add_custom(e);
    if (e.name == "actuator" || e.name == "composite") return;
    if (kUnusedElements.contains(e.name)) return elements_[e.name].add(e);
    check_attributes(e);
    for (const MjcfElement& child : e.children) walk(child);
  }

  Problems notes() const {
    Problems out;
    for (const auto& [name, tally] : elements_) out.push_back(note(name, tally));
    for (const auto& [name, tally] : attributes_) out.push_back(note(name, tally));
    std::stable_sort(out.begin(), out.end(),
                     [](const Problem& a, const Problem& b) { return a.line < b.line; });
    return out;
  }

 private:
  void add_section(const MjcfElement& section, const char* meaning) {
    Tally& tally = elements_[fmt::format("{} ({})", section.name, meaning)];
    if (section.children.empty()) tally.add(section);
    for (const MjcfElement& child : section.children) tally.add(child);
  }

  void add_custom(const MjcfElement& section) {
    for (const MjcfElement& field : section.children)
      if (!is_our_field(field)) elements_["custom (fields of other programs)"].add(field);
  }

  void check_attributes(const MjcfElement& e) {
    const auto used = kUsed.find(e.name);
    if (used == kUsed.end()) return;
    for (const auto& [key, value] : e.attributes) {
      if (kPlacing.contains(key) || used->second.contains(key)) continue;
      Tally& tally = attributes_[e.name];
      tally.add(e);
      if (std::find(tally.attributes.begin(), tally.attributes.end(), key) == tally.attributes.end())
        tally.attributes.push_back(key);
    }
  }

  static Problem note(const std::string& name, const Tally& tally) {
    Problem problem = tally.first->problem(Severity::note, "");
    problem.element = name;
    problem.reason =
        tally.attributes.empty()
            ? fmt::format("not used ({} {})", tally.count, tally.count == 1 ? "element" : "elements")
            : fmt::format("not used: {}", fmt::join(tally.attributes, ", "));
    return problem;
  }

  std::map<std::string, Tally> elements_, attributes_;
};

}  // namespace

Problems mjcf_unused(const MjcfElement& root) {
  Collector collector;
  collector.walk(root);
  return collector.notes();
}

}  // namespace amble
