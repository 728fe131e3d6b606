#pragma once

#include <span>
#include <vector>

#include "amble/contact/solvers/friction_solver.hpp"

namespace amble {

/// What the solvers work on: a FrictionProblem in units in which every block weighs alike. With g the mean
/// diagonal of a block in G, forces are times sqrt(g) and velocities over sqrt(g): laws keep their form, f -
/// u is what a projection takes, and the mean diagonal of every block is 1. Offsets of the laws are part of u
/// here.
class ScaledFriction {
 public:
  struct Block {
    FrictionKind kind;
    int index;  // in the problem; bilateral blocks of many rows are several here, of up to three
    int row, rows, width, first_number, first_segment, segments;
    double mu;           // of a contact
    double bound;        // of a box
    double root;         // sqrt(g)
    double coefficient;  // mu or bound with friction, in the problem's units
  };

  void reserve(int dimension, int blocks, int rows);
  /// Throws as FrictionProblem::check() does.
  void load(const FrictionProblem& problem, std::span<const double> guess);

  int rows() const { return static_cast<int>(b_.size()); }
  int size() const { return static_cast<int>(blocks_.size()); }
  int dimension() const { return dimension_; }
  const Block& block(int i) const { return blocks_[i]; }
  /// The natural residual that solves the problem, in m/s.
  double scale() const { return scale_; }

  double* f() { return f_.data(); }
  double* u() { return u_.data(); }
  const double* compliance() const { return compliance_.data(); }
  const double* free() const { return b_.data(); }  ///< u without forces

  /// y = Y f, then u = Y^T y + compliance f + b; returns the natural residual in m/s.
  double refresh();
  double natural() const;
  /// |Y f|: how hard all forces together push the mechanism.
  double push() const;
  /// The sum of squares of all blocks' residuals, in the units of this class: what a line search looks at.
  double merit() const;
  double natural(const Block& b) const;
  /// y += Y_b change; of one block.
  void push(const Block& b, const double* change) { push(b, change, y_.data()); }
  void push(const Block& b, const double* change, double* y) const;
  /// u of one block, from y.
  void look(const Block& b);

  /// Y_b^T y of one block.
  void velocities(const Block& b, const double* y, double* u) const;
  /// Adds Y_b W Y_b^T, W b.rows x b.rows, to a matrix of dimension() x dimension() numbers, rows `stride` apart.
  void add_square(const Block& b, const double* W, double* out, std::ptrdiff_t stride) const;
  /// The rows of a against those of b in Y^T Y: a.rows x b.rows numbers to out, row after row `stride` apart.
  void gram(const Block& a, const Block& b, double* out, int stride) const;

  /// One sweep of Gauss-Seidel: every block in turn solved exactly for what the others are. y must be that of
  /// f.
  void sweep(double relaxation);

  /// Adds to all compliances, in the place of what was added before; 0 takes that back.
  void soften(double compliance);
  double softness() const { return softness_; }
  /// Without: all coefficients and bounds are zero.
  void set_friction(bool on);
  /// Whether this is another problem than the one loaded.
  bool changed() const { return softness_ != 0.0 || !friction_; }

  /// Forces in the problem's units.
  void unload(double* forces) const;

 private:
  double load(const FrictionProblem& problem, int i, int first, int rows, std::span<const double> guess);
  void prepare_sweeps();
  void relax_contact(int i, double relaxation);
  void relax_row(const Block& b, int r, double relaxation);

  int dimension_ = 0;
  double scale_ = 1.0, softness_ = 0.0;
  std::vector<Block> blocks_;
  std::vector<Support> segments_;
  std::vector<double> numbers_, b_, compliance_, f_, u_, y_;
  std::vector<double> own_compliance_;  // without softness
  std::vector<double> local_;  // of sweeps: 9 numbers of every block, see prepare_sweeps()
  bool prepared_ = false, friction_ = true;
};

/// Memory for the solutions of problems up to this size.
void reserve_solution(FrictionSolution& solution, int dimension, int rows);
/// What a solver ends with: the forces of `scaled`, velocities, certificate and status.
void conclude(const FrictionProblem& problem, const ScaledFriction& scaled, double tolerance, int iterations,
              FrictionSolution& solution);

}  // namespace amble
