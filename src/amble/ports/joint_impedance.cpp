#include "amble/ports/joint_impedance.hpp"

#include "amble/mechanism/joints/list.hpp"
#include "amble/ports/checks.hpp"
#include "amble/ports/scratch.hpp"

namespace amble {

namespace {

class JointImpedance : public Element {
 public:
  JointImpedance(std::string name, const Mechanism& m, const VectorRef& stiffness, const VectorRef& damping,
                 SetPoint set_point)
      : Element(std::move(name)),
        stiffness_(stiffness),
        damping_(damping),
        set_point_(std::move(set_point)),
        neutral_(m.neutral()) {
    check_numbers(m, "stiffness", stiffness_);
    check_numbers(m, "damping", damping_);
    if (!set_point_) throw Error(fmt::format("'{}' has no set point", this->name()));
    for (int i = 0; i < static_cast<int>(m.joints().size()); ++i) {
      const Joint& joint = m.joints()[i];
      if (joint.leader >= 0 || joint.v.size == 0) continue;
      const auto any = [&](const OwnedVector& x) { return !x.segment(joint.v.start, joint.v.size).isZero(0.0); };
      if (any(stiffness_) || any(damping_)) joints_.push_back(i);
    }
  }

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    OwnedVector &q_d = scratch(0, at.q.size()), &v_d = scratch(1, at.v.size());
    q_d = neutral_;
    set_point_(at.t, q_d, v_d);
    for (const int i : joints_) add_joint(at.mechanism.joints()[i], at, q_d.data(), v_d.data(), out);
  }

 private:
  void check_numbers(const Mechanism& m, const char* what, const OwnedVector& x) const {
    if (x.size() != m.nv())
      throw Error(
          fmt::format("'{}' has a {} for {} velocities, but '{}' has {}", name(), what, x.size(), m.name(), m.nv()));
    for (const double value : x) check_strength(name(), what, value);
  }

  /// d' has a part from v and a part from the set point's own motion. difference() is odd, so the latter is minus
  /// what v_d does to the way back, -d, from q.
  void add_joint(const Joint& joint, const PortState& at, const double* q_d_all, const double* v_d_all,
                 PortFlows& out) const {
    const double *q_d = q_d_all + joint.q.start, *v_d = v_d_all + joint.v.start;
    const double *q = at.q.data() + joint.q.start, *v = at.v.data() + joint.v.start;
    visit_joint(joint.kind, joint.parameters, [&](const auto& type) {
      Vector6<double> d = Vector6<double>::Zero(), back = d, own = d, moved = d, force = d, rates = d;
      type.difference(q_d, q, d.data());
      back = -d;
      type.local_rates(q_d, d.data(), v, own.data());
      type.local_rates(q, back.data(), v_d, moved.data());
      for (int k = 0; k < joint.v.size; ++k) {
        const int at_v = joint.v.start + k;
        const double rate = own[k] - moved[k];
        force[k] = -stiffness_[at_v] * d[k] - damping_[at_v] * rate;
        out.stored += 0.5 * stiffness_[at_v] * d[k] * d[k];
        out.dissipated += damping_[at_v] * rate * rate;
      }
      out.supplied += force.dot(moved);
      for (int k = 0; k < joint.v.size; ++k) {
        const Vector6<double> unit = Vector6<double>::Unit(k);
        type.local_rates(q_d, d.data(), unit.data(), rates.data());
        out.tau[joint.v.start + k] += force.dot(rates);
      }
    });
  }

  OwnedVector stiffness_, damping_;
  SetPoint set_point_;
  OwnedVector neutral_;
  std::vector<int> joints_;
};

}  // namespace

ElementPtr joint_impedance(std::string name, const Mechanism& m, const VectorRef& stiffness, const VectorRef& damping,
                           SetPoint set_point) {
  return std::make_shared<JointImpedance>(std::move(name), m, stiffness, damping, std::move(set_point));
}

}  // namespace amble
