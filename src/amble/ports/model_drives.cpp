#include "amble/ports/model_drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// A drive and where its joint's coordinate stands; of a joint that follows another, the leader's.
struct Placed {
  const DriveDescription* drive = nullptr;
  int control = 0, q = 0, v = 0;
  double ratio = 1.0, offset = 0.0;

  double length(const VectorRef& q_all) const { return drive->gear * (ratio * q_all[q] + offset); }
  double rate(const VectorRef& v_all) const { return drive->gear * ratio * v_all[v]; }
  double lever() const { return drive->gear * ratio; }
};

std::vector<Placed> placed_drives(const Mechanism& m) {
  std::vector<Placed> out;
  const auto& drives = m.description().drives;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    if (drives[i].joint.empty()) continue;
    const Joint& joint = m.joints()[m.joint_index(drives[i].joint)];
    if (joint.v.size != 1) continue;  // held since the file was read
    const bool follows = joint.leader >= 0;
    out.push_back({&drives[i], static_cast<int>(i), joint.q.start, joint.v.start, follows ? joint.ratio : 1.0,
                   follows ? joint.offset : 0.0});
  }
  return out;
}

double clamped(double x, const std::vector<double>& range) {
  return range.empty() ? x : std::clamp(x, range[0], range[1]);
}

/// Before the range of the force.
double command(const Placed& p, double u, double length, double rate) {
  const auto affine = [&](const std::array<double, 3>& c) { return c[0] + c[1] * length + c[2] * rate; };
  return affine(p.drive->gain) * clamped(u, p.drive->control) + affine(p.drive->bias);
}

class ModelDrives : public Element {
 public:
  ModelDrives(std::string name, const Mechanism& m, DriveControl control)
      : Element(std::move(name)),
        description_(m.shared_description()),
        drives_(placed_drives(m)),
        control_(std::move(control)),
        effort_(m.effort_limit()) {
    if (!control_) throw Error(fmt::format("'{}' has no control", this->name()));
    if (drives_.empty()) throw Error(fmt::format("'{}' has no drives that move a joint", m.name()));
    for (std::size_t i = 0; i < drives_.size(); ++i)
      if (!drives_[i].drive->force.empty()) limited_.push_back(i);
  }

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const std::vector<double>& u = controls(at);
    for (const Placed& p : drives_) out.tau[p.v] += p.lever() * clamped(force(p, at, u), p.drive->force);
    for (const Placed& p : drives_)
      if (std::isfinite(effort_[p.v])) out.tau[p.v] = std::clamp(out.tau[p.v], -effort_[p.v], effort_[p.v]);
    out.supplied = out.tau.dot(at.v);
  }

  /// At the corners of the law: the command against its range, above and below.
  int guards() const override { return 2 * static_cast<int>(limited_.size()); }
  void guard_values(const PortState& at, const double*, double* values) const override {
    if (limited_.empty()) return;
    const std::vector<double>& u = controls(at);
    for (std::size_t k = 0; k < limited_.size(); ++k) {
      const Placed& p = drives_[limited_[k]];
      const double f = force(p, at, u);
      values[2 * k] = f - p.drive->force[1], values[2 * k + 1] = p.drive->force[0] - f;
    }
  }

 private:
  static double force(const Placed& p, const PortState& at, const std::vector<double>& u) {
    return command(p, u[static_cast<std::size_t>(p.control)], p.length(at.q), p.rate(at.v));
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
  const std::vector<Placed> drives_;
  const DriveControl control_;
  const OwnedVector effort_;
  std::vector<std::size_t> limited_;
};

}  // namespace

ElementPtr model_drives(std::string name, const Mechanism& m, DriveControl control) {
  return std::make_shared<ModelDrives>(std::move(name), m, std::move(control));
}

std::vector<double> holding_control(const Mechanism& m, const VectorRef& q) {
  const OwnedVector at = m.checked_configuration(q);
  std::vector<double> out(m.description().drives.size(), 0.0);
  for (const Placed& p : placed_drives(m))
    if (p.drive->gain[0] > 0.0 && p.drive->bias[1] == -p.drive->gain[0])
      out[static_cast<std::size_t>(p.control)] = p.length(at);
  return out;
}

std::vector<double> default_control(const Mechanism& m) {
  if (m.keyframes().empty()) return holding_control(m, m.neutral());
  const Keyframe& first = m.keyframes().front();
  return first.ctrl.empty() ? holding_control(m, first.q) : first.ctrl;
}

}  // namespace amble
