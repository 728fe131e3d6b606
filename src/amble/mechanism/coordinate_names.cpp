#include "amble/mechanism/coordinate_names.hpp"

#include <fmt/format.h>

#include <span>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

using Words = std::span<const std::string_view>;

/// Of a joint type that has several numbers.
Words place_words(int kind) {
  return visit_joint_type(kind, []<class Type>() -> Words {
    if constexpr (requires { Type::kPlaces; }) return Type::kPlaces;
    return {};
  });
}

Words rate_words(int kind) {
  return visit_joint_type(kind, [kind]<class Type>() -> Words {
    if constexpr (requires { Type::kRates; }) return Type::kRates;
    return place_words(kind);
  });
}

void add_names(const Joint& joint, int count, Words words, std::vector<std::string>& out) {
  if (joint.leader >= 0) return;
  for (int k = 0; k < count; ++k) {
    if (count == 1)
      out.push_back(joint.name);
    else
      out.push_back(words.empty() ? fmt::format("{}.{}", joint.name, k) : fmt::format("{}.{}", joint.name, words[k]));
  }
}

}  // namespace

std::vector<std::string> q_names(const Mechanism& m) {
  std::vector<std::string> out;
  for (const Joint& joint : m.joints()) add_names(joint, joint.q.size, place_words(joint.kind), out);
  return out;
}

std::vector<std::string> v_names(const Mechanism& m) {
  std::vector<std::string> out;
  for (const Joint& joint : m.joints()) add_names(joint, joint.v.size, rate_words(joint.kind), out);
  return out;
}

}  // namespace amble
