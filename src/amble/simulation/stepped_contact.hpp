#pragma once

#include "amble/contact/solved_element.hpp"
#include "amble/ports/contact_force.hpp"

namespace amble {

/// Something that was solved for in the last step, and the force that came of it.
struct SteppedContact {
  StepBlock block;
  std::size_t element = 0;  ///< among those of the flow
  /// In the step's mean (N): of a contact on b, in world axes; of a joint (N or N m) the first number.
  Vector3<double> force = Vector3<double>::Zero();
};

/// Those of `stepped` that touch, appended to `out`.
inline void append_contact_forces(std::span<const SteppedContact> stepped, std::vector<ContactForce>& out) {
  for (const SteppedContact& c : stepped)
    if (c.block.kind == StepBlock::Kind::contact && !c.force.isZero(0.0))
      out.push_back({c.block.at.link_a, c.block.at.link_b, c.block.at.p_b, c.force, c.block.at.normal, c.block.friction});
}

}  // namespace amble
