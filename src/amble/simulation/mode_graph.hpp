#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "amble/recording/recording.hpp"
#include "amble/simulation/flow.hpp"

namespace amble {

/// A way from one mode to another: taken where `guard` rises through zero while in `from`; `reset`, if any, rewrites the
/// state on the way (x without the mode).
struct Transition {
  std::string name, from, to;
  std::function<double(double t, const VectorRef& q, const VectorRef& x)> guard;
  std::function<void(double t, OwnedVector& q, OwnedVector& x)> reset = {};
};

/// A hybrid system: a graph of modes, each a flow over the same state, with guards and resets. Itself a flow: x is that of
/// the modes, then the number of the mode, in the order they were added. The first is where motions start by start().
class ModeGraph : public Flow {
 public:
  /// Throws an Error for a name that is taken, or a flow whose state is not that of the modes before.
  void add_mode(std::string name, std::unique_ptr<Flow> flow);
  /// Throws an Error for a mode that is not there, or without a guard.
  void add_transition(Transition transition);

  /// x of the graph in a mode; by default the first.
  OwnedVector start(const VectorRef& x, const std::string& mode = {}) const;
  const std::string& mode(const VectorRef& x) const;
  /// The transitions taken so far.
  const std::vector<RecordedEvent>& events() const { return events_; }

  const Mechanism* mechanism() const override { return first().mechanism(); }
  int size() const override { return first().size() + 1; }
  int active() const override { return first().active(); }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  bool after_step(double t, double* q, double* x) override;
  void forgive(double t, const double* q, const double* x, double* q_error, double* x_error) override;
  double singular_time() const override;
  int guards() const override { return static_cast<int>(transitions_.size()); }
  void guard_values(double t, const double* q, const double* x, double* values) override;
  std::string guard_name(int guard) const override { return transitions_[guard].name; }
  bool happen(double t, std::span<const signed char> crossed, double* q, double* x) override;

 private:
  const Flow& first() const;
  int index_of(const std::string& mode) const;
  int mode_in(const double* x) const { return static_cast<int>(x[size() - 1]); }

  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Flow>> modes_;
  std::vector<Transition> transitions_;
  std::vector<std::pair<int, int>> ends_;  // of each transition
  std::vector<RecordedEvent> events_;
  int last_mode_ = 0;  // of the last step
};

}  // namespace amble
