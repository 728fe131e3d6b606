#include "amble/simulation/simulate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

/// Records states of a run, those between steps by the interpolant.
class Recorder {
 public:
  Recorder(Simulator& simulator, double end, double interval, Recording& recording)
      : simulator_(simulator),
        recording_(recording),
        start_(simulator.t()),
        end_(end),
        interval_(interval),
        work_(simulator.mechanism()),
        q_(simulator.mechanism().nq()),
        v_(simulator.mechanism().nv()) {
    record(start_);
  }

  void after_step() {
    const double now = simulator_.t();
    if (interval_ > 0.0)
      for (double t = next(); t < now && t < end_ - 1e-9 * interval_; t = next()) record(t);
    if (interval_ == 0.0 || now >= end_) record(now);
  }

 private:
  double next() const { return start_ + static_cast<double>(recording_.rows() - first_ + 1) * interval_; }
  void record(double t) {
    if (t > start_) simulator_.state_at(t, q_, v_);
    if (t == start_) q_ = simulator_.q(), v_ = simulator_.v();
    const Mechanism& m = simulator_.mechanism();
    recording_.add(t, q_, v_, kinetic_energy(m, work_, q_, v_), potential_energy(m, work_, q_));
  }

  Simulator& simulator_;
  Recording& recording_;
  double start_, end_, interval_;
  Workspace work_;
  OwnedVector q_, v_;
  Eigen::Index first_ = recording_.rows() + 1;  // rows before this run, and its first
};

}  // namespace

bool simulate(Simulator& simulator, double end, double interval, Recording& recording,
              const std::function<bool(double t)>& watch) {
  if (!(end > simulator.t()) || !std::isfinite(end))
    throw Error(fmt::format("a run to {} s is asked for, but the motion is at {} s", end, simulator.t()));
  if (!(interval >= 0.0)) throw Error(fmt::format("an interval of {} s between records: expected 0 or more", interval));
  Recorder recorder(simulator, end, interval, recording);
  bool going = true;
  try {
    while (going && simulator.t() < end) {
      simulator.step_towards(end);
      recorder.after_step();
      going = !watch || watch(simulator.t());
    }
  } catch (const Error&) {
    recording.set_ledger(simulator.ledger());
    throw;
  }
  recording.set_ledger(simulator.ledger());
  return going;
}

}  // namespace amble
