#include "amble/optimize/qp_scaling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace amble::detail {

namespace {

/// The power of two next to 1 / size; one for nothing. Kept where neither it nor its square leaves the range.
double unit_for(double size) {
  if (!(size > 0.0)) return 1.0;
  constexpr std::int64_t kBias = 1023, kMost = 200, kMantissa = 52;
  const std::int64_t exponent = (std::bit_cast<std::int64_t>(size) >> kMantissa) - kBias;
  return std::bit_cast<double>((kBias - std::clamp(exponent, -kMost, kMost)) << kMantissa);
}

}  // namespace

ScaledProgram::ScaledProgram(int variables, int equality_count, int rows)
    : n(variables),
      equalities(equality_count),
      m(equality_count + rows),
      width(dense::padded(variables)),
      kernels(dense::dense_kernels()),
      H(n, n),
      G(m, n),
      g(n),
      lower(m + n),
      upper(m + n),
      column(n),
      row(m),
      peak_(n) {}

const double* ScaledProgram::row_of(const QuadraticProgram& program, int k) const {
  return k < equalities ? program.A.data() + static_cast<long>(k) * n
                        : program.C.data() + static_cast<long>(k - equalities) * n;
}

bool ScaledProgram::load_matrices(const QuadraticProgram& program) {
  choose_columns(program);
  bool finite = true;
  for (int i = 0; i < n; ++i)
    finite &=
        std::isfinite(kernels.scale(program.H.data() + static_cast<long>(i) * n, column, column[i], n, H[i]));
  return finite && put_rows(program);
}

bool ScaledProgram::put_rows(const QuadraticProgram& program) {
  for (int k = 0; k < m; ++k) {
    const double size = kernels.scale(row_of(program, k), column, 1.0, n, G[k]);
    if (!std::isfinite(size)) return false;
    row[k] = unit_for(size);
    kernels.times(G[k], row[k], width);
  }
  return true;
}

void ScaledProgram::choose_columns(const QuadraticProgram& program) {
  bool flat = false;
  for (int j = 0; j < n; ++j) {
    const double h = program.H(j, j);
    column[j] = h > 0.0 ? unit_for(std::sqrt(h)) : 1.0;
    flat |= !(h > 0.0);
  }
  if (flat && m > 0) balance_flat_columns(program);
}

/// Columns without curvature get the unit in which their largest number in G is one (after Ruiz 2001).
void ScaledProgram::balance_flat_columns(const QuadraticProgram& program) {
  constexpr int kRounds = 6;
  for (int round = 0; round < kRounds; ++round) {
    std::fill_n(static_cast<double*>(peak_), n, 0.0);
    for (int k = 0; k < m; ++k) {
      const double* a = row_of(program, k);
      const double size = kernels.scale(a, column, 1.0, n, G[k]);
      for (int j = 0; j < n; ++j) peak_[j] = std::max(peak_[j], std::abs(G[k][j]) * unit_for(size));
    }
    for (int j = 0; j < n; ++j)
      if (!(program.H(j, j) > 0.0)) column[j] *= unit_for(std::sqrt(peak_[j]));
  }
}

bool ScaledProgram::load_vectors(const QuadraticProgram& program) {
  bool valid = std::isfinite(kernels.scale(program.g.data(), column, 1.0, n, g));
  const auto put = [&](int k, double low, double high, double unit) {
    lower[k] = low * unit, upper[k] = high * unit;
    valid &= low <= high && low < kInfinity && high > -kInfinity;
  };
  for (int k = 0; k < equalities; ++k) put(k, program.b[k], program.b[k], row[k]);
  for (int k = equalities; k < m; ++k)
    put(k, program.lower[k - equalities], program.upper[k - equalities], row[k]);
  for (int j = 0; j < n; ++j) put(m + j, program.x_lower[j], program.x_upper[j], 1.0 / column[j]);
  return valid;
}

double ScaledProgram::value(int k, const double* x) {
  if (k >= m) return x[k - m];
  double result;
  kernels.multiply({G[k], 0, 1}, x, width, &result);
  return result;
}

void ScaledProgram::add_gradient(int k, double c, double* y) {
  if (k >= m)
    y[k - m] += c;
  else
    kernels.add_rows({G[k], 0, 1}, &c, width, y);
}

}  // namespace amble::detail
