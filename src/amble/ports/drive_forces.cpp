#include "amble/ports/drive_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "amble/dynamics/gravity_compensation.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/ports/muscle.hpp"

namespace amble {

namespace {

double clamped(double x, const std::vector<double>& range) {
  return range.empty() ? x : std::clamp(x, range[0], range[1]);
}

double affine(const std::array<double, 3>& c, double length, double rate) {
  return c[0] + c[1] * length + c[2] * rate;
}

double force_of(const DriveDescription& d, double command, double length, double rate) {
  const double gain =
      d.muscle_gain ? muscle_gain(*d.muscle_gain, length, rate) : affine(d.gain, length, rate);
  const double bias = d.muscle_bias ? muscle_bias(*d.muscle_bias, length) : affine(d.bias, length, rate);
  return gain * command + bias;
}

double rate_of(const DriveDescription& d, double u, double a) {
  switch (d.dynamics) {
    case DriveDynamics::none:
      return 0.0;
    case DriveDynamics::integrator:
      return u;
    case DriveDynamics::filter:
      return (u - a) / d.time_constants[0];
    case DriveDynamics::muscle:
      return muscle_activation_rate(d.time_constants, u, a);
  }
  return 0.0;
}

/// An activation stays where its bound is.
double within(double rate, double a, const std::vector<double>& range) {
  if (range.empty()) return rate;
  return (a >= range[1] && rate > 0.0) || (a <= range[0] && rate < 0.0) ? 0.0 : rate;
}

void resize(OwnedVector& x, Eigen::Index size) {
  if (x.size() != size) x = OwnedVector(size);
}

}  // namespace

DriveSet::DriveSet(const Mechanism& m)
    : description_(m.shared_description()), compensates_(has_gravity_compensation(m)) {
  std::map<int, Bound> bounds;
  for (int i = 0; i < count(); ++i) {
    const DriveDescription& d = drives()[static_cast<std::size_t>(i)];
    attachments_.emplace_back(m, d);
    place_in_activation_.push_back(d.dynamics == DriveDynamics::none ? -1
                                                                     : static_cast<int>(dynamic_.size()));
    if (d.dynamics != DriveDynamics::none) dynamic_.push_back(i);
    if (!d.force.empty() && acts(i)) bounded_.push_back(i);
    const int tendon = attachments_.back().tendon();
    const std::vector<double> none,
        &range = tendon < 0 ? none : description_->tendons[static_cast<std::size_t>(tendon)].force;
    if (range.empty()) continue;
    Bound& bound = bounds.try_emplace(tendon, Bound{range[0], range[1], {}}).first->second;
    bound.drives.push_back(i);
  }
  for (auto& [tendon, bound] : bounds) tendon_bounds_.push_back(std::move(bound));
  compensates_ = compensates_ && std::any_of(m.joints().begin(), m.joints().end(),
                                             [](const Joint& j) { return j.compensated_by_drives; });
}

bool DriveSet::acts() const {
  return compensates_ || std::any_of(attachments_.begin(), attachments_.end(),
                                     [](const DriveAttachment& a) { return a.acts(); });
}

double DriveSet::command(int drive, std::span<const double> u, const double* a) const {
  const auto i = static_cast<std::size_t>(drive);
  const DriveDescription& d = drives()[i];
  if (const int at = place_in_activation_[i]; at >= 0) return clamped(a[at], d.activation);
  return clamped(u[i], d.control);
}

void DriveSet::evaluate(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                        std::span<const double> u, const double* a, DriveForces& out) const {
  for (OwnedVector* x : {&out.length, &out.rate, &out.force, &out.unbounded}) resize(*x, count());
  for (OwnedVector* x : {&out.tau, &out.compensation}) resize(*x, m.nv());
  resize(out.activation_rate, static_cast<Eigen::Index>(dynamic_.size())),
      out.moments.resize(count(), m.nv());
  forward_kinematics(m, work, q);
  for (int i = 0; i < count(); ++i) {
    out.length[i] = attachments_[static_cast<std::size_t>(i)].length(m, work, out.moments.row(i).data());
    out.rate[i] = out.moments.row(i).dot(v);
  }
  set_forces(u, a, out);
  set_activation_rates(u, a, out);
  set_joint_forces(m, work, q, out);
}

void DriveSet::set_forces(std::span<const double> u, const double* a, DriveForces& out) const {
  for (int i = 0; i < count(); ++i)
    out.force[i] = acts(i) ? force_of(drives()[static_cast<std::size_t>(i)], command(i, u, a), out.length[i],
                                      out.rate[i])
                           : 0.0;
  bound_tendons(out);
  for (int i = 0; i < count(); ++i) out.unbounded[i] = out.force[i];
  for (const int i : bounded_)
    out.force[i] = clamped(out.force[i], drives()[static_cast<std::size_t>(i)].force);
}

/// Forces of drives on one tendon are scaled until their sum fits.
void DriveSet::bound_tendons(DriveForces& out) const {
  for (const Bound& b : tendon_bounds_) {
    double sum = 0.0;
    for (const int i : b.drives) sum += out.force[i];
    const double fits = std::clamp(sum, b.lower, b.upper);
    if (fits == sum) continue;
    for (const int i : b.drives) out.force[i] *= fits / sum;
  }
}

void DriveSet::set_activation_rates(std::span<const double> u, const double* a, DriveForces& out) const {
  for (std::size_t k = 0; k < dynamic_.size(); ++k) {
    const auto i = static_cast<std::size_t>(dynamic_[k]);
    const DriveDescription& d = drives()[i];
    out.activation_rate[static_cast<Eigen::Index>(k)] =
        within(rate_of(d, clamped(u[i], d.control), a[k]), a[k], d.activation);
  }
}

void DriveSet::set_joint_forces(const Mechanism& m, Workspace& work, const VectorRef& q,
                                DriveForces& out) const {
  out.tau.setZero();
  for (int i = 0; i < count(); ++i)
    if (out.force[i] != 0.0) out.tau += out.force[i] * out.moments.row(i).transpose();
  if (compensates_) {
    out.compensation.setZero();
    add_gravity_compensation(m, work, q, out.compensation.data());
  }
  for (const Joint& j : m.joints()) {
    if (compensates_ && j.compensated_by_drives && j.leader < 0)
      out.tau.segment(j.v.start, j.v.size) += out.compensation.segment(j.v.start, j.v.size);
    if (j.leader < 0 && j.v.size == 1)
      out.tau[j.v.start] = std::clamp(out.tau[j.v.start], j.drive_lower, j.drive_upper);
  }
}

DriveForces drive_forces(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                         std::span<const double> u, std::span<const double> activation) {
  DriveSet set(m);
  const OwnedVector at = m.checked_configuration(q);
  m.check_velocity(v, "v");
  const auto check = [&](std::span<const double> x, std::size_t expected, const char* what) {
    if (x.size() != expected)
      throw Error(fmt::format("{} {} are given; '{}' has {}", x.size(), what, m.name(), expected));
    for (const double value : x)
      if (!std::isfinite(value))
        throw Error(fmt::format("one of the {} is {}; expected a finite number", what, value));
  };
  check(u, static_cast<std::size_t>(set.count()), "controls"),
      check(activation, set.dynamic().size(), "activations");
  DriveForces out;
  set.evaluate(m, work, at, v, u, activation.data(), out);
  return out;
}

std::vector<std::string> activation_names(const Mechanism& m) {
  std::vector<std::string> out;
  for (const DriveDescription& d : m.description().drives)
    if (d.dynamics != DriveDynamics::none) out.push_back(d.name);
  return out;
}

}  // namespace amble
