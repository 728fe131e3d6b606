#include "amble/walkers/lane_phase.hpp"

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

std::unique_ptr<LanePhase> StepPhase::in_lanes() const { return nullptr; }

OneByOneLanes::OneByOneLanes(StepPhase& phase, int next_freedoms, int lanes)
    : phase_(phase),
      lanes_(lanes),
      next_(2 * next_freedoms),
      x_(static_cast<std::size_t>(2 * phase.freedoms())),
      result_(static_cast<std::size_t>(std::max({next_, phase.freedoms(), 1 + phase.failures()}))) {}

/// f(x, result) for the state in every lane.
template <class F>
void OneByOneLanes::each(const double* x, double* results, int size, const F& f) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (int lane = 0; lane < lanes_; ++lane) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = x[i * lanes_ + lane];
    try {
      if (std::all_of(x_.begin(), x_.end(), [](double number) { return std::isfinite(number); }))
        f(x_.data(), result_.data());
      else
        std::fill(result_.begin(), result_.end(), kNone);
    } catch (const Error&) {
      std::fill(result_.begin(), result_.end(), kNone);
    }
    for (int i = 0; i < size; ++i) results[i * lanes_ + lane] = result_[i];
  }
}

void OneByOneLanes::accelerations(const double* x, double* a) {
  each(x, a, phase_.freedoms(),
       [this](const double* at, double* out) { phase_.acceleration(at, out, nullptr); });
}

void OneByOneLanes::guards(const double* x, double* values) {
  each(x, values, 1 + phase_.failures(), [this](const double* at, double* out) {
    out[0] = phase_.guard(at, nullptr);
    phase_.failure_values(at, out + 1);
  });
}

void OneByOneLanes::counting(const double* x, double* values) {
  each(x, values, 1, [this](const double* at, double* out) { out[0] = phase_.counts(at) ? 1.0 : -1.0; });
}

void OneByOneLanes::reset(const double* x, double* next) {
  each(x, next, next_, [this](const double* at, double* out) { phase_.reset(at, out, nullptr); });
}

}  // namespace amble
