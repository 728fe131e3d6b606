#include "amble/simulation/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/simulation/integrator.hpp"

namespace amble {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kJustAfter = 1e-6;     // of a step: where a guard shows its sign after its event
constexpr double kSameInstant = 1e-12;  // relative: events this close happen together
constexpr double kPileGap = 1e-6;       // s, relative: events of a guard that come ever faster and faster than this pile up
constexpr int kShrinking = 3;

double relative_to(double t) { return std::max(1.0, std::abs(t)); }
signed char sign_of(double value) { return value > 0.0 ? 1 : -1; }
bool same_instant(double before, double t) { return t - before <= kSameInstant * relative_to(t); }
/// Where in the step from a to b guards show their sign after an event at a: never within the rounding of a.
double just_after(double a, double b) {
  return std::min(b, a + std::max(kJustAfter * (b - a), kSameInstant * relative_to(a)));
}

}  // namespace

EventFinder::EventFinder(const Flow& flow)
    : guards_(flow.guards()),
      crossed_(guards_),
      roots_(guards_),
      values_(guards_),
      samples_(kSamples, guards_),
      q_(flow.mechanism() == nullptr ? 0 : flow.mechanism()->nq()),
      x_(flow.size()) {
  memory_.sign.resize(guards_);
  memory_.piles.resize(2 * guards_);
  memory_.muted.resize(guards_);
}

void EventFinder::set_memory(const Memory& memory) {
  if (memory.sign.size() != memory_.sign.size())
    throw Error(fmt::format("the pace is of a flow with {} guards, but this one has {}", memory.sign.size(),
                            memory_.sign.size()));
  memory_ = memory;
}

void EventFinder::restart(Flow& flow, double t, const double* q, const double* x) {
  memory_.just_happened = false, memory_.last = memory_.before_last = -kNever;
  std::fill(memory_.piles.begin(), memory_.piles.end(), Memory::Pile{-kNever, kNever, 0});
  std::fill(memory_.muted.begin(), memory_.muted.end(), 0);
  if (guards_ == 0) return;
  flow.guard_values(t, q, x, values_.data());
  std::transform(values_.begin(), values_.end(), memory_.sign.begin(), sign_of);
}

double EventFinder::horizon(double t) const {
  if (!std::isfinite(memory_.before_last)) return kNever;
  const double until = memory_.last + std::max(memory_.last - memory_.before_last, kPileGap * relative_to(t));
  return until > t + kSameInstant * relative_to(t) ? until : kNever;
}

// ---- where

void EventFinder::values_at(Integrator& run, double t, double* values) {
  run.interpolate(t, q_, x_);
  run.flow_.guard_values(t, q_.data(), x_.data(), values);
  for (int i = 0; i < guards_; ++i)
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("'{}' is no number at {} s: no event can be found", run.flow_.guard_name(i), t));
}

/// Right after an event guards may be at zero up to rounding, and those of another mode begin to count: the motion after it
/// tells on which side they are.
void EventFinder::sample(Integrator& run, double a, double b) {
  const double first = memory_.just_happened ? just_after(a, b) : a;
  for (int k = 0; k < kSamples; ++k)
    values_at(run, k == 0 ? first : k + 1 < kSamples ? a + k * (b - a) / (kSamples - 1) : b, samples_.row(k).data());
  memory_.just_happened = false;
  for (int i = 0; i < guards_; ++i)
    if (memory_.sign[i] == 0) memory_.sign[i] = sign_of(samples_(0, i));
}

/// Where on the interpolant a guard changes its sign, on the far side of it; regula falsi (Illinois).
double EventFinder::root(Integrator& run, int guard, double a, double b) {
  values_at(run, a, values_.data());
  double at_a = values_[guard];
  values_at(run, b, values_.data());
  double at_b = values_[guard];
  if (sign_of(at_a) == sign_of(at_b)) at_a = -at_b;  // right after an event
  for (int i = 0, side = 0; i < 200 && b - a > 0.01 * kSameInstant * relative_to(b); ++i) {
    const bool halve = i > 20;
    double t = halve ? 0.5 * (a + b) : (a * at_b - b * at_a) / (at_b - at_a);
    if (!(t > a && t < b)) t = 0.5 * (a + b);
    if (!(t > a && t < b)) break;
    values_at(run, t, values_.data());
    const double value = values_[guard];
    if (sign_of(value) == sign_of(at_b)) {
      b = t, at_b = value;
      if (side == 1) at_a *= 0.5;
      side = 1;
    } else {
      a = t, at_a = value;
      if (side == -1) at_b *= 0.5;
      side = -1;
    }
  }
  return b;
}

