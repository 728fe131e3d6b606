#pragma once

#include <optional>

#include "amble/gait/gait.hpp"

// Cycles of the return map: one from a guess, all in a region.
namespace amble {

/// What a step misses to be a cycle: P(x) - x, and of a family of cycles, last, how far it is from the one
/// that is meant; all zero there.
Eigen::VectorXd cycle_miss(StepModel& model, const VectorRef& x, const Step& step);
/// Its derivative in x, from a step that was made with one.
Eigen::MatrixXd cycle_jacobian(StepModel& model, const VectorRef& x, const Step& step);

/// The change dx with J dx = right; by least squares where a family adds an equation that follows from the
/// others at a cycle.
Eigen::VectorXd newton_change(const Eigen::MatrixXd& J, const Eigen::VectorXd& right);

struct NewtonOptions {
  int steps = 1;  ///< after which the cycle repeats
  int iterations = 30;
  double tolerance = 1e-11;  ///< on |P(x) - x|
};

/// What Newton's method came to.
struct NewtonResult {
  bool converged = false;
  OwnedVector x;
  double residual = 0.0;  ///< |P(x) - x| there; infinite where the walker fails
  std::string failure = {};
};

/// Newton's method on cycle_miss() with the exact derivative, steps halved while they do not help.
NewtonResult find_cycle(ReturnMap& map, const VectorRef& guess, const NewtonOptions& options = {});

/// Where cycles are looked for: bounds on the numbers of the walker's section.
struct Region {
  OwnedVector lower, upper;
};
/// The walker's own region, with some numbers replaced, each given as "name=lower:upper". Throws an Error for
/// a name that is not there or bounds that are none.
Region region_of(const StepModel& model, const std::vector<std::string>& bounds = {});

struct CycleSearch {
  NewtonOptions newton = {};
  int starts = 400;        ///< points of a low-discrepancy sequence in the region
  std::uint64_t seed = 1;  ///< shifts the sequence
  int threads = 0;         ///< 0: one per core
  /// Called now and then with the share that is done; false stops the search.
  std::function<bool(double)> watch = {};
};

struct CyclesFound {
  std::vector<Gait> cycles;  ///< different ones, the fastest first; in the region or just around it
  /// When there is none: where the walker came closest to repeating a step, and by how much it missed.
  std::optional<NewtonResult> closest;
  int starts = 0, walked = 0;  ///< how many starts were tried, and from how many a step was completed
  /// How the other starts failed, most frequent first.
  std::vector<std::pair<std::string, int>> failures;
};

/// All cycles that Newton's method finds from cold starts over a region.
CyclesFound find_cycles(const StepModel& model, const Region& region, const CycleSearch& search = {});

}  // namespace amble
