#include "amble/ports/actuator.hpp"

#include <algorithm>

#include "amble/ports/checks.hpp"
#include "amble/ports/scratch.hpp"

namespace amble {

namespace {

class Actuators : public Element {
 public:
  Actuators(std::string name, const Mechanism& m, Drive command, const ActuatorLimits& limits)
      : Element(std::move(name)), command_(std::move(command)), limits_(limits), line_(limits.speed.size() > 0) {
    if (!command_) throw Error(fmt::format("'{}' has no command", this->name()));
    check_sizes(m, "effort", limits.effort);
    check_sizes(m, "speed", limits.speed);
    if (!(limits.corner >= 0.0 && limits.corner < 1.0))
      throw Error(fmt::format("'{}' has a corner at {} of its speed: expected 0 to 1", this->name(), limits.corner));
    for (int i = 0; i < limits.effort.size(); ++i)
      if (std::isfinite(limits.effort[i])) limited_.push_back(i);
  }

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    command_(at.t, at.q, at.v, out.tau);
    for (const int i : limited_) out.tau[i] = std::clamp(out.tau[i], -most(i, -at.v[i]), most(i, at.v[i]));
    out.supplied = out.tau.dot(at.v);
  }

  /// At the corners of the law: command against limit above and below, speed at the two ends of the line both ways.
  int guards() const override { return per_joint() * static_cast<int>(limited_.size()); }
  void guard_values(const PortState& at, const double*, double* values) const override {
    if (limited_.empty()) return;
    OwnedVector& tau = scratch(0, at.mechanism.nv());
    command_(at.t, at.q, at.v, tau);
    for (std::size_t k = 0; k < limited_.size(); ++k) {
      const int i = limited_[k];
      double* const g = values + per_joint() * k;
      g[0] = tau[i] - most(i, at.v[i]), g[1] = -most(i, -at.v[i]) - tau[i];
      if (!line_) continue;
      const double end = limits_.speed[i], start = limits_.corner * end;
      // The line is of no concern to a command below it: a joint at rest does not flutter about its start.
      g[2] = std::min(g[0], finite(at.v[i] - start)), g[3] = std::min(g[1], finite(-at.v[i] - start));
      g[4] = std::min(std::max(g[0], g[1]), finite(std::abs(at.v[i]) - end));
    }
  }

 private:
  void check_sizes(const Mechanism& m, const char* what, const OwnedVector& x) const {
    if (x.size() != 0 && x.size() != m.nv())
      throw Error(fmt::format("'{}' has {} limits for {} velocities, but '{}' has {}", name(), what, x.size(),
                              m.name(), m.nv()));
    for (const double value : x) check_strength(name(), what, value, true);
    if (x.size() != 0 && limits_.effort.size() == 0)
      throw Error(fmt::format("'{}' has a limit of speed, but none of effort that would fall with it", name()));
  }
  static double finite(double x) { return std::isfinite(x) ? x : -1.0; }
  int per_joint() const { return line_ ? 5 : 2; }
  /// The largest force along `direction` of joint i, at a speed in that direction.
  double most(int i, double speed) const {
    if (!line_ || !std::isfinite(limits_.speed[i])) return limits_.effort[i];
    const double end = limits_.speed[i], start = limits_.corner * end;
    return limits_.effort[i] * (end > start ? std::clamp((end - speed) / (end - start), 0.0, 1.0) : speed < end);
  }

  Drive command_;
  ActuatorLimits limits_;
  bool line_;
  std::vector<int> limited_;
};

}  // namespace

ActuatorLimits actuator_limits(const Mechanism& m, bool speed_line) {
  return {.effort = m.effort_limit(), .speed = speed_line ? m.velocity_limit() : OwnedVector()};
}

ElementPtr actuators(std::string name, const Mechanism& m, Drive command, const ActuatorLimits& limits) {
  return std::make_shared<Actuators>(std::move(name), m, std::move(command), limits);
}

}  // namespace amble
