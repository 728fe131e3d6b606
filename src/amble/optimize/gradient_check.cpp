#include "amble/optimize/gradient_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/optimize/program_data.hpp"

namespace amble {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// f'(x) = sum_k w_k (f(x + k h) - f(x - k h)) / h, k = 1..4 (Fornberg 1988).
constexpr std::array<double, 4> kEighth{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
constexpr std::array<double, 4> kSixth{3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0, 0.0};

/// Derivatives of all rows of `f` with respect to x_i, each with the step that its two orders agree on best.
template <class F>
Vector difference(const F& f, Vector x, int i, double largest_step) {
  const double centre = x[i];
  Vector best, doubt;
  for (double wanted = largest_step; wanted > largest_step / 100.0; wanted /= 2.0) {
    const volatile double end = centre + wanted;
    const double h = end - centre;  // a step that the numbers near x_i can represent
    Vector eighth, sixth;
    for (int k = 1; k <= 4; ++k) {
      x[i] = centre + k * h;
      const Vector ahead = f(x);
      x[i] = centre - k * h;
      const Vector d = (ahead - f(x)) / h;
      if (k == 1) eighth = sixth = Vector::Zero(d.size());
      eighth += kEighth[k - 1] * d, sixth += kSixth[k - 1] * d;
    }
    const Vector disagreement = (eighth - sixth).cwiseAbs();
    if (best.size() == 0) best = eighth, doubt = disagreement;
    for (int row = 0; row < best.size(); ++row)
      if (!(doubt[row] <= disagreement[row])) best[row] = eighth[row], doubt[row] = disagreement[row];
  }
  return best;
}

template <class F>
Matrix differences(const F& f, const Vector& x, double step) {
  Matrix all;
  for (int i = 0; i < x.size(); ++i) {
    const Vector column = difference(f, x, i, step * std::max(1.0, std::abs(x[i])));
    if (i == 0) all.resize(column.size(), x.size());
    all.col(i) = column;
  }
  return all;
}

template <class Name>
DerivativeError worst_of(const Matrix& given, const Matrix& by_differences, const Vector& sizes, double floor,
                         const Name& name) {
  DerivativeError worst;
  for (int row = 0; row < given.rows(); ++row) {
    const double scale =
        std::max({given.row(row).cwiseAbs().maxCoeff(), by_differences.row(row).cwiseAbs().maxCoeff(),
                  floor * std::max(1.0, std::abs(sizes[row]))});
    for (int column = 0; column < given.cols(); ++column) {
      const double d = std::abs(given(row, column) - by_differences(row, column)) / scale;
      const double error = std::isfinite(d) ? d : kInfinity;
      if (worst.where.empty() || error > worst.error)
        worst = {error, name(row, column), given(row, column), by_differences(row, column)};
    }
  }
  return worst;
}

/// The program's functions as vectors and dense matrices.
struct Dense {
  NonlinearProgram& program;
  detail::ProgramData data{program};

  Vector values(const Vector& x) const {
    Vector all(1 + data.m);
    all[0] = program.objective(x);
    program.constraint_values(x, Numbers(all.data() + 1, data.m));
    return all;
  }
  Matrix slopes(const Vector& x) const {
    Matrix all = Matrix::Zero(1 + data.m, data.n);
    Vector df(data.n), entries(data.jacobian.size());
    program.gradient(x, Numbers(df.data(), df.size()));
    program.jacobian(x, Numbers(entries.data(), entries.size()));
    all.row(0) = df.transpose();
    for (std::size_t k = 0; k < data.jacobian.size(); ++k)
      all(1 + data.jacobian[k].row, data.jacobian[k].column) += entries[k];
    return all;
  }
  Matrix hessian(const Vector& x, double weight, const Vector& lambda) const {
    Matrix all = Matrix::Zero(data.n, data.n);
    Vector entries(data.hessian.size());
    program.hessian(x, weight, lambda, Numbers(entries.data(), entries.size()));
    for (std::size_t k = 0; k < data.hessian.size(); ++k) {
      const auto [row, column] = data.hessian[k];
      all(row, column) += entries[k];
      if (row != column) all(column, row) += entries[k];
    }
    return all;
  }
};

DerivativeError check_hessian(const Dense& dense, const Vector& x, const GradientCheckSettings& settings) {
  Random random(1);  // any multipliers will do, as long as every constraint has one of its own
  Vector weights(1 + dense.data.m);
  for (double& w : weights) w = 0.5 + random.uniform();
  const auto gradient = [&](const Vector& at) -> Vector { return dense.slopes(at).transpose() * weights; };
  return worst_of(dense.hessian(x, weights[0], weights.tail(dense.data.m)),
                  differences(gradient, x, settings.step), gradient(x), settings.floor, [&](int i, int j) {
                    return fmt::format("{} by {}", dense.program.variable_name(i),
                                       dense.program.variable_name(j));
                  });
}

}  // namespace

void GradientCheckSettings::validate() const {
  if (!(step > 0.0 && step < kInfinity)) throw Error(fmt::format("step is {}, expected more than 0", step));
  if (!(floor > 0.0)) throw Error(fmt::format("floor is {}, expected more than 0", floor));
}

const DerivativeError& GradientCheck::worst() const {
  const DerivativeError& first = jacobian.error > objective.error ? jacobian : objective;
  return hessian.error > first.error ? hessian : first;
}

GradientCheck check_gradients(NonlinearProgram& program, const VectorRef& x,
                              const GradientCheckSettings& settings) {
  settings.validate();
  const Dense dense{program};
  if (x.size() != dense.data.n)
    throw Error(fmt::format("x has {} numbers, expected {}", x.size(), dense.data.n));
  const Vector values = dense.values(x);
  if (!values.allFinite()) throw Error("the program cannot be evaluated at x");

  const Matrix given = dense.slopes(x);
  const Matrix by_differences =
      differences([&](const Vector& at) { return dense.values(at); }, x, settings.step);
  const auto part = [&](int first, int count, const auto& name) {
    return worst_of(given.middleRows(first, count), by_differences.middleRows(first, count),
                    values.segment(first, count), settings.floor, name);
  };
  GradientCheck check;
  check.objective = part(
      0, 1, [&](int, int column) { return fmt::format("objective by {}", program.variable_name(column)); });
  check.jacobian = part(1, dense.data.m, [&](int row, int column) {
    return fmt::format("{} by {}", program.constraint_name(row), program.variable_name(column));
  });
  if (settings.hessian && program.has_hessian()) check.hessian = check_hessian(dense, x, settings);
  return check;
}

}  // namespace amble
