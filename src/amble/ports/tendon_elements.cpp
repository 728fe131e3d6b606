#include "amble/ports/tendon_elements.hpp"

#include <cmath>

#include "amble/dynamics/tendons.hpp"
#include "amble/ports/checks.hpp"
#include "amble/ports/scratch.hpp"

namespace amble {

namespace {

double polynomial(const std::array<double, 3>& c, double x) { return c[0] + x * (c[1] + x * c[2]); }
/// Of the force x polynomial(c, x).
double energy(const std::array<double, 3>& c, double x) {
  return x * x * (c[0] / 2.0 + x * (c[1] / 3.0 + x * c[2] / 4.0));
}
bool any(const std::array<double, 3>& c) { return c[0] != 0.0 || c[1] != 0.0 || c[2] != 0.0; }

class TendonElement : public Element {
 public:
  TendonElement(const Mechanism& m, int tendon, double slip)
      : Element(m.tendons()[static_cast<std::size_t>(tendon)].name), tendon_(tendon), slip_(slip) {
    check_above_zero(name(), "slip", slip);
  }

  void evaluate(const PortState& at, const double*, PortFlows& out, double*) const override {
    const Tendon& t = tendon(at);
    OwnedVector& J = scratch(0, at.mechanism.nv());
    const double x = stretch(t, tendon_length(at.mechanism, at.work, at.q, tendon_, J.data())),
                 rate = J.dot(at.v);
    const double drag =
        rate * polynomial(t.damping, std::abs(rate)) + t.friction * rate / std::hypot(rate, slip_);
    out.tau -= (x * polynomial(t.stiffness, x) + drag) * J;
    out.stored = energy(t.stiffness, x), out.dissipated = drag * rate;
  }

  /// Where the spring gets slack and tight.
  int guards() const override { return 2; }
  void guard_values(const PortState& at, const double*, double* values) const override {
    const Tendon& t = tendon(at);
    values[0] = values[1] = -1.0;
    if (t.rest[0] == t.rest[1] || !any(t.stiffness)) return;
    const double length = tendon_length(at.mechanism, at.work, at.q, tendon_);
    values[0] = length - t.rest[1], values[1] = t.rest[0] - length;
  }
  std::string guard_name(int guard) const override {
    return name() + (guard == 0 ? " is stretched" : " is pressed");
  }

 private:
  const Tendon& tendon(const PortState& at) const {
    return at.mechanism.tendons()[static_cast<std::size_t>(tendon_)];
  }
  static double stretch(const Tendon& t, double length) {
    return length > t.rest[1] ? length - t.rest[1] : length < t.rest[0] ? length - t.rest[0] : 0.0;
  }

  int tendon_;
  double slip_;
};

}  // namespace

ElementPtr tendon_element(const Mechanism& m, int tendon, double slip) {
  return std::make_shared<TendonElement>(m, tendon, slip);
}

std::vector<ElementPtr> tendon_elements(const Mechanism& m) {
  std::vector<ElementPtr> out;
  for (int i = 0; i < static_cast<int>(m.tendons().size()); ++i) {
    const Tendon& t = m.tendons()[static_cast<std::size_t>(i)];
    if (any(t.stiffness) || any(t.damping) || t.friction > 0.0) out.push_back(tendon_element(m, i));
  }
  return out;
}

std::vector<TendonLimit> tendon_limits(const Mechanism& m) {
  std::vector<TendonLimit> out;
  for (int i = 0; i < static_cast<int>(m.tendons().size()); ++i) {
    const Tendon& t = m.tendons()[static_cast<std::size_t>(i)];
    if (std::isfinite(t.lower)) out.push_back({i, t.name, t.lower, false});
    if (std::isfinite(t.upper)) out.push_back({i, t.name, t.upper, true});
  }
  return out;
}

}  // namespace amble
