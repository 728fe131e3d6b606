#pragma once

#include "amble/base/line_buffer.hpp"
#include "amble/optimize/kernels/dense.hpp"

namespace amble::dense {

/// Memory for rows as the kernels want them, all zeros at first.
class Grid {
 public:
  Grid(int rows, int columns)
      : stride_(apart(columns)),
        rows_(rows),
        memory_(sizeof(double) * static_cast<std::size_t>(stride_) * (rows > 0 ? rows : 1)) {}

  operator Rows() { return {memory_.numbers(), stride_, rows_}; }  // NOLINT: a grid is its rows
  double* operator[](int i) { return memory_.numbers() + static_cast<long>(i) * stride_; }

 private:
  /// An odd number of lines: the numbers of a column then do not share a few places in the cache.
  static int apart(int columns) { return (padded(columns > 0 ? columns : 1) / kDenseLine | 1) * kDenseLine; }

  int stride_, rows_;
  LineBuffer memory_;
};

/// One row of numbers.
class Line {
 public:
  explicit Line(int length)
      : memory_(sizeof(double) * static_cast<std::size_t>(padded(length > 0 ? length : 1))) {}
  operator double*() { return memory_.numbers(); }  // NOLINT: a line is its numbers

 private:
  LineBuffer memory_;
};

}  // namespace amble::dense
