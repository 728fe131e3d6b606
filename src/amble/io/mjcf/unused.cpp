#include "amble/io/mjcf/unused.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "amble/io/mjcf/classes.hpp"

namespace amble {

namespace {

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
    const std::string_view meaning = e.rule->meaning;
    if (!meaning.empty()) return add_element(e, meaning);
    if (is_drive(e.tag)) return;  // judged by the reader itself
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
  void add_element(const MjcfElement& e, std::string_view meaning) {
    if (!is_our_field(e)) elements_[std::string(meaning)].add(e);
  }

  void check_attributes(const MjcfElement& e) {
    for (const auto& [key, value] : e.attributes) {
      const MjcfAttribute* a = e.rule->find(key);
      if (a == nullptr || a->used) continue;
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
