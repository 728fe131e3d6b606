#pragma once

#include "amble/gait/cycles.hpp"

// Cycles followed in a parameter by pseudo-arclength (Keller 1977): past folds, through period doublings and
// onto the cycles that branch off there.
namespace amble {

/// Walkers that differ in one parameter.
struct WalkerFamily {
  std::string parameter;
  /// The walker with that value; throws an Error where there is none.
  std::function<std::unique_ptr<StepModel>(double)> make;
};

struct BranchPoint {
  double value;  ///< of the parameter
  Gait gait;
};

enum class BifurcationKind { fold, period_doubling, torus };
const char* name_of(BifurcationKind kind);  ///< "fold", "period doubling", "torus"

struct Bifurcation {
  BifurcationKind kind;
  double value;           ///< of the parameter, to about 1e-9 of the range
  OwnedVector x;          ///< the cycle there
  OwnedVector direction;  ///< of a period doubling: the eigenvector of -1
};

/// A family of cycles along one curve.
struct Branch {
  int steps = 1;    ///< after which its cycles repeat
  int parent = -1;  ///< the branch it doubles, or -1
  std::vector<BranchPoint> points;
  std::vector<Bifurcation> bifurcations;
  std::string end;  ///< why it ends, in words
};

struct ContinuationOptions {
  double from = 0.0, to = 1.0;           ///< values of the parameter; `from` may be the larger
  double step = 0.02;                    ///< longest step, as a share of the range (and of the state's unit)
  int most_points = 400;                 ///< of a branch
  int doublings = 3;                     ///< how often branches of twice the period are followed on; 0: not
  int starts = 400;                      ///< for the cycles at `from`
  std::vector<std::string> region = {};  ///< as region_of() takes it
  std::uint64_t seed = 1;
  std::function<bool(double)> watch = {};  ///< as CycleSearch::watch
  void validate() const;
};

/// One branch for each cycle at `from`, followed within the range until it leaves it, and those that double
/// from them.
std::vector<Branch> continue_cycles(const WalkerFamily& family, const ContinuationOptions& options);
/// The branch of one cycle at `from` alone, and those that double from it.
std::vector<Branch> continue_cycle(const WalkerFamily& family, const Gait& start,
                                   const ContinuationOptions& options);

}  // namespace amble
