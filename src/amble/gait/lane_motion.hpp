#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "amble/simulation/dormand_prince.hpp"
#include "amble/walkers/lane_phase.hpp"

namespace amble {

/// One number of L states.
template <int L>
using Lane = std::array<double, L>;

/// x^p to a tenth for x > 0, by the logarithm that the bits of a number spell. Lengths of steps need no more,
/// and pow() would take as long as the dynamics in lanes.
inline double rough_power(double x, double p) {
  constexpr auto kOne = std::bit_cast<std::int64_t>(1.0);
  const auto log = static_cast<double>(std::bit_cast<std::int64_t>(x) - kOne);
  return std::bit_cast<double>(static_cast<std::int64_t>(p * log) + kOne);
}

/// A step of L states (q, v) of n = 2 m numbers, each of its own length: Dormand and Prince with its
/// interpolant.
template <int L>
struct LaneMotion {
  static constexpr int kStages = dormand_prince::kStages;

  int n;
  Lane<L> h{};                                  ///< how long the step is (s)
  std::vector<Lane<L>> x, end;                  ///< where it starts and ends
  std::array<std::vector<Lane<L>>, kStages> k;  ///< rates; the first are given

  explicit LaneMotion(int numbers) : n(numbers), x(numbers), end(numbers) {
    for (auto& rates : k) rates.resize(numbers);
  }

  static double* flat(std::vector<Lane<L>>& numbers) { return numbers.data()->data(); }

  /// The rates of `state` into k[stage].
  void evaluate(LanePhase& phase, std::vector<Lane<L>>& state, int stage) {
    std::copy(state.begin() + n / 2, state.end(), k[stage].begin());
    phase.accelerations(flat(state), flat(k[stage]) + n / 2 * L);
  }

  /// From x, k[0] and h: all stages, and the end, where the last of them is.
  void take(LanePhase& phase) {
    for (int s = 1; s < kStages; ++s) {
      sum(dormand_prince::kWeight[s], s, end);
      evaluate(phase, end, s);
    }
  }

  /// The largest error of each state, relative to 1 + |x|, over `tolerance`; infinite where it is not a
  /// number.
  Lane<L> error(double tolerance) const {
    Lane<L> worst{};
    for (int i = 0; i < n; ++i) {
      Lane<L> e{};
      for (int s = 0; s < kStages; ++s)
        if (dormand_prince::kError[s] != 0.0)
          for (int l = 0; l < L; ++l) e[l] += dormand_prince::kError[s] * k[s][i][l];
      for (int l = 0; l < L; ++l) {
        const double size = std::max(std::abs(x[i][l]), std::abs(end[i][l]));
        e[l] = std::abs(h[l] * e[l]) / (tolerance * (1.0 + size));
        worst[l] = e[l] <= worst[l] ? worst[l] : e[l];
      }
    }
    for (double& e : worst)
      if (!std::isfinite(e)) e = std::numeric_limits<double>::infinity();
    return worst;
  }

  /// The states at the same fraction of every step.
  void inside(const std::array<double, kStages>& weights, std::vector<Lane<L>>& out) const {
    sum(weights.data(), kStages, out);
  }

  /// The states at their own fractions of the step.
  void inside(const Lane<L>& s, std::vector<Lane<L>>& out) const {
    std::array<Lane<L>, kStages> weights;
    for (int l = 0; l < L; ++l) {
      const auto w = dormand_prince::weights_at(s[l]);
      for (int i = 0; i < kStages; ++i) weights[i][l] = h[l] * w[i];
    }
    for (int i = 0; i < n; ++i) {
      out[i] = x[i];
      for (int j = 0; j < kStages; ++j)
        for (int l = 0; l < L; ++l) out[i][l] += weights[j][l] * k[j][i][l];
    }
  }

 private:
  void sum(const double* weights, int stages, std::vector<Lane<L>>& out) const {
    for (int i = 0; i < n; ++i) {
      Lane<L> rate{};
      for (int j = 0; j < stages; ++j)
        if (weights[j] != 0.0)
          for (int l = 0; l < L; ++l) rate[l] += weights[j] * k[j][i][l];
      for (int l = 0; l < L; ++l) out[i][l] = x[i][l] + h[l] * rate[l];
    }
  }
};

}  // namespace amble
