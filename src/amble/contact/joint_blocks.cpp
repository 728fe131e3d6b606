#include "amble/contact/joint_blocks.hpp"

#include <cmath>

#include "amble/ports/carried_elements.hpp"
#include "amble/ports/checks.hpp"
#include "amble/ports/limits.hpp"

namespace amble {

namespace {

class JointLimits : public SolvedElement {
 public:
  JointLimits(std::string name, const Mechanism& m, double restitution)
      : SolvedElement(std::move(name)), limits_(limits_of(m)), restitution_(restitution) {
    if (!(restitution >= 0.0 && restitution <= 1.0))
      throw Error(fmt::format("'{}' has a restitution of {}: expected 0 to 1", this->name(), restitution));
  }

  void add_blocks(const StepStart& s, std::vector<StepBlock>& out) const override {
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const JointLimit& limit = limits_[i];
      const double gap = limit.gap(s.q);
      // Forces of a step may speed it up: what it does by itself is only part of what it may do.
      if (gap > 2.0 * s.h * std::abs(limit.gap_rate(s.v)) + kNear) continue;
      out.push_back({.kind = StepBlock::Kind::bound, .restitution = restitution_, .v = limit.coordinate.v,
                     .sign = limit.sign() * limit.coordinate.ratio, .distance = gap, .key = i});
    }
  }

 private:
  static constexpr double kNear = 0.02;  // m, rad

  std::vector<JointLimit> limits_;
  double restitution_;
};

class DryFriction : public SolvedElement {
 public:
  DryFriction(std::string name, const VectorRef& friction) : SolvedElement(std::move(name)), friction_(friction) {
    for (const double f : friction) check_strength(this->name(), "friction", f);
  }

  void add_blocks(const StepStart&, std::vector<StepBlock>& out) const override {
    for (int i = 0; i < static_cast<int>(friction_.size()); ++i)
      if (friction_[i] > 0.0)
        out.push_back({.kind = StepBlock::Kind::friction, .v = i, .force = friction_[i], .key = std::uint64_t(i)});
  }

 private:
  OwnedVector friction_;
};

class ImplicitDamping : public SolvedElement {
 public:
  ImplicitDamping(std::string name, const VectorRef& damping) : SolvedElement(std::move(name)), damping_(damping) {
    for (const double d : damping) check_strength(this->name(), "damping", d);
  }
  const OwnedVector* damping() const override { return &damping_; }

 private:
  OwnedVector damping_;
};

}  // namespace

std::shared_ptr<const SolvedElement> stepped_joint_limits(std::string name, const Mechanism& m, double restitution) {
  return std::make_shared<JointLimits>(std::move(name), m, restitution);
}
std::shared_ptr<const SolvedElement> stepped_joint_friction(std::string name, const VectorRef& friction) {
  return std::make_shared<DryFriction>(std::move(name), friction);
}
std::shared_ptr<const SolvedElement> stepped_joint_damping(std::string name, const VectorRef& damping) {
  return std::make_shared<ImplicitDamping>(std::move(name), damping);
}

std::vector<ElementPtr> stepped_carried_elements(const Mechanism& m) {
  std::vector<ElementPtr> out = carried_springs(m);
  const auto any = [](const OwnedVector& x) { return (x.array() != 0.0).any(); };
  if (any(m.damping())) out.push_back(stepped_joint_damping("joint damping", m.damping()));
  if (any(m.friction())) out.push_back(stepped_joint_friction("joint friction", m.friction()));
  return out;
}

}  // namespace amble
