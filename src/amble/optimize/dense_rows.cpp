#include "amble/optimize/dense_rows.hpp"

namespace amble {

DenseRows::Sized::Sized(int most_variables, int most_slacks, int rows, const RowSettings& settings)
    : slacks(most_slacks),
      program(most_variables + slacks, 0, rows),
      solver(most_variables + slacks, 0, rows, {.tolerance = 0.1 * settings.tolerance, .iterations = settings.dense_iterations}) {}

DenseRows::DenseRows(int most_variables, int capacity, int slacks, const RowSettings& settings) : most_variables_(most_variables) {
  const int few = most_variables / 2;
  sizes_.reserve(3);
  for (const int size : {0, few, slacks})
    if (sizes_.empty() || size > sizes_.back().slacks) sizes_.emplace_back(most_variables, size, capacity + most_variables, settings);
  result_.x = OwnedVector(most_variables), result_.multipliers = OwnedVector(capacity + most_variables);
}

DenseRows::Sized& DenseRows::fitting(const RowProgram& p) {
  int soft = 0;
  for (int k = 0; k < p.constraints(); ++k) soft += p.softness_of(k) > 0.0 && p.lower_of(k) != p.upper_of(k) && (p.lower_of(k) > -kInfinity || p.upper_of(k) < kInfinity);
  for (Sized& size : sizes_)
    if (soft <= size.slacks) return size;
  return sizes_.back();
}

/// Row k becomes row r; a wish for a value becomes curvature.
void DenseRows::put_row(int r, RowProgram& p, int k) {
  const int n = p.variables(), rows = p.rows();
  QuadraticProgram& dense = at_->program;
  const double low = p.lower_of(k), high = p.upper_of(k), softness = p.softness_of(k);
  Eigen::Map<Eigen::RowVectorXd> out(dense.C.data() + static_cast<long>(r) * dense.C.cols(), dense.C.cols());
  out.setZero();
  if (k < rows)
    out.head(n) = Eigen::Map<Eigen::RowVectorXd>(p.row(k), n);
  else
    out[k - rows] = 1.0;
  if (softness > 0.0 && low == high) {
    for (int i = 0; i < n; ++i) {
      if (out[i] == 0.0) continue;
      dense.H.row(i).head(n) += (out[i] / softness) * out.head(n);
      dense.g[i] -= out[i] * (low / softness);
    }
    out.setZero();
    return;
  }
  dense.lower[r] = low, dense.upper[r] = high;
  if (softness > 0.0) put_slack(r, softness);
}

void DenseRows::put_slack(int r, double softness) {
  QuadraticProgram& dense = at_->program;
  if (used_ == at_->slacks) return;  // a constraint then
  const int s = most_variables_ + used_++;
  dense.H(s, s) = 1.0 / softness;
  dense.C(r, s) = -1.0;
}

const RowResult& DenseRows::solve(RowProgram& p) {
  used_ = 0, at_ = &fitting(p);
  QuadraticProgram& dense = at_->program;
  dense.H.setIdentity(), dense.g.setZero(), dense.C.setZero();
  dense.lower.setConstant(-kInfinity), dense.upper.setConstant(kInfinity);
  const int n = p.variables();
  dense.H.diagonal().head(n) = p.d.head(n), dense.g.head(n) = p.g.head(n);
  for (int k = 0; k < p.constraints(); ++k)
    if (k < p.rows() || p.lower_of(k) > -kInfinity || p.upper_of(k) < kInfinity) put_row(k, p, k);
  at_->solver.solve(dense);
  take_result(p);
  return result_;
}

void DenseRows::take_result(RowProgram& p) {
  const QpResult& found = at_->solver.result();
  result_.status = found.status, result_.certificate = found.certificate;
  result_.iterations = found.iterations, result_.active = found.active;
  result_.x.setZero(), result_.multipliers.setZero();
  result_.x.head(p.variables()) = found.x.head(p.variables());
  result_.multipliers.head(p.constraints()) = found.multipliers.rows.head(p.constraints());
  const bool proof = found.status == QpStatus::infeasible;
  for (int k = 0; k < p.constraints(); ++k) {
    if (!(p.softness_of(k) > 0.0)) continue;
    if (proof)
      result_.multipliers[k] = 0.0;  // rows that give way have no part in a proof but for rounding
    else if (p.lower_of(k) == p.upper_of(k))
      result_.multipliers[k] = (value_of(p, k) - p.lower_of(k)) / p.softness_of(k);  // those that became curvature
  }
}

double DenseRows::value_of(RowProgram& p, int k) const {
  if (k >= p.rows()) return result_.x[k - p.rows()];
  return Eigen::Map<const Eigen::RowVectorXd>(p.row(k), p.variables()).dot(result_.x.head(p.variables()));
}

}  // namespace amble
