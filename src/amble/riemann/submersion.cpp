#include "amble/riemann/submersion.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;
using Svd = Eigen::JacobiSVD<Dense>;

Dense upper_factor(const Dense& W, const std::string& what) {
  const Eigen::LLT<Dense> factor(W);
  if (factor.info() != Eigen::Success)
    throw Error(fmt::format("the metric of the {} is not positive definite", what));
  return factor.matrixL().transpose();
}

Dense target_metric(const TaskMap& task, const OwnedMatrix& given) {
  const int n = task.dimension();
  if (given.size() == 0) return Dense::Identity(n, n);
  if (given.rows() != n || given.cols() != n || !given.allFinite() ||
      (given - given.transpose()).norm() > 1e-9 * given.norm())
    throw Error(fmt::format("the metric of the workspace of the {} is {} x {} finite numbers, symmetric",
                            task.name(), n, n));
  return given;
}

/// J in coordinates in which both metrics are the identity: A J B^-1 with W = B^T B and G = A^T A.
struct Balanced {
  Dense A, B, balanced;
  Balanced(TaskMap& task, JointMetric& metric, const VectorRef& q, const Dense& J, const OwnedMatrix& target)
      : A(upper_factor(target_metric(task, target), "workspace of the " + task.name())),
        B(upper_factor(metric.value(q), "joints")),
        balanced(A * B.transpose().triangularView<Eigen::Lower>().solve(J.transpose()).transpose()) {}

  /// B^-1 V f(s) U^T A.
  template <class F>
  Dense inverse(const Svd& svd, F f) const {
    const Dense middle =
        svd.matrixV() * svd.singularValues().unaryExpr(f).asDiagonal() * svd.matrixU().transpose();
    return B.triangularView<Eigen::Upper>().solve(middle * A);
  }
};

Svd thin(const Dense& J) { return Svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV); }

/// The inverse of a singular value, or of none.
auto reciprocal(double floor) {
  return [floor](double s) { return s > floor ? 1.0 / s : 0.0; };
}

/// An orthonormal basis of ker J.
Dense kernel(const Dense& J, double singular) {
  const Svd svd(J, Eigen::ComputeFullV);
  const auto& s = svd.singularValues();
  const Eigen::Index rank = (s.array() > singular * std::max(s[0], 1e-300)).count();
  return svd.matrixV().rightCols(J.cols() - rank);
}

/// sin of the largest angle between W ker J and ker J.
double kernel_turning(const Dense& J, const Dense& W, double singular) {
  const Dense K = kernel(J, singular);
  if (K.cols() == 0 || K.cols() == K.rows()) return 0.0;
  const Dense moved = Dense(W * K).householderQr().householderQ() * Dense::Identity(K.rows(), K.cols());
  return Svd(moved - K * (K.transpose() * moved)).singularValues()[0];
}

}  // namespace

Submersion submersion(TaskMap& task, JointMetric& metric, const VectorRef& q,
                      const SubmersionOptions& options) {
  Submersion out;
  out.J = task.jacobian(q);
  const Balanced between(task, metric, q, out.J, options.target);
  const Svd svd = thin(between.balanced), plain = thin(out.J);
  const double floor = options.singular * svd.singularValues()[0];
  const int n = static_cast<int>(out.J.cols());
  out.lift = between.inverse(svd, reciprocal(floor));
  out.pseudoinverse = plain.matrixV() *
                      plain.singularValues()
                          .unaryExpr(reciprocal(options.singular * plain.singularValues()[0]))
                          .asDiagonal() *
                      plain.matrixU().transpose();
  out.horizontal = out.lift * out.J;
  out.vertical = Dense::Identity(n, n) - out.horizontal;
  out.singular_values = svd.singularValues();
  out.rank = static_cast<int>((svd.singularValues().array() > floor).count());
  out.manipulability = out.J.rows() > n ? 0.0 : svd.singularValues().prod();
  out.isometry_defect = (svd.singularValues().array().square() - 1.0).abs().maxCoeff();
  out.kernel_defect = kernel_turning(out.J, metric.value(q), options.singular);
  out.lift_difference = (out.lift - out.pseudoinverse).norm() / std::max(out.pseudoinverse.norm(), 1e-300);
  return out;
}

