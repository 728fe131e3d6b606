#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "amble/base/infinity.hpp"
#include "amble/base/owned.hpp"

namespace amble {

/// The place of one number in a sparse matrix.
struct MatrixPlace {
  int row = 0;
  int column = 0;
  bool operator==(const MatrixPlace&) const = default;
};

/// Numbers that a program fills in, in an order that is said there.
using Numbers = std::span<double>;

/// minimise f(x)  subject to  lower <= x <= upper  and  lower <= g(x) <= upper, row by row; equal bounds make
/// an equality, kInfinity leaves a side open. f and g are smooth. A value or a derivative that is not finite
/// means "cannot be evaluated here": the solver then takes a shorter step. Functions are called one at a
/// time, and often several with the same x.
class NonlinearProgram {
 public:
  virtual ~NonlinearProgram() = default;

  virtual int variables() const = 0;
  virtual int constraints() const = 0;

  /// Called with no bounds at all: a program writes those it has.
  virtual void variable_bounds(Numbers lower, Numbers upper) const;
  virtual void constraint_bounds(Numbers lower, Numbers upper) const;
  virtual void start(Numbers x) const = 0;

  virtual double objective(const VectorRef& x) = 0;
  virtual void gradient(const VectorRef& x, Numbers df) = 0;
  virtual void constraint_values(const VectorRef& x, Numbers g) = 0;

  /// Where dg/dx may be other than zero; places named twice are added.
  virtual std::vector<MatrixPlace> jacobian_places() const = 0;
  /// dg/dx, one number per place.
  virtual void jacobian(const VectorRef& x, Numbers values) = 0;

  /// The second derivative of weight f(x) + lambda . g(x), its lower triangle (row >= column); without it the
  /// solver builds an approximation from gradients. An approximation of your own, such as Gauss and Newton's,
  /// will do: the certificate does not use it.
  virtual bool has_hessian() const { return false; }
  virtual std::vector<MatrixPlace> hessian_places() const { return {}; }
  virtual void hessian(const VectorRef& x, double weight, const VectorRef& lambda, Numbers values);

  /// For reports: `x[3]`, `constraint[2]` unless the program has better ones.
  virtual std::string variable_name(int i) const;
  virtual std::string constraint_name(int i) const;
};

enum class NlpStatus {
  solved,           ///< the tolerance is met
  acceptable,       ///< nearly: no further progress at 1000 times the tolerance
  infeasible,       ///< no point nearby meets the constraints; x is where they are violated least
  unbounded,        ///< the iterates run away
  iteration_limit,  ///< settings.iterations
  time_limit,       ///< settings.time_limit
  interrupted,      ///< settings.watch said so
  not_finite,       ///< a function or derivative is not a finite number; message says which
  overdetermined,   ///< more equations than variables that are free
  no_progress,      ///< the search stopped short of the tolerance
  internal_error,   ///< of the solver; message says what it reported
};
const char* name_of(NlpStatus status);

/// How far a point and its multipliers are from the conditions of Karush, Kuhn and Tucker: from the program's
/// functions alone, nothing is taken from a solver. A multiplier is positive where an upper bound pushes,
/// negative where a lower one does: df + lambda^T dg + mu = 0.
struct NlpCertificate {
  double primal = kInfinity;  ///< worst violation of a bound or constraint, in its own unit
  double dual = kInfinity;    ///< worst |df + lambda^T dg + mu|, or multiplier of a bound that is not there
  double complementarity = kInfinity;  ///< worst |multiplier| times distance from its bound
  double scale = 1.0;  ///< max(1, mean |multiplier| / 100): dual and complementarity count relative to it
  std::string worst_constraint;  ///< where primal is worst (a variable's name, if a bound)
  std::string worst_variable;    ///< where dual is worst

  /// The largest of the three, as a solver's tolerance means it.
  double residual() const;
};

struct NlpMultipliers {
  OwnedVector constraints;  ///< lambda
  OwnedVector variables;    ///< mu, of the bounds of variables
};

/// `multipliers.variables` of fixed variables (equal bounds) are not looked at: any number will do there.
NlpCertificate certify(NonlinearProgram& program, const VectorRef& x, const NlpMultipliers& multipliers);

/// What the watch of a solve sees after each iteration.
struct NlpProgress {
  int iteration = 0;
  double objective = 0.0;
  double primal = 0.0;  ///< violation of the constraints, as the solver scales it
  double dual = 0.0;
  double seconds = 0.0;  ///< since the start
};

enum class NlpHessian {
  automatic,       ///< exact where the program has one
  exact,           ///< the program's; an Error if it has none
  limited_memory,  ///< from the last gradients (L-BFGS)
};
const char* name_of(NlpHessian hessian);

enum class NlpBarrier {
  adaptive,  ///< chosen anew at every step: few steps for programs whose second derivatives are good
  monotone,  ///< lowered when its own program is solved: slower and steadier
};
const char* name_of(NlpBarrier barrier);

struct NlpSettings {
  double tolerance = 1e-9;        ///< of NlpCertificate::residual(), as near as scaling allows
  int iterations = 1000;          ///< at most
  double time_limit = kInfinity;  ///< s of wall clock, looked at once an iteration
  NlpHessian hessian = NlpHessian::automatic;
  int memory = 20;  ///< gradients that limited_memory keeps
  NlpBarrier barrier = NlpBarrier::adaptive;
  double first_barrier = 0.1;  ///< where a monotone barrier starts; 1e-6 for a start near the optimum
  bool scale = true;           ///< rows with steep gradients at the start are scaled down
  int print_level = 0;  ///< 0: silent, 5: one line an iteration, 12: everything; on stderr, never stdout
  std::function<bool(const NlpProgress&)> watch;  ///< called after each iteration; false interrupts

  void validate() const;
};

struct NlpResult {
  OwnedVector x;  ///< the last iterate, whatever the status
  double objective = 0.0;
  OwnedVector constraints;  ///< g(x)
  NlpMultipliers multipliers;
  NlpCertificate certificate;
  NlpStatus status = NlpStatus::internal_error;
  std::string message;  ///< one sentence
  int iterations = 0;
  double seconds = 0.0;

  bool solved() const { return status == NlpStatus::solved || status == NlpStatus::acceptable; }
};

/// Finds a local optimum with IPOPT (an interior point method; Waechter and Biegler 2006). Throws an Error
/// for a program that is none (bounds that cross, places outside the matrix); what goes wrong later is a
/// status. What the program's own functions throw comes out as it is.
///
/// Not parallel: IPOPT's linear solver MUMPS is not safe in threads, so that of several threads that call
/// this one solves and the others wait; to solve several programs at once use processes. A program whose
/// functions call solve() would wait for itself: that is an Error.
NlpResult solve(NonlinearProgram& program, const NlpSettings& settings = {});
/// From this point instead of the program's start(); with multipliers, a warm start.
NlpResult solve_from(NonlinearProgram& program, const VectorRef& x, const NlpSettings& settings = {},
                     const NlpMultipliers* multipliers = nullptr);

}  // namespace amble
