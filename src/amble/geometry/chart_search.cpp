#include "amble/geometry/chart_search.hpp"

#include <Eigen/Dense>
#include <algorithm>

namespace amble {

namespace {

Eigen::VectorXd residual(const Chart& chart, const Matrix3<double>& R, const ChartVector& theta) {
  const Eigen::Matrix3d difference = chart.rho(theta) - R;
  Eigen::VectorXd r(9 + chart.constraint_count());
  r << difference.reshaped(), chart.constraints(theta);
  return r;
}

Eigen::MatrixXd jacobian(const Chart& chart, const ChartVector& theta) {
  const ChartPartials partials = chart.partials(theta);
  Eigen::MatrixXd J(9 + chart.constraint_count(), chart.size());
  for (int i = 0; i < chart.size(); ++i) J.col(i).head<9>() = Eigen::Matrix3d(partials[i]).reshaped();
  J.bottomRows(chart.constraint_count()) = chart.constraint_jacobian(theta);
  return J;
}

/// The step that minimises |J step + r|^2 + damping |step|^2, by orthogonal factors so that a small damping
/// counts.
Eigen::VectorXd damped_step(const Eigen::MatrixXd& J, const Eigen::VectorXd& r, double damping) {
  const Eigen::Index d = J.cols();
  Eigen::MatrixXd A(J.rows() + d, d);
  A << J, std::sqrt(damping) * Eigen::MatrixXd::Identity(d, d);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(J.rows() + d);
  b.head(J.rows()) = -r;
  return A.colPivHouseholderQr().solve(b);
}

}  // namespace

ChartSearch search_coordinates(const Chart& chart, const Matrix3<double>& R, const ChartVector& start) {
  constexpr int kIterations = 100;
  constexpr double kConverged = 1e-13, kPolished = 1e-15;
  ChartVector theta = start;
  Eigen::VectorXd r = residual(chart, R, theta);
  double damping = 1e-2;
  for (int k = 0; k < kIterations && r.norm() > kPolished; ++k) {
    const ChartVector trial = theta + damped_step(jacobian(chart, theta), r, damping);
    const Eigen::VectorXd r_trial = residual(chart, R, trial);
    const bool better = r_trial.norm() < r.norm();
    if (!better && r.norm() < kConverged) break;
    damping = better ? damping * 0.1 : std::min(damping * 10.0, 1e6);
    if (!better) continue;
    theta = trial;
    r = r_trial;
  }
  return {theta, r.norm(), r.norm() < kConverged};
}

}  // namespace amble