std::array<double, 4> penrose_residuals(const OwnedMatrix& J, const OwnedMatrix& B) {
  const Dense JB = J * B, BJ = B * J;
  const auto relative = [](const Dense& a, const Dense& b) {
    return (a - b).norm() / std::max(b.norm(), 1e-300);
  };
  return {relative(JB * J, J), relative(BJ * B, B), relative(JB.transpose(), JB),
          relative(BJ.transpose(), BJ)};
}

const char* name_of(SingularityKind kind) {
  return kind == SingularityKind::none        ? "none"
         : kind == SingularityKind::kinematic ? "kinematic"
                                              : "algorithmic";
}

namespace {

Singularity rank_loss(const Dense& balanced, double singular, SingularityKind kind) {
  const Svd svd(balanced, Eigen::ComputeFullU);
  const auto& s = svd.singularValues();
  const Eigen::Index full = balanced.rows(), rank = (s.array() > singular * std::max(s[0], 1e-300)).count();
  const double least = s.size() < full ? 0.0 : s[s.size() - 1];
  if (rank == full) return {SingularityKind::none, least, s[0], OwnedMatrix(full, 0)};
  return {kind, least, s[0], svd.matrixU().rightCols(full - rank)};
}

/// Rows of unit length in the metric of the joints: metres and radians weigh alike.
Dense unit_rows(const Dense& rows) { return rows.rowwise().normalized(); }

}  // namespace

Singularity singularity(TaskMap& task, TaskMap* second, JointMetric& metric, const VectorRef& q,
                        const SubmersionOptions& options) {
  const Balanced first(task, metric, q, task.jacobian(q), options.target);
  const Singularity own = rank_loss(first.balanced, options.singular, SingularityKind::kinematic);
  if (own.kind != SingularityKind::none || second == nullptr) return own;
  const Balanced other(*second, metric, q, second->jacobian(q), {});
  const Singularity theirs = rank_loss(other.balanced, options.singular, SingularityKind::kinematic);
  if (theirs.kind != SingularityKind::none) return theirs;
  Dense both(first.balanced.rows() + other.balanced.rows(), first.balanced.cols());
  both << first.balanced, other.balanced;
  return rank_loss(unit_rows(both), options.singular, SingularityKind::algorithmic);
}

DampedLift damped_lift(TaskMap& task, JointMetric& metric, const VectorRef& q, const VectorRef& xdot,
                       const DampingOptions& options) {
  if (xdot.size() != task.dimension() || !xdot.allFinite())
    throw Error(fmt::format("xdot of the {} is {} finite numbers", task.name(), task.dimension()));
  if (!(options.threshold >= 0.0) || !(options.damping >= 0.0))
    throw Error("threshold and damping of a lift are not negative");
  const Dense J = task.jacobian(q);
  const Balanced between(task, metric, q, J, options.submersion.target);
  const Svd svd = thin(between.balanced);
  const auto squared_damping = [&](double s) {
    const double part = options.threshold > 0.0 ? s / options.threshold : 1.0;
    return part < 1.0 ? options.damping * options.damping * (1.0 - part * part) : 0.0;
  };
  const auto damped = [&](double s) {
    const double whole = s * s + squared_damping(s);
    return whole > 0.0 ? s / whole : 0.0;
  };
  DampedLift out;
  out.v = between.inverse(svd, damped) * xdot;
  out.speed = (between.B * out.v).norm();
  out.task_error = (between.A * (xdot - J * out.v)).norm();
  const double least = J.rows() > J.cols() ? 0.0 : svd.singularValues().minCoeff(),
               share = squared_damping(least);
  out.lambda = std::sqrt(share);
  out.worst_error = least == 0.0 ? 1.0 : share / (least * least + share);
  const double floor = options.submersion.singular * svd.singularValues()[0];
  const Eigen::VectorXd free = between.inverse(svd, reciprocal(floor)) * xdot;
  const bool reached = (between.A * (xdot - J * free)).norm() <= 1e-9 * (between.A * xdot).norm();
  out.undamped_speed = reached ? (between.B * free).norm() : std::numeric_limits<double>::infinity();
  return out;
}

}  // namespace amble
