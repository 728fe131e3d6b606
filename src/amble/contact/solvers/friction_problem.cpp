#include "amble/contact/solvers/friction_problem.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

int rows_of(const FrictionLaw& law) {
  if (law.kind == FrictionKind::bilateral) return law.rows;
  return law.kind == FrictionKind::contact ? 3 : 1;
}

void check_law(const FrictionLaw& law, int block) {
  const bool bounded = law.kind == FrictionKind::contact || law.kind == FrictionKind::box;
  if (bounded && !(law.coefficient >= 0.0))
    throw Error(fmt::format("block {}: {} is {}, expected at least 0", block,
                            law.kind == FrictionKind::box ? "bound" : "friction coefficient",
                            law.coefficient));
  if (law.kind == FrictionKind::bilateral && law.rows < 1)
    throw Error(fmt::format("block {}: a bilateral block of {} rows, expected at least 1", block, law.rows));
}

void check_segments(std::span<const Support> where, int dimension, int block) {
  int end = 0;
  for (const Support& s : where) {
    if (s.begin < end || s.end < s.begin || s.end > dimension)
      throw Error(fmt::format("block {}: segment {} to {}, expected rising segments within 0 to {}", block,
                              s.begin, s.end, dimension));
    end = s.end;
  }
}

/// Y with Y^T Y = G and as many rows as G has rank, by Cholesky with pivots of the matrix scaled to ones on its diagonal. It
/// ends where all that is left is rounding: to go on there would divide noise by noise.
Eigen::MatrixXd factor_of(const Eigen::Ref<const Eigen::MatrixXd>& G) {
  constexpr double kNoise = 1e-10;    // relative to ones: what rounding in forming G may leave of a semidefinite one
  constexpr double kNothing = 1e-13;  // as much as is left of such a one
  const Eigen::VectorXd root = G.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Eigen::VectorXd inverse = root.unaryExpr([](double x) { return x > 0.0 ? 1.0 / x : 1.0; });
  Eigen::MatrixXd left = inverse.asDiagonal() * G * inverse.asDiagonal();
  if (!((left - left.transpose()).cwiseAbs().maxCoeff() <= kNoise)) throw Error("G is not symmetric");
  Eigen::MatrixXd columns(G.rows(), G.rows());  // of Y transposed
  Eigen::Index rank = 0, pivot = 0;
  while (rank < G.rows() && left.diagonal().maxCoeff(&pivot) > kNothing) {
    columns.col(rank) = left.col(pivot) / std::sqrt(left(pivot, pivot));
    left -= columns.col(rank) * columns.col(rank).transpose();
    left.col(pivot).setZero(), left.row(pivot).setZero();
    ++rank;
  }
  if (const double most = left.cwiseAbs().maxCoeff(); most > kNoise)
    throw Error(fmt::format("G is not semidefinite: a part of it of size {} (scaled to ones on its diagonal) is less than "
                            "nothing, expected at most {}",
                            most, kNoise));
  return columns.leftCols(rank).transpose() * root.asDiagonal();
}

}  // namespace

FrictionProblem::FrictionProblem(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w,
                                 std::span<const FrictionLaw> laws) {
  const int n = static_cast<int>(w.size());
  if (G.rows() != n || G.cols() != n)
    throw Error(
        fmt::format("G is {} x {}, expected {} x {} as w has {} numbers", G.rows(), G.cols(), n, n, n));
  int rows = 0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    check_law(laws[i], static_cast<int>(i));
    rows += rows_of(laws[i]);
  }
  if (rows != n) throw Error(fmt::format("the laws have {} rows, expected {} as w has", rows, n));
  if (!G.allFinite() || !w.allFinite()) throw Error("G or w has a number that is not finite");
  const Eigen::MatrixXd Y = n > 0 ? factor_of(G) : Eigen::MatrixXd();
  clear(static_cast<int>(Y.rows()));
  for (const FrictionLaw& law : laws) add(law, Y.data() + static_cast<std::ptrdiff_t>(this->rows()) * Y.rows());
  std::copy(w.data(), w.data() + n, w_.begin());
}

void FrictionProblem::reserve(int dimension, int blocks, int rows) {
  blocks_.reserve(blocks);
  segments_.reserve(static_cast<std::size_t>(blocks) * 8);
  numbers_.reserve(static_cast<std::size_t>(rows) * dimension);
  for (auto* list : {&w_, &offset_, &compliance_}) list->reserve(rows);
}

