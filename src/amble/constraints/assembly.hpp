#pragma once

#include "amble/constraints/constraint.hpp"

namespace amble {

struct AssemblyOptions {
  double tolerance = 1e-11;        ///< on the largest |phi(q)|, m or rad
  int most_iterations = 200;       ///< of one attempt
  int attempts = 20;               ///< the guess, then configurations drawn around it
  std::uint64_t seed = 1;
  std::vector<std::string> held;   ///< joints that stay where the guess has them
};

/// A configuration that fulfils all holonomic constraints, and what is known of it.
struct Assembly {
  OwnedVector q;
  double residual = 0.0;                ///< largest |phi(q)|
  int iterations = 0, attempts = 0;
  int rank = 0;                         ///< of all constraints there, nonholonomic ones included
  int mobility = 0;                     ///< true freedoms of motion, nv - rank
  int counted_mobility = 0;             ///< by counting (Gruebler, Kutzbach): nv - rows
  std::vector<std::string> redundant;   ///< rows that repeat others
};

/// From any guess, by damped Newton steps on the configuration manifold; when one ends away from a solution, or at one that
/// is put together the wrong way round, from another start nearby. Throws an Error with the smallest residual reached when
/// none succeeds.
Assembly assemble(const Mechanism& mechanism, const std::vector<ConstraintPtr>& constraints, const VectorRef& guess,
                  const AssemblyOptions& options = {});
/// With all constraints that the mechanism carries: loops closed, wheels on the ground.
Assembly assemble(const Mechanism& mechanism, const VectorRef& guess, const AssemblyOptions& options = {});

}  // namespace amble
