#pragma once

#include "amble/ports/element.hpp"

namespace amble {

/// What a controller sees when it is asked.
struct ControllerState {
  const OwnedVector& q;
  const OwnedVector& v;
  const Mechanism& mechanism;
  Workspace& work;  ///< of the mechanism; a controller may compute with it
  /// Measured contact forces, for controllers that sense them (Controller::senses_contacts()); empty before the first
  /// step of a motion.
  std::span<const ContactForce> touching = {};
};

/// A program that is asked for forces at its instants and may remember what it likes: it belongs to one motion at a
/// time.
class Controller {
 public:
  virtual ~Controller() = default;
  /// A motion starts; comes before its first update(). Under constraints a motion starts twice: as it is given, and as
  /// they let it.
  virtual void reset(const ControllerState& state, double t) { (void)state, (void)t; }
  /// Fills `tau` (nv, paired with v), which is zero.
  virtual void update(const ControllerState& state, double t, OwnedVector& tau) = 0;
  /// What there is to say since it was asked last: become events of the motion.
  virtual std::vector<std::string> said() { return {}; }
  /// Whether it reads ControllerState::touching.
  virtual bool senses_contacts() const { return false; }
  /// All that its next update() depends on beside the state, for Simulator::save(); and back. A controller that remembers
  /// nothing has nothing to save.
  virtual std::any save() const { return {}; }
  virtual void restore(const std::any& saved) { (void)saved; }
};

/// When a controller is asked: start + offset + k period, and what it says acts from `delay` later until the next
/// such instant (s). The delay may be longer than the period.
struct SampledOptions {
  double period = 1e-3;
  double delay = 0.0;
  double offset = 0.0;
};

/// A controller as on a real robot: sampled, held, late. Before its first word acts there is no force. What is
/// delivered is supplied. A Snapshot has what was said, and what
/// Controller::save() gives.
ElementPtr sampled(std::string name, std::shared_ptr<Controller> controller, const Mechanism& mechanism,
                   const SampledOptions& options = {});
/// What a sampled controller's memory says acts: nv numbers, or null for other elements and before its first word.
const double* acting_forces(const Element& element, const double* memory);

}  // namespace amble