void FrictionProblem::clear(int dimension) {
  dimension_ = dimension;
  blocks_.clear(), segments_.clear(), numbers_.clear(), w_.clear(), offset_.clear(), compliance_.clear();
}

int FrictionProblem::add(const FrictionLaw& law, std::span<const Support> where) {
  check_law(law, blocks());
  check_segments(where, dimension_, blocks());
  FrictionBlock b;
  b.kind = law.kind;
  b.coefficient =
      law.kind == FrictionKind::contact ? std::min(law.coefficient, kLargestFriction) : law.coefficient;
  b.row = rows();
  b.rows = rows_of(law);
  b.first_segment = static_cast<int>(segments_.size());
  b.first_number = static_cast<int>(numbers_.size());
  for (const Support& s : where)
    if (s.size() > 0) segments_.push_back(s), ++b.segments, b.width += s.size();
  numbers_.resize(numbers_.size() + static_cast<std::size_t>(b.rows) * b.width, 0.0);
  for (auto* list : {&w_, &offset_, &compliance_}) list->resize(list->size() + b.rows, 0.0);
  blocks_.push_back(b);
  return blocks() - 1;
}

int FrictionProblem::add(const FrictionLaw& law, const double* columns) {
  const int rows = rows_of(law);
  const auto has_numbers = [&](int k) {
    for (int r = 0; r < rows; ++r)
      if (columns[r * dimension_ + k] != 0.0) return true;
    return false;
  };
  const int block = add(law, std::span<const Support>());
  FrictionBlock& b = blocks_.back();
  for (int k = 0; k < dimension_;) {
    for (; k < dimension_ && !has_numbers(k); ++k) {
    }
    const int begin = k;
    for (; k < dimension_ && has_numbers(k); ++k) {
    }
    if (k > begin) segments_.push_back({begin, k}), ++b.segments, b.width += k - begin;
  }
  for (int r = 0; r < rows; ++r)
    for (const Support& s : segments(b))
      numbers_.insert(numbers_.end(), columns + r * dimension_ + s.begin, columns + r * dimension_ + s.end);
  return block;
}

void FrictionProblem::add_forces(const FrictionBlock& b, const double* f, double* y) const {
  const double* column = numbers_.data() + b.first_number;
  for (int r = 0; r < b.rows; ++r)
    for (const Support& s : segments(b))
      for (int k = s.begin; k < s.end; ++k) y[k] += *column++ * f[r];
}

void FrictionProblem::velocities(const FrictionBlock& b, const double* y, double* u) const {
  const double* column = numbers_.data() + b.first_number;
  for (int r = 0; r < b.rows; ++r) {
    double sum = 0.0;
    for (const Support& s : segments(b))
      for (int k = s.begin; k < s.end; ++k) sum += *column++ * y[k];
    u[r] = sum;
  }
}

OwnedMatrix FrictionProblem::matrix() const {
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(dimension_, rows());
  for (const FrictionBlock& b : blocks_) {
    const double* number = numbers_.data() + b.first_number;
    for (int r = 0; r < b.rows; ++r)
      for (const Support& s : segments(b))
        for (int k = s.begin; k < s.end; ++k) Y(k, b.row + r) = *number++;
  }
  Eigen::MatrixXd G = Y.transpose() * Y;
  for (int i = 0; i < rows(); ++i) G(i, i) += compliance_[i];
  return G;
}

void FrictionProblem::check() const {
  for (int i = 0; i < blocks(); ++i) {
    const FrictionBlock& b = blocks_[i];
    double squares = 0.0;
    for (int k = 0; k < b.rows * b.width; ++k) squares += numbers(i)[k] * numbers(i)[k];
    if (!std::isfinite(squares))
      throw Error(fmt::format("block {}: its columns have squares that sum to {}, expected finite numbers", i,
                              squares));
    for (int r = b.row; r < b.row + b.rows; ++r) {
      if (!std::isfinite(w_[r]))
        throw Error(fmt::format("block {}: w is {}, expected a finite number", i, w_[r]));
      if (!std::isfinite(offset_[r]))
        throw Error(fmt::format("block {}: offset is {}, expected a finite number", i, offset_[r]));
      if (!(compliance_[r] >= 0.0) || !std::isfinite(compliance_[r]))
        throw Error(fmt::format("block {}: compliance is {}, expected at least 0", i, compliance_[r]));
    }
  }
}

}  // namespace amble
