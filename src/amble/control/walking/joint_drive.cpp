#include "amble/control/walking/joint_drive.hpp"

#include <algorithm>
#include <cmath>

#include "amble/ports/checks.hpp"
#include "amble/ports/coordinate.hpp"

namespace amble {

void SetPointLaw::validate(const std::string& name, int feet) const {
  check_strength(name, "proportional gain", proportional);
  check_strength(name, "derivative gain", derivative);
  if (static_cast<int>(set_points.size()) != feet)
    throw Error(fmt::format("'{}' has {} set points for {} feet", name, set_points.size(), feet));
  for (const double angle : set_points) check_finite(name, "set point", angle);
  check_finite(name, "adaptation", adaptation);
  check_finite(name, "target speed", target_speed);
  check_strength(name, "adaptation range", adaptation_range);
}

namespace {

/// What all parts of a drive have: they see the same switches at the same instants and come to the same current.
class DrivePart : public Element {
 public:
  DrivePart(std::string name, const Mechanism& m, const JointDriveOptions& options)
      : Element(std::move(name)),
        options_(options),
        coordinate_(coordinate_of(m, this->name(), options.joint, options.axis)),
        watch_(this->name(), m, options.stance) {
    options.motor.validate(this->name());
    options.law.validate(this->name(), watch_.feet());
  }

  int memory() const override { return watch_.memory() + kOwn; }
  void start(const PortState& at, double*, double* memory) const override {
    watch_.start(at, memory);
    double* const own = memory + watch_.memory();
    own[kShift] = 0.0, own[kLastFoot] = watch_.place(at, watch_.stance(memory)).x(), own[kLastTime] = at.t;
    aim(at, memory);
    if (watch_.due(at.t, memory)) sample(at, memory);
  }
  int guards() const override { return (watch_.sampled() ? 0 : watch_.feet()) + own_guards(); }
  void guard_values(const PortState& at, const double*, double* values) const override {
    if (!watch_.sampled()) watch_.guard_values(at, values), values += watch_.feet();
    own_guard_values(at, values);
  }
  double next_instant(double, const double* memory) const override { return watch_.next_look(memory); }
  void happen(const PortState& at, PortEvent& event) const override {
    if (watch_.sampled()) {
      if (watch_.due(at.t, event.memory)) sample(at, event.memory);
    } else if (watch_.see(at.t, event.crossed, event.memory)) {
      adapt(at, event.memory);
      aim(at, event.memory);
      decided(at, event.memory);
    }
  }

 protected:
  /// What flows: the word of the last sample, or the law itself, within limits.
  double current(const PortState& at, const double* memory) const {
    const double* const own = memory + watch_.memory();
    const double asked = watch_.sampled() ? own[kCurrent] : wanted(own[kSetPoint], at.q, at.v);
    return std::clamp(within(asked), reach(-1.0, at.v), reach(1.0, at.v));
  }
  double current(const PortState& at) const { return current(at, at.memory); }
  const JointDriveOptions& options() const { return options_; }
  double torque(const PortState& at) const { return motor().ratio * motor().constant * current(at); }
  /// What the battery gives (W).
  double electric_power(const PortState& at) const {
    const double i = current(at);
    return (motor().resistance * i + back_voltage(at.v)) * i;
  }
  const DriveMotor& motor() const { return options_.motor; }
  const Coordinate& coordinate() const { return coordinate_; }

  /// A sample was taken, or a set point changed.
  virtual void decided(const PortState& at, const double* memory) const { (void)at, (void)memory; }
  virtual int own_guards() const { return 0; }
  virtual void own_guard_values(const PortState& at, double* values) const { (void)at, (void)values; }
  /// Where the battery's voltage begins and ends to limit the current.
  void put_corners(const PortState& at, double* values) const {
    const double* const own = at.memory + watch_.memory();
    const double asked = within(watch_.sampled() ? own[kCurrent] : wanted(own[kSetPoint], at.q, at.v));
    values[0] = std::isfinite(motor().voltage_limit) ? asked - reach(1.0, at.v) : -1.0;
    values[1] = std::isfinite(motor().voltage_limit) ? reach(-1.0, at.v) - asked : -1.0;
  }

 private:
  /// The current asked for at the last sample, the set point, how far adaptation has shifted it from zero; where and when the
  /// last foot came down.
  enum { kCurrent, kSetPoint, kShift, kLastFoot, kLastTime, kOwn };

