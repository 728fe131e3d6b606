#pragma once

#include <span>

#include "amble/optimize/quadratic_program.hpp"

// The proofs of quadratic_program.hpp without allocation.
namespace amble::detail {

/// `scratch`: one number per variable.
QpInfeasibility prove_infeasible(const QuadraticProgram& program, const QpMultipliers& multipliers,
                                 std::span<double> scratch);
QpDescent prove_unbounded(const QuadraticProgram& program, const double* direction);

}  // namespace amble::detail
