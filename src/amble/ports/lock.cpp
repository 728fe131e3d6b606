#include "amble/ports/lock.hpp"

#include <algorithm>

#include "amble/ports/checks.hpp"
#include "amble/ports/held_coordinates.hpp"

namespace amble {

namespace {

// Modes, a number in memory.
constexpr double kOpen = 0.0, kHolding = 1.0, kLeaving = 2.0;
enum Guard { kComesBy, kOverload, kClear };

void check_times(const std::string& name, const char* what, std::vector<double>& times) {
  for (const double t : times) check_finite(name, what, t);
  std::sort(times.begin(), times.end());
}

double first_after(const std::vector<double>& times, double t) {
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  return next == times.end() ? std::numeric_limits<double>::infinity() : *next;
}

class Lock : public Element {
 public:
  Lock(std::string name, const Mechanism& m, const LockOptions& options)
      : Element(std::move(name)), options_(options) {
    check_times(this->name(), "time to engage", options_.engage_times);
    check_times(this->name(), "time to release", options_.release_times);
    check_strength(this->name(), "holding force", options.holding_force, true);
    check_above_zero(this->name(), "clearance", options.clearance);
    if (options.angle)
      take_angle(m);
    else
      take_joint(m);
  }

  int memory() const override { return 1; }
  void start(const PortState& at, double*, double* memory) const override {
    memory[0] = options_.engaged || planned(options_.engage_times, at.t)    ? kHolding
                : options_.angle && std::abs(off(at)) <= options_.clearance ? kLeaving
                                                                            : kOpen;
  }
  void evaluate(const PortState&, const double*, PortFlows&, double*) const override {}

  std::vector<ConstraintPtr> constraints() const override {
    return {options_.angle ? coordinate_held(name(), coordinate_, *options_.angle) : velocities_held(name(), v_)};
  }
  bool holding(const double* memory) const override { return memory[0] == kHolding; }

  int guards() const override { return 3; }
  bool guards_want_forces() const override { return std::isfinite(options_.holding_force); }
  void guard_values(const PortState& at, const double*, double* values) const override {
    const bool watching = options_.angle.has_value();
    values[kComesBy] = watching && at.memory[0] == kOpen ? off(at) : -1.0;
    values[kOverload] = at.forces != nullptr ? force(at.forces) - options_.holding_force : -1.0;
    values[kClear] = watching && at.memory[0] == kLeaving ? std::abs(off(at)) - options_.clearance : -1.0;
  }
  std::string guard_name(int guard) const override {
    return name() + (guard == kComesBy ? " comes by" : guard == kOverload ? " is overloaded" : " is clear");
  }
  double next_instant(double t, const double*) const override {
    return std::min(first_after(options_.engage_times, t), first_after(options_.release_times, t));
  }

  void happen(const PortState& at, PortEvent& event) const override {
    double& mode = event.memory[0];
    if (event.crossed[kClear] > 0 && mode == kLeaving) mode = kOpen;
    if (mode == kHolding && event.crossed[kOverload] > 0) return let_go(event, "is overloaded");
    if (mode == kHolding && planned(options_.release_times, at.t)) return let_go(event, "lets go");
    const bool comes_by = mode == kOpen && event.crossed[kComesBy] != 0 && the_right_way(at);
    if (comes_by || (mode != kHolding && planned(options_.engage_times, at.t))) {
      mode = kHolding;
      event.log.push_back(fmt::format("{}: locks", name()));
    }
  }

 private:
  void take_angle(const Mechanism& m) {
    check_finite(name(), "angle", *options_.angle);
    coordinate_ = coordinate_of(m, name(), options_.joint, options_.axis);
    if (!options_.engage_times.empty())
      throw Error(fmt::format("'{}' locks at an angle: no time to engage can be planned", name()));
  }
  void take_joint(const Mechanism& m) {
    v_ = m.v_slice(options_.joint);
    if (v_.size == 0) throw Error(fmt::format("'{}' locks joint '{}', which does not move", name(), options_.joint));
    if (options_.engage_times.empty() && !options_.engaged)
      throw Error(
          fmt::format("'{}' never locks: expected an angle, times to engage or engaged at the start", name()));
  }
  static bool planned(const std::vector<double>& times, double t) {
    return std::binary_search(times.begin(), times.end(), t);
  }
  double off(const PortState& at) const { return coordinate_.value(at.q) - *options_.angle; }
  bool the_right_way(const PortState& at) const { return options_.direction * coordinate_.rate(at.v) >= 0.0; }
  double force(const double* multipliers) const {
    return Eigen::Map<const Eigen::VectorXd>(multipliers, options_.angle ? 1 : v_.size).norm();
  }
  /// From an angle the coordinate has to go first; a joint held anywhere is open at once.
  void let_go(PortEvent& event, const char* why) const {
    event.memory[0] = options_.angle ? kLeaving : kOpen;
    event.log.push_back(fmt::format("{}: {}", name(), why));
  }

  LockOptions options_;
  Coordinate coordinate_;
  Slice v_;
};

}  // namespace

ElementPtr lock(std::string name, const Mechanism& m, const LockOptions& options) {
  return std::make_shared<Lock>(std::move(name), m, options);
}

}  // namespace amble
