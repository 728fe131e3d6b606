#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "amble/contact/contact_point.hpp"
#include "amble/ports/element.hpp"

namespace amble {

/// A condition on the velocities at the end of a step. Its impulse is solved for, together with all others.
struct StepBlock {
  enum class Kind {
    contact,   ///< b does not enter a (Signorini), with friction of Coulomb
    bound,     ///< sign v >= -distance / step: a joint that has `distance` left to go
    friction,  ///< dry friction along v: the force is at most `force`, and against the motion
  };
  Kind kind = Kind::contact;
  ContactPoint at = {};      ///< contact
  double friction = 0.0;     ///< contact: Coulomb's coefficient, infinite where nothing slips
  double restitution = 0.0;  ///< contact, bound: 0 to 1
  int v = 0;                 ///< bound, friction: which velocity, times `sign`
  double sign = 1.0;
  double distance = 0.0;  ///< bound: m or rad
  double force = 0.0;     ///< friction: N or N m
  std::uint64_t key = 0;  ///< the same condition in the next step has the same one: its impulse is where that starts from
};

/// What is known at the start of a step.
struct StepStart {
  double t, h;  ///< s
  const OwnedVector& q;
  const OwnedVector& v;
  std::span<const Pose> X_WL;  ///< of all links
  std::span<const double> origin_speed, turn_speed;  ///< of each link's origin (m/s), and of how it turns (rad/s)
  const Mechanism& mechanism;
};

/// An element whose forces an integrator solves for at each step instead of asking for them: things that touch, joints
/// at their limits, dry friction, damping that is taken at the end of a step. For "time_stepping"; other integrators
/// refuse it.
class SolvedElement : public Element {
 public:
  using Element::Element;
  void evaluate(const PortState&, const double*, PortFlows&, double*) const final {}

  /// Appends to `out`.
  virtual void add_blocks(const StepStart& start, std::vector<StepBlock>& out) const { (void)start, (void)out; }
  /// Viscous, along each velocity (nv), or null.
  virtual const OwnedVector* damping() const { return nullptr; }
};

}  // namespace amble
