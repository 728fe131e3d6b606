#include "amble/constraints/row_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

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

constexpr int kBlock = 8;

/// Whether a block of numbers is zero, of either sign.
bool zeros(const double* x) {
  std::array<std::uint64_t, kBlock> bits;
  std::memcpy(bits.data(), x, sizeof bits);
  std::uint64_t any = 0;
  for (const std::uint64_t b : bits) any |= b;
  return any << 1 == 0;
}

}  // namespace

Support support_of(const double* x, int size) {
  Support out{0, size};
  while (out.size() >= kBlock && zeros(x + out.begin)) out.begin += kBlock;
  while (out.size() >= kBlock && zeros(x + out.end - kBlock)) out.end -= kBlock;
  while (out.begin < out.end && x[out.begin] == 0.0) ++out.begin;
  while (out.end > out.begin && x[out.end - 1] == 0.0) --out.end;
  return out;
}

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
      supports_(columns),
      envelope_(columns),
      furthest_(columns) {
  independent_.reserve(columns), redundant_.reserve(columns);
}

void RowSpace::compute(const Eigen::MatrixXd& Y, double threshold) {
  for (Eigen::Index i = 0; i < Y.cols(); ++i) supports_[i] = support_of(Y.col(i).data(), static_cast<int>(Y.rows()));
  find_span(Y, threshold);
}

void RowSpace::compute(const Eigen::MatrixXd& Y, std::span<const Support> supports, double threshold) {
  supports_.assign(supports.begin(), supports.end());
  find_span(Y, threshold);
}

void RowSpace::find_span(const Eigen::MatrixXd& Y, double threshold) {
  const int n = static_cast<int>(Y.cols());
  for (int i = 0; i < n; ++i) lengths_[i] = supports_[i].of(Y.col(i)).norm();
  const double longest = lengths_.maxCoeff();
  independent_.clear(), redundant_.clear();
  for (int i = 0; i < n; ++i) (lengths_[i] > kNothing * longest ? independent_ : redundant_).push_back(i);
  for (int i : independent_) supports_[i].of(Y_.col(i)) = supports_[i].of(Y.col(i)) / lengths_[i];
  quick_ = static_cast<Eigen::Index>(independent_.size()) <= Y.rows() && factor_quickly();
  if (!quick_) orthogonalise(threshold);
}

/// Cholesky of the columns that are something; false when one of them may be redundant.
bool RowSpace::factor_quickly() {
  least_share_ = 1.0;
  for (int i = 0, furthest = 0; i < static_cast<int>(independent_.size()); ++i) {
    furthest_[i] = furthest = std::max(furthest, supports_[independent_[i]].end);
    if (!factor_row(i)) return false;
  }
  return true;
}

bool RowSpace::factor_row(int i) {
  const int c = independent_[i];
  const Support own = supports_[c];
  auto row = L_.col(i);
  envelope_[i] = i;
  const auto first = std::upper_bound(furthest_.begin(), furthest_.begin() + i, own.begin);
  for (int j = static_cast<int>(first - furthest_.begin()); j <= i; ++j) {
    const int other = independent_[j];
    const Support both{std::max(own.begin, supports_[other].begin), std::min(own.end, supports_[other].end)};
    if (both.size() <= 0 && envelope_[i] == i) continue;
    envelope_[i] = std::min(envelope_[i], j);
    double x = both.size() > 0 ? both.of(Y_.col(c)).dot(both.of(Y_.col(other))) : 0.0;
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
  for (int i : independent_) {
    left_[i] = 1.0;
    Y_.col(i).head(supports_[i].begin).setZero(), Y_.col(i).tail(Y_.rows() - supports_[i].end).setZero();
  }
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
    for (int i : independent_) supports_[i].of(y) += some_[i] * supports_[i].of(Y_.col(i));
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
    for (int i = 0; i < n; ++i) {
      const Support support = supports_[independent_[i]];
      few_[i] = support.of(Y_.col(independent_[i])).dot(support.of(y));
    }
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
