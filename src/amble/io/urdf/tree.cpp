#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "amble/base/names.hpp"
#include "amble/io/urdf/parts.hpp"
#include "amble/io/urdf/quirks.hpp"

namespace amble {

namespace {

class TreeCheck {
 public:
  TreeCheck(XmlReader& xml, const ModelDescription& model) : xml_(xml), model_(model) {}

  void run() {
    index_links();
    check_joint_names();
    for (const JointDescription& j : model_.joints) check_joint(j);
    // The graph means something only when every name does.
    if (!xml_.has_errors() && !find_cycle()) check_roots();
  }

 private:
  static std::string joint_words(const JointDescription& j) { return fmt::format("joint '{}'", j.name); }

  void index_links() {
    if (model_.bodies.empty()) xml_.error(0, "", "the robot has no <link>");
    for (const BodyDescription& b : model_.bodies) {
      const auto [first, is_new] = links_.try_emplace(b.name, &b);
      names_.push_back(b.name);
      if (!is_new)
        xml_.error(b.line, fmt::format("link '{}'", b.name),
                   fmt::format("this name is taken by the link of line {}", first->second->line));
    }
  }

  void check_joint_names() {
    for (const JointDescription& j : model_.joints) {
      const auto [first, is_new] = joints_.try_emplace(j.name, &j);
      if (!is_new)
        xml_.error(j.line, joint_words(j),
                   fmt::format("this name is taken by the joint of line {}", first->second->line));
    }
  }

  void check_joint(const JointDescription& j) {
    check_link_exists(j, "parent", j.parent);
    check_link_exists(j, "child", j.child);
    if (j.child == kWorld)
      xml_.error(j.line, joint_words(j), "the link 'world' is the fixed frame; it cannot be a child");
    if (j.mimic && !joints_.contains(j.mimic->leader)) report_unknown_leader(j);
    if (j.mimic && j.mimic->leader == j.name) xml_.error(j.line, joint_words(j), "the joint mimics itself");
    const auto [first, is_new] = parent_joint_.try_emplace(j.child, &j);
    if (!is_new)
      xml_.error(j.line, joint_words(j),
                 fmt::format("the link '{}' is also the child of joint '{}' (line {}); URDF has no loops",
                             j.child, first->second->name, first->second->line));
  }

  void check_link_exists(const JointDescription& j, const char* which, const std::string& name) {
    if (name.empty() || links_.contains(name)) return;
    if (name == kWorld && which == std::string_view("parent")) return;  // it is always there
    xml_.error(j.line, joint_words(j),
               fmt::format("there is no link '{}', its {}{}", name, which, suggest(name, names_)));
  }

  void report_unknown_leader(const JointDescription& j) {
    if (joint_names_.empty())
      for (const JointDescription& other : model_.joints) joint_names_.push_back(other.name);
    xml_.error(j.line, joint_words(j),
               fmt::format("it mimics '{}', but there is no such joint{}", j.mimic->leader,
                           suggest(j.mimic->leader, joint_names_)));
  }

  /// For the first problems only: the others are counted, not shown.
  std::string suggest(const std::string& name, const std::vector<std::string>& candidates) {
    constexpr int kMostShown = 20;
    return ++suggestions_ <= kMostShown ? suggestion(name, candidates) : "";
  }

  /// Follows each link towards the root, until a link that was seen before: in an earlier walk (fine) or in
  /// this one.
  bool find_cycle() {
    std::unordered_map<std::string, const BodyDescription*> seen_from;
    for (const BodyDescription& start : model_.bodies) {
      std::string at = start.name;
      while (seen_from.try_emplace(at, &start).second)
        if (parent_joint_.contains(at)) at = parent_joint_[at]->parent;
      if (parent_joint_.contains(at) && seen_from[at] == &start) return report_cycle(at), true;
    }
    return false;
  }

  void report_cycle(const std::string& at) {
    const JointDescription* last = parent_joint_[at];
    constexpr int kMostShown = 8;
    std::string names = fmt::format("'{}'", last->name);
    int count = 1;
    for (std::string link = last->parent; link != at; link = parent_joint_[link]->parent)
      if (++count <= kMostShown) names = fmt::format("'{}', {}", parent_joint_[link]->name, names);
    if (count > kMostShown) names = fmt::format("... {} ({} in all)", names, count);
    xml_.error(last->line, joint_words(*last), fmt::format("the joints {} form a cycle", names));
  }

  void check_roots() {
    const auto is_root = [&](const BodyDescription& b) { return !parent_joint_.contains(b.name); };
    bool first = true;
    for (const BodyDescription& b : model_.bodies)
      if (is_root(b) && !std::exchange(first, false))
        report_quirk(xml_, b.line, fmt::format("link '{}'", b.name), UrdfQuirk::several_roots);
  }

  XmlReader& xml_;
  const ModelDescription& model_;
  std::vector<std::string> names_;
  std::vector<std::string> joint_names_;  // filled when first needed
  int suggestions_ = 0;
  std::unordered_map<std::string, const BodyDescription*> links_;
  std::unordered_map<std::string, const JointDescription*> joints_, parent_joint_;
};

}  // namespace

void check_urdf_tree(XmlReader& xml, const ModelDescription& description) {
  TreeCheck(xml, description).run();
}

}  // namespace amble
