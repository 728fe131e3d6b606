#pragma once

#include <vector>

namespace amble {

/// A dense system of some tens to hundreds of unknowns, solved again and again in the same memory. Symmetric positive
/// ones by Cholesky, others by LU with partial pivoting.
class LinearSystem {
 public:
  void reserve(int size);
  /// Zeros, of this size.
  void start(int size);
  int size() const { return n_; }
  int stride() const { return stride_; }
  /// Row after row, `stride` apart. Of symmetric ones only what is on and right of the diagonal is read.
  double* row(int i) { return A_.data() + static_cast<std::ptrdiff_t>(i) * stride_; }

  /// False when a pivot is not positive, or zero: then it cannot be solved.
  bool factor(bool symmetric);
  /// In place.
  void solve(double* x) const;

 private:
  bool factor_symmetric();
  bool factor_general();
  void find_pivot(int k);

  int n_ = 0, stride_ = 0;
  bool symmetric_ = true;
  std::vector<double> A_, inverse_;  // of the pivots
  std::vector<int> swap_;
};

}  // namespace amble
