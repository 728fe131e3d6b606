#include "amble/gait/driven_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/walkers/swing_clearance.hpp"

namespace amble {

namespace {

constexpr double kFallen = 0.5;  // of the height of the centre of mass: below it the walker lies

struct Footfall {
  double t;
  int foot;
  double place;  // along the floor
};

/// A walk on its way, with what is measured.
class Run {
 public:
  Run(const DrivenWalker& walker, const DrivenWalkOptions& options)
      : stage_(driven_stage(walker, options.floor, [this](double t, int stance, double i) { hear(t, stance, i); })),
        options_(options),
        from_(options.measured_from.value_or(0.5 * options.duration)),
        simulator_(stage_.mechanism, stage_.elements, {}, {.integrator = {.tolerance = options.tolerance}}),
        work_(stage_.mechanism) {
    simulator_.reset(stage_.q, stage_.v);
  }

  DrivenWalk walk() {
    try {
      go();
    } catch (const Error& e) {
      fail(fmt::format("cannot go on: {}", e.what()));
    }
    finish();
    return std::move(out_);
  }

 private:
  void go() {
    keep();
    while (simulator_.t() < options_.duration && !out_.fell) {
      if (!begun_ && simulator_.t() >= from_) begin();
      simulator_.step_towards(begun_ ? options_.duration : std::min(from_, options_.duration));
      note_footfalls();
      measure();
      keep();
      look_for_fall();
      if (options_.watch && !options_.watch(simulator_.t() / options_.duration)) return fail("was stopped");
    }
  }
  void fail(const std::string& how) { out_.fell = true, out_.failure = how; }

  /// What the motor tells.
  void hear(double, int stance, double current) {
    stance_ = stance, current_ = current;
    if (begun_) out_.peak_current = std::max(out_.peak_current, std::abs(current));
  }

  void begin() {
    begun_ = true, begin_time_ = simulator_.t();
    before_ = simulator_.ledger();
    events_before_ = simulator_.events().size();
  }

  Vector3<double> foot(int i) {
    return pose(stage_.mechanism, work_, simulator_.q(), stage_.feet[i].frame).translation();
  }
  double height(int i) { return foot(i).z() - stage_.feet[i].radius; }

  void note_footfalls() {
    const auto& events = simulator_.events();
    for (; seen_ < events.size(); ++seen_)
      for (int i = 0; i < feet(); ++i)
        if (events[seen_].name == stage_.feet[i].comes_down) land(events[seen_].t, i);
  }
  void land(double t, int i) {
    if (i == down_) return;  // a foot that slipped off its place and on again is no step
    down_ = i;
    falls_.push_back({t, i, foot(i).x()});
    if (begun_ && std::isfinite(swing_.margin())) clearances_.push_back(swing_.margin());
    swing_ = SwingClearance();
  }

  void measure() {
    if (!begun_ || feet() != 2) return;
    const double h = height(down_ < 0 ? 1 : 1 - down_), dt = simulator_.t() - last_;
    if (h > kOffFloor) swing_.visit(h);
    if (last_ > 0.0) height_time_ += h * dt, swing_time_ += dt;
    last_ = simulator_.t();
  }

  void keep() {
    if (options_.interval <= 0.0 || simulator_.t() + 1e-9 < next_sample_) return;
    next_sample_ = simulator_.t() + options_.interval;
    out_.samples.push_back({simulator_.t(), simulator_.q(), simulator_.v(), current_, stance_});
  }

  void look_for_fall() {
    const double t = simulator_.t();
    if (t - last_look_ < kLook) return;
    last_look_ = t;
    if (center_of_mass(stage_.mechanism, work_, simulator_.q()).z() < kFallen * stage_.height) return fail("falls");
    const double since = falls_.empty() ? 0.0 : falls_.back().t;
    if (t - since > stage_.longest_step) fail("stands still");
  }

  // ---- figures

  void finish() {
    out_.walked = simulator_.t(), out_.steps = static_cast<int>(falls_.size());
    out_.weight = stage_.mechanism.mass() * stage_.mechanism.gravity().norm();
    for (const Footfall& fall : falls_) out_.footfalls.push_back(fall.t);
    out_.ledger = simulator_.ledger();
    if (!begun_) return;
    steps();
    powers();
    if (!clearances_.empty()) {
      for (const double c : clearances_) out_.clearance += c / static_cast<double>(clearances_.size());
      out_.lowest_clearance = *std::ranges::min_element(clearances_);
    }
    if (swing_time_ > 0.0) out_.swing_height = height_time_ / swing_time_;
    const double work = out_.weight * out_.speed;
    const auto cost = [&](double power) { return work > 0.0 ? power / work : std::numeric_limits<double>::infinity(); };
    out_.cost_of_transport = cost(out_.shaft);
    out_.electric_cost = cost(out_.battery + out_.burnt);
    out_.total_cost = cost(out_.total());
  }

