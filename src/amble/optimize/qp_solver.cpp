#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/optimize/qp_dual_method.hpp"
#include "amble/optimize/qp_proofs.hpp"

namespace amble {

namespace {

/// Curvature lent to a program that lacks it, relative to that which is there.
constexpr double kLent = 1e-7;
/// How much faster a direction must fall than it leaves what it should keep.
constexpr double kFaster = 1e3;
/// Refinement that stalls within this many tolerances will do.
constexpr double kStall = 10.0;
/// Violations below this part of the tolerance are not worth a step.
constexpr double kCare = 0.01;

}  // namespace

class QpSolver::Memory {
 public:
  Memory(int variables, int equalities, int rows, const QpSettings& s);

  const QpResult& solve(const QuadraticProgram& program, QpReuse reuse);

  QpSettings settings;
  QpResult result;

 private:
  QpStatus run(const QuadraticProgram& program, QpReuse reuse);
  QpStatus prepare(const QuadraticProgram& program, QpReuse reuse);
  QpStatus refine(const QuadraticProgram& program);
  bool load(const QuadraticProgram& program, QpReuse reuse);
  bool same_equalities();
  bool factor();
  void keep_active_set(QpReuse reuse);
  void forget_open_bounds();
  void find_gradient();
  void begin(QpReuse reuse);
  double evaluate();
  void find_equality_multipliers();
  void put_multiplier(int k, double y);
  void put_proof();
  bool falls_for_ever(const QuadraticProgram& program);
  double rounding();
  void check_sizes(const QuadraticProgram& program) const;

