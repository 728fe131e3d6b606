#include "amble/gait/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "amble/base/error.hpp"

namespace amble {

double Walk::distance() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const StepLedger& s) { return sum + s.length; });
}
double Walk::duration() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const StepLedger& s) { return sum + s.period; });
}
double Walk::spent() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const StepLedger& s) { return sum + s.spent + s.supplied; });
}
double StepLedger::controlled() const { return std::accumulate(laws.begin(), laws.end(), 0.0); }
double Walk::residual() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const StepLedger& s) { return sum + s.residual(); });
}
double Walk::exchanged() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0, [](double sum, const StepLedger& s) {
    for (const double law : s.laws) sum += std::abs(law);
    return sum + std::abs(s.gravity) + std::abs(s.springs) + std::abs(s.dampers) + std::abs(s.lost) +
           std::abs(s.supplied) + std::abs(s.pushed);
  });
}

WorkDone WorkDone::operator+(const WorkDone& more) const {
  WorkDone out = *this;
  out.springs += more.springs, out.dampers += more.dampers, out.supplied += more.supplied;
  out.pushed += more.pushed, out.lost += more.lost;
  out.laws.resize(std::max(laws.size(), more.laws.size()));
  for (std::size_t i = 0; i < more.laws.size(); ++i) out.laws[i] += more.laws[i];
  return out;
}

void StepDown::validate() const {
  if (!(height >= 0.0) || !std::isfinite(height) || footfall < 1)
    throw Error(fmt::format("a step down of {} m at footfall {}: expected a height of 0 or more and a footfall of 1 or more",
                            height, footfall));
}

namespace {

double drop_at(const std::vector<StepDown>& floor, int footfall) {
  double height = 0.0;
  for (const StepDown& down : floor)
    if (down.footfall == footfall) height += down.height;
  return height;
}

StepLedger ledger_of(const Step& step, double pushed) {
  StepLedger out{step.period, step.length, step.gravity_work,
                 step.spring_work, step.damper_work, step.lost,
                 step.kinetic_after - step.kinetic_before + pushed, step.supplied};
  out.laws.assign(step.law_work.begin(), step.law_work.end() - 1);
  out.spent = step.law_work.back(), out.pushed = pushed;
  return out;
}

/// What the event at the end of a phase gives and takes.
WorkDone work_of_event(StepModel& model, int phase, const double* x) {
  OwnedVector next(2 * model.phase((phase + 1) % model.phases()).freedoms());
  const double supplied = model.phase(phase).energy_supplied(x);
  return {.supplied = supplied, .lost = model.phase(phase).reset(x, next.data(), nullptr)};
}

/// Keeps what is seen along the way.
class Witness {
 public:
  Witness(StepModel& model, Walk& walk, bool samples) : model_(model), walk_(walk), samples_(samples) {}

  void begin_step(int step, double t0, const FloorPlace& place, double drop, double pushed) {
    before_.pushed += pushed;
    step_ = step, t0_ = t0, moment_.place = place, moment_.drop = drop;
  }

  /// The numbers are the state and, behind it, the books of this phase.
  void see(int phase, double t, const OwnedVector& numbers, bool event) {
    model_.visit(phase, numbers.data(), event);
    if (!samples_) return;
    const int m = model_.phase(phase).freedoms();
    moment_.phase = phase, moment_.x = numbers.head(2 * m), moment_.a = OwnedVector(m);
    model_.phase(phase).acceleration(numbers.data(), moment_.a.data(), nullptr);
    const double* const books = numbers.data() + 2 * m;
    const WorkDone done = before_ + WorkDone{.springs = books[1],
                                             .dampers = books[2],
                                             .laws = {books + 3, books + 3 + model_.phase(phase).laws().size()}};
    auto [q, v] = model_.full_state_at(moment_.place, phase, numbers.data());
    walk_.samples.push_back({t0_ + t, step_, phase, std::move(q), std::move(v), moment_, event, done});
    if (event) pass_event(phase, numbers.data(), done);
  }

