#include "amble/ports/model_drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// Whether its force vanishes where its length is its command.
bool is_servo(const DriveDescription& d) {
  return !d.muscle_gain && !d.muscle_bias && d.gain[0] > 0.0 && d.bias[1] == -d.gain[0];
}

class ModelDrives : public Element {
 public:
  ModelDrives(std::string name, const Mechanism& m, DriveControl control, std::vector<double> activation)
      : Element(std::move(name)),
        description_(m.shared_description()),
        control_(std::move(control)),
        set_(m),
        activation_(std::move(activation)) {
    if (!control_) throw Error(fmt::format("'{}' has no control", this->name()));
    if (!set_.acts()) throw Error(fmt::format("'{}' has no drives that move something", m.name()));
    for (const int i : set_.dynamic())
      if (!drive(i).activation.empty()) limited_.push_back(i);
    check_activation(m);
  }

  int size() const override { return static_cast<int>(set_.dynamic().size()); }
  void start(const PortState& at, double* x, double*) const override {
    if (!activation_.empty()) return (void)std::copy(activation_.begin(), activation_.end(), x);
    std::fill_n(x, size(), 0.0);
    const std::vector<double>& u = controls(at);
    DriveForces& now = forces(at, u, x);
    for (int k = 0; k < size(); ++k) {
      const int i = set_.dynamic()[static_cast<std::size_t>(k)];
      const DriveDescription& d = drive(i);
      const bool integrates = d.dynamics == DriveDynamics::integrator;
      x[k] = !integrates   ? clamped(u[static_cast<std::size_t>(i)], d.control)
             : is_servo(d) ? now.length[i]
                           : 0.0;
      x[k] = clamped(x[k], d.activation);
    }
  }

  void evaluate(const PortState& at, const double* x, PortFlows& out, double* xdot) const override {
    const DriveForces& now = forces(at, controls(at), x);
    out.tau += now.tau;
    out.supplied = now.tau.dot(at.v);
    std::copy_n(now.activation_rate.data(), size(), xdot);
  }

  /// At the corners of the law: forces and activations against their ranges, above and below.
  int guards() const override { return 2 * static_cast<int>(set_.bounded().size() + limited_.size()); }
  void guard_values(const PortState& at, const double* x, double* values) const override {
    if (guards() == 0) return;
    const DriveForces& now = forces(at, controls(at), x);
    const auto put = [&](double value, const std::vector<double>& range) {
      *values++ = value - range[1], *values++ = range[0] - value;
    };
    for (const int i : set_.bounded()) put(now.unbounded[i], drive(i).force);
    for (int k = 0; k < size(); ++k)
      if (const DriveDescription& d = drive(set_.dynamic()[static_cast<std::size_t>(k)]);
          !d.activation.empty())
        put(x[k], d.activation);
  }

 private:
  static double clamped(double x, const std::vector<double>& range) {
    return range.empty() ? x : std::clamp(x, range[0], range[1]);
  }
  const DriveDescription& drive(int i) const { return description_->drives[static_cast<std::size_t>(i)]; }

  void check_activation(const Mechanism& m) {
    if (activation_.empty() && !m.keyframes().empty()) activation_ = m.keyframes().front().activation;
    if (!activation_.empty() && static_cast<int>(activation_.size()) != size())
      throw Error(
          fmt::format("'{}' starts at {} activations; expected {}", name(), activation_.size(), size()));
    for (const double a : activation_)
      if (!std::isfinite(a))
        throw Error(fmt::format("'{}' starts at an activation of {}; expected a finite number", name(), a));
  }

  DriveForces& forces(const PortState& at, const std::vector<double>& u, const double* x) const {
    thread_local DriveForces out;
    set_.evaluate(at.mechanism, at.work, at.q, at.v, u, x, out);
    return out;
  }

  /// One list for each thread, so that stepping allocates nothing.
  const std::vector<double>& controls(const PortState& at) const {
    thread_local std::vector<double> u;
    u.assign(description_->drives.size(), 0.0);
    control_(at.t, at.q, at.v, u);
    if (u.size() != description_->drives.size())
      throw Error(
          fmt::format("'{}' got {} controls for {} drives", name(), u.size(), description_->drives.size()));
    for (std::size_t i = 0; i < u.size(); ++i)
      if (!std::isfinite(u[i]))
        throw Error(fmt::format("the control of drive '{}' is {}; expected a finite number",
                                description_->drives[i].name, u[i]));
    return u;
  }

  const std::shared_ptr<const ModelDescription> description_;
  const DriveControl control_;
  const DriveSet set_;
  std::vector<double> activation_;
  std::vector<int> limited_;
};

}  // namespace

ElementPtr model_drives(std::string name, const Mechanism& m, DriveControl control,
                        std::vector<double> activation) {
  return std::make_shared<ModelDrives>(std::move(name), m, std::move(control), std::move(activation));
}

std::vector<double> holding_control(const Mechanism& m, const VectorRef& q) {
  Workspace work(m);
  const OwnedVector lengths = drive_lengths(m, work, m.checked_configuration(q));
  const auto& drives = m.description().drives;
  std::vector<double> out(drives.size(), 0.0);
  for (std::size_t i = 0; i < drives.size(); ++i)
    if (is_servo(drives[i]) && drives[i].dynamics != DriveDynamics::integrator)
      out[i] = lengths[static_cast<Eigen::Index>(i)];
  return out;
}

std::vector<double> default_control(const Mechanism& m) {
  if (m.keyframes().empty()) return holding_control(m, m.neutral());
  const Keyframe& first = m.keyframes().front();
  return first.ctrl.empty() ? holding_control(m, first.q) : first.ctrl;
}

}  // namespace amble
