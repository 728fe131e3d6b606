#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace amble {

/// Tells whether what a Workspace was made to compute still belongs to the state it is at: the counts that matter to a
/// result, and their sum when it was computed.
struct Watch {
  const std::uint64_t* counts[3] = {};
  std::uint64_t sum = 0;
  const char* function = "";

  bool fresh() const { return *counts[0] + *counts[1] + *counts[2] == sum; }
  void check() const {
#ifndef NDEBUG
    if (!fresh()) throw_stale();
#endif
  }
  [[noreturn]] void throw_stale() const;
};

/// A vector or matrix inside a Workspace, to be read as any of Eigen's. It is valid until the workspace is used for
/// another state or by the same function again; reading it later throws in debug builds (those without NDEBUG) instead
/// of giving numbers of another state. Assign it to an Eigen::VectorXd or MatrixXd to keep a copy.
template <class Plain>
class View : public Eigen::MapBase<View<Plain>, Eigen::ReadOnlyAccessors> {
  using Base = Eigen::MapBase<View<Plain>, Eigen::ReadOnlyAccessors>;

 public:
  EIGEN_DENSE_PUBLIC_INTERFACE(View)
  View(const double* numbers, Eigen::Index rows, Eigen::Index cols, const Watch& watch)
      : Base(numbers, rows, cols), watch_(watch) {}

  Eigen::Index innerStride() const { return 1; }
  Eigen::Index outerStride() const {
    return Base::IsVectorAtCompileTime ? this->size() : Base::IsRowMajor ? this->cols() : this->rows();
  }
  const double* data() const {
    watch_.check();
    return Base::data();
  }
  bool fresh() const { return watch_.fresh(); }

 private:
  Watch watch_;
};

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using VectorView = View<Eigen::VectorXd>;
using MatrixView = View<RowMatrix>;

}  // namespace amble

namespace Eigen::internal {

template <class Plain>
struct traits<amble::View<Plain>> : traits<Map<const Plain>> {};

template <class Plain>
struct evaluator<amble::View<Plain>> : evaluator<Map<const Plain>> {
  explicit evaluator(const amble::View<Plain>& view)
      : evaluator<Map<const Plain>>(Map<const Plain>(view.data(), view.rows(), view.cols())) {}
};

}  // namespace Eigen::internal
