#include "amble/simulation/simulate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/limits.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

/// What the elements' states are, then their memories: as PortFlow has them, after v.
std::vector<double> own_numbers(const Simulator& simulator) {
  std::ptrdiff_t count = 0;
  for (const ElementPtr& element : simulator.elements()) count += element->size() + element->memory();
  if (count == 0) return {};
  const OwnedVector x = simulator.save().x;
  const double* const first = x.data() + simulator.mechanism().nv();
  return {first, first + count};
}

void record_ledger(Simulator& simulator, Recording& recording) {
  const std::size_t before = recording.ledgers().rows();
  recording.add_ledger(simulator.t(), simulator.ledger(), own_numbers(simulator));
  if (recording.ledgers().rows() > before) recording.add_contacts(simulator.t(), simulator.contact_forces());
}

/// Records a run: states, those between steps by the interpolant; events; and the books after steps that gave a
/// state.
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
    record_state(simulator_, recording_);
  }

  void after_step() {
    const double now = simulator_.t();
    const Eigen::Index before = recording_.rows();
    if (interval_ > 0.0)
      for (; next() < now && next() < end_ - 1e-9 * interval_; ++regular_) record(next());
    if (interval_ == 0.0 || now >= end_ || something_happened()) record(now);
    record_events();
    if (recording_.rows() > before) record_ledger();
  }

  void record_ledger() { amble::record_ledger(simulator_, recording_); }
  void record_events() {
    for (; events_ < simulator_.events().size(); ++events_) recording_.add_event(simulator_.events()[events_]);
  }

 private:
  double next() const { return start_ + static_cast<double>(regular_ + 1) * interval_; }
  bool something_happened() const { return events_ < simulator_.events().size(); }
  void record(double t) {
    if (t <= recording_.t().back()) return;
    simulator_.state_at(t, q_, v_);
    const Mechanism& m = simulator_.mechanism();
    recording_.add(t, q_, v_, kinetic_energy(m, work_, q_, v_), potential_energy(m, work_, q_));
  }

  Simulator& simulator_;
  Recording& recording_;
  double start_, end_, interval_;
  Workspace work_;
  OwnedVector q_, v_;
  long regular_ = 0;  // records that the interval asked for
  std::size_t events_ = simulator_.events().size();
};

}  // namespace

void record_state(Simulator& s, Recording& recording) {
  if (const GroundPtr ground = s.ground()) recording.set_ground(description_of(*ground));
  if (recording.rows() == 0 || recording.t().back() != s.t())
    recording.add(s.t(), s.q(), s.v(), s.kinetic_energy(), s.potential_energy());
  record_ledger(s, recording);
}

bool simulate(Simulator& simulator, double end, double interval, Recording& recording,
              const std::function<bool(double t)>& watch) {
  if (!(end > simulator.t()) || !std::isfinite(end))
    throw Error(fmt::format("a run to {} s is asked for, but the motion is at {} s", end, simulator.t()));
  if (!(interval >= 0.0))
    throw Error(fmt::format("an interval of {} s between records: expected 0 or more", interval));
  if (interval > 0.0)
    check_limit(Limit::rows, (end - simulator.t()) / interval,
                fmt::format("the number of states to record every {:g} s until {:g} s", interval, end));
  simulator.start_run(end);
  Recorder recorder(simulator, end, interval, recording);
  bool going = true;
  try {
    while (going && simulator.t() < end) {
      simulator.step_towards(end);
      recorder.after_step();
      going = !watch || watch(simulator.t());
    }
  } catch (const Error&) {
    recorder.record_events(), recorder.record_ledger();
    throw;
  }
  recorder.record_ledger();
  recording.set_complete(going);
  return going;
}

}  // namespace amble
