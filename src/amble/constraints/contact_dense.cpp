#include "amble/constraints/contact_dense.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace amble {

namespace {

/// Takes what lies along the first `count` columns of Q out of x: twice is enough (Kahan, Parlett).
void orthogonalize(const Eigen::MatrixXd& Q, int count, Eigen::Ref<Eigen::VectorXd> x) {
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < count; ++k) x -= Q.col(k).dot(x) * Q.col(k);
}

}  // namespace

DenseContacts::DenseContacts(int nv, int rows, double redundancy)
    : nv_(nv),
      rows_(rows),
      redundancy_(redundancy),
      L_(nv, nv),
      Z_(nv, rows),
      Q_(nv, std::min(nv, rows)),
      R_(std::min(nv, rows), rows),
      rest_(nv, rows),
      Q_row_(rows, std::min(nv, rows)),
      R_row_(std::min(nv, rows), std::min(nv, rows)),
      pivots_(std::min(nv, rows)),
      y_(nv),
      goal_(rows),
      s_(std::min(nv, rows)) {}

bool DenseContacts::factor(const Matrix& M, const Matrix& J) {
  L_ = M;
  Eigen::Ref<Eigen::MatrixXd> in_place(L_);
  if (Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(in_place).info() != Eigen::Success) return false;
  for (int i = 0; i < rows_; ++i) {
    Z_.col(i) = J.row(i);
    L_.triangularView<Eigen::Lower>().solveInPlace(Z_.col(i));
  }
  find_rank();
  find_row_basis();
  return true;
}

/// Gram and Schmidt, each time with the column of which most is left.
void DenseContacts::find_rank() {
  for (int i = 0; i < rows_; ++i) {
    rest_.col(i) = Z_.col(i);
    if (const double length = Z_.col(i).norm(); length > 0.0) rest_.col(i) /= length;
  }
  for (rank_ = 0; rank_ < s_.size(); ++rank_) {
    int next = 0;
    for (int i = 1; i < rows_; ++i)
      if (rest_.col(i).squaredNorm() > rest_.col(next).squaredNorm()) next = i;
    if (!(rest_.col(next).norm() > redundancy_)) return;
    pivots_[rank_] = next;
    auto q = Q_.col(rank_);
    q = rest_.col(next);
    orthogonalize(Q_, rank_, q);
    q.normalize();
    for (int i = 0; i < rows_; ++i) {
      R_(rank_, i) = q.dot(Z_.col(i));
      rest_.col(i) -= q.dot(rest_.col(i)) * q;
    }
    rest_.col(next).setZero();
  }
}

void DenseContacts::find_row_basis() {
  for (int i = 0; i < rank_; ++i) {
    auto q = Q_row_.col(i);
    q = R_.row(i).transpose();
    orthogonalize(Q_row_, i, q);
    q.normalize();
    for (int k = 0; k <= i; ++k) R_row_(k, i) = Q_row_.col(k).dot(R_.row(i).transpose());
  }
}

/// y = L^-1 right becomes L^-1 (right + J^T f), with J^T f = L Q s; the goal, what J^T f has to bring about.
void DenseContacts::solve_one() {
  for (int i = 0; i < rows_; ++i) goal_[i] -= Z_.col(i).dot(y_);
  for (int i = 0; i < rank_; ++i) {
    double x = goal_[pivots_[i]];
    for (int k = 0; k < i; ++k) x -= R_(k, pivots_[i]) * s_[k];
    s_[i] = x / R_(i, pivots_[i]);
  }
  for (int i = 0; i < rank_; ++i) y_ += s_[i] * Q_.col(i);
}

DenseContacts::Residual DenseContacts::solve(Matrix right, Matrix goal) {
  Residual worst;
  for (int column = 0; column < right.cols(); ++column) {
    y_ = right.col(column), goal_ = goal.col(column);
    const double scale = 1.0 + goal_.norm();
    L_.triangularView<Eigen::Lower>().solveInPlace(y_);
    solve_one();
    for (int i = 0; i < rows_; ++i) {
      double left = goal_[i];
      for (int k = 0; k < rank_; ++k) left -= R_(k, i) * s_[k];
      if (!(std::abs(left) / scale <= worst.size)) worst = {std::abs(left) / scale, i};
    }
    L_.transpose().triangularView<Eigen::Upper>().solveInPlace(y_);
    right.col(column) = y_;
    goal_.setZero();
    for (int i = 0; i < rank_; ++i) {
      for (int k = 0; k < i; ++k) s_[i] -= R_row_(k, i) * s_[k];
      s_[i] /= R_row_(i, i);
      goal_ += s_[i] * Q_row_.col(i);
    }
    goal.col(column) = goal_;
  }
  return worst;
}

void DenseContacts::source(const double* f, double* y) {
  const Eigen::Map<const Eigen::VectorXd> force(f, rows_);
  y_.setZero();
  for (int i = rank_ - 1; i >= 0; --i) {
    s_[i] = Q_row_.col(i).dot(force);
    for (int k = i + 1; k < rank_; ++k) s_[i] -= R_row_(i, k) * s_[k];
    s_[i] /= R_row_(i, i);
    y_ += s_[i] * Q_.col(i);
  }
  L_.transpose().triangularView<Eigen::Upper>().solveInPlace(y_);
  Eigen::Map<Eigen::VectorXd>(y, nv_) = y_;
}

void DenseContacts::add_beyond_rows(const Matrix& from, Matrix to) {
  for (int column = 0; column < from.cols(); ++column) {
    goal_ = from.col(column);
    orthogonalize(Q_row_, rank_, goal_);
    to.col(column) += goal_;
  }
}

}  // namespace amble