  void steps() {
    std::erase_if(falls_, [&](const Footfall& fall) { return fall.t < begin_time_; });
    const int n = static_cast<int>(falls_.size()) - 1;
    if (n < 1) return;
    out_.measured_steps = n;
    const double time = falls_.back().t - falls_.front().t, way = falls_.back().place - falls_.front().place;
    out_.speed = way / time, out_.step_length = way / n, out_.period = time / n;
    double squares = 0.0, length[2] = {0.0, 0.0};
    int count[2] = {0, 0};
    for (int i = 1; i <= n; ++i) {
      const double dt = falls_[i].t - falls_[i - 1].t - out_.period;
      squares += dt * dt;
      length[falls_[i].foot & 1] += falls_[i].place - falls_[i - 1].place, ++count[falls_[i].foot & 1];
    }
    out_.period_spread = std::sqrt(squares / n);
    if (count[0] > 0 && count[1] > 0)
      out_.asymmetry = (length[0] / count[0] - length[1] / count[1]) / out_.step_length;
  }

  /// Differences of the books over what was measured.
  void powers() {
    const double time = simulator_.t() - begin_time_;
    if (!(time > 0.0)) return;
    double knees = 0.0;
    for (std::size_t i = events_before_; i < simulator_.events().size(); ++i)
      if (simulator_.events()[i].name.find(kMagnet) != std::string::npos) knees += simulator_.events()[i].lost;
    out_.knees = knees / time;
    out_.feet = (out_.ledger.losses - before_.losses - knees) / time;
    for (std::size_t i = 0; i < out_.ledger.entries.size(); ++i) {
      const LedgerEntry& now = out_.ledger.entries[i];
      const LedgerEntry then = i < before_.entries.size() ? before_.entries[i] : LedgerEntry();
      const double supplied = (now.supplied - then.supplied) / time, heat = (now.dissipated - then.dissipated) / time,
                   delivered = (now.delivered - then.delivered) / time;
      if (now.name == kDriveMotor)
        out_.battery = supplied, out_.copper = heat, out_.shaft = delivered, out_.joint += delivered;
      else if (now.name == kDriveGearbox)
        out_.gearbox = heat, out_.joint += delivered;
      else if (now.name == kDriveAmplifier)
        out_.burnt = heat;
      else if (now.name == kElectronics)
        out_.electronics = heat;
      else if (now.name.ends_with(kMagnet))
        out_.magnets += heat;
      else if (now.name.ends_with(" foot"))
        out_.feet += heat;
      else
        out_.joints += heat;
    }
  }

  int feet() const { return static_cast<int>(stage_.feet.size()); }

  static constexpr double kLook = 0.01;      // s
  static constexpr double kOffFloor = 1e-5;  // m: below it a foot has not left yet

  bool begun_ = false;  // the first four: the motor tells already while the others are made
  int stance_ = 0;
  double current_ = 0.0;
  DrivenWalk out_;
  DrivenStage stage_;
  const DrivenWalkOptions& options_;
  double from_;
  Simulator simulator_;
  Workspace work_;
  std::size_t seen_ = 0, events_before_ = 0;
  double begin_time_ = 0.0, last_look_ = 0.0, next_sample_ = 0.0, last_ = 0.0, height_time_ = 0.0, swing_time_ = 0.0;
  int down_ = -1;
  std::vector<Footfall> falls_;
  SwingClearance swing_;
  std::vector<double> clearances_;
  Ledger before_;
};

void check(const DrivenWalkOptions& o) {
  if (!(o.duration > 0.0) || !std::isfinite(o.duration))
    throw Error(fmt::format("a walk of {} s is asked for: expected more than 0", o.duration));
  if (o.measured_from && !(*o.measured_from >= 0.0 && *o.measured_from < o.duration))
    throw Error(fmt::format("a walk of {} s is to be measured from {} s on: expected before its end", o.duration, *o.measured_from));
}

}  // namespace

DrivenWalk walk_driven(const DrivenWalker& walker, const DrivenWalkOptions& options) {
  check(options);
  return Run(walker, options).walk();
}

}  // namespace amble
