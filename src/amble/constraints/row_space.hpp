#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace amble {

/// Where a vector has numbers: elsewhere it is zero.
struct Support {
  int begin = 0, end = 0;

  int size() const { return end - begin; }
  template <class Vector>
  auto of(Vector&& x) const {
    return x.segment(begin, size());
  }
};
/// The least support of a vector.
Support support_of(const double* numbers, int size);

/// The span of the columns of a matrix Y, which of them are independent, and two questions about it. Columns count by
/// their directions, so that metres and radians weigh alike. Allocates once.
class RowSpace {
 public:
  RowSpace(int dimension, int columns);

  /// Columns that have no numbers in common cost nothing together: a chain of loops costs in proportion to its
  /// length. A column is redundant when less than `threshold` of its direction is new. Columns that are far from
  /// redundant go by Cholesky of Y^T Y, others by an orthogonal decomposition of Y itself: close to a singular
  /// configuration the error then grows with the condition of Y, not with its square.
  void compute(const Eigen::MatrixXd& Y, double threshold);
  /// With the supports of the columns, where they are known.
  void compute(const Eigen::MatrixXd& Y, std::span<const Support> supports, double threshold);

  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& redundant() const { return redundant_; }
  double least_share() const { return least_share_; }  ///< that is new in one of the independent columns, 0 to 1
  const Eigen::VectorXd& lengths() const { return lengths_; }  ///< of all columns

  /// The shortest y with Y^T y = right on the independent columns.
  void reach(const Eigen::VectorXd& right, Eigen::VectorXd& y);
  /// The shortest x with Y x = y, for a y in the span: redundant columns share what one of them could carry.
  void shares(const Eigen::VectorXd& y, Eigen::VectorXd& x);

 private:
  void find_span(const Eigen::MatrixXd& Y, double threshold);
  bool factor_quickly();
  bool factor_row(int i);
  void orthogonalise(double threshold);
  void solve_gram(Eigen::VectorXd& x);

  Eigen::MatrixXd Y_, Q_, R_;  // of unit columns; Q_ R_ is what they were
  Eigen::MatrixXd L_;          // Y^T Y = L L^T of the independent columns, row i of L as column i
  Eigen::MatrixXd W_, T_;      // of the rows of R_
  Eigen::VectorXd lengths_, left_, few_, some_;
  std::vector<int> independent_, redundant_;
  std::vector<Support> supports_;  // of the columns of Y
  std::vector<int> envelope_;      // where a row of L_ begins
  std::vector<int> furthest_;      // where the supports of a row of L_ and those before end
  double least_share_ = 1.0;
  bool quick_ = false;
};

}  // namespace amble
