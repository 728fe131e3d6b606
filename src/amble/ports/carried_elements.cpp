#include "amble/ports/carried_elements.hpp"

#include "amble/dynamics/springs.hpp"
#include "amble/ports/joint_elements.hpp"

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

bool any(const OwnedVector& x) { return (x.array() != 0.0).any(); }

void add_joint_springs(const Mechanism& m, std::vector<ElementPtr>& out) {
  if (any(m.stiffness())) out.push_back(joint_springs("joint springs", m, m.stiffness(), m.spring_reference()));
}
void add_body_springs(const Mechanism& m, std::vector<ElementPtr>& out) {
  for (int i = 0; i < static_cast<int>(m.springs().size()); ++i)
    out.push_back(std::make_shared<SpringBetweenBodies>(m, i));
}

}  // namespace

std::vector<ElementPtr> carried_elements(const Mechanism& m) {
  std::vector<ElementPtr> out;
  add_joint_springs(m, out);
  if (any(m.damping())) out.push_back(joint_dampers("joint damping", m.damping()));
  if (any(m.friction())) out.push_back(joint_friction("joint friction", m.friction()));
  add_body_springs(m, out);
  return out;
}

std::vector<ElementPtr> carried_springs(const Mechanism& m) {
  std::vector<ElementPtr> out;
  add_joint_springs(m, out);
  add_body_springs(m, out);
  return out;
}

}  // namespace amble
