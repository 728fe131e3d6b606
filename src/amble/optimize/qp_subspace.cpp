#include "amble/optimize/qp_subspace.hpp"

#include <algorithm>
#include <cmath>

namespace amble::detail {

namespace {

/// A row whose rest is smaller than this, beside what was taken from it, follows from the others.
constexpr double kRedundant = 1e-11;
/// Curvature smaller than this, beside the numbers it is the difference of, is none.
constexpr double kFlat = 1e-10;

}  // namespace

Subspace::Subspace(ScaledProgram& program)
    : program_(program),
      is_basic_(program.n),
      Y_(program.n, program.n),
      T_(program.n, program.n),
      X_(program.n, program.n),
      H_basic_(program.n, program.n),
      U_(program.n, program.n),
      J_(program.n, program.n),
      c_(program.n),
      s_(program.n),
      h_(program.n) {
  for (auto* list : {&pivots_, &basic_, &free_}) list->reserve(program.n);
  redundant_.reserve(program.constraints());
}

void Subspace::eliminate() {
  pivots_.clear(), redundant_.clear(), basic_.clear(), free_.clear();
  std::fill(is_basic_.begin(), is_basic_.end(), 0);
  for (int k = 0; k < program_.constraints(); ++k)
    if (program_.is_equality(k)) insert(k);
  for (int j = 0; j < program_.n; ++j)
    if (!is_basic_[j]) free_.push_back(j);
  for (int i = 0; i < rank(); ++i)
    for (int j = 0; j < freedom(); ++j) X_[i][j] = -Y_[i][free_[j]];
}

/// Row k of G, less multiples of the rows Y that free it of basic variables, becomes a row of Y or is
/// redundant. T keeps how the rows of Y are made of equalities.
void Subspace::insert(int k) {
  const int r = rank(), n = program_.n, width = program_.width, combined = dense::padded(r + 1);
  if (r == n) return redundant_.push_back(k);
  const dense::Rows Y = static_cast<dense::Rows>(Y_).first(r), T = static_cast<dense::Rows>(T_).first(r);
  double *y = Y_[r], *t = T_[r], taken = 1.0;
  std::fill_n(y, width, 0.0), std::fill_n(t, width, 0.0);
  program_.add_gradient(k, 1.0, y);
  for (int i = 0; i < r; ++i) c_[i] = -y[basic_[i]], taken += std::abs(c_[i]);
  program_.kernels.add_rows(Y, c_, width, y);
  for (int i = 0; i < r; ++i) y[basic_[i]] = 0.0;
  const auto pivot = std::max_element(y, y + n, [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (std::abs(*pivot) <= kRedundant * taken) return redundant_.push_back(k);

  t[r] = 1.0;
  program_.kernels.add_rows(T, c_, combined, t);
  const double inverse = 1.0 / *pivot;
  const int b = static_cast<int>(pivot - y);
  program_.kernels.times(y, inverse, width);
  program_.kernels.times(t, inverse, combined);
  y[b] = 1.0;
  for (int i = 0; i < r; ++i) c_[i] = -Y[i][b];
  program_.kernels.add_to_rows(Y, c_, y, width);
  program_.kernels.add_to_rows(T, c_, t, combined);
  for (int i = 0; i < r; ++i) Y[i][b] = 0.0;
  pivots_.push_back(k), basic_.push_back(b), is_basic_[b] = 1;
}

/// Row j of Z'H Z, Z = (X; 1) on (basic; free) variables.
void Subspace::reduced_row(int j, double* h) {
  const int r = rank(), width = dense::padded(freedom()), start = j / dense::kDenseLine * dense::kDenseLine;
  std::copy_n(program_.H[free_[j]], program_.width, static_cast<double*>(h_));
  for (int i = 0; i < r; ++i) c_[i] = X_[i][j];
  program_.kernels.add_rows(static_cast<dense::Rows>(H_basic_).first(r), c_, program_.width, h_);
  for (int i = 0; i < r; ++i) c_[i] = h_[basic_[i]];
  for (int i = start; i < freedom(); ++i) h[i] = h_[free_[i]];
  std::fill(h + freedom(), h + width, 0.0);
  const dense::Rows X{X_[0] + start, static_cast<dense::Rows>(X_).stride, r};
  program_.kernels.add_rows(X, c_, width - start, h + start);
}

/// Z'H Z = U'U and J = Z U^-1, each in a loop of its own: what a loop reads then stays in the nearest cache.
Subspace::Curvature Subspace::factor(double lent) {
  for (int i = 0; i < rank(); ++i) std::copy_n(program_.H[basic_[i]], program_.width, H_basic_[i]);
  for (int j = 0; j < freedom(); ++j) reduced_row(j, U_[j]);
  if (!factor_reduced(lent)) return lent > 0.0 ? Curvature::negative : Curvature::missing;
  find_directions();
  return Curvature::positive;
}

/// False where a pivot is no more than rounding. Leaves the inverse diagonal of U in s_.
bool Subspace::factor_reduced(double lent) {
  const dense::Rows U = U_;
  const int width = dense::padded(freedom());
  for (int j = 0; j < freedom(); ++j) {
    const int start = j / dense::kDenseLine * dense::kDenseLine;
    double size = 1.0;
    for (int i = 0; i < rank(); ++i) size += X_[i][j] * X_[i][j];
    for (int i = 0; i < j; ++i) c_[i] = -U[i][j];
    U[j][j] += lent;
    program_.kernels.add_rows({U.data + start, U.stride, j}, c_, width - start, U[j] + start);
    const double pivot = U[j][j];
    if (!(pivot > (lent > 0.0 ? 0.1 * lent : kFlat * size))) return false;
    s_[j] = 1.0 / std::sqrt(pivot);
    program_.kernels.times(U[j] + start, s_[j], width - start);
  }
  return true;
}

/// The rows of Z', Z = (X; 1) on (basic; free) variables, become those of J'.
void Subspace::find_directions() {
  const dense::Rows U = U_, J = J_;
  size_ = 0.0;
  for (int j = 0; j < freedom(); ++j) {
    std::fill_n(J[j], program_.width, 0.0);
    J[j][free_[j]] = 1.0;
    for (int i = 0; i < rank(); ++i) J[j][basic_[i]] = X_[i][j];
    for (int i = 0; i < j; ++i) c_[i] = -U[i][j];
    program_.kernels.add_rows(J.first(j), c_, rank() == 0 ? dense::padded(j + 1) : program_.width, J[j]);
    size_ += program_.kernels.times(J[j], s_[j], program_.width);
  }
}

void Subspace::particular(const double* values, double* x) {
  program_.kernels.multiply(static_cast<dense::Rows>(T_).first(rank()), values, dense::padded(rank()), s_);
  std::fill_n(x, program_.width, 0.0);
  for (int i = 0; i < rank(); ++i) x[basic_[i]] = s_[i];
}

void Subspace::multipliers(const double* gradient, double* y) {
  std::fill_n(y, dense::padded(rank()), 0.0);
  for (int i = 0; i < rank(); ++i) c_[i] = -gradient[basic_[i]];
  program_.kernels.add_rows(static_cast<dense::Rows>(T_).first(rank()), c_, dense::padded(rank()), y);
}

void Subspace::combination(int k, double* s) {
  std::fill_n(static_cast<double*>(h_), program_.width, 0.0);
  program_.add_gradient(k, -1.0, h_);
  multipliers(h_, s);
}

double Subspace::free_slope(const double* slope) {
  double most = 0.0;
  for (int j = 0; j < freedom(); ++j) {
    double s = slope[free_[j]];
    for (int i = 0; i < rank(); ++i) s += X_[i][j] * slope[basic_[i]];
    most = std::max(most, std::abs(s));
  }
  return most;
}

}  // namespace amble::detail
