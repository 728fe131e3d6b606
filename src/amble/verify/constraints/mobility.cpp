#include "amble/constraints/assembly.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/verify/constraints/models.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

/// Freedoms by counting (Gruebler, Kutzbach), true ones, and rows that repeat others.
struct Known {
  const char* name;
  std::function<ConstrainedMechanism()> make;
  int counted, mobility, redundant;
};

/// With what it carries, and a guess to put it together from.
ConstrainedMechanism guessed(const Mechanism& m, double coordinates) {
  OwnedVector q = m.neutral();
  for (int i = 0; i < q.size(); ++i) q[i] += coordinates;
  return {m, constraints_of(m), q};
}

}  // namespace

std::vector<VerificationEntry> constraints_mobility() {
  const std::vector<Known> all{
      {"four_bar", [] { return four_bar(); }, -2, 1, 3},
      {"slider_crank", [] { return slider_crank(); }, -2, 1, 3},
      {"bricard", bricard, 0, 1, 1},
      {"bennett", [] { return guessed(verified_bennett(), 0.5); }, -2, 1, 3},
      {"stewart_platform", stewart_platform, 6, 6, 0},
      {"cart", [] { return guessed(verified_cart(), 0.0); }, -2, 1, 3},
      {"tricycle", [] { return guessed(verified_tricycle(), 0.0); }, 0, 1, 1},
  };
  std::vector<VerificationEntry> out;
  for (const Known& k : all) {
    const std::string name = k.name;
    const auto entry = [&](const std::string& what, const std::string& source, double reference,
                           const std::function<double(const Assembly&)>& number) {
      const auto run = [make = k.make, number] {
        const ConstrainedMechanism x = make();
        return number(assemble(x.mechanism, x.constraints, x.q));
      };
      out.push_back(number_entry({"constraints." + what + "_" + name, source, "closed form", 0.0}, reference, run));
    };
    entry("counted", "Gruebler, Kutzbach: " + name, k.counted, [](const Assembly& a) { return a.counted_mobility; });
    entry("mobility", "true freedoms: " + name, k.mobility, [](const Assembly& a) { return a.mobility; });
    entry("redundant", "rows that repeat others, named: " + name, k.redundant,
          [](const Assembly& a) { return static_cast<double>(a.redundant.size()); });
  }
  return out;
}

}  // namespace amble
