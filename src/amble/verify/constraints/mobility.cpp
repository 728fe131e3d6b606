#include "amble/constraints/assembly.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/verify/constraints/models.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

/// Freedoms by counting (Gruebler, Kutzbach), true ones, and rows that repeat others.
struct Known {
  const char* name;
  Mechanism (*make)();
  int counted, true_mobility, redundant;
};

Assembly put_together(const Mechanism& m) {
  OwnedVector guess = m.neutral();
  for (double& x : guess.reshaped())
    x += m.nq() < 5 ? 0.5 : 0.0;  // away from where the small linkages are stretched out
  return assemble(m, constraints_of(m), guess);
}

}  // namespace

std::vector<VerificationEntry> constraints_mobility() {
  const std::vector<Known> known{
      {"four_bar", verified_four_bar, -2, 1, 3},
      {"slider_crank", verified_slider_crank, -2, 1, 3},
      {"bricard", verified_bricard, 0, 1, 1},
      {"bennett", verified_bennett, -2, 1, 3},
      {"stewart_platform", verified_stewart_platform, 6, 6, 0},
      {"cart", verified_cart, -2, 1, 3},
      {"tricycle", verified_tricycle, 0, 1, 1},
  };
  std::vector<VerificationEntry> out;
  for (const Known& k : known) {
    const std::string name = k.name;
    const auto entry = [&](const std::string& what, const std::string& source, double reference,
                           const std::function<double(const Assembly&)>& number) {
      out.push_back(number_entry({"constraints." + what + "_" + name, source, "closed form", 0.0}, reference,
                                 [make = k.make, number] { return number(put_together(make())); }));
    };
    entry("counted", "Gruebler, Kutzbach: " + name, k.counted, [](const Assembly& a) { return a.counted_mobility; });
    entry("mobility", "true freedoms: " + name, k.true_mobility, [](const Assembly& a) { return a.mobility; });
    entry("redundant", "rows that repeat others, named: " + name, k.redundant,
          [](const Assembly& a) { return static_cast<double>(a.redundant.size()); });
  }
  return out;
}

}  // namespace amble
