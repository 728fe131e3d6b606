#pragma once

#include <functional>
#include <memory>

#include "amble/gait/phase_flow.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {

/// What a walker did in a step, or until it failed.
struct Step {
  bool completed = false;
  std::string failure = {};              ///< how it failed; empty when it did not
  OwnedVector x;                         ///< the state after the last event, where the next step starts
  OwnedVector x_before;                  ///< right before it, in the last phase; where it failed, if it did
  std::vector<double> phase_times = {};  ///< how long each phase took (s)
  double period = 0.0;                   ///< their sum (s)
  double length = 0.0;                   ///< along the floor (m)
  FloorPlace place = {};                 ///< of the next step's axes in those of this one

  // ---- energy (J); every number is its own sum or integral
  double gravity_work = 0.0, spring_work = 0.0,
         damper_work = 0.0;                          ///< along the motion, when books were asked for
  std::vector<double> law_work = {};                 ///< of each law of a controller, then what actuators spent
  double lost = 0.0;                                 ///< in the events
  double supplied = 0.0;                             ///< by actuators in the events
  double kinetic_before = 0.0, kinetic_after = 0.0;  ///< at the start of the step and of the next

  // ---- when asked for
  OwnedMatrix derivative = {};  ///< of x in the state at the start
  OwnedMatrix image = {};       ///< an orthonormal basis of the changes of x that its events leave possible
};

/// An orthonormal basis of the range of a matrix; what is below 1e-12 of the largest is rounding.
OwnedMatrix range_of(const Eigen::MatrixXd& m);

/// The return map of a walker: from the state at the start of a step to that of the next, DS 4.1, with its
/// exact derivative: variational equations between events, and the change of the time of each event
/// (saltation) at them. Owns its memory and its own copy of the model; one per thread.
class ReturnMap {
 public:
  struct Options {
    double tolerance = 1e-12;  ///< of the integrator
  };
  explicit ReturnMap(const StepModel& model) : ReturnMap(model, Options{}) {}
  ReturnMap(const StepModel& model, const Options& options);

  int size() const { return 2 * model_->phase(0).freedoms(); }
  StepModel& model() { return *model_; }

  enum class Want { state, books, derivative };
  /// Sees states on the way, in order: the phase, the time since the start of the step, and whether an event
  /// is about to happen there.
  using Visitor = std::function<void(int phase, double t, const OwnedVector& x, bool event)>;
  /// Throws an Error only for a state of the wrong size or that is not finite.
  Step operator()(const VectorRef& x, Want want = Want::state, const Visitor& visit = {});
  /// Several steps in a row; length and period are sums, the derivative the product. Ends at the first that
  /// fails.
  Step repeat(const VectorRef& x, int steps, Want want = Want::state);

 private:
  /// A phase with its integrator.
  struct Leg {
    std::unique_ptr<PhaseFlow> flow;
    std::unique_ptr<MuntheKaasIntegrator> run;
  };
  std::vector<Leg>& legs(Want want);
  bool travel(Leg& leg, int phase, double start, const Visitor& visit, Step& step);
  void book(const Leg& leg, Step& step);
  void land(Leg& leg, OwnedVector& x, OwnedMatrix& chain, Want want, Step& step);

  std::unique_ptr<StepModel> model_;
  Options options_;
  std::vector<Leg> plain_, booked_, varied_;
};

}  // namespace amble
