#include "amble/optimize/quadratic_program.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

void check_finite(const char* name, const double* x, long rows, long columns) {
  for (long i = 0; i < rows * columns; ++i)
    if (!std::isfinite(x[i]))
      throw Error(columns == 1 ? fmt::format("{}[{}] is {}, expected a finite number", name, i, x[i])
                               : fmt::format("{}[{}, {}] is {}, expected a finite number", name, i / columns,
                                             i % columns, x[i]));
}

void check_bounds(const char* low, const char* high, const VectorRef& lower, const VectorRef& upper) {
  for (long i = 0; i < lower.size(); ++i) {
    if (!(lower[i] <= upper[i]))
      throw Error(fmt::format("{}[{}] = {} and {}[{}] = {}: expected lower <= upper", low, i, lower[i], high,
                              i, upper[i]));
    if (lower[i] == kInfinity)
      throw Error(fmt::format("{}[{}] is infinite: no number is that large", low, i));
    if (upper[i] == -kInfinity)
      throw Error(fmt::format("{}[{}] is -infinite: no number is that small", high, i));
  }
}

void check_symmetric(const OwnedRowMatrix& H) {
  constexpr double kAsymmetry = 1e-9;  // of rounding in sums that should be equal
  for (long i = 0; i < H.rows(); ++i)
    for (long j = 0; j < i; ++j)
      if (std::abs(H(i, j) - H(j, i)) >
          kAsymmetry * std::max({std::abs(H(i, j)), std::abs(H(j, i)), H(i, i), H(j, j)}))
        throw Error(fmt::format("H[{}, {}] = {} and H[{}, {}] = {}: H must be symmetric", i, j, H(i, j), j, i,
                                H(j, i)));
}

}  // namespace

QuadraticProgram::QuadraticProgram(int variables, int equalities, int rows) {
  if (variables < 1)
    throw Error(fmt::format("a quadratic program has {} variables, expected at least 1", variables));
  if (equalities < 0)
    throw Error(fmt::format("a quadratic program has {} equalities, expected 0 or more", equalities));
  if (rows < 0) throw Error(fmt::format("a quadratic program has {} rows, expected 0 or more", rows));
  H = OwnedRowMatrix(variables, variables), g = OwnedVector(variables);
  A = OwnedRowMatrix(equalities, variables), b = OwnedVector(equalities);
  C = OwnedRowMatrix(rows, variables), lower = OwnedVector(rows), upper = OwnedVector(rows);
  x_lower = OwnedVector(variables), x_upper = OwnedVector(variables);
  lower.setConstant(-kInfinity), upper.setConstant(kInfinity);
  x_lower.setConstant(-kInfinity), x_upper.setConstant(kInfinity);
}

void QuadraticProgram::check() const {
  check_finite("H", H.data(), H.rows(), H.cols());
  check_finite("g", g.data(), g.size(), 1);
  check_finite("A", A.data(), A.rows(), A.cols());
  check_finite("b", b.data(), b.size(), 1);
  check_finite("C", C.data(), C.rows(), C.cols());
  check_bounds("lower", "upper", lower, upper);
  check_bounds("x_lower", "x_upper", x_lower, x_upper);
  check_symmetric(H);
}

const char* name_of(QpStatus status) {
  constexpr const char* kNames[] = {"solved",          "infeasible", "unbounded", "not convex",
                                    "iteration limit", "inaccurate", "invalid"};
  return kNames[static_cast<int>(status)];
}

void QpSettings::validate() const {
  if (!(tolerance > 0.0 && tolerance < 1.0))
    throw Error(
        fmt::format("the tolerance of a quadratic program is {}, expected between 0 and 1", tolerance));
  if (iterations < 0)
    throw Error(fmt::format("the iterations of a quadratic program are {}, expected 0 or more", iterations));
  if (passes < 1)
    throw Error(fmt::format("the passes of a quadratic program are {}, expected 1 or more", passes));
}

QpResult solve(const QuadraticProgram& program, const QpSettings& settings) {
  QpSolver solver(program.variables(), program.equalities(), program.rows(), settings);
  return solver.solve(program);
}

}  // namespace amble
