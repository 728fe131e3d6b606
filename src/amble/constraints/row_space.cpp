#include "amble/constraints/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace amble {

namespace {

constexpr double kNothing = 1e-14;  // a column this short beside the longest is rounding
constexpr double kWell = 1e-3;      // shares above this lose at most six digits in Y^T Y

constexpr double kDone = -1.0;  // in place of what is left of a column

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
      L_(columns, columns),
      W_(columns, Q_.cols()),
      T_(Q_.cols(), Q_.cols()),
      lengths_(columns),
      left_(columns),
      few_(columns),
      some_(columns),
      begin_(columns),
      end_(columns),
      envelope_(columns) {
  independent_.reserve(columns), redundant_.reserve(columns);
}

void RowSpace::compute(const Eigen::MatrixXd& Y, double threshold) {
  const int n = static_cast<int>(Y.cols());
  Y_ = Y;
  for (int i = 0; i < n; ++i) find_support(i);
  const double longest = lengths_.maxCoeff();
  independent_.clear(), redundant_.clear();
  for (int i = 0; i < n; ++i) {
    const bool something = lengths_[i] > kNothing * longest;
    (something ? independent_ : redundant_).push_back(i);
    if (something) Y_.col(i).segment(begin_[i], end_[i] - begin_[i]) /= lengths_[i];
  }
  quick_ = static_cast<Eigen::Index>(independent_.size()) <= Y.rows() && factor_quickly();
  if (!quick_) orthogonalise(threshold);
}

void RowSpace::find_support(int i) {
  const double* y = Y_.col(i).data();
  int begin = 0, end = static_cast<int>(Y_.rows());
  while (begin < end && y[begin] == 0.0) ++begin;
  while (end > begin && y[end - 1] == 0.0) --end;
  begin_[i] = begin, end_[i] = end;
  lengths_[i] = Y_.col(i).segment(begin, end - begin).norm();
}

/// Cholesky of the columns that are something; false when one of them may be redundant.
bool RowSpace::factor_quickly() {
  least_share_ = 1.0;
  for (int i = 0; i < static_cast<int>(independent_.size()); ++i)
    if (!factor_row(i)) return false;
  return true;
}

bool RowSpace::factor_row(int i) {
  const int c = independent_[i];
  auto row = L_.col(i);
  envelope_[i] = i;
  for (int j = 0; j <= i; ++j) {
    const int other = independent_[j], begin = std::max(begin_[c], begin_[other]),
              size = std::min(end_[c], end_[other]) - begin;
    if (size <= 0 && envelope_[i] == i) continue;
    envelope_[i] = std::min(envelope_[i], j);
    double x = size > 0 ? Y_.col(c).segment(begin, size).dot(Y_.col(other).segment(begin, size)) : 0.0;
    const int from = std::max(envelope_[i], envelope_[j]);
    if (from < j) x -= row.segment(from, j - from).dot(L_.col(j).segment(from, j - from));
    if (j == i && !(x > kWell * kWell)) return false;
    row[j] = j == i ? std::sqrt(x) : x / L_(j, j);
  }
  least_share_ = std::min(least_share_, row[i]);
  return true;
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
  const int n = static_cast<int>(independent_.size());
  for (int i = 0; i < n; ++i) {
    const int from = envelope_[i];
    few_[i] = (few_[i] - L_.col(i).segment(from, i - from).dot(few_.segment(from, i - from))) / L_(i, i);
  }
  x.setZero(lengths_.size());
  for (int i = n - 1; i >= 0; --i) {
    const int from = envelope_[i];
    few_[i] /= L_(i, i);
    few_.segment(from, i - from) -= few_[i] * L_.col(i).segment(from, i - from);
    x[independent_[i]] = few_[i];
  }
}

void RowSpace::reach(const Eigen::VectorXd& right, Eigen::VectorXd& y) {
  const auto n = static_cast<Eigen::Index>(independent_.size());
  for (Eigen::Index i = 0; i < n; ++i) few_[i] = right[independent_[i]] / lengths_[independent_[i]];
  if (quick_) {
    solve_gram(some_);
    y.setZero(Y_.rows());
    for (int i : independent_) {
      const int size = end_[i] - begin_[i];
      y.segment(begin_[i], size) += some_[i] * Y_.col(i).segment(begin_[i], size);
    }
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
