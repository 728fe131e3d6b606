#include "amble/verify/dynamics/themes.hpp"

// Dynamics: the equation of motion and all that is made of it.
namespace amble {

VerificationArea verify_dynamics() {
  VerificationArea area{"dynamics", {}};
  for (const auto theme : {dynamics_textbook, dynamics_published, dynamics_laws, dynamics_derivatives,
                           dynamics_differences, dynamics_lanes})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
