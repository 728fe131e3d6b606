#pragma once

#include <any>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "amble/constraints/constraint.hpp"
#include "amble/dynamics/workspace.hpp"
#include "amble/ports/contact_force.hpp"

namespace amble {

/// The motion of a mechanism at an instant, as elements see it.
struct PortState {
  double t;  ///< s
  const OwnedVector& q;
  const OwnedVector& v;
  const Mechanism& mechanism;
  Workspace& work;         ///< of the mechanism; an element may compute with it
  const double* memory;    ///< the element's own, see Element::memory()
  const double* forces;    ///< multipliers of the element's own constraints, for guards that ask for them; else null
  /// What touches and how hard, for elements that sense it (Element::senses_contacts()) when something happens: in the
  /// mean of the last step where forces are solved for. Empty otherwise, and at the start of a motion.
  std::span<const ContactForce> touching = {};
};

/// What an element does at an instant. The power that it delivers is not among them: it is tau . v.
struct PortFlows {
  explicit PortFlows(int nv) : tau(nv) {}
  OwnedVector tau;          ///< forces on the joints (nv)
  double supplied = 0.0;    ///< taken in from outside of the system: a battery, a hand (W)
  double dissipated = 0.0;  ///< turned into heat (W)
  double stored = 0.0;      ///< its own energy (J)
};

/// A velocity that an impact leaves: row . v = after.
struct Strike {
  OwnedVector row;
  double after = 0.0;
};

/// What an element may do when something happens.
struct PortEvent {
  std::span<const signed char> crossed;  ///< its guards: +1 rose through zero, -1 fell, 0 neither
  double* x;                             ///< its own state
  double* memory;
  std::vector<Strike>& strikes;  ///< impacts of this instant; all are solved together, with the constraints that hold
  std::vector<std::string>& log;  ///< what there is to say
  double& dissipated;             ///< of its own energy, what this instant turns into heat is added here (J)
};

/// Something that exchanges energy with a mechanism through a power port (DS 1.2): a spring, a damper, a motor. At every
/// instant supplied = delivered + d/dt stored + dissipated; the ledger shows whether it is so. Immutable: what it does
/// depends on the time, the motion and its own numbers alone.
class Element {
 public:
  explicit Element(std::string name) : name_(std::move(name)) {}
  virtual ~Element() = default;
  const std::string& name() const { return name_; }

  /// How many numbers its own state has, which flows, and its memory, which changes only when something happens; where
  /// both start (zero unless written).
  virtual int size() const { return 0; }
  virtual int memory() const { return 0; }
  virtual void start(const PortState& at, double* x, double* memory) const { (void)at, (void)x, (void)memory; }
  /// `out` is zero before; `xdot` are the rates of its own state `x`.
  virtual void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const = 0;

  /// Constraints that act while `holding` is true: a lock, a prescribed motion. What they do counts as the element's.
  virtual std::vector<ConstraintPtr> constraints() const { return {}; }
  virtual bool holding(const double* memory) const { (void)memory; return true; }

  /// Something happens where one of these numbers changes its sign; zero counts as below. Where a law has a corner, a guard
  /// alone keeps steps from crossing it. A guard that does not matter now is -1.
  virtual int guards() const { return 0; }
  virtual void guard_values(const PortState& at, const double* x, double* values) const {
    (void)at, (void)x, (void)values;
  }
  /// Whether guards want PortState::forces.
  virtual bool guards_want_forces() const { return false; }
  /// Whether happen() wants PortState::touching.
  virtual bool senses_contacts() const { return false; }
  /// For reports.
  virtual std::string guard_name(int guard) const { (void)guard; return name_; }
  /// The first planned instant after `t`, as the next sample of a controller.
  virtual double next_instant(double t, const double* memory) const {
    (void)t, (void)memory;
    return std::numeric_limits<double>::infinity();
  }
  /// When one of its guards is crossed or a planned instant of any element has come (which may be of another: then there
  /// is nothing to do).
  virtual void happen(const PortState& at, PortEvent& event) const { (void)at, (void)event; }

  /// What it knows beside its state and memory, as a controller does that belongs to one motion: a motion that is taken up
  /// again from both goes on as if it had not stopped.
  virtual std::any save() const { return {}; }
  virtual void restore(const std::any& saved) const { (void)saved; }

 private:
  std::string name_;
};

using ElementPtr = std::shared_ptr<const Element>;

}  // namespace amble