  double within(double i) const { return std::clamp(i, -motor().current_limit, motor().current_limit); }
  double back_voltage(const OwnedVector& v) const { return motor().constant * motor().ratio * coordinate_.rate(v); }
  /// The current that the whole voltage of one sign drives.
  double reach(double sign, const OwnedVector& v) const {
    if (!std::isfinite(motor().voltage_limit)) return sign * motor().voltage_limit;
    return (sign * motor().voltage_limit - back_voltage(v)) / motor().resistance;
  }
  /// DS (5.29)
  double wanted(double set_point, const OwnedVector& q, const OwnedVector& v) const {
    return options_.law.proportional * (set_point - coordinate_.value(q)) -
           options_.law.derivative * coordinate_.rate(v);
  }

  int aimed_foot(const PortState& at, const double* memory) const {
    if (!options_.law.first_foot_alone) return StanceWatch::stance(memory);
    bool alone = watch_.closed(at, 0);
    for (int i = 1; i < watch_.feet(); ++i) alone &= !watch_.closed(at, i);
    return alone ? 0 : 1;
  }
  void aim(const PortState& at, double* memory) const {
    double* const own = memory + watch_.memory();
    const double angle = options_.law.set_points[aimed_foot(at, memory)];
    own[kSetPoint] = angle + (angle < 0.0 ? -own[kShift] : own[kShift]);
  }
  /// How fast the last step was decides on the next.
  void adapt(const PortState& at, double* memory) const {
    const SetPointLaw& law = options_.law;
    double* const own = memory + watch_.memory();
    const double x = watch_.place(at, StanceWatch::stance(memory)).x(), dt = at.t - own[kLastTime];
    const double change = law.adaptation * (law.target_speed - (x - own[kLastFoot]) / dt);
    if (dt > 0.0) own[kShift] = std::clamp(own[kShift] + change, -law.adaptation_range, law.adaptation_range);
    own[kLastFoot] = x, own[kLastTime] = at.t;
  }
  void sample(const PortState& at, double* memory) const {
    if (watch_.look(at, memory)) adapt(at, memory);
    aim(at, memory);
    double* const own = memory + watch_.memory();
    own[kCurrent] = wanted(own[kSetPoint], at.q, at.v);
    decided(at, memory);
  }

  JointDriveOptions options_;
  Coordinate coordinate_;
  StanceWatch watch_;
};

class Motor : public DrivePart {
 public:
  using DrivePart::DrivePart;
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const double i = current(at);
    coordinate().push(torque(at), out.tau);
    out.supplied = electric_power(at);
    out.dissipated = motor().resistance * i * i;
  }

 protected:
  void decided(const PortState& at, const double* memory) const override {
    if (options().tell) options().tell(at.t, StanceWatch::stance(memory), current(at, memory));
  }
  int own_guards() const override { return 2; }
  void own_guard_values(const PortState& at, double* values) const override { put_corners(at, values); }
};

/// Friction that takes 1 - efficiency of what goes in. Driving (torque along the motion) the joint gets efficiency
/// torque, driven it takes torque / efficiency: friction is the difference, blended over the slip.
class Gearbox : public DrivePart {
 public:
  using DrivePart::DrivePart;
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const double rate = coordinate().rate(at.v), direction = rate / std::hypot(rate, motor().slip);
    const double in = torque(at), e = motor().efficiency;
    const double along = in < 0.0 ? -direction : direction;
    const double share = 0.5 * (1.0 / e - e) - (0.5 * (1.0 / e + e) - 1.0) * along;
    const double friction = -direction * std::abs(in) * share;
    coordinate().push(friction, out.tau);
    out.dissipated = -friction * rate;
  }
};

class Amplifier : public DrivePart {
 public:
  using DrivePart::DrivePart;
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    out.supplied = out.dissipated = std::max(0.0, -electric_power(at));
  }

 protected:
  int own_guards() const override { return 1; }
  void own_guard_values(const PortState& at, double* values) const override { values[0] = -electric_power(at); }
};

}  // namespace

std::vector<ElementPtr> joint_drive(const std::string& name, const Mechanism& m, const JointDriveOptions& options) {
  std::vector<ElementPtr> parts = {std::make_shared<Motor>(name + " motor", m, options)};
  if (options.motor.efficiency < 1.0) parts.push_back(std::make_shared<Gearbox>(name + " gearbox", m, options));
  if (!options.motor.regenerates) parts.push_back(std::make_shared<Amplifier>(name + " amplifier", m, options));
  return parts;
}

}  // namespace amble
