#include "amble/walkers/walkers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"
#include "amble/walkers/kinds.hpp"

namespace amble {

const std::vector<WalkerKind>& walker_kinds() {
  static const std::vector<WalkerKind> kinds{compass_kind(), simplest_kind(),  rimless_kind(),
                                             dribbel_kind(), trunk_kind(),     pointmass3d_kind(),
                                             legs3d_kind(),  torso_kind(),     bisecting_kind(),
                                             human_kind()};
  return kinds;
}

const WalkerKind& walker_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const WalkerKind& kind : walker_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw Error(fmt::format("there is no walker '{}'{}; there are {}", name, suggestion(name, names),
                          fmt::join(names, ", ")));
}

WalkerValues parameter_values(std::string_view what, std::string_view name,
                              const std::vector<WalkerParameter>& parameters, const WalkerValues& given) {
  WalkerValues all;
  std::vector<std::string> names;
  for (const WalkerParameter& p : parameters) all[p.name] = p.value, names.push_back(p.name);
  for (const auto& [parameter, value] : given) {
    if (!all.contains(parameter))
      throw Error(fmt::format("{} '{}' has no parameter '{}'{}; it has {}", what, name, parameter,
                              suggestion(parameter, names), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    if (!std::isfinite(value))
      throw Error(fmt::format("parameter '{}' of {} '{}' is {}: expected a finite number", parameter, what, name, value));
    all[parameter] = value;
  }
  return all;
}

WalkerValues walker_values(const WalkerKind& kind, const WalkerValues& given) {
  return parameter_values("walker", kind.name, kind.parameters, given);
}

std::unique_ptr<StepModel> make_walker(const WalkerKind& kind, const WalkerValues& given, Scuffing scuffing) {
  return kind.make(walker_values(kind, given), scuffing);
}

std::unique_ptr<StepModel> make_walker(std::string_view name, const WalkerValues& given, Scuffing scuffing) {
  return make_walker(walker_kind(name), given, scuffing);
}

Scuffing scuffing(std::string_view name) {
  if (name == "ignore") return Scuffing::ignore;
  if (name == "detect") return Scuffing::detect;
  throw Error(fmt::format("scuffing '{}': expected ignore or detect", name));
}

}  // namespace amble
