#include "amble/control/walking/curve_tracking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/ports/checks.hpp"

namespace amble {

namespace {

/// A law: its name in the ledger, its part of the forces, whether what it takes becomes heat.
struct Law {
  const char* name;
  OwnedVector TrackingForces::*part;
  bool heats;
};

std::vector<Law> laws_of(const TrackingSettings& s) {
  std::vector<Law> laws;
  if (s.decouple) laws.push_back({"nominal", &TrackingForces::nominal, false});
  if (s.transfer > 0.0) laws.push_back({"asymptotic", &TrackingForces::asymptotic, false});
  if (s.damping > 0.0) laws.push_back({"damping", &TrackingForces::damping, true});
  if (s.compensate) laws.push_back({"potential", &TrackingForces::potential, false});
  if (s.energy_gain > 0.0) laws.push_back({"energy", &TrackingForces::energy, false});
  return laws;
}

constexpr OwnedVector TrackingForces::*kParts[] = {&TrackingForces::nominal, &TrackingForces::asymptotic,
                                                   &TrackingForces::damping, &TrackingForces::potential,
                                                   &TrackingForces::energy};

/// Takes away what joints without an actuator would have to give.
void mask(const Mechanism& m, Workspace& work, const VectorRef& q, const std::vector<int>& unactuated,
          TrackingForces& f) {
  if (unactuated.empty()) return;
  const Eigen::MatrixXd inverse = inverse_mass_matrix(m, work, q);
  const OwnedVector asked = f.total();
  for (const auto part : kParts)
    for (const int i : unactuated) (f.*part)[i] = 0.0;
  const OwnedVector lost = asked - f.total();
  const double whole = asked.dot(inverse * asked);
  f.missing = whole > 0.0 ? std::sqrt(std::max(0.0, lost.dot(inverse * lost)) / whole) : 0.0;
}

void weaken(const OwnedVector& limit, TrackingForces& f) {
  const OwnedVector total = f.total();
  for (int i = 0; i < total.size(); ++i)
    if (std::abs(total[i]) > limit[i]) f.scale = std::min(f.scale, limit[i] / std::abs(total[i]));
  if (f.scale < 1.0)
    for (const auto part : kParts) f.*part *= f.scale;
}

/// What joint springs do against the motion at q, as gravity_forces() does for gravity, and their energy.
OwnedVector spring_forces(const Mechanism& m, const VectorRef& q) {
  return m.stiffness().cwiseProduct(q - m.spring_reference());
}
double spring_energy(const Mechanism& m, const VectorRef& q) {
  return 0.5 * spring_forces(m, q).dot(q - m.spring_reference());
}

class TrackingElement : public Element {
 public:
  TrackingElement(std::string name, VelocityField field, TrackingSettings settings, const Law& law)
      : Element(std::move(name)), field_(std::move(field)), settings_(std::move(settings)), law_(law) {}

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const MomentumSplit split(at.mechanism, at.work, field_, at.q, at.v);
    out.tau = tracking_forces(at.mechanism, at.work, split, at.q, at.v, settings_).*law_.part;
    const double power = out.tau.dot(at.v);
    if (law_.heats)
      out.dissipated = -power;
    else
      out.supplied = power;
  }

 private:
  VelocityField field_;
  TrackingSettings settings_;
  Law law_;
};

}  // namespace

void TrackingSettings::validate(const Mechanism& m) const {
  check_strength("curve tracking", "transfer", transfer);
  check_strength("curve tracking", "softening", softening);
  check_strength("curve tracking", "damping", damping);
  check_strength("curve tracking", "energy_gain", energy_gain);
  check_finite("curve tracking", "energy", energy);
  if (springs && m.nq() != m.nv())
    throw Error(fmt::format("curve tracking: springs of '{}' cannot be counted, it has joints with several axes", m.name()));
  if (limit.size() != 0 && (limit.size() != m.nv() || !(limit.minCoeff() >= 0.0)))
    throw Error(fmt::format("limit of curve tracking: expected {} numbers, not negative", m.nv()));
  for (const int i : unactuated)
    if (i < 0 || i >= m.nv())
      throw Error(fmt::format("curve tracking: there is no velocity {} to be without actuator, '{}' has {}",
                              i, m.name(), m.nv()));
}

std::vector<std::string> tracking_laws(const TrackingSettings& settings) {
  std::vector<std::string> names;
  for (const Law& law : laws_of(settings)) names.push_back(law.name);
  return names;
}

const OwnedVector& force_of(const TrackingForces& forces, const std::string& name) {
  TrackingSettings all{.damping = 1.0, .energy_gain = 1.0};
  for (const Law& law : laws_of(all))
    if (name == law.name) return forces.*law.part;
  throw Error(fmt::format("curve tracking has no law '{}'", name));
}

OwnedVector TrackingForces::total() const { return nominal + asymptotic + damping + potential + energy; }

TrackingForces tracking_forces(const Mechanism& m, Workspace& work, const MomentumSplit& s,
                               const VectorRef& q, const VectorRef& v, const TrackingSettings& settings) {
  TrackingForces f;
  for (const auto part : kParts) f.*part = OwnedVector(m.nv());
  // (5.12): alpha_1 nabla_v e - <nabla_v e, v> e, as a force.
  if (settings.decouple) f.nominal = s.alpha * s.M_turning - s.M_turning.dot(v) / s.length * s.Mw;
  const double across = s.across.dot(s.M_across), along = s.alpha * s.alpha;
  if (settings.transfer > 0.0) {
    const double soft = settings.softening > 0.0 ? std::sqrt(across + settings.softening) : 1.0;
    f.asymptotic = settings.transfer / soft * (across * s.M_along - along * s.M_across);
  }
  f.damping = -settings.damping * s.M_across;
  if (settings.compensate) {
    OwnedVector weight = gravity_forces(m, work, q);
    if (settings.springs) weight += spring_forces(m, q);
    f.potential = weight - s.Mw * (s.w.dot(weight) / (s.length * s.length));
  }
  if (settings.energy_gain > 0.0) {
    const double H = kinetic_energy(m, work, q, v) + potential_energy(m, work, q) +
                     (settings.springs ? spring_energy(m, q) : 0.0);
    f.energy = settings.energy_gain * (settings.energy - H) * s.Mw;
  }
  mask(m, work, q, settings.unactuated, f);
  weaken(settings.limit.size() == 0 ? m.effort_limit() : settings.limit, f);
  return f;
}

std::vector<ElementPtr> curve_tracking(const std::string& name, const Mechanism& mechanism,
                                       VelocityField field, const TrackingSettings& settings) {
  if (!field) throw Error(fmt::format("'{}' has no field to track", name));
  settings.validate(mechanism);
  std::vector<ElementPtr> elements;
  for (const Law& law : laws_of(settings))
    elements.push_back(
        std::make_shared<TrackingElement>(fmt::format("{} {}", name, law.name), field, settings, law));
  if (elements.empty()) throw Error(fmt::format("'{}' has no law that acts", name));
  return elements;
}

}  // namespace amble