  detail::ScaledProgram scaled_;
  detail::Subspace subspace_;
  detail::ActiveSet active_;
  detail::DualMethod method_;
  dense::Line x_, before_, gradient_, sum_, values_, y_, more_;
  std::vector<char> was_equality_;
  std::vector<std::pair<int, int>> kept_;  // constraint, side
  double lent_ = 0.0;
  bool factored_ = false, has_solution_ = false;
};

QpSolver::Memory::Memory(int variables, int equalities, int rows, const QpSettings& s)
    : settings(s),
      scaled_(variables, equalities, rows),
      subspace_(scaled_),
      active_(scaled_, subspace_),
      method_(scaled_, subspace_, active_),
      x_(variables),
      before_(variables),
      gradient_(variables),
      sum_(variables),
      values_(scaled_.m),
      y_(variables),
      more_(variables),
      was_equality_(scaled_.constraints()) {
  if (settings.iterations == 0) settings.iterations = 50 + 10 * scaled_.constraints();
  kept_.reserve(variables);
  result.x = OwnedVector(variables);
  result.multipliers = {OwnedVector(equalities), OwnedVector(rows), OwnedVector(variables)};
}

const QpResult& QpSolver::Memory::solve(const QuadraticProgram& program, QpReuse reuse) {
  check_sizes(program);
  method_.iterations = 0;
  result.passes = 0;
  result.certificate = {.primal = kInfinity,
                        .dual = kInfinity,
                        .gap = kInfinity,
                        .scaled_primal = kInfinity,
                        .scaled_dual = kInfinity,
                        .scaled_gap = kInfinity};
  result.infeasibility = {}, result.descent = {};
  result.status = run(program, reuse);
  result.iterations = method_.iterations;
  result.active = active_.count();
  result.objective = 0.0;
  has_solution_ = result.status == QpStatus::solved || result.status == QpStatus::inaccurate;
  for (int j = 0; j < scaled_.n; ++j)
    result.objective += (0.5 * (gradient_[j] - scaled_.g[j]) + scaled_.g[j]) * x_[j];
  return result;
}

QpStatus QpSolver::Memory::run(const QuadraticProgram& program, QpReuse reuse) {
  const QpStatus ready = prepare(program, reuse);
  if (ready != QpStatus::solved) {
    factored_ = false, active_.clear();
    result.x.setZero();
    result.multipliers.equalities.setZero(), result.multipliers.rows.setZero(),
        result.multipliers.bounds.setZero();
    std::fill_n(static_cast<double*>(x_), scaled_.n, 0.0);
    return ready;
  }
  begin(reuse);
  return refine(program);
}

/// `solved` when there is something to solve.
QpStatus QpSolver::Memory::prepare(const QuadraticProgram& program, QpReuse reuse) {
  const bool keep = reuse == QpReuse::factorisation && factored_;
  if (!keep && !scaled_.load_matrices(program)) return QpStatus::invalid;
  if (!scaled_.load_vectors(program)) return QpStatus::invalid;
  if (keep && same_equalities()) {
    forget_open_bounds();
    return QpStatus::solved;
  }
  kept_.clear();
  for (int i = 0; i < active_.count(); ++i) kept_.emplace_back(active_.constraint(i), active_.side(i));
  active_.clear();
  for (int k = 0; k < scaled_.constraints(); ++k) was_equality_[k] = scaled_.is_equality(k);
  if (!factor()) return QpStatus::not_convex;
  factored_ = true;
  keep_active_set(reuse);
  return QpStatus::solved;
}

bool QpSolver::Memory::same_equalities() {
  for (int k = 0; k < scaled_.constraints(); ++k)
    if (scaled_.is_equality(k) != static_cast<bool>(was_equality_[k])) return false;
  return true;
}

bool QpSolver::Memory::factor() {
  subspace_.eliminate();
  lent_ = 0.0;
  if (subspace_.factor(0.0) == detail::Subspace::Curvature::positive) return true;
  double curvature = 0.0;
  for (int j = 0; j < scaled_.n; ++j) curvature = std::max(curvature, scaled_.H[j][j]);
  const double slope = subspace_.free_slope(scaled_.g);
  lent_ = kLent * std::max(curvature > 0.0 ? curvature : slope, 1e-3 * slope);
  if (lent_ == 0.0) lent_ = kLent;
  return subspace_.factor(lent_) == detail::Subspace::Curvature::positive;
}

void QpSolver::Memory::keep_active_set(QpReuse reuse) {
  if (reuse == QpReuse::nothing) return;
  for (const auto& [k, side] : kept_) {
    const double bound = side > 0 ? scaled_.upper[k] : scaled_.lower[k];
    if (!std::isfinite(bound) || scaled_.is_equality(k)) continue;
    active_.look_at(k);
    if (active_.is_independent()) active_.multipliers[active_.count()] = 0.0, active_.add(k, side);
  }
}

void QpSolver::Memory::forget_open_bounds() {
  for (int i = active_.count() - 1; i >= 0; --i)
    if (!std::isfinite(active_.bound(i))) active_.drop(i);
}

void QpSolver::Memory::find_gradient() {
  scaled_.kernels.multiply(scaled_.H, x_, scaled_.width, gradient_);
  for (int j = 0; j < scaled_.n; ++j) gradient_[j] += scaled_.g[j];
}

void QpSolver::Memory::begin(QpReuse reuse) {
  const bool warm = reuse != QpReuse::nothing && has_solution_;
  for (int j = 0; j < scaled_.n; ++j) x_[j] = warm ? result.x[j] / scaled_.column[j] : 0.0;
  find_gradient();
}

QpStatus QpSolver::Memory::refine(const QuadraticProgram& program) {
  using Outcome = detail::DualMethod::Outcome;
  const int patience = lent_ > 0.0 ? 20 : 4;
  const double care = kCare * settings.tolerance;
  double best = kInfinity;
  for (int stalled = 0; result.passes < settings.passes;) {
    ++result.passes;
    std::copy_n(static_cast<double*>(x_), scaled_.width, static_cast<double*>(before_));
    const Outcome outcome = method_.run(gradient_, care, settings.iterations, x_);
    if (outcome == Outcome::infeasible) {
      put_proof();
      result.infeasibility = detail::prove_infeasible(
          program, result.multipliers, {static_cast<double*>(sum_), static_cast<std::size_t>(scaled_.n)});
      return QpStatus::infeasible;
    }
    find_gradient();
    const double residual = evaluate();
    if (outcome == Outcome::iteration_limit) return QpStatus::iteration_limit;
    if (residual <= settings.tolerance) return QpStatus::solved;
    // The first step also goes from the start to the constraints; those after it go nowhere but down.
    if (lent_ > 0.0 && result.passes > 1 && falls_for_ever(program)) return QpStatus::unbounded;
    stalled = residual < 0.9 * best ? 0 : stalled + 1;
    best = std::min(best, residual);
    if (stalled >= patience) break;
  }
  const double stalled_at = std::max(kStall * settings.tolerance, rounding());
  return result.certificate.residual() <= stalled_at ? QpStatus::solved : QpStatus::inaccurate;
}

void QpSolver::Memory::put_multiplier(int k, double y) {
  const int a = scaled_.equalities;
  if (k < a)
    result.multipliers.equalities[k] = y * scaled_.unit(k);
  else if (k < scaled_.m)
    result.multipliers.rows[k - a] = y * scaled_.unit(k);
  else
    result.multipliers.bounds[k - scaled_.m] = y * scaled_.unit(k);
}

/// The proof's largest multiplier is one.
void QpSolver::Memory::put_proof() {
  double size = 0.0;
  for (int k = 0; k < scaled_.constraints(); ++k)
    size = std::max(size, std::abs(method_.proof[k] * scaled_.unit(k)));
  for (int k = 0; k < scaled_.constraints(); ++k) put_multiplier(k, method_.proof[k] / size);
  result.x.setZero();
}

/// Of the gradient in sum_, to which they are added. Where equalities nearly depend on each other the inverse
/// of their basis is rough, and what it leaves goes through it again.
void QpSolver::Memory::find_equality_multipliers() {
  constexpr int kRounds = 3;
  const double enough = kCare * settings.tolerance;
  std::fill_n(static_cast<double*>(y_), dense::padded(subspace_.rank()), 0.0);
  for (int round = 0; round < kRounds; ++round) {
    subspace_.multipliers(sum_, more_);
    for (int i = 0; i < subspace_.rank(); ++i) {
      scaled_.add_gradient(subspace_.pivots()[i], more_[i], sum_);
      y_[i] += more_[i];
    }
    double left = 0.0;
    for (int j = 0; j < scaled_.n; ++j) left = std::max(left, std::abs(sum_[j]));
    if (!(left > enough)) return;
  }
}

/// The solution in the program's own units, and its certificate as certify() finds it. Returns its residual,
/// or that in our units if that is worse.
double QpSolver::Memory::evaluate() {
  const int n = scaled_.n, m = scaled_.m;
  for (int k = 0; k < scaled_.constraints(); ++k) put_multiplier(k, 0.0);
  std::copy_n(static_cast<double*>(gradient_), scaled_.width, static_cast<double*>(sum_));
  scaled_.kernels.multiply(scaled_.G, x_, scaled_.width, values_);
  double gap = 0.0, support = 0.0;
  const auto count = [&](int k, double y, double bound) {
    const double value = k < m ? values_[k] : x_[k - m];
    put_multiplier(k, y);
    if (y != 0.0) gap += std::abs(y * (value - bound)), support += y * bound;
  };
  for (int i = 0; i < active_.count(); ++i) {
    const int k = active_.constraint(i);
    scaled_.add_gradient(k, active_.multipliers[i], sum_);
    count(k, active_.multipliers[i], active_.bound(i));
  }
  find_equality_multipliers();
  for (int i = 0; i < subspace_.rank(); ++i)
    count(subspace_.pivots()[i], y_[i], scaled_.lower[subspace_.pivots()[i]]);

  QpCertificate c;
  double dual_scale = 1.0, gx = 0.0, curvature = 0.0, own_dual = 0.0, own_scale = 1e-300, own_primal = 0.0;
  for (int j = 0; j < n; ++j) {
    const double unit = 1.0 / scaled_.column[j], Hx = gradient_[j] - scaled_.g[j];
    own_dual = std::max(own_dual, std::abs(sum_[j]));
    own_scale = std::max({own_scale, std::abs(scaled_.g[j]), std::abs(Hx)});
    result.x[j] = x_[j] * scaled_.column[j];
    c.dual = std::max(c.dual, std::isfinite(sum_[j]) ? std::abs(sum_[j]) * unit : kInfinity);
    dual_scale = std::max({dual_scale, std::abs(scaled_.g[j]) * unit, std::abs(Hx) * unit});
    gx += scaled_.g[j] * x_[j], curvature += Hx * x_[j];
  }
  for (int k = 0; k < scaled_.constraints(); ++k) {
    const double value = k < m ? values_[k] : x_[k - m];
    const double off = std::max(scaled_.lower[k] - value, value - scaled_.upper[k]);
    if (off <= 0.0) continue;
    const double unit = scaled_.unit(k),
                 near = std::abs(value > scaled_.upper[k] ? scaled_.upper[k] : scaled_.lower[k]);
    c.primal = std::max(c.primal, off / unit);
    c.scaled_primal = std::max(c.scaled_primal, off / std::max(unit, near));
    own_primal = std::max(own_primal, off / std::max(1.0, near));
  }
  c.gap = gap;
  c.scaled_dual = c.dual / dual_scale;
  c.scaled_gap = gap / std::max({1.0, std::abs(gx), std::abs(curvature), std::abs(support)});
  result.certificate = c;
  return std::max({c.residual(), own_dual / own_scale, own_primal});
}

/// Where curvature is missing the last step ends in a direction that nothing holds, if there is one.
bool QpSolver::Memory::falls_for_ever(const QuadraticProgram& program) {
  constexpr double kRest = 1e-9;
  double size = 0.0, slope = 0.0, rest = 0.0;
  for (int j = 0; j < scaled_.n; ++j) size = std::max(size, std::abs(x_[j] - before_[j]));
  for (int j = 0; j < scaled_.n; ++j)
    before_[j] = (x_[j] - before_[j]) / size, slope += scaled_.g[j] * before_[j];
  scaled_.kernels.multiply(scaled_.H, before_, scaled_.width, sum_);
  scaled_.kernels.multiply(scaled_.G, before_, scaled_.width, values_);
  for (int j = 0; j < scaled_.n; ++j) rest = std::max(rest, std::abs(sum_[j]));
  for (int k = 0; k < scaled_.constraints(); ++k) {
    const double value = k < scaled_.m ? values_[k] : before_[k - scaled_.m];
    if (scaled_.upper[k] < kInfinity) rest = std::max(rest, value);
    if (scaled_.lower[k] > -kInfinity) rest = std::max(rest, -value);
  }
  if (!(rest < kRest && slope < -kFaster * rest)) return false;
  size = 0.0;
  for (int j = 0; j < scaled_.n; ++j) size = std::max(size, std::abs(before_[j] * scaled_.column[j]));
  for (int j = 0; j < scaled_.n; ++j) result.x[j] = before_[j] * scaled_.column[j] / size;
  result.descent = detail::prove_unbounded(program, result.x.data());
  return true;
}

/// What rounding alone can do to the certificate: |H_jk| <= sqrt(H_jj H_kk) for a convex program.
double QpSolver::Memory::rounding() {
  constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
  double size = 0.0, dual = 0.0, dual_scale = 1.0, primal = 0.0;
  for (int j = 0; j < scaled_.n; ++j) size += std::sqrt(std::abs(scaled_.H[j][j])) * std::abs(x_[j]);
  for (int j = 0; j < scaled_.n; ++j) {
    const double unit = 1.0 / scaled_.column[j], Hx = gradient_[j] - scaled_.g[j];
    dual = std::max(dual, std::sqrt(std::abs(scaled_.H[j][j])) * size * unit);
    dual_scale = std::max({dual_scale, std::abs(scaled_.g[j]) * unit, std::abs(Hx) * unit});
  }
  for (int k = 0; k < scaled_.constraints(); ++k) {
    double sum = k < scaled_.m ? 0.0 : std::abs(x_[k - scaled_.m]);
    for (int j = 0; k < scaled_.m && j < scaled_.n; ++j) sum += std::abs(scaled_.G[k][j] * x_[j]);
    primal = std::max(primal, sum / scaled_.unit(k));
  }
  return kRounding * std::max(dual / dual_scale, primal);
}

void QpSolver::Memory::check_sizes(const QuadraticProgram& p) const {
  const auto check = [](const char* what, long rows, long columns, long wanted_rows, long wanted_columns) {
    if (rows != wanted_rows || columns != wanted_columns)
      throw Error(fmt::format("{} of the quadratic program is {} x {}, the solver was made for {} x {}", what,
                              rows, columns, wanted_rows, wanted_columns));
  };
  const long n = scaled_.n, a = scaled_.equalities, c = scaled_.m - a;
  check("H", p.H.rows(), p.H.cols(), n, n);
  check("g", p.g.size(), 1, n, 1);
  check("A", p.A.rows(), p.A.cols(), a, n);
  check("b", p.b.size(), 1, a, 1);
  check("C", p.C.rows(), p.C.cols(), c, n);
  check("lower", p.lower.size(), 1, c, 1);
  check("upper", p.upper.size(), 1, c, 1);
  check("x_lower", p.x_lower.size(), 1, n, 1);
  check("x_upper", p.x_upper.size(), 1, n, 1);
}

QpSolver::QpSolver(int variables, int equalities, int rows, const QpSettings& settings) {
  settings.validate();
  (void)QuadraticProgram(variables, equalities, rows);  // names what is wrong with sizes
  memory_ = std::make_unique<Memory>(variables, equalities, rows, settings);
}
QpSolver::~QpSolver() = default;
QpSolver::QpSolver(QpSolver&&) noexcept = default;
QpSolver& QpSolver::operator=(QpSolver&&) noexcept = default;

const QpResult& QpSolver::solve(const QuadraticProgram& program, QpReuse reuse) {
  return memory_->solve(program, reuse);
}
const QpResult& QpSolver::result() const { return memory_->result; }

}  // namespace amble
