#include "amble/gait/cycles.hpp"

#include <gtest/gtest.h>

#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

TEST(Cycles, tmp) {
  for (auto [name, values] : {std::pair{"compass", WalkerValues{{"gravity", 9.8}}}, {"simplest", {}}, {"rimless", {}}, {"dribbel", {}},
                              {"compass", {{"gravity", 9.8}, {"foot_radius", 0.2}}}}) {
    const auto model = make_walker(name, values);
    CyclesFound f = find_cycles(*model, region_of(*model));
    printf("%s starts %d walked %d\n", name, f.starts, f.walked);
    for (const auto& w : f.failures) printf("   %s: %d\n", w.first.c_str(), w.second);
    for (const Gait& g : f.cycles) {
      printf("  T %.14f speed %.12f x", g.period, g.speed);
      for (double v : g.x) printf(" %.14f", v);
      printf("\n     residual %.1e multipliers", g.residual);
      for (auto z : g.multipliers) printf(" %.9f%+.9fi", z.real(), z.imag());
      printf("\n");
    }
  }
}

}  // namespace
}  // namespace amble
