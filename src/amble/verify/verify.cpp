#include "amble/verify/verify.hpp"

#include <cmath>

#include "amble/verify/geometry/themes.hpp"
#include "amble/verify/walker_control/themes.hpp"

namespace amble {

double Verification::error() const { return std::abs(ours - reference); }
bool Verification::pass() const { return error() <= tolerance; }

std::vector<VerificationArea> verification_areas() {
  return {
      verify_models(),
      verify_dynamics(),
      verify_coordinates(),
      verify_constraints(),
      verify_simulation(),
      verify_contact(),
      verify_gaits(),
      verify_walker_control(),
      verify_whole_body(),
      verify_geometry(),
  };
}

}  // namespace amble
