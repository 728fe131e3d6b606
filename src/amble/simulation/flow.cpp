#include "amble/simulation/flow.hpp"

namespace amble {

bool Flow::after_step(double, double*, double*) { return false; }

}  // namespace amble
