#include "amble/constraints/row_space.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace amble {

namespace {

constexpr double kNothing = 1e-14;  // a column this short beside the longest is rounding
constexpr double kWell = 1e-3;      // shares above this lose at most six digits in Y^T Y

constexpr double kDone = -1.0;      // in place of what is left of a column

/// Takes what the first k columns of Q have out of y, twice, since once leaves rounding; `parts` gains how much.
template <class Y, class Parts>
void take_out(const Eigen::MatrixXd& Q, int k, Y&& y, Parts&& parts, Eigen::VectorXd& room) {
  for (int again = 0; again < 2; ++again) {
    room.head(k).noalias() = Q.leftCols(k).transpose() * y;
    y.noalias() -= Q.leftCols(k) * room.head(k);
    parts.head(k) += room.head(k);
  }
}

}  // namespace

RowSpace::RowSpace(int dimension, int columns)
    : Y_(dimension, columns),
      Q_(dimension, std::min(dimension, columns)),
      R_(Q_.cols(), columns),
      gram_(columns, columns),
      W_(columns, Q_.cols()),
      T_(Q_.cols(), Q_.cols()),
      lengths_(columns),
      left_(columns),
      few_(columns),
      some_(columns) {
  independent_.reserve(columns), redundant_.reserve(columns);
}

void RowSpace::compute(const Eigen::MatrixXd& Y, double threshold) {
  const int n = static_cast<int>(Y.cols());
  Y_ = Y;
  for (int i = 0; i < n; ++i) lengths_[i] = Y_.col(i).norm();
  const double longest = lengths_.maxCoeff();
  independent_.clear(), redundant_.clear();
  for (int i = 0; i < n; ++i) {
    const bool something = lengths_[i] > kNothing * longest;
    (something ? independent_ : redundant_).push_back(i);
    if (something) Y_.col(i) /= lengths_[i];
  }
  quick_ = static_cast<Eigen::Index>(independent_.size()) <= Y.rows() && factor_quickly();
  if (!quick_) orthogonalise(threshold);
}

/// Cholesky of the columns that are something; false when one of them may be redundant.
bool RowSpace::factor_quickly() {
  const int n = static_cast<int>(independent_.size());
  least_share_ = 1.0;
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) gram_(i, j) = Y_.col(independent_[i]).dot(Y_.col(independent_[j]));
  if (n == 0) return true;
  Eigen::Ref<Eigen::MatrixXd> block = gram_.topLeftCorner(n, n);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(block);
  if (in_place.info() != Eigen::Success) return false;
  least_share_ = block.diagonal().minCoeff();
  return least_share_ > kWell;
}

/// Gram-Schmidt with the longest remainder first.
void RowSpace::orthogonalise(double threshold) {
  R_.setZero(), left_.setConstant(kDone);
  for (int i : independent_) left_[i] = 1.0;
  independent_.clear(), least_share_ = 1.0;
  for (int k = 0; k < Q_.cols();) {
    Eigen::Index best = 0;
    if (left_.maxCoeff(&best) == kDone) break;
    left_[best] = kDone;
    take_out(Q_, k, Y_.col(best), R_.col(best), few_);
    const double share = Y_.col(best).norm();
    if (!(share > threshold)) {
      redundant_.push_back(static_cast<int>(best));
      continue;
    }
    independent_.push_back(static_cast<int>(best));
    least_share_ = std::min(least_share_, share);
    Q_.col(k) = Y_.col(best) / share, R_(k, best) = share;
    for (Eigen::Index i = 0; i < left_.size(); ++i) {
      if (left_[i] == kDone) continue;
      R_(k, i) = Q_.col(k).dot(Y_.col(i));
      Y_.col(i) -= R_(k, i) * Q_.col(k);
      left_[i] = Y_.col(i).norm();
    }
    ++k;
  }
  for (Eigen::Index i = 0; i < left_.size(); ++i)
    if (left_[i] != kDone) redundant_.push_back(static_cast<int>(i));
  std::sort(redundant_.begin(), redundant_.end());
}

/// few_, one number for each independent column, becomes (Y^T Y)^-1 times that, of unit columns.
void RowSpace::solve_gram(Eigen::VectorXd& x) {
  const auto n = static_cast<Eigen::Index>(independent_.size());
  auto numbers = few_.head(n);
  const auto L = gram_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  L.solveInPlace(numbers);
  L.transpose().solveInPlace(numbers);
  x.setZero(lengths_.size());
  for (Eigen::Index i = 0; i < n; ++i) x[independent_[i]] = few_[i];
}

void RowSpace::reach(const Eigen::VectorXd& right, Eigen::VectorXd& y) {
  const auto n = static_cast<Eigen::Index>(independent_.size());
  for (Eigen::Index i = 0; i < n; ++i) few_[i] = right[independent_[i]] / lengths_[independent_[i]];
  if (quick_) {
    solve_gram(some_);
    y.setZero(Y_.rows());
    for (int i : independent_) y += some_[i] * Y_.col(i);
    return;
  }
  for (Eigen::Index k = 0; k < n; ++k) {  // the transpose of R_, whose columns stand in the order of `independent_`
    const auto column = R_.col(independent_[k]);
    few_[k] = (few_[k] - column.head(k).dot(few_.head(k))) / column[k];
  }
  y.noalias() = Q_.leftCols(n) * few_.head(n);
}

void RowSpace::shares(const Eigen::VectorXd& y, Eigen::VectorXd& x) {
  const int n = static_cast<int>(independent_.size());
  if (quick_) {
    for (int i = 0; i < n; ++i) few_[i] = Y_.col(independent_[i]).dot(y);
    solve_gram(x);
    for (int i : independent_) x[i] /= lengths_[i];
    return;
  }
  // The rows of R_, with the true lengths of the columns, are T_ W_^T: then x = W_ T_^-1 Q_^T y.
  some_.head(n).noalias() = Q_.leftCols(n).transpose() * y;
  T_.setZero();
  for (int k = 0; k < n; ++k) {
    W_.col(k) = R_.row(k).transpose().cwiseProduct(lengths_);
    take_out(W_, k, W_.col(k), T_.row(k).transpose(), few_);
    T_(k, k) = W_.col(k).norm();
    W_.col(k) /= T_(k, k);
  }
  T_.topLeftCorner(n, n).triangularView<Eigen::Lower>().solveInPlace(some_.head(n));
  x.noalias() = W_.leftCols(n) * some_.head(n);
}

}  // namespace amble
