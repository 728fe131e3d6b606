#include "amble/simulation/flow.hpp"

#include <limits>

namespace amble {

bool Flow::after_step(double, double*, double*) { return false; }
void Flow::forgive(double, const double*, const double*, double*, double*) {}
double Flow::singular_time() const { return std::numeric_limits<double>::infinity(); }

}  // namespace amble
