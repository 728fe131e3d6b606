#include "amble/optimize/qp_active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amble::detail {

namespace {

/// A gradient whose new part is smaller than this, beside the whole, depends on those that are active.
constexpr double kDependent = 1e-9;
/// Of sums of numbers that cancel.
constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace

ActiveSet::ActiveSet(ScaledProgram& program, Subspace& subspace)
    : multipliers(program.n + 1),
      program_(program),
      subspace_(subspace),
      is_active_(program.constraints()),
      R_(program.n, program.n),
      d_(program.n),
      r_(program.n),
      u_(program.n),
      w_(program.n),
      c_(program.n) {
  active_.reserve(program.n), sides_.reserve(program.n);
}

void ActiveSet::clear() {
  active_.clear(), sides_.clear();
  std::fill(is_active_.begin(), is_active_.end(), 0);
}

double ActiveSet::bound(int i) {
  return sides_[i] > 0 ? program_.upper[active_[i]] : program_.lower[active_[i]];
}

void ActiveSet::look_at(int k) {
  const dense::Rows J = this->J();
  if (k < program_.m)
    program_.kernels.multiply(J, program_.G[k], program_.width, d_);
  else
    for (int i = 0; i < J.count; ++i) d_[i] = J[i][k - program_.m];
  noise_ = kRounding * kRounding * subspace_.size() * (k < program_.m ? program_.n : 1);
  find_rates();
}

void ActiveSet::find_rates() {
  const int q = count(), nz = subspace_.freedom();
  double old_part = new_part_ = 0.0;
  for (int i = q; i < nz; ++i) new_part_ += d_[i] * d_[i];
  for (int i = 0; i < q; ++i) old_part += d_[i] * d_[i], r_[i] = d_[i];
  const double whole = old_part + new_part_;
  least_ = std::max(noise_, kDependent * kDependent * whole);
  if (whole <= noise_) std::fill_n(static_cast<double*>(r_), q, 0.0);  // equalities alone decide about it
  solve(r_);
}

/// One reflection turns d_2 into its first component.
void ActiveSet::add(int k, int side) {
  const int q = count(), nz = subspace_.freedom();
  const double length = std::sqrt(new_part_), first = d_[q] > 0.0 ? -length : length;
  std::copy_n(static_cast<double*>(d_), q, R_[q]);
  R_[q][q] = first;
  d_[q] -= first;
  const double factor = -1.0 / (length * (length + std::abs(d_[q] + first)));
  for (int i = q; i < nz; ++i) c_[i - q] = factor * d_[i];
  std::fill_n(static_cast<double*>(w_), program_.width, 0.0);
  const dense::Rows J_2 = J().from(q);
  program_.kernels.add_rows(J_2, static_cast<double*>(d_) + q, program_.width, w_);
  program_.kernels.add_to_rows(J_2, c_, w_, program_.width);
  active_.push_back(k), sides_.push_back(side), is_active_[k] = 1;
}

/// Columns after the i-th move up; rotations of neighbouring rows make R triangular again.
void ActiveSet::drop(int i) {
  const int q = count() - 1;
  const dense::Rows J = this->J();
  is_active_[active_[i]] = 0;
  active_.erase(active_.begin() + i), sides_.erase(sides_.begin() + i);
  std::copy(multipliers + i + 1, multipliers + q + 1, multipliers + i);
  for (int j = i; j < q; ++j) std::copy_n(R_[j + 1], j + 2, R_[j]);
  for (int j = i; j < q; ++j) {
    const double a = R_[j][j], b = R_[j][j + 1], h = std::hypot(a, b), c = a / h, s = b / h;
    for (int l = j; l < q; ++l) {
      const double x = R_[l][j], y = R_[l][j + 1];
      R_[l][j] = c * x + s * y, R_[l][j + 1] = c * y - s * x;
    }
    program_.kernels.rotate(J[j], J[j + 1], c, s, program_.width);
    const double x = d_[j], y = d_[j + 1];
    d_[j] = c * x + s * y, d_[j + 1] = c * y - s * x;
  }
  find_rates();
}

void ActiveSet::solve(double* r) {
  for (int i = count() - 1; i >= 0; --i) {
    r[i] /= R_[i][i];
    for (int j = 0; j < i; ++j) r[j] -= R_[i][j] * r[i];
  }
}

void ActiveSet::solve_transposed(double* r) {
  for (int i = 0; i < count(); ++i) {
    for (int j = 0; j < i; ++j) r[i] -= R_[i][j] * r[j];
    r[i] /= R_[i][i];
  }
}

void ActiveSet::move(double t, double* x) {
  const int q = count(), nz = subspace_.freedom();
  for (int i = q; i < nz; ++i) c_[i - q] = t * d_[i];
  program_.kernels.add_rows(J().from(q), c_, program_.width, x);
}

void ActiveSet::settle(const double* values, const double* slope, double* x) {
  const int q = count(), nz = subspace_.freedom();
  program_.kernels.multiply(J(), slope, program_.width, u_);
  std::copy_n(values, q, static_cast<double*>(r_));
  solve_transposed(r_);
  for (int i = 0; i < q; ++i) multipliers[i] = -u_[i] - r_[i], c_[i] = r_[i];
  for (int i = q; i < nz; ++i) c_[i] = -u_[i];
  solve(multipliers);
  program_.kernels.add_rows(J(), c_, program_.width, x);
}

}  // namespace amble::detail
