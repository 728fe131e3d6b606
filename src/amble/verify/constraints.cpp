#include "amble/verify/constraints/themes.hpp"

// Constraints: loops, gears, wheels and blades, by three solvers.
namespace amble {

VerificationArea verify_constraints() {
  VerificationArea area{"constraints", {}};
  for (const auto theme : {constraints_published, constraints_closed_forms, constraints_bicycle, constraints_snakeboard,
                           constraints_solvers, constraints_mobility, constraints_springs, constraints_refusals})
    for (VerificationEntry& entry : theme()) area.entries.push_back(std::move(entry));
  return area;
}

}  // namespace amble