 private:
  void pass_event(int phase, const double* x, const WorkDone& done) {
    before_ = done + work_of_event(model_, phase, x);
    moment_.place = moment_.place.then(model_.next_place(phase, x));
    if (model_.lands(phase)) ++moment_.footfalls;
  }

  StepModel& model_;
  Walk& walk_;
  bool samples_;
  int step_ = 0;
  double t0_ = 0.0;
  WalkMoment moment_;
  WorkDone before_;
};

}  // namespace

Walk walk(ReturnMap& map, const VectorRef& x, int steps, const WalkOptions& options) {
  StepModel& model = map.model();
  for (const StepDown& down : options.floor) down.validate();
  const bool steps_in_floor = std::any_of(options.floor.begin(), options.floor.end(),
                                          [](const StepDown& down) { return down.height != 0.0; });
  if (steps_in_floor && model.footfalls() > 1)
    throw Error("a step down needs a walker that returns after each step, not after a full stride");
  Walk walk{.asked = steps, .x = x, .laws = model.phase(0).laws()};
  model.begin_assumptions();
  double t0 = 0.0;
  FloorPlace start;
  Witness witness(model, walk, options.samples);
  const auto visit = [&](int phase, double t, const OwnedVector& at, bool event) {
    witness.see(phase, t, at, event);
  };
  for (int i = 0; i < steps; ++i) {
    const double before = model.phase(0).kinetic_energy(walk.x.data());
    WalkStart now{i, t0, model, start, walk.x};
    if (options.before) options.before(now);
    const double pushed = options.before ? model.phase(0).kinetic_energy(walk.x.data()) - before : 0.0;
    witness.begin_step(i, t0, start, -start.z, pushed);
    model.set_drop(drop_at(options.floor, i + 1));
    const Step step = map(walk.x, ReturnMap::Want::books, visit);
    if (!step.completed) {
      walk.fell = true, walk.failure = step.failure, walk.last = ledger_of(step, pushed);
      break;
    }
    walk.steps.push_back(ledger_of(step, pushed));
    walk.x = step.x;
    t0 += step.period, start = start.then(step.place);
    if (options.finished && options.finished(step)) break;
  }
  model.set_drop(0.0);
  walk.place = start;
  walk.assumptions = model.assumptions();
  return walk;
}

Walk walk(ReturnMap& map, const VectorRef& x, int steps, const StepDown& down) {
  return walk(map, x, steps, WalkOptions{.floor = {down}});
}

std::string stability_note(const Gait& gait) {
  const std::complex<double> z = gait.leading();
  const double size = std::abs(z);
  const std::string kept =
      gait.neutral > 0 ? "; what a disturbance adds to the energy stays, neither growing nor shrinking" : "";
  if (size == 0.0) return "stable: every disturbance is gone after a step" + kept;
  const std::string steps = gait.footfalls == 1 ? "each step" : fmt::format("every {} steps", gait.footfalls);
  const std::string swing = z.imag() != 0.0  ? ", turning as it goes"
                            : z.real() < 0.0 ? ", alternating from step to step"
                                             : "";
  if (size < 1.0) {
    const double halved = std::log(0.5) / std::log(size) * gait.footfalls;
    return fmt::format(
        "stable: the largest multiplier has modulus {:.4g}, so a small disturbance shrinks to {:.3g} % {}{}; "
        "it halves in {:.2g} steps{}",
        size, 100.0 * size, steps, swing, halved, kept);
  }
  const double doubled = std::log(2.0) / std::log(size) * gait.footfalls;
  return fmt::format(
      "not stable: the largest multiplier has modulus {:.4g}, so a small disturbance grows to {:.3g} % {}{}; "
      "it doubles in {:.2g} steps{}",
      size, 100.0 * size, steps, swing, doubled, kept);
}

}  // namespace amble
