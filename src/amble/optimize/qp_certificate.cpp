#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "amble/base/error.hpp"
#include "amble/optimize/qp_proofs.hpp"

namespace amble {

namespace {

void check_size(const char* name, long size, long expected) {
  if (size != expected) throw Error(fmt::format("{} has {} numbers, expected {}", name, size, expected));
}

void check_sizes(const QuadraticProgram& p, const QpMultipliers& multipliers) {
  check_size("multipliers.equalities", multipliers.equalities.size(), p.equalities());
  check_size("multipliers.rows", multipliers.rows.size(), p.rows());
  check_size("multipliers.bounds", multipliers.bounds.size(), p.variables());
}

double dot(const double* a, const double* b, long n) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Calls f(row or null, variable, lower, upper, multiplier) for every constraint.
template <class F>
void for_each_constraint(const QuadraticProgram& p, const QpMultipliers& y, F&& f) {
  const long n = p.variables();
  for (int i = 0; i < p.equalities(); ++i) f(p.A.data() + i * n, 0, p.b[i], p.b[i], y.equalities[i]);
  for (int i = 0; i < p.rows(); ++i) f(p.C.data() + i * n, 0, p.lower[i], p.upper[i], y.rows[i]);
  for (int j = 0; j < n; ++j) f(nullptr, j, p.x_lower[j], p.x_upper[j], y.bounds[j]);
}

void add_gradient(const double* row, int j, double c, std::span<double> sum) {
  if (row == nullptr)
    sum[j] += c;
  else if (c != 0.0)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += c * row[i];
}

double finite_or_infinity(double x) { return std::isfinite(x) ? x : kInfinity; }

}  // namespace

double QpCertificate::residual() const {
  return finite_or_infinity(scaled_primal) + finite_or_infinity(scaled_dual) +
                     finite_or_infinity(scaled_gap) ==
                 kInfinity
             ? kInfinity
             : std::max({scaled_primal, scaled_dual, scaled_gap});
}

QpCertificate certify(const QuadraticProgram& p, const VectorRef& x, const QpMultipliers& multipliers) {
  check_size("x", x.size(), p.variables());
  check_sizes(p, multipliers);
  const long n = p.variables();
  QpCertificate c;
  double dual_scale = 1.0, support = 0.0, curvature = 0.0, missing = 0.0;
  std::vector<double> sum(n);
  for (long i = 0; i < n; ++i) {
    const double Hx = dot(p.H.data() + i * n, x.data(), n);
    sum[i] = Hx + p.g[i];
    curvature += x[i] * Hx;
    dual_scale = std::max({dual_scale, std::abs(p.g[i]), std::abs(Hx)});
  }
  for_each_constraint(p, multipliers, [&](const double* row, int j, double lower, double upper, double y) {
    const double value = row == nullptr ? x[j] : dot(row, x.data(), n);
    const double off = std::isfinite(value) ? std::max({0.0, lower - value, value - upper}) : kInfinity;
    const double near = value > upper ? upper : lower;
    c.primal = std::max(c.primal, off);
    if (off > 0.0) c.scaled_primal = std::max(c.scaled_primal, off / std::max(1.0, std::abs(near)));
    add_gradient(row, j, y, sum);
    if (y == 0.0) return;
    const double bound = y > 0.0 ? upper : lower;
    if (std::isfinite(bound))
      c.gap += std::abs(y * (value - bound)), support += y * bound;
    else
      missing = std::max(missing, finite_or_infinity(std::abs(y)));
  });
  for (const double s : sum) c.dual = std::max(c.dual, finite_or_infinity(std::abs(s)));
  c.dual = std::max(c.dual, missing);
  c.gap = finite_or_infinity(c.gap);
  c.scaled_dual = c.dual / dual_scale;
  c.scaled_gap = c.gap / std::max({1.0, std::abs(p.g.dot(x)), std::abs(curvature), std::abs(support)});
  return c;
}

namespace detail {

QpInfeasibility prove_infeasible(const QuadraticProgram& p, const QpMultipliers& multipliers,
                                 std::span<double> scratch) {
  QpInfeasibility proof;
  double missing = 0.0, total = 0.0;
  std::fill(scratch.begin(), scratch.end(), 0.0);
  for_each_constraint(p, multipliers, [&](const double* row, int j, double lower, double upper, double y) {
    if (y == 0.0) return;
    add_gradient(row, j, y, scratch);
    const double bound = y > 0.0 ? upper : lower;
    if (std::isfinite(bound))
      proof.value += y * bound;
    else
      missing = kInfinity;
  });
  for (const double s : scratch) {
    proof.residual = std::max(proof.residual, finite_or_infinity(std::abs(s)));
    total += finite_or_infinity(std::abs(s));
  }
  proof.residual = std::max(proof.residual, missing);
  total += missing;
  proof.radius = proof.value < 0.0 ? -proof.value / total : 0.0;
  return proof;
}

QpDescent prove_unbounded(const QuadraticProgram& p, const double* d) {
  const long n = p.variables();
  QpDescent descent;
  double size = 0.0;
  for (long i = 0; i < n; ++i) size = std::max(size, finite_or_infinity(std::abs(d[i])));
  if (size == 0.0) return descent;
  const auto count = [&](double off) {
    descent.residual = std::max(descent.residual, finite_or_infinity(std::abs(off)) / size);
  };
  const auto count_row = [&](double value, double lower, double upper) {
    if (std::isfinite(lower)) count(std::min(0.0, value));
    if (std::isfinite(upper)) count(std::max(0.0, value));
  };
  for (long i = 0; i < n; ++i)
    count(dot(p.H.data() + i * n, d, n)), count_row(d[i], p.x_lower[i], p.x_upper[i]);
  for (long i = 0; i < p.equalities(); ++i) count(dot(p.A.data() + i * n, d, n));
  for (long i = 0; i < p.rows(); ++i) count_row(dot(p.C.data() + i * n, d, n), p.lower[i], p.upper[i]);
  descent.slope = dot(p.g.data(), d, n) / size;
  return descent;
}

}  // namespace detail

QpInfeasibility prove_infeasible(const QuadraticProgram& p, const QpMultipliers& multipliers) {
  check_sizes(p, multipliers);
  std::vector<double> scratch(p.variables());
  return detail::prove_infeasible(p, multipliers, scratch);
}

QpDescent prove_unbounded(const QuadraticProgram& p, const VectorRef& direction) {
  check_size("direction", direction.size(), p.variables());
  return detail::prove_unbounded(p, direction.data());
}

}  // namespace amble
