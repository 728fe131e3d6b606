#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "amble/walkers/step_model.hpp"

namespace amble {

/// A state that a stable cycle goes through: a walker that comes within `radius` is caught.
struct Catch {
  int cycle;
  OwnedVector x;
  double radius;
  bool holds(const VectorRef& other) const { return (other - x).squaredNorm() < radius * radius; }
};

/// What becomes of a start.
struct Fate {
  static constexpr int kFell = -1, kWandered = -2, kUnknown = -3;
  int cycle;  ///< or one of the above: fell; neither fell nor came to a cycle; was not tried
  int steps;  ///< how many it took to come there, or to fall
};

struct FateOptions {
  std::vector<Catch> catches;
  int most_steps = 100;
  double tolerance = 1e-7;  ///< of the integrator
};

/// Follows many starts of a walker at the same time on one core, side by side in its lanes: each has its own
/// time, length of step and events. Who has an event makes room for another, and events are gone through side
/// by side as well, so lanes stay full. What becomes of a start does not depend on its company. Owns its
/// memory and its own copy of the model; one per thread.
class LaneFates {
 public:
  LaneFates(const StepModel& model, const FateOptions& options);
  ~LaneFates();

  /// start(i, x) gives the state of start i, for i from `begin` to `end` - 1; done(i, fate, x) is called for
  /// each, in any order, with the state after the last step that was completed, or some state after that for
  /// those who fell.
  void follow(std::size_t begin, std::size_t end, const std::function<void(std::size_t, double* x)>& start,
              const std::function<void(std::size_t, const Fate&, const double* x)>& done);

  class Crowd;  ///< of interest to the source of this only

 private:
  std::unique_ptr<StepModel> model_;
  std::unique_ptr<Crowd> crowd_;
};

}  // namespace amble
