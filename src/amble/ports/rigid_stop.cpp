#include "amble/ports/rigid_stop.hpp"

#include "amble/ports/checks.hpp"
#include "amble/ports/held_coordinates.hpp"

namespace amble {

namespace {

// Modes, a number in memory.
constexpr double kFree = 0.0, kResting = 1.0, kLeaving = 2.0;
enum Guard { kTouch, kPull, kClear };

class RigidStop : public Element {
 public:
  RigidStop(std::string name, const JointLimit& limit, const RigidStopOptions& options)
      : Element(std::move(name)), limit_(limit), options_(options) {
    if (!(options.restitution >= 0.0 && options.restitution <= 1.0))
      throw Error(fmt::format("'{}' has a restitution of {}: expected 0 to 1", this->name(), options.restitution));
    check_above_zero(this->name(), "rest speed", options.rest_speed);
    check_above_zero(this->name(), "clearance", options.clearance);
  }

  int memory() const override { return 1; }
  void start(const PortState& at, double*, double* memory) const override {
    const double gap = limit_.gap(at.q);
    if (!(gap > -options_.clearance))
      throw Error(fmt::format("'{}' is at {}, but the motion starts {} beyond it", name(), limit_.at, -gap));
    memory[0] = gap > options_.clearance ? kFree : kLeaving;
  }
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}

  std::vector<ConstraintPtr> constraints() const override {
    return {coordinate_held(name(), limit_.coordinate, limit_.at)};
  }
  bool holding(const double* memory) const override { return memory[0] == kResting; }

  int guards() const override { return 3; }
  bool guards_want_forces() const override { return true; }
  void guard_values(const PortState& at, const double*, double* values) const override {
    const double gap = limit_.gap(at.q);
    const bool free = at.memory[0] == kFree, leaving = at.memory[0] == kLeaving;
    values[kTouch] = free ? gap : leaving ? gap + options_.clearance : -1.0;
    values[kPull] = at.forces != nullptr ? -limit_.sign() * at.forces[0] : -1.0;
    values[kClear] = leaving ? gap - options_.clearance : -1.0;
  }
  std::string guard_name(int guard) const override {
    return name() + (guard == kTouch ? " is touched" : guard == kPull ? " is left" : " is clear");
  }

  void happen(const PortState& at, PortEvent& event) const override {
    double& mode = event.memory[0];
    if (event.crossed[kTouch] < 0 && mode != kResting) touch(at, event);
    if (event.crossed[kPull] > 0 && mode == kResting) {
      mode = kLeaving;
      event.log.push_back(fmt::format("{}: lets go", name()));
    }
    if (event.crossed[kClear] > 0 && mode == kLeaving) mode = kFree;
  }

 private:
  void touch(const PortState& at, PortEvent& event) const {
    const double rate = limit_.gap_rate(at.v);
    if (rate >= 0.0) return;  // a graze
    const bool rests = options_.restitution == 0.0 || -rate <= options_.rest_speed;
    event.log.push_back(fmt::format("{}: {} at {:.6g}", name(), rests ? "comes to rest" : "is hit", -rate));
    event.memory[0] = rests ? kResting : kFree;
    if (rests) return;  // the constraint takes the velocity
    Strike strike{OwnedVector(at.mechanism.nv()), -options_.restitution * rate};
    strike.row[limit_.coordinate.v] = limit_.sign() * limit_.coordinate.ratio;
    event.strikes.push_back(std::move(strike));
  }

  JointLimit limit_;
  RigidStopOptions options_;
};

}  // namespace

ElementPtr rigid_stop(std::string name, const JointLimit& limit, const RigidStopOptions& options) {
  return std::make_shared<RigidStop>(std::move(name), limit, options);
}

std::vector<ElementPtr> rigid_stops(const std::string& name, const std::vector<JointLimit>& limits,
                                    const RigidStopOptions& options) {
  std::vector<ElementPtr> out;
  for (const JointLimit& limit : limits)
    out.push_back(rigid_stop(fmt::format("{}: {}", name, limit.name()), limit, options));
  return out;
}

}  // namespace amble
