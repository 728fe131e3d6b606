#include "amble/simulation/bond_motion.hpp"

namespace amble {

double BondMotion::value(const std::string& name) const {
  for (const BondSignalDescription& s : graph().signals()) {
    if (s.name != name || s.integrated) continue;
    std::map<std::string, double> values = graph().parameters();
    for (const std::string& used : s.value.variables())
      if (!values.contains(used)) values[used] = value(used);
    return s.value.evaluate(values);
  }
  return quantity(name);
}

}  // namespace amble
