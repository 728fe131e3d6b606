#pragma once

#include <vector>

#include "amble/simulation/flow.hpp"

namespace amble {

class Integrator;

/// Finds the first change of sign of a flow's guards within each step, on the step's interpolant and then, by taking the
/// step again, on the motion itself, and lets it happen.
class EventFinder {
 public:
  explicit EventFinder(const Flow& flow);

  /// A motion starts at this state.
  void restart(Flow& flow, double t, const double* q, const double* x);
  /// How far a step may go at most: after an event no longer than since the one before, so that events that come ever
  /// faster are seen.
  double horizon(double t) const;
  /// Looks for the first event in the last step of the integrator, which then ends there. True when there is one.
  bool find(Integrator& run);
  /// Lets it happen. What it sets off at the same instant is found in the next step, at its start. True when the rates may
  /// have changed. Throws an Error when events that change something pile up (Zeno).
  bool happen(Flow& flow, double t, double* q, double* x);

  /// What the search remembers from one step to the next.
  struct Memory {
    std::vector<signed char> sign = {};  ///< of each guard; 0: to be seen right after the event
    bool just_happened = false;          ///< values at the very end of the last step do not count
    double last, before_last;            ///< events (s)
    struct Pile {
      double last, gap;  ///< the last time, and how long after the one before (s)
      int shrinking;     ///< how many gaps in a row were shorter than the one before
      bool high(double t) const;
    };
    std::vector<Pile> piles = {};  ///< for each guard: where it fell, where it rose
    std::vector<char> muted = {};  ///< guards that flutter about zero with nothing happening: not looked at until they calm
  };
  const Memory& memory() const { return memory_; }
  void set_memory(const Memory& memory);

 private:
  static constexpr int kSamples = 5;  // in a step, ends included

  void values_at(Integrator& run, double t, double* values);
  void sample(Integrator& run, double a, double b);
  double first_change(Integrator& run, int guard, double a, double b);
  double root(Integrator& run, int guard, double a, double b);
  double refine(Integrator& run, int guard, double t);
  int note_events(double t);
  double change_of_muted(int guard);

  int guards_;
  Memory memory_;
  std::vector<signed char> crossed_;
  std::vector<double> roots_, values_;
  OwnedRowMatrix samples_;  // a row for each sample
  OwnedVector q_, x_;
};

}  // namespace amble
