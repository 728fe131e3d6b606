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

/// Of the numbers of an elementary motion.
std::vector<std::string> place_units(Elementary motion, int count) {
  switch (motion) {
    case Elementary::turn:
    case Elementary::helix: return {"rad"};
    case Elementary::slide: return {"m"};
    case Elementary::ball: return {"1", "1", "1", "1"};
    case Elementary::free: return {"m", "m", "m", "1", "1", "1", "1"};
    case Elementary::custom: break;
  }
  return std::vector<std::string>(count);
}

std::vector<std::string> rate_units(Elementary motion, int count) {
  switch (motion) {
    case Elementary::turn:
    case Elementary::helix: return {"rad/s"};
    case Elementary::slide: return {"m/s"};
    case Elementary::ball: return {"rad/s", "rad/s", "rad/s"};
    case Elementary::free: return {"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"};
    case Elementary::custom: break;
  }
  return std::vector<std::string>(count);
}

/// Along the chain of motions that each joint stands for.
template <class Units>
void add_units(const Joint& joint, int count, Units units, std::vector<std::string>& out) {
  if (joint.leader >= 0) return;
  const JointSteps chain = visit_joint(joint.kind, joint.parameters, [](const auto& j) { return j.steps(); });
  for (int k = 0; k < chain.count; ++k)
    for (std::string& unit : units(chain.steps[k].motion, count)) out.push_back(std::move(unit));
}

}  // namespace

std::vector<std::string> q_units(const Mechanism& m) {
  std::vector<std::string> out;
  for (const Joint& joint : m.joints()) add_units(joint, joint.q.size, place_units, out);
  return out;
}

std::vector<std::string> v_units(const Mechanism& m) {
  std::vector<std::string> out;
  for (const Joint& joint : m.joints()) add_units(joint, joint.v.size, rate_units, out);
  return out;
}

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
