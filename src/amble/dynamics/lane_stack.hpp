#pragma once

#include <memory>

#include "amble/base/owned.hpp"

namespace amble {

struct ModelDescription;

/// Numbers of many states, a row each, kept the way a core computes with them: those of `lanes()` neighbouring rows lie
/// side by side. Every argument and result of a function of stacks may be kept so; nothing is rearranged then, which
/// takes as long as computing a mass matrix. For those who keep many states: roll-outs, samplers, optimisers.
class LaneStack {
 public:
  /// Zeros.
  LaneStack(Eigen::Index rows, Eigen::Index size);
  LaneStack(LaneStack&&) noexcept;
  LaneStack& operator=(LaneStack&&) noexcept;
  ~LaneStack();

  Eigen::Index rows() const { return rows_; }
  Eigen::Index size() const { return size_; }  ///< numbers of a row

  double operator()(Eigen::Index row, Eigen::Index i) const { return numbers_[at(row, i)]; }
  OwnedVector row(Eigen::Index row) const;
  void set(Eigen::Index row, Eigen::Index i, double value);
  /// Throws an Error unless there are size() numbers.
  void set_row(Eigen::Index row, const VectorRef& numbers);

  /// How many rows lie side by side: number i of row r is group(r / lanes())[i * lanes() + r % lanes()]. Rows beyond the
  /// last fill up their group and count for nothing.
  int lanes() const { return lanes_; }
  const double* group(Eigen::Index k) const { return numbers_ + k * lanes_ * size_; }
  /// To write; good until the stack is next the result of a function.
  double* group(Eigen::Index k);

  /// Of interest to the functions of stacks only: `part_of` is the mechanism of a matrix that is zero but for the places
  /// that are about to be written, null where all are.
  void begin_result(const std::shared_ptr<const ModelDescription>& part_of);
  double* result_group(Eigen::Index k) { return numbers_ + k * lanes_ * size_; }

 private:
  Eigen::Index at(Eigen::Index row, Eigen::Index i) const {
    return (row - row % lanes_) * size_ + i * lanes_ + row % lanes_;
  }

  struct Memory;
  Eigen::Index rows_, size_;
  int lanes_;
  std::unique_ptr<Memory> memory_;
  double* numbers_;
  std::shared_ptr<const ModelDescription> zero_beyond_;  // this mechanism's matrices fit without clearing
};

}  // namespace amble
