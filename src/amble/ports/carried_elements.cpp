#include "amble/ports/carried_elements.hpp"

#include <algorithm>
#include <cmath>

#include "amble/dynamics/gravity_compensation.hpp"
#include "amble/dynamics/springs.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/ports/tendon_elements.hpp"

namespace amble {

namespace {

class SpringBetweenBodies : public Element {
 public:
  SpringBetweenBodies(const Mechanism& m, int spring) : Element(m.springs()[spring].name), spring_(spring) {}
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const SpringState state = spring_state(at.mechanism, at.work, at.q, at.v, spring_, out.tau);
    out.stored = state.energy, out.dissipated = state.dissipation;
  }

 private:
  int spring_;
};

/// What springs and dampers have beside their linear parts: x (k1 x + k2 x^2) and v (d1 |v| + d2 v^2), see
/// JointProperties.
class JointPolynomials : public Element {
 public:
  explicit JointPolynomials(const Mechanism& m) : Element("joint polynomials") {
    for (int i = 0; i < static_cast<int>(m.joints().size()); ++i)
      if (m.joints()[static_cast<std::size_t>(i)].v.size > 0 && has(m.joints()[static_cast<std::size_t>(i)]))
        joints_.push_back(i);
  }
  static bool has(const Joint& j) {
    const auto any = [](const std::array<double, 2>& c) { return c[0] != 0.0 || c[1] != 0.0; };
    return any(j.stiffness_polynomial) || any(j.damping_polynomial);
  }

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    for (const int i : joints_) {
      const Joint& j = at.mechanism.joints()[static_cast<std::size_t>(i)];
      add_dampers(j, at.v, out);
      if (j.v.size == 1) add_spring(j, at.q, out);
      if (j.kind == kJointKind<Spherical>) add_ball_spring(j, at.q, out);
    }
  }

 private:
  static void add_dampers(const Joint& j, const OwnedVector& v, PortFlows& out) {
    const auto& d = j.damping_polynomial;
    for (int k = j.v.start; k < j.v.start + j.v.size; ++k) {
      const double rate = j.ratio * v[k], speed = std::abs(rate), drag = rate * speed * (d[0] + d[1] * speed);
      out.tau[k] -= j.ratio * drag, out.dissipated += drag * rate;
    }
  }
  static void add_spring(const Joint& j, const OwnedVector& q, PortFlows& out) {
    const auto& k = j.stiffness_polynomial;
    const double x = j.ratio * q[j.q.start] + j.offset - j.spring_reference;
    out.tau[j.v.start] -= j.ratio * x * x * (k[0] + k[1] * x),
        out.stored += x * x * x * (k[0] / 3.0 + k[1] * x / 4.0);
  }
  /// Along the rotation vector r from the neutral place, whose length x grows at the rate r . v / x.
  static void add_ball_spring(const Joint& j, const OwnedVector& q, PortFlows& out) {
    const auto& k = j.stiffness_polynomial;
    const Vector3<double> r = SO3<double>(Quaternion<double>::from_xyzw(q.data() + j.q.start)).log();
    const double x = r.norm();
    out.tau.segment(j.v.start, 3) -= x * (k[0] + k[1] * x) * r,
        out.stored += x * x * x * (k[0] / 3.0 + k[1] * x / 4.0);
  }

  std::vector<int> joints_;
};

/// Of the joints whose drives do not carry it.
class GravityCompensation : public Element {
 public:
  GravityCompensation() : Element("gravity compensation") {}
  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    add_gravity_compensation(at.mechanism, at.work, at.q, out.tau.data());
    for (const Joint& j : at.mechanism.joints())
      if (j.compensated_by_drives && j.leader < 0) out.tau.segment(j.v.start, j.v.size).setZero();
    out.supplied = out.tau.dot(at.v);
  }
};

bool any(const OwnedVector& x) { return (x.array() != 0.0).any(); }

void add_joint_springs(const Mechanism& m, std::vector<ElementPtr>& out) {
  if (any(m.stiffness())) out.push_back(joint_springs("joint springs", m, m.stiffness(), m.spring_reference()));
}
void add_body_springs(const Mechanism& m, std::vector<ElementPtr>& out) {
  for (int i = 0; i < static_cast<int>(m.springs().size()); ++i)
    out.push_back(std::make_shared<SpringBetweenBodies>(m, i));
}

void add_others(const Mechanism& m, std::vector<ElementPtr>& out) {
  if (std::any_of(m.joints().begin(), m.joints().end(), JointPolynomials::has))
    out.push_back(std::make_shared<JointPolynomials>(m));
  for (ElementPtr& e : tendon_elements(m)) out.push_back(std::move(e));
  if (has_gravity_compensation(m)) out.push_back(std::make_shared<GravityCompensation>());
}

}  // namespace

std::vector<ElementPtr> carried_elements(const Mechanism& m) {
  std::vector<ElementPtr> out;
  add_joint_springs(m, out);
  if (any(m.damping())) out.push_back(joint_dampers("joint damping", m.damping()));
  if (any(m.friction())) out.push_back(joint_friction("joint friction", m.friction()));
  add_body_springs(m, out);
  add_others(m, out);
  return out;
}

OwnedVector carried_forces(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  const OwnedVector at = m.checked_configuration(q), rate(v);
  m.check_velocity(rate, "v");
  OwnedVector tau(m.nv());
  for (const ElementPtr& element : carried_elements(m)) {
    PortFlows flows(m.nv());
    element->evaluate({0.0, at, rate, m, work, nullptr, nullptr}, nullptr, flows, nullptr);
    tau += flows.tau;
  }
  return tau;
}

std::vector<ElementPtr> carried_springs(const Mechanism& m) {
  std::vector<ElementPtr> out;
  add_joint_springs(m, out);
  add_body_springs(m, out);
  add_others(m, out);
  return out;
}

}  // namespace amble
