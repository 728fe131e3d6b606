#include "amble/ports/motor.hpp"

#include <algorithm>

#include "amble/ports/checks.hpp"
#include "amble/ports/coordinate.hpp"

namespace amble {

namespace {

/// What all motors have: a coordinate, numbers, a command.
class Motor : public Element {
 public:
  Motor(std::string name, const Mechanism& m, const MotorOptions& options, Signal command)
      : Element(std::move(name)),
        options_(options),
        coordinate_(coordinate_of(m, this->name(), options.joint, options.axis)),
        command_(std::move(command)) {
    if (!command_) throw Error(fmt::format("'{}' has no command", this->name()));
    check_strength(this->name(), "resistance", options.resistance);
    check_strength(this->name(), "inductance", options.inductance);
    if (options.inductance == 0.0)
      check_above_zero(this->name(), "resistance (without inductance)", options.resistance);
    check_finite(this->name(), "torque constant", options.constant);
    check_finite(this->name(), "gear ratio", options.ratio);
    check_finite(this->name(), "current at the start", options.current);
    check_strength(this->name(), "voltage limit", options.voltage_limit, true);
    check_strength(this->name(), "current limit", options.current_limit, true);
  }

 protected:
  double command(const PortState& at) const { return command_(at.t, at.q, at.v); }
  /// Induced by the motion (V).
  double back_voltage(const PortState& at) const {
    return options_.constant * options_.ratio * coordinate_.rate(at.v);
  }
  double within_voltage(double u) const { return std::clamp(u, -options_.voltage_limit, options_.voltage_limit); }
  double within_current(double i) const { return std::clamp(i, -options_.current_limit, options_.current_limit); }

  void put(double voltage, double current, PortFlows& out) const {
    coordinate_.push(options_.ratio * options_.constant * current, out.tau);
    out.supplied = voltage * current;
    out.dissipated = options_.resistance * current * current;
    out.stored = 0.5 * options_.inductance * current * current;
  }
  /// Two guards where a command passes a limit above and below; a limit that is not there is never passed.
  static void put_corners(double command, double limit, double* values) {
    values[0] = std::isfinite(limit) ? command - limit : -1.0;
    values[1] = std::isfinite(limit) ? -command - limit : -1.0;
  }

  MotorOptions options_;
  Coordinate coordinate_;

 private:
  Signal command_;
};

/// The current is what voltage and motion leave of it, within the amplifier's limit.
class ResistiveMotor : public Motor {
 public:
  using Motor::Motor;
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const double current = within_current(free_current(at));
    put(options_.resistance * current + back_voltage(at), current, out);
  }
  int guards() const override { return 4; }
  void guard_values(const PortState& at, const double*, double* values) const override {
    put_corners(command(at), options_.voltage_limit, values);
    put_corners(free_current(at), options_.current_limit, values + 2);
  }

 private:
  double free_current(const PortState& at) const {
    return (within_voltage(command(at)) - back_voltage(at)) / options_.resistance;
  }
};

/// The current is a state; at its limit the amplifier holds it there. Modes, a number in memory with the sign of the
/// limit: free, held, and leaving it, where rounding must not send it back.
class InductiveMotor : public Motor {
 public:
  using Motor::Motor;
  int size() const override { return 1; }
  int memory() const override { return 1; }
  void start(const PortState&, double* x, double*) const override { x[0] = within_current(options_.current); }
  void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const override {
    const bool held = std::abs(at.memory[0]) == kHeld;
    put(held ? options_.resistance * x[0] + back_voltage(at) : within_voltage(command(at)), x[0], out);
    xdot[0] = held ? 0.0 : excess_voltage(at, x[0]) / options_.inductance;
  }
  int guards() const override { return 7; }
  void guard_values(const PortState& at, const double* x, double* values) const override {
    const double mode = std::abs(at.memory[0]), sign = at.memory[0] < 0.0 ? -1.0 : 1.0;
    const double further = sign * excess_voltage(at, x[0]),
                 enough = kClear * (1.0 + options_.resistance * std::abs(x[0]));
    put_corners(command(at), options_.voltage_limit, values);
    put_corners(x[0], mode == kFree ? options_.current_limit : std::numeric_limits<double>::infinity(), values + 2);
    values[4] = mode == kHeld ? -further - enough : -1.0;
    values[5] = mode == kLeaving ? further - enough : -1.0;
    values[6] = mode == kLeaving ? (1.0 - kClear) * options_.current_limit - sign * x[0] : -1.0;
  }
  void happen(const PortState&, PortEvent& event) const override {
    double& mode = event.memory[0];
    const double sign = mode < 0.0 ? -1.0 : 1.0;
    if (mode == kFree && (event.crossed[2] > 0 || event.crossed[3] > 0))
      mode = event.crossed[2] > 0 ? kHeld : -kHeld;
    else if (std::abs(mode) == kHeld && event.crossed[4] > 0)
      mode = sign * kLeaving;
    else if (std::abs(mode) == kLeaving && event.crossed[5] > 0)
      mode = sign * kHeld;
    else if (std::abs(mode) == kLeaving && event.crossed[6] > 0)
      mode = kFree;
  }

 private:
  static constexpr double kFree = 0.0, kHeld = 1.0, kLeaving = 2.0;
  static constexpr double kClear = 1e-9;  // of the limit, and of the voltage (V)

  /// What is left to change the current.
  double excess_voltage(const PortState& at, double current) const {
    return within_voltage(command(at)) - options_.resistance * current - back_voltage(at);
  }
};

class CurrentMotor : public Motor {
 public:
  CurrentMotor(std::string name, const Mechanism& m, const MotorOptions& options, Signal command)
      : Motor(std::move(name), m, options, std::move(command)) {
    if (options.inductance != 0.0)
      throw Error(fmt::format("'{}' is driven by a current, but has an inductance of {} H: expected none",
                              this->name(), options.inductance));
  }
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const double current = std::clamp(within_current(command(at)), reach(at, -1.0), reach(at, 1.0));
    put(options_.resistance * current + back_voltage(at), current, out);
  }
  int guards() const override { return 4; }
  void guard_values(const PortState& at, const double*, double* values) const override {
    const double wanted = within_current(command(at));
    put_corners(command(at), options_.current_limit, values);
    values[2] = std::isfinite(options_.voltage_limit) ? wanted - reach(at, 1.0) : -1.0;
    values[3] = std::isfinite(options_.voltage_limit) ? reach(at, -1.0) - wanted : -1.0;
  }

 private:
  /// The current that the whole voltage of one sign drives.
  double reach(const PortState& at, double sign) const {
    return (sign * options_.voltage_limit - back_voltage(at)) / options_.resistance;
  }
};

}  // namespace

ElementPtr voltage_motor(std::string name, const Mechanism& m, const MotorOptions& options, Signal voltage) {
  if (options.inductance > 0.0)
    return std::make_shared<InductiveMotor>(std::move(name), m, options, std::move(voltage));
  return std::make_shared<ResistiveMotor>(std::move(name), m, options, std::move(voltage));
}

ElementPtr current_motor(std::string name, const Mechanism& m, const MotorOptions& options, Signal current) {
  return std::make_shared<CurrentMotor>(std::move(name), m, options, std::move(current));
}

}  // namespace amble
