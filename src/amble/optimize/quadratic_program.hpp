#pragma once

#include <memory>

#include "amble/base/infinity.hpp"
#include "amble/base/owned.hpp"

namespace amble {

/// minimise 1/2 x'H x + g'x  subject to  A x = b,  lower <= C x <= upper,  x_lower <= x <= x_upper.
/// H is symmetric and convex wherever A x = b leaves x free; infinities leave a side open; equal bounds make
/// an equality. Made with zeros and open bounds; sizes stay as they are.
struct QuadraticProgram {
  explicit QuadraticProgram(int variables, int equalities = 0, int rows = 0);

  OwnedRowMatrix H;
  OwnedVector g;
  OwnedRowMatrix A;
  OwnedVector b;
  OwnedRowMatrix C;
  OwnedVector lower, upper;      ///< of C x
  OwnedVector x_lower, x_upper;  ///< of x

  int variables() const { return static_cast<int>(g.size()); }
  int equalities() const { return static_cast<int>(b.size()); }
  int rows() const { return static_cast<int>(lower.size()); }
  double objective(const VectorRef& x) const { return x.dot(0.5 * (H * x) + g); }
  /// An Error naming the first number that cannot be: not finite, bounds that cross, H not symmetric.
  void check() const;
};

/// One number per constraint. As multipliers: positive where an upper bound pushes, negative where a lower
/// one does, H x + g + A'y + C'rows + bounds = 0 at the optimum.
struct QpMultipliers {
  OwnedVector equalities, rows, bounds;
};

enum class QpStatus {
  solved,           ///< the certificate meets the tolerance
  infeasible,       ///< no x meets the constraints; `multipliers` prove it, see QpInfeasibility
  unbounded,        ///< the objective falls for ever along `x`, see QpDescent
  not_convex,       ///< H has negative curvature where A x = b leaves x free
  iteration_limit,  ///< settings.iterations; x is the last iterate
  inaccurate,       ///< rounding keeps the certificate above the tolerance; it says how far
  invalid,          ///< a number is not finite, or bounds cross: QuadraticProgram::check() names it
};
const char* name_of(QpStatus status);

/// How far x and its multipliers are from the conditions of Karush, Kuhn and Tucker, from the program's
/// numbers alone.
struct QpCertificate {
  double primal = 0.0;  ///< worst violation of a constraint, in its own unit
  double dual = 0.0;  ///< worst |H x + g + A'y + C'rows + bounds|, or multiplier of a bound that is not there
  double gap = 0.0;   ///< |primal - dual objective| = |sum of multiplier times distance from its bound|
  /// The same relative to: max(1, |bound|) of each constraint; max(1, |g|, |H x|) over all variables;
  /// max(1, |g'x|, |x'H x|, the multipliers' share of the dual objective).
  double scaled_primal = 0.0, scaled_dual = 0.0, scaled_gap = 0.0;

  double residual() const;  ///< the largest of the scaled three; infinite when one is not a number
};
QpCertificate certify(const QuadraticProgram& program, const VectorRef& x, const QpMultipliers& multipliers);

/// Farkas' proof that no x is feasible: A'y + C'rows + bounds = 0 while the bounds that these push against
/// sum to less than zero. With a residual that is not zero the proof holds for every |x| below `radius`.
struct QpInfeasibility {
  double residual = 0.0;  ///< worst |A'y + C'rows + bounds| (multipliers of missing bounds count in full)
  double value = 0.0;     ///< sum of b y + (upper or lower, by sign) times multiplier: must be negative
  double radius = 0.0;    ///< -value / (sum of |A'y + C'rows + bounds|); zero when nothing is proved
};
QpInfeasibility prove_infeasible(const QuadraticProgram& program, const QpMultipliers& multipliers);

/// A direction of no return: H d = 0, A d = 0, C d and d point away from no bound, and g'd < 0.
struct QpDescent {
  double slope = 0.0;     ///< g'd / |d|, largest component: negative
  double residual = 0.0;  ///< worst of |H d|, |A d| and what C d and d lose to bounds, relative to |d|
};
QpDescent prove_unbounded(const QuadraticProgram& program, const VectorRef& direction);

/// What a solve keeps from the one before.
enum class QpReuse {
  nothing,
  active_set,     ///< where it starts: any numbers may have changed
  factorisation,  ///< H, A and C are promised to be the same: only g, b and bounds are read
};

struct QpSettings {
  /// Of QpCertificate::residual(). Ten times that, or what rounding can do, is taken where refinement stalls.
  double tolerance = 1e-10;
  int iterations = 0;  ///< constraints added or dropped, at most; 0: 50 + 10 (variables + equalities + rows)
  int passes = 100;    ///< refinements, at most: few for strictly convex programs
  void validate() const;
};

struct QpResult {
  QpStatus status = QpStatus::invalid;
  OwnedVector x;              ///< the solution; of an unbounded program the direction
  QpMultipliers multipliers;  ///< of an infeasible program the proof
  double objective = 0.0;
  QpCertificate certificate;
  QpInfeasibility infeasibility;  ///< when infeasible
  QpDescent descent;              ///< when unbounded
  int iterations = 0;             ///< constraints added or dropped
  int passes = 0;
  int active = 0;  ///< inequalities that hold with equality

  bool solved() const { return status == QpStatus::solved; }
};

/// A dual active-set method (Goldfarb and Idnani 1983) on what equalities leave free, refined to the
/// tolerance; curvature that is missing is lent and paid back (proximal point). Nothing is allocated after
/// construction and nothing thrown by solve(); one solver serves one thread.
class QpSolver {
 public:
  QpSolver(int variables, int equalities, int rows, const QpSettings& settings = {});
  ~QpSolver();
  QpSolver(QpSolver&&) noexcept;
  QpSolver& operator=(QpSolver&&) noexcept;

  /// The result is the solver's own and valid until its next use. A program of other sizes is an Error.
  const QpResult& solve(const QuadraticProgram& program, QpReuse reuse = QpReuse::nothing);
  const QpResult& result() const;

 private:
  class Memory;
  std::unique_ptr<Memory> memory_;
};

/// Once, with memory of its own.
QpResult solve(const QuadraticProgram& program, const QpSettings& settings = {});

}  // namespace amble
