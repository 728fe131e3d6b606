#include "amble/gait/walk_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/gait/walker_looks.hpp"

namespace amble {

namespace {

Mechanism looks_of(const WalkerFigure& figure, double slope) {
  ModelDescription d = on_slope(figure.mechanism().description(), slope);
  dress(d, figure.foot_radius());
  return compile(std::move(d), Physics::warn);  // a user's model was taken as it is
}

class WalkRecorder {
 public:
  WalkRecorder(StepModel& model, WalkerFigure& figure, const Walk& walk)
      : model_(model),
        figure_(figure),
        walk_(walk),
        tilt_(SO3<double>::exp(Vector3<double>(0.0, model.slope(), 0.0))),
        out_(looks_of(figure, model.slope())),
        work_(out_.mechanism()) {
    for (const WalkSample& s : walk.samples) {
      has_springs_ |= s.done.springs != 0.0, has_dampers_ |= s.done.dampers != 0.0;
      is_supplied_ |= s.done.supplied != 0.0, is_pushed_ |= s.done.pushed != 0.0;
    }
  }

  Recording record() {
    const std::vector<WalkSample>& all = walk_.samples;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool before = all[i].event;  // what is after it stands at the time of the event
      add(all[i].t, before, all[i].moment, all[i].done);
      if (before) happen(all[i], i + 1 < all.size() ? all[i + 1].moment : moment_after(all[i]));
      if (before && i + 1 == all.size()) add_state(all[i].t, moment_after(all[i]), done_after(all[i]));
    }
    if (walk_.fell && !all.empty()) out_.add_event({all.back().t, walk_.failure, 0.0});
    if (walk_.stopped && !all.empty()) out_.add_event({all.back().t, "stands", 0.0});
    out_.set_ground(ground());
    out_.set_complete(true);
    return std::move(out_);
  }

 private:
  void add(double t, bool before_event, const WalkMoment& moment, const WorkDone& done) {
    if (before_event) t = std::nextafter(t, -1.0);
    if (out_.rows() > 0 && t <= out_.t().back()) return;  // the end of a phase that takes no time
    const Posture posture = add_state(t, moment, done);
    const Mechanism& m = out_.mechanism();
    const ContactForce touch{.link_b = m.bodies()[m.body_index(posture.foot)].link,
                             .point = tilt_ * posture.point,
                             .force = tilt_ * posture.force,
                             .normal = tilt_ * Vector3<double>(0.0, 0.0, 1.0),
                             .friction = kFloorFriction};
    out_.add_contacts(t, std::span(&touch, 1));
  }

  Posture add_state(double t, const WalkMoment& moment, const WorkDone& done) {
    Posture posture = figure_.at(moment);
    const Mechanism& m = out_.mechanism();
    const double kinetic = kinetic_energy(m, work_, posture.q, posture.v),
                 potential = potential_energy(m, work_, posture.q);
    out_.add(t, posture.q, posture.v, kinetic, potential);
    out_.add_ledger(t, books(posture, kinetic + potential, done));
    return posture;
  }

  const Ledger& books(const Posture& posture, double energy, const WorkDone& done) {
    if (out_.ledgers().rows() == 0) ledger_.initial = energy, first_spring_ = last_spring_ = posture.spring_energy;
    if (events_ > seen_events_) hung_anew_ += posture.spring_energy - last_spring_;
    seen_events_ = events_, last_spring_ = posture.spring_energy;
    ledger_.final = energy, ledger_.losses = done.lost, ledger_.entries.clear();
    if (has_springs_)
      ledger_.entries.push_back({"springs", hung_anew_, done.springs, posture.spring_energy - first_spring_, 0.0});
    if (has_dampers_) ledger_.entries.push_back({"dampers", 0.0, done.dampers, 0.0, -done.dampers});
    if (is_supplied_) ledger_.entries.push_back({"actuators", done.supplied, done.supplied, 0.0, 0.0});
    if (is_pushed_) ledger_.entries.push_back({"pushes", done.pushed, done.pushed, 0.0, 0.0});
    for (std::size_t i = 0; i < walk_.laws.size(); ++i) {
      const double work = i < done.laws.size() ? done.laws[i] : 0.0;
      ledger_.entries.push_back({walk_.laws[i], work, work, 0.0, 0.0});
    }
    std::vector<double> now{done.lost};
    for (const LedgerEntry& entry : ledger_.entries) now.push_back(entry.delivered);
    last_.resize(now.size());
    for (std::size_t i = 0; i < now.size(); ++i) ledger_.exchanged += std::abs(now[i] - last_[i]);
    last_ = now;
    return ledger_;
  }

