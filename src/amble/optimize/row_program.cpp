#include "amble/optimize/row_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"

namespace amble {

RowProgram::RowProgram(int variables, int capacity)
    : d(variables),
      g(variables),
      lower(capacity),
      upper(capacity),
      softness(capacity),
      x_lower(variables),
      x_upper(variables),
      x_softness(variables),
      variables_(variables),
      capacity_(capacity),
      values_(capacity, variables),
      names_(capacity) {
  start(variables);
}

void RowProgram::start(int variables) {
  if (variables < 1 || variables > d.size())
    throw Error(fmt::format("a row program has {} variables, expected 1 to {}", variables, d.size()));
  variables_ = variables, rows_ = 0;
  d.setOnes(), g.setZero(), x_softness.setZero();
  x_lower.setConstant(-kInfinity), x_upper.setConstant(kInfinity);
}

double* RowProgram::add_row(int name, double low, double high, double soft) {
  if (rows_ == capacity_ || name < 0 || name >= capacity_)
    throw Error(fmt::format("row {} of a row program has the name {}: there is room for {}", rows_, name, capacity_));
  lower[rows_] = low, upper[rows_] = high, softness[rows_] = soft, names_[rows_] = name;
  double* row = values_[rows_++];
  std::fill_n(row, width(), 0.0);
  return row;
}

void RowSettings::validate() const {
  if (!(tolerance > 0.0 && tolerance < 1.0))
    throw Error(fmt::format("the tolerance of a row program is {}, expected between 0 and 1", tolerance));
  if (iterations < 1) throw Error(fmt::format("a row program has {} iterations, expected at least 1", iterations));
}

}  // namespace amble
