#include "amble/ports/joint_elements.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// Throws an Error unless all are finite and none is negative.
void check_strengths(const std::string& name, const char* what, const VectorRef& x) {
  for (const double value : x)
    if (!(value >= 0.0) || !std::isfinite(value))
      throw Error(fmt::format("'{}' has a {} of {}: expected a number, not negative", name, what, value));
}

void check_count(const std::string& name, const Mechanism& m, const VectorRef& x) {
  if (x.size() != m.nv())
    throw Error(fmt::format("'{}' has numbers for {} velocities, but '{}' has {}", name, x.size(), m.name(), m.nv()));
}

class Dampers : public Element {
 public:
  Dampers(std::string name, const VectorRef& damping) : Element(std::move(name)), damping_(damping) {
    check_strengths(this->name(), "damping", damping);
  }
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    check_count(name(), at.mechanism, damping_);
    out.tau = -damping_.cwiseProduct(at.v);
    out.dissipated = -out.tau.dot(at.v);
  }

 private:
  OwnedVector damping_;
};

class Friction : public Element {
 public:
  Friction(std::string name, const VectorRef& friction, double slip)
      : Element(std::move(name)), friction_(friction), slip_(slip) {
    check_strengths(this->name(), "friction", friction);
    if (!(slip > 0.0)) throw Error(fmt::format("'{}' has a slip of {}: expected a speed above 0", this->name(), slip));
  }
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    check_count(name(), at.mechanism, friction_);
    for (Eigen::Index i = 0; i < friction_.size(); ++i) out.tau[i] = -friction_[i] * at.v[i] / std::hypot(at.v[i], slip_);
    out.dissipated = -out.tau.dot(at.v);
  }

 private:
  OwnedVector friction_;
  double slip_;
};

class Springs : public Element {
 public:
  Springs(std::string name, const Mechanism& m, const VectorRef& stiffness, const VectorRef& reference)
      : Element(std::move(name)), stiffness_(stiffness) {
    check_strengths(this->name(), "stiffness", stiffness);
    check_count(this->name(), m, stiffness_);
    check_count(this->name(), m, reference);
    if (!reference.allFinite()) throw Error(fmt::format("'{}' has a rest place that is not finite", this->name()));
    rest_ = m.integrate(m.neutral(), reference);
    for (int i = 0; i < static_cast<int>(m.joints().size()); ++i) {
      const Joint& joint = m.joints()[i];
      if (joint.leader < 0 && joint.v.size > 0 && !stiffness_.segment(joint.v.start, joint.v.size).isZero(0.0)) joints_.push_back(i);
    }
  }

  /// With q = integrate(rest, d) and ddot = S^-1 v, the energy k d^2 / 2 changes by k d . S^-1 v.
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    for (const int i : joints_) {
      const Joint& joint = at.mechanism.joints()[i];
      const double *rest = rest_.data() + joint.q.start, *q = at.q.data() + joint.q.start;
      visit_joint(joint.kind, joint.parameters, [&](const auto& type) {
        Vector6<double> d = Vector6<double>::Zero(), unit = d, rates = d, force = d;
        type.difference(rest, q, d.data());
        for (int k = 0; k < joint.v.size; ++k) force[k] = -stiffness_[joint.v.start + k] * d[k];
        for (int k = 0; k < joint.v.size; ++k) {
          unit = Vector6<double>::Unit(k);
          type.local_rates(rest, d.data(), unit.data(), rates.data());
          out.tau[joint.v.start + k] = force.dot(rates);
        }
        out.stored -= 0.5 * force.dot(d);
      });
    }
  }

 private:
  OwnedVector stiffness_, rest_;
  std::vector<int> joints_;
};

}  // namespace

ElementPtr joint_dampers(std::string name, const VectorRef& damping) {
  return std::make_shared<Dampers>(std::move(name), damping);
}
ElementPtr joint_friction(std::string name, const VectorRef& friction, double slip) {
  return std::make_shared<Friction>(std::move(name), friction, slip);
}
ElementPtr joint_springs(std::string name, const Mechanism& m, const VectorRef& stiffness, const VectorRef& reference) {
  return std::make_shared<Springs>(std::move(name), m, stiffness, reference);
}

}  // namespace amble
