#include "amble/geometry/user_chart.hpp"

#include <cmath>

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/geometry/chart_search.hpp"
#include "amble/geometry/second_order.hpp"

namespace amble {

namespace {

class UserChart : public Chart {
 public:
  UserChart(const ChartDefinition& definition, const ChartVector& start, int constraint_count)
      : Chart(definition.name, definition.size, constraint_count), definition_(definition), start_(start) {}

  /// Given derivatives must be those of rho.
  void check_derivatives() const {
    constexpr double kTolerance = 1e-6;
    ChartPartials first;
    ChartSecondPartials second;
    detail::partials_of(definition_.rho, start_.data(), size(), first);
    detail::second_partials_of(definition_.rho, start_.data(), size(), second);
    const ChartPartials given = partials(start_);
    const ChartSecondPartials given_second = second_partials(start_);
    for (int i = 0; i < size(); ++i) {
      if (!((given[i] - first[i]).cwiseAbs().maxCoeff() <= kTolerance)) refuse("partial derivatives", i);
      for (int j = 0; j < size(); ++j)
        if (!((given_second[i][j] - second[i][j]).cwiseAbs().maxCoeff() <= kTolerance))
          refuse("second partial derivatives", i);
    }
  }

 private:
  [[noreturn]] void refuse(const char* what, int i) const {
    throw Error(
        fmt::format("the {} given for chart '{}' are not those of its rho: they differ at the start "
                    "coordinates for coordinate {}",
                    what, name(), i));
  }

  Matrix3<double> do_rho(const double* t) const override {
    return definition_.rho(detail::seeded(t, size(), -1, -1).data()).unaryExpr([](const SecondOrder& x) {
      return x.value.value;
    });
  }

  void do_partials(const double* t, ChartPartials& out) const override {
    if (!definition_.partials) return detail::partials_of(definition_.rho, t, size(), out);
    const auto given = checked_count(definition_.partials(t), size(), "partials");
    std::copy(given.begin(), given.end(), out.begin());
  }

  void do_second_partials(const double* t, ChartSecondPartials& out) const override {
    if (!definition_.second_partials) return detail::second_partials_of(definition_.rho, t, size(), out);
    const auto given = checked_count(definition_.second_partials(t), size() * size(), "second_partials");
    for (int i = 0; i < size(); ++i) std::copy_n(given.begin() + i * size(), size(), out[i].begin());
  }
  void do_partial_rates(const ChartPlace& at, const double* t, const double* tdot, ChartPartials& out) const override {
    if (definition_.second_partials) return Chart::do_partial_rates(at, t, tdot, out);
    for (int i = 0; i < size(); ++i)
      out[i] = definition_.rho(detail::along(t, tdot, size(), i).data()).unaryExpr(&detail::second_part);
  }

  template <class Values>
  Values checked_count(Values values, int expected, const char* what) const {
    if (static_cast<int>(values.size()) != expected)
      throw Error(fmt::format("{} of chart '{}' returned {} values: expected {}", what, name(), values.size(),
                              expected));
    return values;
  }

  std::vector<SecondOrder> constraints_at(const SecondOrder* t) const {
    if (!definition_.constraints) return {};
    return checked_count(definition_.constraints(t), constraint_count(), "constraints");
  }

  void do_constraints(const double* t, ChartVector& out) const override {
    const auto C = constraints_at(detail::seeded(t, size(), -1, -1).data());
    for (int k = 0; k < constraint_count(); ++k) out[k] = C[k].value.value;
  }

  void do_constraint_jacobian(const double* t, ChartMatrix& out) const override {
    for (int i = 0; i < size(); ++i) {
      const auto C = constraints_at(detail::seeded(t, size(), i, -1).data());
      for (int k = 0; k < constraint_count(); ++k) out(k, i) = detail::first_part(C[k]);
    }
  }

  void do_constraint_bias(const double* t, const double* tdot, ChartVector& out) const override {
    std::array<SecondOrder, kMaxChartSize> x = detail::seeded(t, size(), -1, -1);
    for (int i = 0; i < size(); ++i) x[i].value.grad[0] = x[i].grad[0].value = tdot[i];
    const auto C = constraints_at(x.data());
    for (int k = 0; k < constraint_count(); ++k) out[k] = detail::second_part(C[k]);
  }

  ChartVector do_from_rotation(const SO3<double>& R, const ChartVector* hint) const override {
    constexpr int kStarts = 40;
    Random random(1);
    ChartSearch best;
    const auto converges_from = [&](const ChartVector& start) {
      const ChartSearch found = search_coordinates(*this, R.matrix(), start);
      if (!(found.residual >= best.residual)) best = found;
      return best.converged;
    };
    if (hint && converges_from(*hint)) return best.theta;
    if (converges_from(start_)) return best.theta;
    for (int k = 0; k < kStarts; ++k) {
      ChartVector start = start_;
      for (double& x : start) x += random.normal();
      if (converges_from(start)) return best.theta;
    }
    throw Error(fmt::format(
        "chart '{}' has no coordinates for this rotation that could be found: the best of {} starts "
        "leaves a residual of {:.3g}",
        name(), kStarts + (hint ? 2 : 1), best.residual));
  }

  ChartDefinition definition_;
  ChartVector start_;
};

ChartVector start_of(const ChartDefinition& definition) {
  if (definition.start.empty()) return ChartVector::Zero(definition.size);
  if (static_cast<int>(definition.start.size()) != definition.size)
    throw Error(fmt::format("start of chart '{}' has {} numbers: expected {}", definition.name,
                            definition.start.size(), definition.size));
  return Eigen::Map<const Eigen::VectorXd>(definition.start.data(), definition.size);
}

/// How many constraints the definition has, asked by calling it once.
int count_constraints(const ChartDefinition& definition, const ChartVector& start) {
  if (!definition.constraints) return 0;
  const auto count =
      definition.constraints(detail::seeded(start.data(), definition.size, -1, -1).data()).size();
  if (count > static_cast<std::size_t>(definition.size))
    throw Error(fmt::format("chart '{}' has {} constraints: expected at most {}, as many as coordinates",
                            definition.name, count, definition.size));
  return static_cast<int>(count);
}

void check_definition(const ChartDefinition& definition) {
  if (definition.size < 3 || definition.size > kMaxChartSize)
    throw Error(fmt::format("chart '{}' has {} coordinates: expected 3 to {}", definition.name,
                            definition.size, kMaxChartSize));
  if (!definition.rho)
    throw Error("chart '" + definition.name + "' has no rho: expected a function from theta to R");
}

}  // namespace

ChartPtr user_chart(const ChartDefinition& definition) {
  check_definition(definition);
  const ChartVector start = start_of(definition);
  auto chart = std::make_shared<UserChart>(definition, start, count_constraints(definition, start));
  try {
    chart->rotation(start);
  } catch (const Error& e) {
    throw Error(fmt::format(
        "chart '{}' does not work at its start coordinates; give others in `start` if these are not "
        "meant to be used. {}",
        definition.name, e.what()));
  }
  chart->check_derivatives();
  const double measure = chart->singularity_measure(start);
  if (!(measure > 1e-9))
    throw Error(fmt::format(
        "chart '{}' is singular at its start coordinates: its singularity measure is {:.3g}; give "
        "others in `start`",
        definition.name, measure));
  return chart;
}

}  // namespace amble
