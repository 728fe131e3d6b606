#pragma once

#include <memory>
#include <string>

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// The motion of a mechanism at an instant, as elements see it.
struct PortState {
  double t;  ///< s
  const OwnedVector& q;
  const OwnedVector& v;
  const Mechanism& mechanism;
  Workspace& work;  ///< of the mechanism; an element may compute with it
};

/// What an element does at an instant. The power that it delivers is not among them: it is tau . v.
struct PortFlows {
  explicit PortFlows(int nv) : tau(nv) {}
  OwnedVector tau;          ///< forces on the joints (nv)
  double supplied = 0.0;    ///< taken in from outside of the system: a battery, a hand (W)
  double dissipated = 0.0;  ///< turned into heat (W)
  double stored = 0.0;      ///< its own energy (J)
};

/// Something that exchanges energy with a mechanism through a power port (DS 1.2): a spring, a damper, a motor. At every
/// instant supplied = delivered + d/dt stored + dissipated; the ledger shows whether it is so. Immutable: what it does
/// depends on the time, the motion and its own numbers alone.
class Element {
 public:
  explicit Element(std::string name) : name_(std::move(name)) {}
  virtual ~Element() = default;
  const std::string& name() const { return name_; }

  /// How many numbers its own state has, and where it starts.
  virtual int size() const { return 0; }
  virtual void start(double* x) const { (void)x; }
  /// `out` is zero before; `xdot` are the rates of its own state `x`.
  virtual void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const = 0;

 private:
  std::string name_;
};

using ElementPtr = std::shared_ptr<const Element>;

}  // namespace amble
