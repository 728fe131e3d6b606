#include "amble/riemann/task_inverse.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

[[noreturn]] void throw_singular_task(const TaskInverse& inverse, const char* kind) {
  throw Error(fmt::format("the {} of the {} does not exist here: the configuration is a {} singularity",
                          inverse.name(), inverse.task().name(), kind));
}

class Weighted final : public TaskInverse {
 public:
  Weighted(std::string name, TaskMapPtr task, MetricPtr metric)
      : TaskInverse(std::move(name), std::move(task)), metric_(std::move(metric)) {}

  OwnedMatrix value(const VectorRef& q) override {
    load(q);
    return raised_ * gram_.solve(Dense::Identity(J_.rows(), J_.rows()));
  }
  /// With U = W^-1 J^T and K = J U: B = U K^-1, U' = W^-1 (J'^T - W' U), K' = J' U + J U'.
  OwnedMatrix rate(const VectorRef& q, const VectorRef& v) override {
    load(q);
    const Dense J_rate = task().jacobian_rate(q, v);
    const Dense U_rate = W_.solve(J_rate.transpose() - metric_->rate(q, v) * raised_);
    const Dense K_rate = J_rate * raised_ + J_ * U_rate,
                B = raised_ * gram_.solve(Dense::Identity(J_.rows(), J_.rows()));
    return (U_rate - B * K_rate) * gram_.solve(Dense::Identity(J_.rows(), J_.rows()));
  }

 private:
  void load(const VectorRef& q) {
    J_ = task().jacobian(q);
    W_.compute(metric_->value(q));
    if (W_.info() != Eigen::Success)
      throw Error(fmt::format("the metric of the {} is not positive definite here", name()));
    raised_ = W_.solve(J_.transpose());
    gram_.compute(J_ * raised_);
    const Eigen::VectorXd pivots = gram_.vectorD();
    if (J_.rows() > J_.cols() || !(pivots.minCoeff() > 1e-14 * pivots.maxCoeff()))
      throw_singular_task(*this, "kinematic");
  }

  MetricPtr metric_;
  Dense J_, raised_;
  Eigen::LLT<Dense> W_;
  Eigen::LDLT<Dense> gram_;
};

class Extended final : public TaskInverse {
 public:
  Extended(TaskMapPtr task, TaskMapPtr further)
      : TaskInverse("extended inverse with the " + further->name(), task),
        both_(stacked_task({task, further})) {
    if (both_->dimension() != both_->mechanism().nv())
      throw Error(fmt::format("an extended inverse of '{}' needs {} numbers in all, not {}",
                              both_->mechanism().name(), both_->mechanism().nv(), both_->dimension()));
  }
  OwnedMatrix value(const VectorRef& q) override { return inverse(q).leftCols(task().dimension()); }
  OwnedMatrix rate(const VectorRef& q, const VectorRef& v) override {
    const Dense all = inverse(q);
    return -all * (both_->jacobian_rate(q, v) * all.leftCols(task().dimension()));
  }

 private:
  Dense inverse(const VectorRef& q) {
    const Eigen::FullPivLU<Dense> lu(Dense(both_->jacobian(q)).rowwise().normalized());
    if (lu.rcond() < 1e-13 || !lu.isInvertible()) {
      const Eigen::FullPivLU<Dense> own(Dense(task().jacobian(q)));
      throw_singular_task(*this, own.rank() < task().dimension() ? "kinematic" : "algorithmic");
    }
    return Dense(both_->jacobian(q)).inverse();
  }
  TaskMapPtr both_;
};

class UserInverse final : public TaskInverse {
 public:
  UserInverse(std::string name, TaskMapPtr task, InverseFunction B)
      : TaskInverse(std::move(name), std::move(task)), B_(std::move(B)) {
    if (!B_) throw Error("an inverse of the user's needs its function B(q)");
  }
  OwnedMatrix value(const VectorRef& q) override {
    OwnedMatrix B = B_(q);
    const int rows = task().mechanism().nv(), cols = task().dimension();
    if (B.rows() != rows || B.cols() != cols || !B.allFinite())
      throw Error(fmt::format("the inverse '{}' is not {} x {} finite numbers", name(), rows, cols));
    const double off = (task().jacobian(q) * B - Dense::Identity(cols, cols)).norm();
    if (off > 1e-6)
      throw Error(fmt::format("the inverse '{}' is none of the {}: J B differs from 1 by {:.3g}", name(),
                              task().name(), off));
    return B;
  }
  OwnedMatrix rate(const VectorRef& q, const VectorRef& v) override {
    const double speed = std::max(v.norm(), 1e-300);
    return speed * slope_at_zero([&](double t) {
             return Dense(value(task().mechanism().integrate(q, t / speed * v)));
           });
  }

 private:
  InverseFunction B_;
};

}  // namespace

InversePtr weighted_inverse(std::string name, TaskMapPtr task, MetricPtr metric) {
  return std::make_shared<Weighted>(std::move(name), std::move(task), std::move(metric));
}
InversePtr kinetic_lift(TaskMapPtr task) {
  MetricPtr metric = kinetic_metric(task->mechanism());
  return weighted_inverse("horizontal lift", std::move(task), std::move(metric));
}
InversePtr pseudoinverse(TaskMapPtr task) {
  MetricPtr metric = identity_metric(task->mechanism());
  return weighted_inverse("pseudoinverse", std::move(task), std::move(metric));
}
InversePtr extended_inverse(TaskMapPtr task, TaskMapPtr further) {
  return std::make_shared<Extended>(std::move(task), std::move(further));
}
InversePtr user_inverse(std::string name, TaskMapPtr task, InverseFunction B) {
  return std::make_shared<UserInverse>(std::move(name), std::move(task), std::move(B));
}

}  // namespace amble
