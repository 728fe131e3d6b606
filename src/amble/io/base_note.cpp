#include "amble/io/base_note.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace amble {

namespace {

constexpr const char* kHowToFloat = "--base floating (floating_base=True) gives it a free joint";
constexpr const char* kHowToFix = "--base fixed (floating_base=False) fixes it";

std::string lower_case(std::string text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

/// Two bodies named like the ends of legs: such robots stand on the ground by them.
std::vector<std::string> feet(const ModelDescription& d) {
  constexpr std::string_view kWords[] = {"foot", "feet", "ankle", "toe", "calf", "shank", "shin", "sole"};
  for (const std::string_view word : kWords) {
    std::vector<std::string> out;
    for (const BodyDescription& b : d.bodies)
      if (out.size() < 2 && lower_case(b.name).find(word) != std::string::npos) out.push_back(b.name);
    if (out.size() == 2) return out;
  }
  return {};
}

std::string hint_of_feet(const ModelDescription& d) {
  const std::vector<std::string> found = feet(d);
  return found.empty() ? ""
                       : fmt::format("; '{}' look like feet, and robots with feet usually float",
                                     fmt::join(found, "' and '"));
}

/// Bodies that stand in the world because nothing holds them.
std::vector<const BodyDescription*> standing(const ModelDescription& d) {
  std::set<std::string> held{kWorld};
  for (const JointDescription& j : d.joints) held.insert(j.child);
  std::vector<const BodyDescription*> out;
  for (const BodyDescription& b : d.bodies)
    if (!held.contains(b.name)) out.push_back(&b);
  return out;
}

std::string and_others(std::size_t count) {
  return count > 1 ? fmt::format(" (and {} others)", count - 1) : "";
}

bool moves(const ModelDescription& d) {
  return std::any_of(d.joints.begin(), d.joints.end(), [](const auto& j) { return j.type != "fixed"; });
}

Problems of_urdf(const ModelDescription& d) {
  const auto bodies = standing(d);
  if (bodies.empty()) return {};
  return {{Severity::note, d.file, bodies[0]->line, fmt::format("link '{}'", bodies[0]->name),
           fmt::format("is taken as fixed to the world{}, which URDF leaves open; {}{}",
                       and_others(bodies.size()), kHowToFloat, hint_of_feet(d))}};
}

Problems of_sdf(const ModelDescription& d) {
  const auto is_free = [](const JointDescription& j) { return j.parent == kWorld && j.type == "free"; };
  const auto first = std::find_if(d.joints.begin(), d.joints.end(), is_free);
  if (first == d.joints.end()) return {};
  const auto count = static_cast<std::size_t>(std::count_if(d.joints.begin(), d.joints.end(), is_free));
  return {{Severity::note, d.file, first->line, fmt::format("link '{}'", first->child),
           fmt::format("moves freely{}, as SDFormat has it for what nothing holds; {}", and_others(count),
                       kHowToFix)}};
}

/// MJCF says it; but a robot on a stand is often meant to walk.
Problems of_mjcf(const ModelDescription& d) {
  const auto bodies = standing(d);
  const std::string hint = hint_of_feet(d);
  if (bodies.size() != 1 || hint.empty() || !moves(d)) return {};
  return {{Severity::note, d.file, bodies[0]->line, fmt::format("body '{}'", bodies[0]->name),
           fmt::format("is fixed to the world, as the file says; {}{}", kHowToFloat, hint)}};
}

}  // namespace

Problems base_notes(Format format, const ModelDescription& d) {
  switch (format) {
    case Format::urdf:
      return of_urdf(d);
    case Format::sdf:
      return of_sdf(d);
    case Format::mjcf:
      return of_mjcf(d);
  }
  return {};
}

}  // namespace amble
