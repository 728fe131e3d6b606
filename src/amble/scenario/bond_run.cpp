#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/scenario/bond_file.hpp"
#include "amble/scenario/run_length.hpp"

namespace amble {

namespace {

constexpr int kSamples = 4;  // of a step, where its lowest point is looked for
constexpr double kNear =
    1e-3;  // part of the way to the next sample, to tell whether it rises or falls at an end

/// Where a function that falls and then rises is least.
template <class F>
double golden_section(const F& f, double a, double b) {
  const double golden = (3.0 - std::sqrt(5.0)) / 2.0;
  double c = a + golden * (b - a), d = b - golden * (b - a), at_c = f(c), at_d = f(d);
  while (b - a > 1e-8) {
    if (at_c < at_d)
      b = d, d = c, at_d = at_c, c = a + golden * (b - a), at_c = f(c);
    else
      a = c, c = d, at_c = at_d, d = b - golden * (b - a), at_d = f(d);
  }
  return (a + b) / 2;
}

}  // namespace

BondFileRun::BondFileRun(const BondFile& file, const BondRunSettings& settings)
    : settings_(settings),
      simulator_(file.graph, {.tolerance = settings.tolerance, .step = settings.step},
                 settings.representation, settings.integrator),
      names_(settings.record) {
  if (!(settings.duration > 0.0) || !std::isfinite(settings.duration))
    throw Error(fmt::format("a run of {} s is asked for: expected more than 0", settings.duration));
  if (const auto flaw =
          run_length_flaw({settings.duration, settings.row_interval(), settings.step, settings.integrator}))
    throw Error(fmt::format("'simulation.{}' {}", flaw->key, flaw->reason));
  if (file.q.size() > 0) simulator_.reset(file.q, file.v);
  if (names_.empty()) names_ = simulator_.state_names();
  for (const std::string& name : settings.lowest)
    lowest_.push_back({name, simulator_.value(name), simulator_.t()});
  add_row();
}

void BondFileRun::add_row() {
  t_.push_back(simulator_.t());
  for (const std::string& name : names_) {
    values_.push_back(simulator_.value(name));
    if (!std::isfinite(values_.back()))
      throw Error(fmt::format("'{}' is {} at t = {} s: is something divided by zero?", name, values_.back(),
                              t_.back()));
  }
}

/// In the last step: the lowest of a few samples, then by golden section between its neighbours, unless the
/// quantity falls or rises all the way. Steps whose samples stay far above are passed over.
void BondFileRun::look_lower(BondLowest& lowest, double from) {
  const double span = simulator_.t() - from;
  const auto at = [&](double part) {
    return simulator_.value_at(std::min(from + part * span, simulator_.t()), lowest.name);
  };
  const auto take = [&](double part) {
    if (const double now = at(part); now < lowest.value) lowest.value = now, lowest.t = from + part * span;
  };
  std::array<double, kSamples + 1> samples;
  for (int k = 0; k <= kSamples; ++k) samples[k] = at(static_cast<double>(k) / kSamples);
  const auto [least, most] = std::ranges::minmax_element(samples);
  if (2 * *least - *most > lowest.value) return;
  const auto best = static_cast<double>(least - samples.begin());
  const double a = std::max(best - 1, 0.0) / kSamples, b = std::min<double>(best + 1, kSamples) / kSamples;
  const double near = kNear * (b - a);
  if ((best == 0 && at(near) >= samples.front()) || (best == kSamples && at(1.0 - near) >= samples.back()))
    return take(best / kSamples);
  take(golden_section(at, a, b));
}

void BondFileRun::advance(double end) {
  while (simulator_.t() < end) {
    const double from = simulator_.t();
    simulator_.step_towards(end);
    for (BondLowest& lowest : lowest_) look_lower(lowest, from);
  }
}

bool BondFileRun::run(const std::function<bool(double t)>& watch) {
  const double interval = settings_.row_interval();
  for (long k = 1; simulator_.t() < settings_.duration; ++k) {
    const double next = static_cast<double>(k) * interval;
    advance(next < settings_.duration * (1 - 1e-9) ? next : settings_.duration);
    add_row();
    if (watch && !watch(simulator_.t())) return false;
  }
  return true;
}

BondRecord BondFileRun::record() const {
  const auto columns = static_cast<Eigen::Index>(names_.size()), rows = static_cast<Eigen::Index>(t_.size());
  BondRecord out{names_, t_, OwnedRowMatrix(rows, columns)};
  std::copy(values_.begin(), values_.end(), out.values.data());
  return out;
}

}  // namespace amble
