#include "amble/simulation/flow.hpp"

#include <fmt/format.h>

#include <limits>

#include "amble/base/error.hpp"

namespace amble {

bool Flow::after_step(double, double*, double*) { return false; }
void Flow::forgive(double, const double*, const double*, double*, double*) {}
double Flow::singular_time() const { return std::numeric_limits<double>::infinity(); }
std::string Flow::number_name(int i) const { return fmt::format("number {} of the state", i); }
std::string Flow::energy_source(const double*, const double*) const { return {}; }
void Flow::check_forces() const {
  throw Error("an integrator that works with forces is asked for, but this is no motion (q, v) under forces alone");
}
void Flow::forces(double, const double*, const double*, double*, double*) { check_forces(); }
void Flow::book_step(const double*, const double*, const double*, double*) {}
void Flow::guard_values(double, const double*, const double*, double*) {}
std::string Flow::guard_name(int guard) const { return fmt::format("guard {}", guard); }
double Flow::next_instant(double, const double*) const { return std::numeric_limits<double>::infinity(); }
bool Flow::happen(double, std::span<const signed char>, double*, double*) { return false; }

}  // namespace amble
