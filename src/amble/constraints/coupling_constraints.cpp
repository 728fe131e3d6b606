#include "amble/constraints/coupling_constraints.hpp"

#include <algorithm>
#include <optional>

#include "amble/base/slope.hpp"
#include "amble/dynamics/tendons.hpp"

namespace amble {

namespace {

/// p and its derivatives at x.
struct Polynomial {
  double value = 0.0, slope = 0.0, curvature = 0.0;
};

Polynomial at_point(const std::array<double, 5>& c, double x) {
  Polynomial p;
  for (std::size_t i = c.size(); i-- > 0;) {
    p.curvature = p.curvature * x + 2.0 * p.slope;
    p.slope = p.slope * x + p.value;
    p.value = p.value * x + c[i];
  }
  return p;
}

/// The coordinate of a joint, as a multiple of a coordinate of the mechanism.
struct Axis {
  int q = 0, v = 0;
  double ratio = 1.0, offset = 0.0;
};

std::optional<Axis> axis_of(const Mechanism& m, const std::string& joint) {
  if (joint.empty()) return {};
  const Joint& at = m.joints()[static_cast<std::size_t>(m.joint_index(joint))];
  return Axis{at.q.start, at.v.start, at.ratio, at.offset};
}

class JointCoupling : public Constraint {
 public:
  JointCoupling(const Mechanism& m, const CouplingDescription& c)
      : Constraint(c.name, 1, true), c_(c), y_(axis_of(m, c.y)), x_(axis_of(m, c.x)) {}
  std::string meaning(int) const override {
    return "force in the coupling, along its first joint (N or N m)";
  }

  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    std::fill_n(out.A, at.mechanism().nv(), 0.0);
    const auto value = [&](const Axis& a) { return a.ratio * at.q()[a.q] + a.offset; };
    const Polynomial p = at_point(c_.coefficients, x_ ? value(*x_) - c_.x0 : 0.0);
    out.violation[0] = (y_ ? value(*y_) - c_.y0 : 0.0) - p.value, out.bias[0] = 0.0;
    if (y_) out.A[y_->v] += y_->ratio;
    if (!x_) return;
    const double rate = x_->ratio * at.v()[x_->v];
    out.A[x_->v] -= p.slope * x_->ratio, out.bias[0] = -p.curvature * rate * rate;
  }

 private:
  CouplingDescription c_;
  std::optional<Axis> y_, x_;
};

class TendonCoupling : public Constraint {
 public:
  TendonCoupling(const Mechanism& m, const CouplingDescription& c)
      : Constraint(c.name, 1, true),
        c_(c),
        y_(c.y.empty() ? -1 : m.tendon_index(c.y)),
        x_(c.x.empty() ? -1 : m.tendon_index(c.x)) {}
  std::string meaning(int) const override { return "tension in the coupling, along its first tendon (N)"; }

  void evaluate(ConstraintKinematics& at, const ConstraintRows& out) const override {
    const OwnedVector q = at.q(), v = at.v();
    const Mechanism& m = at.mechanism();
    OwnedVector row(m.nv());
    out.bias[0] = slope_at_zero([&](double t) {
      put(m, at.workspace(), m.integrate(q, t * v), row);
      return row.dot(v);
    });
    out.violation[0] = put(m, at.workspace(), q, row);
    std::copy_n(row.data(), row.size(), out.A);
    at.set_state(q, v);  // the workspace was elsewhere
  }

 private:
  double put(const Mechanism& m, Workspace& work, const VectorRef& q, OwnedVector& row) const {
    OwnedVector slope(m.nv());
    const double x = x_ < 0 ? 0.0 : tendon_length(m, work, q, x_, slope.data()) - c_.x0;
    const Polynomial p = at_point(c_.coefficients, x);
    double phi = -p.value;
    row.setZero();
    if (y_ >= 0) phi += tendon_length(m, work, q, y_, row.data()) - c_.y0;
    row -= p.slope * slope;
    return phi;
  }

  CouplingDescription c_;
  int y_, x_;
};

}  // namespace

std::vector<ConstraintPtr> coupling_constraints(const Mechanism& m) {
  std::vector<ConstraintPtr> out;
  for (const CouplingDescription& c : m.description().couplings)
    out.push_back(c.tendons ? ConstraintPtr(std::make_shared<TendonCoupling>(m, c))
                            : std::make_shared<JointCoupling>(m, c));
  return out;
}

}  // namespace amble
