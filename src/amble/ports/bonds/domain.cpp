#include "amble/ports/bonds/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/base/names.hpp"

namespace amble {

std::span<const BondDomain> bond_domains() {
  static const std::vector<BondDomain> kDomains{
      {"translation", "force", "N", "velocity", "m/s", "momentum", "N s", "displacement", "m"},
      {"rotation", "torque", "N m", "angular velocity", "rad/s", "angular momentum", "N m s", "angle", "rad"},
      {"spatial", "wrench", "N, N m", "twist", "m/s, rad/s", "momentum", "N s, N m s", "displacement", "m, rad"},
      {"electrical", "voltage", "V", "current", "A", "flux linkage", "V s", "charge", "C"},
      {"magnetic", "current", "A", "voltage", "V", "charge", "C", "flux linkage", "V s"},
      {"hydraulic", "pressure", "Pa", "volume flow", "m^3/s", "pressure momentum", "Pa s", "volume", "m^3"},
      {"thermal", "temperature", "K", "entropy flow", "W/K", "", "", "entropy", "J/K"},
  };
  return kDomains;
}

const BondDomain& bond_domain(const std::string& name) {
  const std::span<const BondDomain> all = bond_domains();
  const auto found = std::find_if(all.begin(), all.end(), [&](const BondDomain& d) { return d.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const BondDomain& d : all) names.push_back(d.name);
  throw Error(
      fmt::format("'{}' is not a domain{}: expected {}", name, suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace amble
