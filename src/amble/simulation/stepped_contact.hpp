#pragma once

#include "amble/contact/solved_element.hpp"

namespace amble {

/// Something that was solved for in the last step, and the force that came of it.
struct SteppedContact {
  StepBlock block;
  std::size_t element = 0;  ///< among those of the flow
  /// In the step's mean (N): of a contact on b, in world axes; of a joint (N or N m) the first number.
  Vector3<double> force = Vector3<double>::Zero();
};

}  // namespace amble
