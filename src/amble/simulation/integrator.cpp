#include "amble/simulation/integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"

namespace amble {

namespace {

/// Relative to max(1, |t|): times this close differ by rounding alone, as the end of a run and a planned instant may.
constexpr double kNoTime = 1e-14;

constexpr long kStiff = 15;  // steps in a row that make a system stiff (Hairer and Wanner, IV.2)
constexpr double kMostFound = 1e7;  // steps in which a scheme that finds their length gets anywhere
constexpr const char* kRadau = "integrator \"radau\" takes long steps there";

}  // namespace

std::string stiffness_note(const IntegratorReport& r) {
  if (r.stiff_steps < kStiff || 2 * r.stiff_steps < r.steps) return "";
  return fmt::format("the system is stiff: {} of {} steps were short for the sake of stability alone; {}",
                     r.stiff_steps, r.steps, kRadau);
}

Integrator::Integrator(Flow& flow, const IntegratorOptions& options)
    : flow_(flow),
      mechanism_(flow.mechanism()),
      options_(options),
      nv_(mechanism_ == nullptr ? 0 : mechanism_->nv()),
      q_(mechanism_ == nullptr ? 0 : mechanism_->nq()),
      x_(flow.size()),
      q_start_(q_.size()),
      x_start_(flow.size()),
      events_(flow),
      guard_(flow) {
  if (!(options.tolerance >= 1e-15 && options.tolerance < 1.0))
    throw Error(fmt::format("a tolerance of {} is asked for: expected 1e-15 to 1", options.tolerance));
  if (!(options.first_step >= 0.0) || !(options.longest_step >= 0.0))
    throw Error("a step of an integrator is negative or not a number");
  if (!(options.step > 0.0) || !std::isfinite(options.step))
    throw Error(fmt::format("a step of {} s is asked for: expected more than 0", options.step));
}

void Integrator::set_state(double t, const VectorRef& q, const VectorRef& x) {
  if (!std::isfinite(t)) throw Error(fmt::format("the time is {}", t));
  if (x.size() != x_.size())
    throw Error(fmt::format("the state has {} numbers, but the flow has {}", x.size(), x_.size()));
  if (!x.allFinite()) throw Error("the state has a number that is not finite");
  if (mechanism_ != nullptr) mechanism_->check_configuration(q, q_);
  guard_.start(t, q_, x);
  x_ = x, t_ = t, h_ = 0.0, last_error_ = 1.0, report_ = {}, stiff_in_a_row_ = 0, run_start_ = 0;
  t_start_ = t, q_start_ = q_, x_start_ = x_;
  events_.restart(flow_, t_, q_.data(), x_.data());
  restart();
  forget_rates();
}

void Integrator::set_pace(const Pace& pace) {
  events_.set_memory(pace.events);
  h_ = pace.step, last_error_ = pace.error;
}

void Integrator::accept(double t, const OwnedVector& q, const OwnedVector& x) {
  guard_.check(t_, q_, x_, t, q, x);
  t_start_ = t_, q_start_ = q_, x_start_ = x_;
  t_ = t, q_ = q, x_ = x;
  const double h = t_ - t_start_;
  report_.shortest_step = report_.steps > 0 ? std::min(report_.shortest_step, h) : h;
  report_.longest_step = std::max(report_.longest_step, h);
  ++report_.steps;
}

/// What changes fastest may be tiny at once (a stiff spring's speed): the guess is never too short to be tried.
double Integrator::first_step(double rate) const {
  if (options_.first_step > 0.0) return options_.first_step;
  const double size = 1.0 + (x_.size() > 0 ? x_.cwiseAbs().maxCoeff() : 0.0);
  const double guess = 0.1 * std::pow(options_.tolerance, 0.2) * size / (1e-3 + rate);
  return std::max(guess, 100.0 * kNoTime * std::max(1.0, std::abs(t_)));
}

double Integrator::fixed_step(double end) const {
  // Sums of steps drift from their multiples by rounding, with the square of their number: a sliver of a step joins
  // the last one, since forces at rest over next to no time are all rounding.
  return t_ + 1.01 * options_.step >= end ? end - t_ : options_.step;
}

double Integrator::longest_step() const {
  return options_.longest_step > 0.0 ? options_.longest_step : std::numeric_limits<double>::infinity();
}

/// Times no farther apart than this are one, up to rounding (s).
double Integrator::no_time() const { return std::max(sliver_, kNoTime * std::max(1.0, std::abs(t_))); }

double Integrator::laid_step(double h, double between, bool tried) const {
  const double ahead = flow_.singular_time() - t_;
  if (!(ahead > 0.0)) return h;
  const double across = ahead / between;
  if (across <= (tried ? 1.0 : 1.3) * h) return across;
  return std::min(h, std::max(0.1 * h, ahead - between * h));
}

double Integrator::adaptive_step(double end, double between, bool tried) const {
  const double longest = options_.longest_step > 0.0 ? std::min(h_, options_.longest_step) : h_;
  const double laid = laid_step(longest, between, tried);
  return t_ + 1.01 * laid >= end ? end - t_ : laid;
}

void Integrator::give_up(const std::string& refusal) const {
  const std::string guess =
      stiff_in_a_row_ >= kStiff
          ? fmt::format("the system is stiff there; {}", kRadau)
          : fmt::format("the motion has a singularity there, or the tolerance {:g} is beyond reach",
                        options_.tolerance);
  throw Error(fmt::format("the steps shrink to nothing at {} s: {}", t_, refusal.empty() ? guess : refusal));
}

void Integrator::give_up(double h, const std::string& reason) const {
  throw Error(fmt::format("a step of {} s at {} s fails: {}", h, t_, reason));
}

std::string Integrator::not_finite(const OwnedVector& d, const OwnedVector& x) const {
  return guard_.not_finite(d, x) + "; take shorter steps";
}

long Integrator::most_steps() const {
  if (options_.most_steps > 0) return options_.most_steps;
  const double most = limit(Limit::steps);
  return static_cast<long>(std::isfinite(longest_step()) ? most : std::min(most, kMostFound));
}

void Integrator::start_run(double end) {
  run_start_ = report_.steps + report_.rejected;
  const double least = (end - t_) / longest_step();
  if (!(least > static_cast<double>(most_steps()))) return;
  throw Error(fmt::format("a run from {:g} s to {:g} s in steps of {:g} s takes {:.3g} steps; {}", t_, end,
                          longest_step(), least,
                          options_.most_steps > 0 ? fmt::format("most_steps is {}", options_.most_steps)
                                                  : limit_text(Limit::steps)));
}

/// A stiff motion is given up when a tenth of the steps allowed went into it and those left would not do, at this
/// length.
void Integrator::check_progress(double end) const {
  const long most = most_steps(), left = most - (report_.steps + report_.rejected - run_start_);
  const bool stiff = stiff_in_a_row_ >= kStiff;
  if (stiff && stiff_in_a_row_ >= most / 10 && end - t_ > static_cast<double>(left) * h_)
    throw Error(
        fmt::format("the system is stiff at {} s: steps have collapsed to {:.2g} s and would not reach {} s within "
                    "{}; {}",
                    t_, h_, end, most, kRadau));
  if (left > 0) return;
  throw Error(fmt::format("{} steps have not reached {} s: the motion is at {} s{}", most, end, t_,
                          stiff ? fmt::format(", where the system is stiff; {}", kRadau) : ""));
}

void Integrator::step(double end) {
  if (!(end > t_)) throw Error(fmt::format("a step to {} s is asked for at {} s", end, t_));
  check_progress(end);
  while (t_ < end && !go_towards(end)) {
  }
  while (t_ < end && end - t_ <= no_time()) go_towards(end);
}

/// One step of the scheme; or what is planned for now happens, or the clock goes on by rounding alone. False when the state
/// did not move.
bool Integrator::go_towards(double end) {
  const double instant = flow_.next_instant(t_, x_.data()), until = std::min({end, instant, events_.horizon(t_)});
  const double before = t_;
  const bool moves = until - t_ > no_time();
  if (moves)
    take(until, false);
  else
    t_ = std::max(t_, until);
  const bool found = moves && events_.find(*this);
  if (moves && !keeps_books()) flow_.book_step(q_start_.data(), x_start_.data(), q_.data(), x_.data());
  bool changed = moves && flow_.after_step(t_, q_.data(), x_.data());
  guard_.note_progress(before, t_);
  try {
    if (found || t_ >= instant) changed |= events_.happen(flow_, t_, q_.data(), x_.data());
  } catch (...) {
    forget_rates();
    throw;
  }
  if (changed) check_change();
  return moves;
}

/// Of a state that was rewritten after a step or at an event: one that cannot be is taken back to the start of the step.
void Integrator::check_change() {
  forget_rates();
  try {
    guard_.check(t_start_, q_start_, x_start_, t_, q_, x_);
  } catch (const Error&) {
    t_ = t_start_, q_ = q_start_, x_ = x_start_;
    throw;
  }
}

void Integrator::retake(double t) {
  const IntegratorReport report = report_;
  const double h = h_, error = last_error_;
  t_ = t_start_, q_ = q_start_, x_ = x_start_;
  rewind();
  if (t > t_start_) take(t, true);
  report_.steps = report.steps, report_.rejected = report.rejected, report_.stiff_steps = report.stiff_steps;
  h_ = h, last_error_ = error;
}

void Integrator::run(double end, const std::function<void()>& watch) {
  start_run(end);
  while (t_ < end) {
    step(end);
    if (watch) watch();
  }
}

void Integrator::interpolate(double t, OwnedVector& q, OwnedVector& x) const {
  if (!(t >= t_start_ && t <= t_))
    throw Error(
        fmt::format("the state at {} s is asked for, but the last step went from {} s to {} s", t, t_start_, t_));
  if (t == t_) {
    q = q_, x = x_;
  } else if (t == t_start_) {
    q = q_start_, x = x_start_;
  } else {
    interpolate_inside(t, q, x);
  }
}

}  // namespace amble
