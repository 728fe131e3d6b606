#include "amble/control/walking/knee_magnet.hpp"

#include <cmath>

#include "amble/ports/checks.hpp"
#include "amble/ports/held_coordinates.hpp"
#include "amble/ports/limits.hpp"

namespace amble {

namespace {

// Modes, a number in memory.
constexpr double kFree = 0.0, kAtCap = 1.0, kLeaving = 2.0;
enum Guard { kTouch, kPull, kOverload, kClear, kGuards };
constexpr double kClearance = 1e-6;   // rad, from where on a knee that left counts as bent
constexpr double kShortest = 1e-6;    // s: a magnet that sees switches at once holds through the impact that closes them
constexpr double kSameInstant = 1e-12;  // relative: instants this close are one
constexpr double kNever = std::numeric_limits<double>::max();  // s; memory holds finite numbers alone

class KneeMagnet : public Element {
 public:
  KneeMagnet(std::string name, const Mechanism& m, const KneeMagnetOptions& options)
      : Element(std::move(name)), options_(options), watch_(this->name(), m, options.stance) {
    check_finite(this->name(), "angle", options.angle);
    check_strength(this->name(), "delay", options.delay);
    check_strength(this->name(), "power", options.power);
    check_strength(this->name(), "holding force", options.holding_force, true);
    if (options.foot < 0 || options.foot >= watch_.feet())
      throw Error(fmt::format("'{}' is of foot {}: expected 0 to {}", this->name(), options.foot, watch_.feet() - 1));
    cap_ = {coordinate_of(m, this->name(), options.joint, options.axis), options.angle, !options.bends_upwards};
    delay_ = watch_.sampled() ? options.delay : std::max(options.delay, kShortest);
  }

  int memory() const override { return watch_.memory() + kOwn; }
  void start(const PortState& at, double*, double* memory) const override {
    watch_.start(at, memory);
    const double gap = cap_.gap(at.q);
    if (!(gap > -kClearance))
      throw Error(fmt::format("'{}' has its cap at {}, but the motion starts {} beyond it", name(), cap_.at, -gap));
    const bool stands = StanceWatch::stance(memory) == options_.foot;
    double* const own = memory + watch_.memory();
    own[kOn] = stands, own[kRelease] = kNever;
    own[kMode] = gap > kClearance ? kFree : stands ? kAtCap : kLeaving;
    watch_.due(at.t, memory);
  }
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    if (own(at.memory)[kOn] != 0.0) out.supplied = out.dissipated = options_.power;
  }

  std::vector<ConstraintPtr> constraints() const override {
    return {coordinate_held(name(), cap_.coordinate, cap_.at)};
  }
  bool holding(const double* memory) const override { return own(memory)[kMode] == kAtCap; }

  int guards() const override { return kGuards + (watch_.sampled() ? 0 : watch_.feet()); }
  bool guards_want_forces() const override { return true; }
  void guard_values(const PortState& at, const double*, double* values) const override {
    const double gap = cap_.gap(at.q), mode = own(at.memory)[kMode];
    const bool on = own(at.memory)[kOn] != 0.0;
    values[kTouch] = mode == kFree ? gap : mode == kLeaving ? gap + kClearance : -1.0;
    // What keeps the knee from bending: the cap alone cannot, the magnet up to its holding force.
    const double pull = at.forces != nullptr ? -cap_.sign() * at.forces[0] : -1.0;
    values[kPull] = on ? -1.0 : pull;
    values[kOverload] = on && std::isfinite(options_.holding_force) ? pull - options_.holding_force : -1.0;
    values[kClear] = mode == kLeaving ? gap - kClearance : -1.0;
    if (!watch_.sampled()) watch_.guard_values(at, values + kGuards);
  }
  std::string guard_name(int guard) const override {
    static constexpr const char* kWords[] = {" touches its cap", " leaves its cap", " is overloaded", " is clear"};
    return name() + (guard < kGuards ? kWords[guard] : " sees a foot");
  }
  double next_instant(double, const double* memory) const override {
    return std::min(watch_.next_look(memory), own(memory)[kRelease]);
  }

  void happen(const PortState& at, PortEvent& event) const override {
    double& mode = own(event.memory)[kMode];
    if (event.crossed[kTouch] < 0 && mode != kAtCap && cap_.gap_rate(at.v) < 0.0) {
      mode = kAtCap;
      event.log.push_back(fmt::format("{}: {}", name(), own(event.memory)[kOn] != 0.0 ? "locks" : "strikes its cap"));
    }
    if (mode == kAtCap && event.crossed[kPull] > 0) mode = kLeaving;
    if (mode == kAtCap && event.crossed[kOverload] > 0) {
      mode = kLeaving;
      event.log.push_back(fmt::format("{}: is overloaded", name()));
    }
    if (mode == kLeaving && event.crossed[kClear] > 0) mode = kFree;
    command(at, event);
  }

 private:
  enum { kOn, kRelease, kMode, kOwn };
  double* own(double* memory) const { return memory + watch_.memory(); }
  const double* own(const double* memory) const { return memory + watch_.memory(); }

  /// What its board does.
  void command(const PortState& at, PortEvent& event) const {
    double* const mine = own(event.memory);
    bool changed = false;
    if (watch_.sampled()) {
      if (watch_.due(at.t, event.memory)) {
        changed = watch_.look(at, event.memory);
        if (mine[kMode] == kFree && cap_.gap_rate(at.v) < 0.0) mine[kOn] = 1.0;
      }
    } else {
      changed = watch_.see(at.t, event.crossed.subspan(kGuards), event.memory);
      if (event.crossed[kClear] > 0) mine[kOn] = 1.0;  // at once: it catches whenever the knee comes back
    }
    if (changed) plan(at.t, event.memory);
    if (mine[kRelease] <= at.t + kSameInstant * std::max(1.0, std::abs(at.t))) let_go(event);
  }
  void plan(double t, double* memory) const {
    double* const mine = own(memory);
    const bool stands = StanceWatch::stance(memory) == options_.foot;
    if (stands) mine[kOn] = 1.0;
    mine[kRelease] = stands ? kNever : t + delay_;
  }
  void let_go(PortEvent& event) const {
    double* const mine = own(event.memory);
    mine[kRelease] = kNever, mine[kOn] = 0.0;
    if (mine[kMode] != kAtCap) return;
    mine[kMode] = kLeaving;
    event.log.push_back(fmt::format("{}: lets go", name()));
  }

  KneeMagnetOptions options_;
  StanceWatch watch_;
  JointLimit cap_;
  double delay_ = 0.0;
};

}  // namespace

ElementPtr knee_magnet(std::string name, const Mechanism& m, const KneeMagnetOptions& options) {
  return std::make_shared<KneeMagnet>(std::move(name), m, options);
}

}  // namespace amble
