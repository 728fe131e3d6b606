#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace amble {

/// Seeded random numbers, the same on every machine (the standard library's distributions are not).
/// xoshiro256++ (Blackman and Vigna 2019), seeded by SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (auto& s : state_) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      s = z ^ (z >> 31);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [lower, upper).
  double uniform(double lower = 0.0, double upper = 1.0) {
    return lower + (upper - lower) * static_cast<double>(bits() >> 11) * 0x1.0p-53;
  }

  /// Standard normal by Box-Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Uniform integer in [lower, upper], both included.
  int integer(int lower, int upper) {
    return lower + static_cast<int>(bits() % static_cast<std::uint64_t>(upper - lower + 1));
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t state_[4];
};

}  // namespace amble
