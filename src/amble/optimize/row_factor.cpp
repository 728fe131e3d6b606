#include "amble/optimize/row_factor.hpp"

#include <algorithm>
#include <cmath>

namespace amble::detail {

namespace {

/// A row whose new part, squared, is smaller than this beside the whole follows from the others.
constexpr double kDependent = 1e-11;

int line_start(int i) { return i / dense::kDenseLine * dense::kDenseLine; }

}  // namespace

RowFactor::RowFactor(int variables, int capacity)
    : kernels_(dense::dense_kernels()),
      most_(capacity + variables),
      place_(most_, -1),
      units_(most_ + 1),
      softness_(most_ + 1),
      W_(most_ + 1, variables),
      U_(most_ + 1, most_ + 1),
      z_(variables),
      g_(variables),
      root_(variables),
      y_(most_ + 1),
      r_(most_ + 1),
      u_(most_ + 1),
      step_(variables),
      b_(most_ + 1) {
  active_.reserve(most_ + 1), sides_.reserve(most_ + 1);
}

void RowFactor::start(RowProgram& program) {
  program_ = &program, n_ = program.variables(), width_ = program.width();
  active_.clear(), sides_.clear();
  std::fill(place_.begin(), place_.end(), -1);
  for (int j = 0; j < n_; ++j) {
    root_[j] = 1.0 / std::sqrt(program.d[j]);
    g_[j] = program.g[j] * root_[j];
  }
  std::fill(z_ + n_, z_ + width_, 0.0);
}

void RowFactor::set_x(const double* x) {
  for (int j = 0; j < n_; ++j) z_[j] = x[j] / root_[j];
}

void RowFactor::put_x(double* x) {
  for (int j = 0; j < n_; ++j) x[j] = z_[j] * root_[j];
}

/// Row k in our units; returns s_k.
double RowFactor::put_row(int k, double* w, double& softness) {
  const double given = program_->softness_of(k);
  double size = given;
  if (k < program_->rows()) {
    kernels_.scale(program_->row(k), root_, 1.0, n_, w);
    double product;
    kernels_.multiply({w, 0, 1}, w, width_, &product);
    size += product;
  } else {
    const int j = k - program_->rows();
    std::fill_n(w, width_, 0.0);
    w[j] = root_[j];
    size += w[j] * w[j];
  }
  const double unit = size > 0.0 ? 1.0 / std::sqrt(size) : 0.0;
  kernels_.times(w, unit, width_);
  softness = unit * unit * given;
  return unit;
}

void RowFactor::list(int k, int side) {
  const int i = count();
  units_[i] = put_row(k, W_[i], softness_[i]);
  y_[i] = 0.0;
  active_.push_back(k), sides_.push_back(side), place_[k] = i;
}

void RowFactor::set_multiplier(int k, double y) {
  const int i = place_[k];
  if (i >= 0 && units_[i] > 0.0) y_[i] = y / units_[i];
}

void RowFactor::factor() {
  const int m = count(), width = dense::padded(m);
  const dense::Rows W = static_cast<dense::Rows>(W_).first(m), U = U_;
  for (int i = 0; i < m; ++i) {
    const int start = line_start(i);
    double* row = U_[i];
    std::fill_n(row, width, 0.0);
    kernels_.multiply(W.from(i), W[i], width_, row + i);
    row[i] += softness_[i];
    for (int k = 0; k < i; ++k) u_[k] = -U[k][i];
    kernels_.add_rows({U.data + start, U.stride, i}, u_, width - start, row + start);
    const bool independent = row[i] > kDependent;
    const double scale = independent ? 1.0 / std::sqrt(row[i]) : 0.0;
    kernels_.times(row + start, scale, width - start);
    std::fill(row, row + i, 0.0);
    if (!independent) row[i] = 1.0, y_[i] = 0.0, sides_[i] = 2;  // leaves below
  }
  for (int i = m - 1; i >= 0; --i)
    if (sides_[i] == 2) drop(i);
}

/// r becomes U^-T r.
void RowFactor::solve_transposed(double* r) {
  const int m = count(), width = dense::padded(m);
  for (int i = 0; i < m; ++i) {
    const int start = line_start(i);
    const double value = r[i] / U_[i][i], c = -value;
    kernels_.add_rows({U_[i] + start, 0, 1}, &c, width - start, r + start);  // rows of U are zero before i
    r[i] = value;
  }
}

/// r becomes U^-1 r.
void RowFactor::solve(double* r) {
  const int m = count(), width = dense::padded(m);
  for (int i = m - 1; i >= 0; --i) {
    const int start = line_start(i);
    const double own = r[i];
    double sum;
    r[i] = 0.0;
    kernels_.multiply({U_[i] + start, 0, 1}, r + start, width - start, &sum);
    r[i] = (own - sum) / U_[i][i];
  }
}

double RowFactor::refine() {
  const int m = count();
  const dense::Rows W = static_cast<dense::Rows>(W_).first(m);
  double size = 1e-300, off = 0.0, bound_off = 0.0, bound_size = 1e-300;
  std::fill_n(static_cast<double*>(step_), width_, 0.0);
  kernels_.add_rows(W, y_, width_, step_);
  for (int j = 0; j < n_; ++j) {
    size = std::max({size, std::abs(step_[j]), std::abs(g_[j]), std::abs(z_[j])});
    step_[j] = -(step_[j] + g_[j] + z_[j]);
    off = std::max(off, std::abs(step_[j]));
  }
  kernels_.multiply(W, z_, width_, b_);
  kernels_.multiply(W, step_, width_, r_);
  for (int i = 0; i < m; ++i) {
    const int k = active_[i];
    const double bound = units_[i] * (sides_[i] < 0 ? program_->lower_of(k) : program_->upper_of(k));
    const double rest = bound - b_[i] + softness_[i] * y_[i];
    bound_size = std::max({bound_size, std::abs(bound), std::abs(b_[i])});
    bound_off = std::max(bound_off, std::abs(rest));
    r_[i] -= rest;
  }
  std::fill(r_ + m, r_ + dense::padded(m), 0.0);
  solve_transposed(r_);
  solve(r_);
  for (int i = 0; i < m; ++i) y_[i] += r_[i], r_[i] = -r_[i];
  kernels_.add_rows(W, r_, width_, step_);
  for (int j = 0; j < n_; ++j) z_[j] += step_[j];
  return std::max(off / size, bound_off / bound_size);
}

void RowFactor::look_at(int k) {
  const int m = count();
  const dense::Rows W = static_cast<dense::Rows>(W_).first(m);
  unit_ = put_row(k, W_[m], looked_softness_);
  std::fill(u_ + m, u_ + dense::padded(m), 0.0);
  kernels_.multiply(W, W_[m], width_, u_);
  solve_transposed(u_);
  double known = 0.0;
  for (int i = 0; i < m; ++i) known += u_[i] * u_[i], r_[i] = u_[i];
  std::fill(r_ + m, r_ + dense::padded(m), 0.0);
  new_part_ = unit_ > 0.0 ? 1.0 - known : 0.0;
  solve(r_);
}

bool RowFactor::is_independent() const { return new_part_ > kDependent; }

void RowFactor::move(double t) {
  const int m = count();
  const double own = t / unit_;
  for (int i = 0; i < m; ++i) y_[i] -= own * r_[i], b_[i] = own * r_[i];
  const double c = -own;
  kernels_.add_rows({W_[m], 0, 1}, &c, width_, z_);
  kernels_.add_rows(static_cast<dense::Rows>(W_).first(m), b_, width_, z_);
}

void RowFactor::add(int k, int side, double multiplier) {
  const int m = count();
  for (int i = 0; i < m; ++i) U_[i][m] = u_[i];
  std::fill_n(U_[m], dense::padded(m + 1), 0.0);
  U_[m][m] = std::sqrt(new_part_);
  units_[m] = unit_, softness_[m] = looked_softness_, y_[m] = multiplier / unit_;
  active_.push_back(k), sides_.push_back(side), place_[k] = m;
  if ((m + 1) % dense::kDenseLine == 1 && m > 0)  // a new line of columns
    for (int i = 0; i < m; ++i) std::fill(U_[i] + m + 1, U_[i] + dense::padded(m + 1), 0.0);
}

/// Columns after the i-th move up; rotations of neighbouring rows make U triangular again.
void RowFactor::drop(int p) {
  const int m = count(), width = dense::padded(m);
  place_[active_[p]] = -1;
  active_.erase(active_.begin() + p), sides_.erase(sides_.begin() + p);
  for (int i = p; i + 1 < m; ++i) {
    std::copy_n(W_[i + 1], width_, W_[i]);
    units_[i] = units_[i + 1], softness_[i] = softness_[i + 1], y_[i] = y_[i + 1];
    place_[active_[i]] = i;
  }
  for (int i = 0; i < m; ++i) {
    std::copy(U_[i] + p + 1, U_[i] + m, U_[i] + p);
    U_[i][m - 1] = 0.0;
  }
  for (int j = p; j + 1 < m; ++j) {
    const int start = line_start(j);
    const double a = U_[j][j], b = U_[j + 1][j], h = std::hypot(a, b);
    kernels_.rotate(U_[j] + start, U_[j + 1] + start, a / h, b / h, width - start);
    U_[j + 1][j] = 0.0;
  }
}

}  // namespace amble::detail
