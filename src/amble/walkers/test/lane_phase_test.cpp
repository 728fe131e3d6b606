#include "amble/walkers/lane_phase.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "amble/base/random.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {
namespace {

/// States of all lanes, each by itself.
std::vector<OwnedVector> random_states(int size, int lanes, std::uint64_t seed) {
  Random random(seed);
  std::vector<OwnedVector> all;
  for (int l = 0; l < lanes; ++l) {
    all.emplace_back(size);
    for (double& x : all.back()) x = random.uniform(-1.0, 1.0);
  }
  return all;
}

std::vector<double> in_lanes(const std::vector<OwnedVector>& states) {
  const auto lanes = static_cast<Eigen::Index>(states.size());
  std::vector<double> out(static_cast<std::size_t>(lanes * states[0].size()));
  for (Eigen::Index l = 0; l < lanes; ++l)
    for (Eigen::Index i = 0; i < states[l].size(); ++i) out[i * lanes + l] = states[l][i];
  return out;
}

void expect_lane(const std::vector<double>& all, int lanes, int lane, const std::vector<double>& one,
                 const std::string& what) {
  double size = 1.0;
  for (const double x : one) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_NEAR(all[i * lanes + lane], one[i], 1e-11 * size)
        << what << ", number " << i << " of lane " << lane;
}

/// One by one is the reference for any other way.
void expect_the_phase(StepPhase& phase, LanePhase& lanes, int next_size, const std::string& what) {
  const int m = phase.freedoms(), L = lanes.lanes(), guards = 1 + phase.failures();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<OwnedVector> states = random_states(2 * m, L, seed);
    const std::vector<double> x = in_lanes(states);
    std::vector<double> a(m * L), values(guards * L), count(L), next(next_size * L);
    lanes.accelerations(x.data(), a.data()), lanes.guards(x.data(), values.data());
    lanes.counting(x.data(), count.data()), lanes.reset(x.data(), next.data());
    for (int l = 0; l < L; ++l) {
      std::vector<double> one_a(m), one_values(guards), one_next(next_size);
      phase.acceleration(states[l].data(), one_a.data(), nullptr);
      one_values[0] = phase.guard(states[l].data(), nullptr);
      phase.failure_values(states[l].data(), one_values.data() + 1);
      phase.reset(states[l].data(), one_next.data(), nullptr);
      expect_lane(a, L, l, one_a, what + ", acceleration"),
          expect_lane(values, L, l, one_values, what + ", guards");
      expect_lane(next, L, l, one_next, what + ", reset");
      EXPECT_EQ(count[l] > 0.0, phase.counts(states[l].data())) << what;
    }
  }
}

TEST(LanePhase, IsThePhaseOfEveryWalkerInAllItsLanes) {
  for (const WalkerKind& kind : walker_kinds())
    for (const Scuffing scuffing : {Scuffing::ignore, Scuffing::detect}) {
      const auto model = make_walker(kind.name, {}, scuffing);
      model->set_drop(0.03);
      for (int i = 0; i < model->phases(); ++i) {
        const int next = model->phase((i + 1) % model->phases()).freedoms();
        const auto own = model->phase(i).in_lanes();
        OneByOneLanes one_by_one(model->phase(i), next, 4);
        expect_the_phase(model->phase(i), own ? *own : one_by_one, 2 * next, kind.name);
      }
    }
}

TEST(LanePhase, AStateThatIsNotFiniteHarmsNoOther) {
  const auto model = make_walker("dribbel");
  StepPhase& phase = model->phase(0);
  const auto lanes = phase.in_lanes();
  const int m = phase.freedoms(), L = lanes->lanes();
  const std::vector<OwnedVector> states = random_states(2 * m, L, 3);
  std::vector<double> x = in_lanes(states), a(m * L), good(m * L);
  lanes->accelerations(x.data(), good.data());
  x[1] = std::nan("");
  lanes->accelerations(x.data(), a.data());
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < L; ++l)
      EXPECT_TRUE(l == 1 ? std::isnan(a[i * L + l]) : a[i * L + l] == good[i * L + l]) << l;
}

}  // namespace
}  // namespace amble
