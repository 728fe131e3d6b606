#include <gtest/gtest.h>
#include <chrono>

#include "amble/gait/continuation.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

TEST(Cycles, tmp) {
  {
    const auto model = make_walker("compass", {{"gravity", 9.8}});
    ReturnMap map(*model), rough(*model, {.tolerance=1e-7});
    OwnedVector x(4); x << 0.29929446431878, -2*0.29929446431878, -1.07296282191054, 0.70840651133442;
    for (auto* mm : {&map, &rough}) for (auto w : {ReturnMap::Want::state, ReturnMap::Want::books, ReturnMap::Want::derivative}) {
      (*mm)(x, w);
      auto t0 = std::chrono::steady_clock::now();
      for (int i = 0; i < 50; ++i) (*mm)(x, w);
      printf("want %d: %.1f us\n", int(w), std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count()/50*1e6);
    }
  }
  const auto show = [](const char* walker, const char* p, double from, double to, WalkerValues v) {
    WalkerFamily f{p, [=](double value) { WalkerValues w = v; w[p] = value; return make_walker(walker, w); }};
    auto t0 = std::chrono::steady_clock::now();
    auto all = continue_cycles(f, {.from = from, .to = to});
    printf("%s %s: %.2f s\n", walker, p, std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    for (auto& b : all) {
      printf("  steps %d parent %d points %zu from %.6f to %.6f: %s\n", b.steps, b.parent, b.points.size(), b.points.front().value, b.points.back().value, b.end.c_str());
      for (auto& k : b.bifurcations) printf("     %s at %.10f\n", name_of(k.kind), k.value);
    }
  };
  const double deg = 180/3.14159265358979323846;
  show("simplest", "slope_deg", 0.009*deg, 0.02*deg, {});
  show("compass", "slope_deg", 3, 5.5, {{"leg_mass", 5}, {"hip_mass", 10}, {"gravity", 9.8}});
}

}  // namespace
}  // namespace amble
