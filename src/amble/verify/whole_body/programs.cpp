#include <Eigen/LU>
#include <cmath>

#include "amble/optimize/quadratic_program.hpp"
#include "amble/verify/whole_body/themes.hpp"

// Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981): those with quadratic objective and linear
// constraints. And an optimal control problem, whose programs Riccati's recursion solves too.
namespace amble {

namespace {

struct Known {
  QuadraticProgram program;
  double constant;  ///< of the objective
  double optimum;
};

/// The objective gains weight (c . x - value)^2.
void add_square(QuadraticProgram& p, double& constant, const Eigen::VectorXd& c, double value) {
  p.H += 2.0 * c * c.transpose(), p.g -= 2.0 * value * c, constant += value * value;
}

Eigen::VectorXd numbers(std::initializer_list<double> list) {
  return Eigen::Map<const Eigen::VectorXd>(list.begin(), static_cast<long>(list.size()));
}

Known hs21() {
  QuadraticProgram p(2, 0, 1);
  p.H.diagonal() << 0.02, 2.0;
  p.C << 10, -1;
  p.lower << 10;
  p.x_lower << 2, -50;
  p.x_upper << 50, 50;
  return {p, -100.0, -99.96};
}

Known hs35() {
  QuadraticProgram p(3, 0, 1);
  p.H << 4, 2, 2, 2, 4, 0, 2, 0, 2;
  p.g << -8, -6, -4;
  p.C << 1, 1, 2;
  p.upper << 3;
  p.x_lower.setZero();
  return {p, 9.0, 1.0 / 9.0};
}

/// HS 51, 52 and 53: (first . x)^2 + (x2 + x3 - 2)^2 + (x4 - 1)^2 + (x5 - 1)^2 on three equalities.
Known on_equalities(const Eigen::VectorXd& first, double sum, double bound, double optimum) {
  Known out{QuadraticProgram(5, 3), 0.0, optimum};
  QuadraticProgram& p = out.program;
  add_square(p, out.constant, first, 0.0);
  add_square(p, out.constant, numbers({0, 1, 1, 0, 0}), 2.0);
  add_square(p, out.constant, numbers({0, 0, 0, 1, 0}), 1.0);
  add_square(p, out.constant, numbers({0, 0, 0, 0, 1}), 1.0);
  p.A << 1, 3, 0, 0, 0, 0, 0, 1, 1, -2, 0, 1, 0, 0, -1;
  p.b << sum, 0, 0;
  p.x_lower.setConstant(-bound), p.x_upper.setConstant(bound);
  return out;
}

Known hs76() {
  QuadraticProgram p(4, 0, 3);
  p.H << 2, 0, -1, 0, 0, 1, 0, 0, -1, 0, 2, 1, 0, 0, 1, 1;
  p.g << -1, -3, 1, -1;
  p.C << 1, 2, 1, 1, 3, 1, 2, -1, 0, 1, 4, 0;
  p.upper << 5, 4, kInfinity;
  p.lower[2] = 1.5;
  p.x_lower.setZero();
  return {p, 0.0, -103.0 / 22.0};
}

/// Fifteen variables, five deliveries of three; nearly linear.
Known hs118() {
  QuadraticProgram p(15, 0, 17);
  const double prices[] = {2.3, 1.7, 2.2}, squares[] = {2e-4, 2e-4, 3e-4}, rises[] = {6, 7, 6}, most[] = {90, 120, 60};
  const double first_low[] = {8, 43, 3}, first_high[] = {21, 57, 16}, wanted[] = {60, 50, 70, 85, 100};
  for (int j = 0; j < 5; ++j) {
    for (int k = 0; k < 3; ++k) {
      const int i = 3 * j + k;
      p.H(i, i) = squares[k], p.g[i] = prices[k];
      p.x_lower[i] = j == 0 ? first_low[k] : 0.0, p.x_upper[i] = j == 0 ? first_high[k] : most[k];
      p.C(12 + j, i) = 1.0;
      if (j == 0) continue;
      p.C(i - 3, i) = 1.0, p.C(i - 3, i - 3) = -1.0;
      p.lower[i - 3] = -7.0, p.upper[i - 3] = rises[k];
    }
    p.lower[12 + j] = wanted[j];
  }
  return {p, 0.0, 664.82045};
}

VerificationEntry published(const std::string& number, Known (*make)(), double tolerance = 1e-9) {
  const std::string id = "whole-body.qp.hs" + number;
  return {id, [=] {
            const Known known = make();
            const QpResult found = solve(known.program);
            const double ours = found.solved() ? found.objective + known.constant : kInfinity;
            return Verification{id, "Hock and Schittkowski 1981, problem " + number + ": the least value", known.optimum, ours,
                                tolerance, "published"};
          }};
}

/// A cart of mass one pushed for twenty steps at the least of sum (x'x + u^2 / 10): the first push.
Verification optimal_control() {
  constexpr int kSteps = 20;
  constexpr double kStep = 0.1, kEffort = 0.1;
  Eigen::Matrix2d A, P = Eigen::Matrix2d::Identity();
  Eigen::Vector2d B, start(1.0, -0.5);
  A << 1, kStep, 0, 1;
  B << 0.5 * kStep * kStep, kStep;
  Eigen::RowVector2d gain;
  for (int i = 0; i < kSteps; ++i) {  // Riccati, backwards
    gain = (B.transpose() * P * A) / (kEffort + B.dot(P * B));
    P = Eigen::Matrix2d::Identity() + A.transpose() * P * (A - B * gain);
  }
  QuadraticProgram p(3 * kSteps, 2 * kSteps);  // (u, x) of each step
  for (int i = 0; i < kSteps; ++i) {
    p.H.diagonal().segment<3>(3 * i) << kEffort, 1.0, 1.0;
    p.A.block<2, 1>(2 * i, 3 * i) = -B;
    p.A.block<2, 2>(2 * i, 3 * i + 1).setIdentity();
    if (i > 0) p.A.block<2, 2>(2 * i, 3 * i - 2) = -A;
  }
  p.b.head<2>() = A * start;
  const QpResult found = solve(p);
  return {"whole-body.qp.optimal_control", "Riccati's recursion: the first push of twenty", -gain.dot(start),
          found.solved() ? found.x[0] : kInfinity, 1e-11, "two routes"};
}

/// The point of a simplex nearest to one outside it: sorted and cut, Held, Wolfe and Crowder 1974.
Verification simplex() {
  constexpr int kCount = 6;
  const Eigen::VectorXd y = numbers({0.9, -0.3, 0.7, 0.1, 0.65, -1.0});
  QuadraticProgram p(kCount, 1);
  p.H.setIdentity(), p.g = -y, p.A.setOnes(), p.b[0] = 1.0, p.x_lower.setZero();
  const double cut = (0.9 + 0.7 + 0.65 - 1.0) / 3.0;
  Eigen::VectorXd nearest = (y.array() - cut).cwiseMax(0.0);
  const QpResult found = solve(p);
  return {"whole-body.qp.simplex", "Held, Wolfe and Crowder 1974: the nearest point of a simplex", 0.0,
          found.solved() ? (found.x - nearest).norm() : kInfinity, 1e-13, "closed form"};
}

}  // namespace

std::vector<VerificationEntry> whole_body_programs() {
  return {published("21", hs21),
          published("35", hs35),
          published("51", [] { return on_equalities(numbers({1, -1, 0, 0, 0}), 4.0, kInfinity, 0.0); }),
          published("52", [] { return on_equalities(numbers({4, -1, 0, 0, 0}), 0.0, kInfinity, 1859.0 / 349.0); }),
          published("53", [] { return on_equalities(numbers({1, -1, 0, 0, 0}), 0.0, 10.0, 176.0 / 43.0); }),
          published("76", hs76),
          published("118", hs118, 1e-6),  // published to eight digits
          {"whole-body.qp.optimal_control", optimal_control},
          {"whole-body.qp.simplex", simplex}};
}

}  // namespace amble
