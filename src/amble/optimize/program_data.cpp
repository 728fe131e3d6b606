#include "amble/optimize/program_data.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"

namespace amble::detail {
namespace {

template <class Name>
void check_bounds(const std::vector<double>& lower, const std::vector<double>& upper, const Name& name) {
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (!(lower[i] <= upper[i]) || lower[i] == kInfinity || upper[i] == -kInfinity)
      throw Error(
          fmt::format("{} has the bounds {} and {}, expected lower <= upper", name(i), lower[i], upper[i]));
}

void check_places(const std::vector<MatrixPlace>& places, int rows, int columns, const char* what,
                  bool lower) {
  for (const MatrixPlace& p : places) {
    if (p.row < 0 || p.row >= rows || p.column < 0 || p.column >= columns)
      throw Error(
          fmt::format("the {} has a number at row {}, column {}, expected rows below {} and columns below {}",
                      what, p.row, p.column, rows, columns));
    if (lower && p.row < p.column)
      throw Error(fmt::format("the {} has a number at row {}, column {}, expected its lower triangle", what,
                              p.row, p.column));
  }
}

}  // namespace

ProgramData::ProgramData(const NonlinearProgram& program) : n(program.variables()), m(program.constraints()) {
  if (n < 1) throw Error(fmt::format("a program has {} variables, expected at least 1", n));
  if (m < 0) throw Error(fmt::format("a program has {} constraints, expected at least 0", m));
  x_lower.assign(n, -kInfinity), x_upper.assign(n, kInfinity);
  g_lower.assign(m, -kInfinity), g_upper.assign(m, kInfinity);
  program.variable_bounds(x_lower, x_upper);
  program.constraint_bounds(g_lower, g_upper);
  check_bounds(x_lower, x_upper, [&](int i) { return program.variable_name(i); });
  check_bounds(g_lower, g_upper, [&](int i) { return program.constraint_name(i); });
  jacobian = program.jacobian_places();
  check_places(jacobian, m, n, "Jacobian", false);
  if (program.has_hessian()) hessian = program.hessian_places();
  check_places(hessian, n, n, "Hessian", true);
}

}  // namespace amble::detail
