#pragma once

#include <functional>

#include "amble/simulation/events.hpp"
#include "amble/simulation/flow.hpp"
#include "amble/simulation/run_guard.hpp"

namespace amble {

struct SteppedContact;
struct ContactReport;

/// How exact an integrator is asked to be. Schemes of fixed steps read `step`, the others the rest.
struct IntegratorOptions {
  /// On the error of one step, relative to 1 + |x| and, for configurations, in their own units.
  double tolerance = 1e-10;
  double first_step = 0.0;    ///< s; 0 lets the integrator find one
  double longest_step = 0.0;  ///< s; 0 means no bound
  /// That a run may take, rejected ones too; 0 means the limit 'steps', or 10 million where a scheme finds its own.
  long most_steps = 0;
  double step = 1e-3;   ///< s
};

/// What a run took.
struct IntegratorReport {
  long steps = 0, rejected = 0, evaluations = 0;
  double shortest_step = 0.0, longest_step = 0.0;
  /// How many steps, by an explicit scheme, were as short as they were for the sake of stability, not of accuracy.
  long stiff_steps = 0;
};

/// What to do about a run that was mostly stiff, in a sentence; empty for others.
std::string stiffness_note(const IntegratorReport& report);

/// What all integrators have in common: a state that moves along a flow by steps, with what happens at events. Owns
/// its memory: no step allocates.
class Integrator {
 public:
  /// Whether a scheme solves for contacts, limits and friction itself, step by step (SolvedElement); one that does
  /// declares its own.
  static constexpr bool kSolvesElements = false;

  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;  // the state belongs to one flow
  Integrator& operator=(const Integrator&) = delete;

  /// Takes the state; q is empty for a flow without a mechanism.
  void set_state(double t, const VectorRef& q, const VectorRef& x);
  double t() const { return t_; }
  const OwnedVector& q() const { return q_; }
  const OwnedVector& x() const { return x_; }

  /// A run to `end` begins, for which steps are counted from here. Throws an Error when the steps asked for could not
  /// reach it.
  void start_run(double end);
  /// One step forward, no further than `end`, ended by the first event in it, which then happens. What differs from
  /// `end`, or a planned instant, by rounding alone is no step. Throws an Error with the time when the state stops
  /// being finite or grows beyond the limits 'state_growth' and 'length', when steps shrink to nothing or are too many,
  /// or when events pile up; the state is then the last good one.
  void step(double end);
  /// Steps until `end`; `watch`, if any, sees the state after each.
  void run(double end, const std::function<void()>& watch = {});

  /// The state at a time within the last step, as good as the scheme has it there. What Flow::after_step() and
  /// Flow::happen() did is in it at the end of the step alone. Throws an Error for any other time.
  void interpolate(double t, OwnedVector& q, OwnedVector& x) const;

  /// What the next step depends on beside the state: a motion that is taken up again with it goes on as if it had not
  /// stopped. set_state() forgets it.
  struct Pace {
    double step = 0.0;  ///< s; 0 lets the integrator find one
    double error = 1.0;
    EventFinder::Memory events = {};
  };
  Pace pace() const { return {h_, last_error_, events_.memory()}; }
  void set_pace(const Pace& pace);

  const IntegratorReport& report() const { return report_; }

  /// What was solved for in the last step, and how well; nothing by schemes that do not solve for contacts.
  virtual std::span<const SteppedContact> contacts() const { return {}; }
  virtual const ContactReport* contact_report() const { return nullptr; }

  /// False when the energy of a motion errs more than the work of its elements: what a step is off by is then booked.
  virtual bool keeps_books() const { return true; }

 protected:
  Integrator(Flow& flow, const IntegratorOptions& options);

  /// One step from here, no further than `end`, given to accept(); `exactly` there, whatever its error, when that is
  /// known to be small.
  virtual void take(double end, bool exactly) = 0;
  /// Of a step, at most (s): infinity for a scheme that finds its own.
  virtual double longest_step() const;
  /// The state within the last step, at neither end.
  virtual void interpolate_inside(double t, OwnedVector& q, OwnedVector& x) const = 0;
  /// Another motion starts.
  virtual void restart() {}
  /// The state was rewritten: rates known for it no longer hold.
  virtual void forget_rates() {}
  /// The state is that at the start of the last step again.
  virtual void rewind() { forget_rates(); }

  /// As asked for, or one that moves the state by a small part of its size; `rate`: of its fastest number.
  double first_step(double rate) const;
  /// The fixed step, or what is left until `end`.
  double fixed_step(double end) const;
  /// h, or a step laid so that a singularity ahead falls to the fraction `between` of it, or one after which the next
  /// step can do so. It may be a little longer than h, unless longer ones were tried.
  double laid_step(double h, double between, bool tried) const;
  /// The step to try, no further than `end`.
  double adaptive_step(double end, double between, bool tried) const;
  /// `refusal`: what the flow said of the last point that it refused, or nothing.
  [[noreturn]] void give_up(const std::string& refusal) const;
  /// For a fixed step of length h that came to nothing.
  [[noreturn]] void give_up(double h, const std::string& reason) const;
  /// Which velocity, or number of x, is not finite after a step that moves the configuration by d.
  std::string not_finite(const OwnedVector& d, const OwnedVector& x) const;
  void accept(double t, const OwnedVector& q, const OwnedVector& x);

  Flow& flow_;
  const Mechanism* mechanism_;
  IntegratorOptions options_;
  int nv_;
  double t_ = 0.0, t_start_ = 0.0;  // now, and at the start of the last step
  double h_ = 0.0, last_error_ = 1.0;
  OwnedVector q_, x_, q_start_, x_start_;
  IntegratorReport report_;
  long stiff_in_a_row_ = 0;
  double sliver_ = 0.0;  // s: what is shorter is no step

 private:
  long most_steps() const;
  double no_time() const;
  bool go_towards(double end);
  void check_change();
  void check_progress(double end) const;
  friend class EventFinder;
  /// Takes the last step back and goes to `t` within it instead.
  void retake(double t);

  EventFinder events_;
  RunGuard guard_;
  long run_start_ = 0;  // steps, rejected ones too, before this run
};

}  // namespace amble
