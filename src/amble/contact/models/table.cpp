#include "amble/contact/models/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

namespace {

constexpr NormalLawKind kNormal[] = {
    {"hertz", "k d^1.5, elastic", &hertz},
    {"hunt_crossley", "k d^n (1 + c d'), never pulling", &hunt_crossley},
    {"kelvin_voigt", "k d + c d', never pulling", &kelvin_voigt},
    {"kelvin_voigt_pulling", "k d + c d'", &kelvin_voigt_pulling},
};

constexpr SlidingLawKind kSliding[] = {
    {"frictionless", "nothing resists sliding", nullptr},
    {"lugre", "bristles, friction that falls with the speed", &lugre},
    {"micro_slip", "spring that slips little by little, at most mu times the push", &micro_slip},
    {"stick_slip", "spring and damper, at most mu times the push", &stick_slip},
    {"viscous", "c v", &viscous},
};

template <class Kind>
const Kind& find(std::span<const Kind> kinds, std::string_view name, const char* what) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.name == name; });
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  throw Error(fmt::format("a contact has the {} law '{}'{}; known are {}", what, name,
                          suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace

std::span<const NormalLawKind> normal_laws() { return kNormal; }
std::span<const SlidingLawKind> sliding_laws() { return kSliding; }

NormalLawPtr normal_law(std::string_view name, const NormalNumbers& numbers) {
  return find(normal_laws(), name, "normal").make(numbers);
}

SlidingLawPtr sliding_law(std::string_view name, const SlidingNumbers& numbers) {
  const SlidingLawKind& kind = find(sliding_laws(), name, "sliding");
  return kind.make == nullptr ? nullptr : kind.make(numbers);
}

}  // namespace amble
