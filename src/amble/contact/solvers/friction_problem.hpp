#pragma once

#include <span>
#include <vector>

#include "amble/base/owned.hpp"
#include "amble/constraints/row_space.hpp"

// Many contacts at once: forces (or impulses) f and relative velocities u = G f + w, tied block by block by a
// law.
namespace amble {

/// What ties the force and the velocity of a block. `offset` is a given speed per row, see
/// FrictionProblem::offset().
enum class FrictionKind {
  contact,  ///< 3 rows (normal, t1, t2): 0 <= f_n perp u_n + offset >= 0; Coulomb: |f_t| <= mu f_n, against
            ///< u_t
  unilateral,  ///< 1 row: 0 <= f perp u + offset >= 0 (the stop of a joint)
  box,         ///< 1 row: |f| <= bound, and f = -bound sign(u) where u is not zero (dry friction in a joint)
  bilateral,   ///< any number of rows: u + offset = 0 (a loop)
};

/// Coefficients of friction above this count as this: the cone is then within 0.6 degrees of a half space. So
/// an infinite coefficient means no slip, but where holding would need a contact to pull, it slips at a force
/// f_n that is next to nothing; the limit of Coulomb's law, which has a solution where `never slips' has
/// none.
inline constexpr double kLargestFriction = 1e2;

struct FrictionLaw {
  FrictionKind kind = FrictionKind::contact;
  double coefficient = 0.0;  ///< contact: mu, 0 to infinity; box: the bound, at least 0; else not used
  int rows = 3;              ///< of a bilateral block; others know theirs

  static FrictionLaw contact(double mu) { return {FrictionKind::contact, mu, 3}; }
  static FrictionLaw unilateral() { return {FrictionKind::unilateral, 0.0, 1}; }
  static FrictionLaw box(double bound) { return {FrictionKind::box, bound, 1}; }
  static FrictionLaw bilateral(int rows) { return {FrictionKind::bilateral, 0.0, rows}; }
};

/// A law, its rows, and where its columns of Y have numbers.
struct FrictionBlock {
  FrictionKind kind = FrictionKind::contact;
  double coefficient = 0.0;  ///< mu, at most kLargestFriction, or the bound
  int row = 0, rows = 0;     ///< rows row .. row + rows - 1
  int width = 0;             ///< how many coordinates a column touches: the sum of its segments
  int first_segment = 0, segments = 0;
  int first_number = 0;
};

/// The data of u = G f + w, G = Y^T Y + diag(compliance), and the laws. With M = U U^T (MassFactor), Y = U^-1
/// J^T has one column per row of J, and the change of velocity is v+ - v = U^-T Y f. Columns are kept without
/// their zeros, so that a contact costs in proportion to the depth of its links in the tree. Reuse one: after
/// reserve() or the first time round, filling it again does not allocate.
class FrictionProblem {
 public:
  explicit FrictionProblem(int dimension = 0) { clear(dimension); }
  /// From a symmetric G that is at least semidefinite, the size of w, and laws in the order of its rows.
  /// Throws an Error when G is not, or when sizes do not match.
  FrictionProblem(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w,
                  std::span<const FrictionLaw> laws);

  void reserve(int dimension, int blocks, int rows);
  /// No blocks, and columns of Y of `dimension` numbers (nv).
  void clear(int dimension);
  /// Adds a block at the end and returns its index: its numbers, w, offset and compliance are zero. `where`
  /// its columns may have numbers: segments that do not overlap, in rising order. Throws an Error for a
  /// coefficient that is not a number or negative, and for segments that leave 0 .. dimension or overlap.
  int add(const FrictionLaw& law, std::span<const Support> where);
  /// The same with the columns given in full: rows x dimension numbers, one column after another.
  int add(const FrictionLaw& law, const double* columns);

  int dimension() const { return dimension_; }
  int rows() const { return static_cast<int>(w_.size()); }
  int blocks() const { return static_cast<int>(blocks_.size()); }
  const FrictionBlock& block(int i) const { return blocks_[i]; }
  std::span<const Support> segments(const FrictionBlock& b) const {
    return {segments_.data() + b.first_segment, static_cast<std::size_t>(b.segments)};
  }

  /// The columns of a block along its segments: the `width` numbers of its first row, then of the next.
  double* numbers(int block) { return numbers_.data() + blocks_[block].first_number; }
  const double* numbers(int block) const { return numbers_.data() + blocks_[block].first_number; }
  double& w(int row) { return w_[row]; }  ///< velocity without forces
  double& offset(int row) {
    return offset_[row];
  }  ///< distance per step, restitution; tangents and boxes: not used
  double& compliance(int row) { return compliance_[row]; }  ///< added to the diagonal of G, at least 0
  double w(int row) const { return w_[row]; }
  double offset(int row) const { return offset_[row]; }
  double compliance(int row) const { return compliance_[row]; }
  std::span<const double> w() const { return w_; }
  std::span<const double> offset() const { return offset_; }
  std::span<const double> compliance() const { return compliance_; }

  /// y += Y_b f of a block, y of `dimension` numbers; and u = Y_b^T y.
  void add_forces(const FrictionBlock& b, const double* f, double* y) const;
  void velocities(const FrictionBlock& b, const double* y, double* u) const;

  /// Speeds below this (m/s) are nothing: residuals are relative to it where all |w + offset| are smaller. Zero at first.
  void set_least_speed(double speed) { least_speed_ = speed; }
  double least_speed() const { return least_speed_; }

  /// G as a matrix (allocates): for tests and pictures.
  OwnedMatrix matrix() const;
  /// Throws an Error naming the block where a number is not finite (or its square is not), or a compliance is
  /// negative.
  void check() const;

 private:
  int dimension_ = 0;
  double least_speed_ = 0.0;
  std::vector<FrictionBlock> blocks_;
  std::vector<Support> segments_;
  std::vector<double> numbers_, w_, offset_, compliance_;
};

}  // namespace amble
