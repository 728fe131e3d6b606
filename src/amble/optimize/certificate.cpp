#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/optimize/program_data.hpp"

namespace amble {
namespace {

// std::max would pass over numbers that are not numbers: such a point must not look good.
struct Worst {
  double value = 0.0;
  std::string where;

  template <class Name>
  void add(double x, const Name& name) {
    if (x <= value) return;
    value = std::isfinite(x) ? x : kInfinity;
    where = name();
  }
};

double violation(double x, double lower, double upper) {
  if (!std::isfinite(x)) return kInfinity;
  return std::max({0.0, lower - x, x - upper});
}

/// The bound that a multiplier belongs to, by its sign.
struct Pushed {
  double dual = 0.0, complementarity = 0.0;

  Pushed(double multiplier, double x, double lower, double upper) {
    const double bound = multiplier > 0.0 ? upper : lower;
    if (lower == upper || multiplier == 0.0) return;
    if (std::isfinite(bound))
      complementarity = std::abs(multiplier * (x - bound));
    else
      dual = std::abs(multiplier);
  }
};

}  // namespace

double NlpCertificate::residual() const { return std::max({primal, dual / scale, complementarity / scale}); }

NlpCertificate certify(NonlinearProgram& program, const VectorRef& x, const NlpMultipliers& multipliers) {
  const detail::ProgramData data(program);
  const auto check_size = [](const char* name, long size, long expected) {
    if (size != expected) throw Error(fmt::format("{} has {} numbers, expected {}", name, size, expected));
  };
  check_size("x", x.size(), data.n);
  check_size("multipliers.constraints", multipliers.constraints.size(), data.m);
  check_size("multipliers.variables", multipliers.variables.size(), data.n);

  std::vector<double> g(data.m), slope(data.n), values(data.jacobian.size());
  program.constraint_values(x, g);
  program.gradient(x, slope);
  program.jacobian(x, values);
  for (std::size_t k = 0; k < values.size(); ++k)
    slope[data.jacobian[k].column] += values[k] * multipliers.constraints[data.jacobian[k].row];

  Worst primal, dual, complementarity;
  const auto add_pushed = [&](const Pushed& pushed, const auto& name) {
    dual.add(pushed.dual, name);
    complementarity.add(pushed.complementarity, name);
  };
  double sum = 0.0;
  for (int i = 0; i < data.m; ++i) {
    const double lambda = multipliers.constraints[i];
    const auto name = [&] { return program.constraint_name(i); };
    primal.add(violation(g[i], data.g_lower[i], data.g_upper[i]), name);
    add_pushed(Pushed(lambda, g[i], data.g_lower[i], data.g_upper[i]), name);
    sum += std::abs(lambda);
  }
  for (int i = 0; i < data.n; ++i) {
    const auto name = [&] { return program.variable_name(i); };
    primal.add(violation(x[i], data.x_lower[i], data.x_upper[i]), name);
    if (data.x_lower[i] == data.x_upper[i]) continue;
    const double mu = multipliers.variables[i], r = slope[i] + mu;
    dual.add(std::isfinite(r) ? std::abs(r) : kInfinity, name);
    add_pushed(Pushed(mu, x[i], data.x_lower[i], data.x_upper[i]), name);
    sum += std::abs(mu);
  }
  return {.primal = primal.value,
          .dual = dual.value,
          .complementarity = complementarity.value,
          .scale = std::max(1.0, sum / (data.n + data.m) / 100.0),
          .worst_constraint = primal.where,
          .worst_variable = dual.where};
}

}  // namespace amble