  /// But for the acceleration, which is that of a step that was not walked.
  WalkMoment moment_after(const WalkSample& s) {
    WalkMoment out = s.moment;
    out.place = out.place.then(model_.next_place(s.phase, s.moment.x.data()));
    if (model_.lands(s.phase)) ++out.footfalls;
    out.phase = (s.phase + 1) % model_.phases();
    OwnedVector next(2 * model_.phase(out.phase).freedoms());
    model_.phase(s.phase).reset(s.moment.x.data(), next.data(), nullptr);
    out.x = next, out.a = OwnedVector(next.size() / 2);
    return out;
  }
  WorkDone done_after(const WalkSample& s) {
    OwnedVector next(2 * model_.phase((s.phase + 1) % model_.phases()).freedoms());
    const double* const x = s.moment.x.data();
    return s.done + WorkDone{.supplied = model_.phase(s.phase).energy_supplied(x),
                             .lost = model_.phase(s.phase).reset(x, next.data(), nullptr)};
  }

  void happen(const WalkSample& s, const WalkMoment& after) {
    std::string name = "end of " + model_.phase(s.phase).name();
    if (model_.lands(s.phase)) {
      std::string foot = figure_.at(after).foot;
      std::replace(foot.begin(), foot.end(), '_', ' ');
      name = fmt::format("footfall ({})", foot);
    }
    out_.add_event({s.t, std::move(name), done_after(s).lost - s.done.lost});
    ++events_;
  }

  /// A plane, or one with a step in it.
  GroundDescription ground() const {
    const double slope = model_.slope(), degrees = slope * 180.0 / std::numbers::pi;
    const auto lower = std::find_if(walk_.samples.begin(), walk_.samples.end(),
                                    [](const WalkSample& s) { return s.moment.drop != 0.0; });
    if (lower == walk_.samples.end()) return description_of(*plane_ground(degrees));
    constexpr double kSpacing = 0.05, kMargin = 3.0;
    const double from = -kMargin, edge = lower->moment.place.x - 0.1, to = walk_.samples.back().moment.place.x + kMargin;
    HeightField field{.x0 = from, .y0 = -kMargin, .spacing = kSpacing};
    for (double x = from; x < to; x += kSpacing)
      field.heights.emplace_back(static_cast<std::size_t>(2.0 * kMargin / kSpacing),
                                 -x * std::tan(slope) - (x < edge ? 0.0 : lower->moment.drop / std::cos(slope)));
    return description_of(*height_field_ground(field));
  }

  StepModel& model_;
  WalkerFigure& figure_;
  const Walk& walk_;
  SO3<double> tilt_;
  Recording out_;
  Workspace work_;
  bool has_springs_ = false, has_dampers_ = false, is_supplied_ = false, is_pushed_ = false;
  Ledger ledger_;
  std::vector<double> last_;  // transfers at the last state
  double first_spring_ = 0.0, last_spring_ = 0.0, hung_anew_ = 0.0;
  int events_ = 0, seen_events_ = 0;
};

}  // namespace

Recording walk_recording(StepModel& model, const Walk& walk) {
  const std::unique_ptr<WalkerFigure> figure = model.figure();
  if (figure == nullptr) throw Error("this walker has no figure to record");
  return WalkRecorder(model, *figure, walk).record();
}

}  // namespace amble