/// The first change of sign in the step from a to b; infinity when there is none. A guard that goes through zero and back
/// between two samples is found when the parabola through three of them shows it.
double EventFinder::first_change(Integrator& run, int guard, double a, double b) {
  const signed char sign = memory_.sign[guard];
  const auto time = [&](double k) { return k >= kSamples - 1 ? b : a + k * (b - a) / (kSamples - 1); };
  if (sign_of(samples_(0, guard)) != sign) {  // at the start, or right after an event there
    values_at(run, a, values_.data());
    return sign_of(values_[guard]) != sign ? a : root(run, guard, a, just_after(a, b));
  }
  for (int k = 1; k < kSamples; ++k) {
    if (k + 1 < kSamples) {
      const double g0 = samples_(k - 1, guard), g1 = samples_(k, guard), g2 = samples_(k + 1, guard);
      const double bend = g0 - 2.0 * g1 + g2, at = 0.5 * (g0 - g2) / bend, peak = g1 - 0.25 * (g0 - g2) * at;
      const bool inside = std::abs(at) < 1.0 && sign * bend > 0.0;
      if (inside && sign_of(g1) == sign && sign * peak < 0.1 * std::abs(bend)) {
        values_at(run, time(k + at), values_.data());
        if (sign_of(values_[guard]) != sign) return root(run, guard, time(at < 0.0 ? k - 1 : k), time(k + at));
      }
    }
    if (sign_of(samples_(k, guard)) != sign) return root(run, guard, time(k - 1), time(k));
  }
  return kNever;
}

/// From the interpolant to the motion: the step is taken again to where the guard is zero, by Newton's method. One that has
/// changed its sign at the start, as guards of a new mode may, need not be near zero: it happens there. Nor need one that
/// jumps, as where redundant contacts can no longer share their load: it happens right after.
double EventFinder::refine(Integrator& run, int guard, double t) {
  if (t <= run.t_start_) {
    run.retake(run.t_start_);
    return run.t_start_;
  }
  const double h = run.t_ - run.t_start_, end = run.t_;
  const double before = std::max(run.t_start_, t - 1e-4 * h), after = std::min(end, t + 1e-4 * h);
  values_at(run, before, values_.data());
  const double at_before = values_[guard];
  values_at(run, after, values_.data());
  const double rise = values_[guard] - at_before, slope = rise / (after - before);
  for (int i = 0;; ++i) {
    run.retake(t);
    run.flow_.guard_values(run.t_, run.q_.data(), run.x_.data(), values_.data());
    if (i == 0 && sign_of(values_[guard]) != memory_.sign[guard] && std::abs(values_[guard]) > 0.25 * std::abs(rise)) return t;
    const double next = std::clamp(t - values_[guard] / slope, run.t_start_, end);
    if (i == 4 || !std::isfinite(next) || std::abs(next - t) <= 0.1 * kSameInstant * relative_to(t)) return t;
    t = next;
  }
}

/// It counts again after a step in which it kept its sign.
double EventFinder::change_of_muted(int guard) {
  const auto values = samples_.col(guard);
  memory_.sign[guard] = sign_of(values[kSamples - 1]);
  memory_.muted[guard] = std::any_of(values.begin(), values.end(), [&](double v) { return sign_of(v) != memory_.sign[guard]; });
  return kNever;
}

bool EventFinder::find(Integrator& run) {
  if (guards_ == 0) return false;
  const double a = run.t_start_, b = run.t_;
  sample(run, a, b);
  for (int i = 0; i < guards_; ++i) roots_[i] = memory_.muted[i] ? change_of_muted(i) : first_change(run, i, a, b);
  const auto first = std::min_element(roots_.begin(), roots_.end());
  if (*first == kNever) return false;
  const double on_interpolant = *first, t = refine(run, static_cast<int>(first - roots_.begin()), on_interpolant);
  for (int i = 0; i < guards_; ++i) {
    const bool now = roots_[i] - on_interpolant <= kSameInstant * relative_to(t);
    crossed_[i] = now ? -memory_.sign[i] : 0;
  }
  return true;
}

// ---- what

bool EventFinder::Memory::Pile::high(double t) const {
  return shrinking >= kShrinking && gap < kPileGap * relative_to(t);
}

/// A guard that has piled up, or -1.
int EventFinder::note_events(double t) {
  int piled = -1;
  for (int i = 0; i < guards_; ++i) {
    if (crossed_[i] == 0) continue;
    Memory::Pile& pile = memory_.piles[2 * i + (crossed_[i] > 0 ? 1 : 0)];
    const double gap = t - pile.last;
    pile.shrinking = gap <= 0.999 * pile.gap ? pile.shrinking + 1 : 0;
    pile.last = t, pile.gap = gap;
    if (pile.high(t)) piled = i;
  }
  return piled;
}

bool EventFinder::happen(Flow& flow, double t, double* q, double* x) {
  const int piled = note_events(t);
  const bool changed = flow.happen(t, crossed_, q, x);
  if (piled >= 0 && !changed) memory_.muted[piled] = true;
  const bool any = std::any_of(crossed_.begin(), crossed_.end(), [](signed char c) { return c != 0; });
  if (any && changed && !same_instant(memory_.last, t)) memory_.before_last = memory_.last, memory_.last = t;
  // One that had its event at this very instant before is still at zero.
  for (int i = 0; i < guards_; ++i)
    if (crossed_[i] != 0 || same_instant(std::max(memory_.piles[2 * i].last, memory_.piles[2 * i + 1].last), t))
      memory_.sign[i] = 0;
  memory_.just_happened = true;
  std::fill(crossed_.begin(), crossed_.end(), 0);
  if (piled >= 0 && changed)
    throw Error(fmt::format("events of '{}' pile up (Zeno) at {:.12g} s: the last came less than {:.0e} s after the one "
                            "before; an element that comes to rest below some speed lets the motion go on",
                            flow.guard_name(piled), t, kPileGap * relative_to(t)));
  return changed;
}

}  // namespace amble
