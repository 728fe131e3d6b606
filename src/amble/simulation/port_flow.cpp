#include "amble/simulation/port_flow.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

using Numbers = Eigen::Map<const Eigen::VectorXd>;

/// An element that gives no numbers is named; the motion is then tried no further.
void check(const Element& element, const PortFlows& flows, const double* xdot) {
  const bool finite = flows.tau.allFinite() && std::isfinite(flows.supplied) && std::isfinite(flows.dissipated) &&
                      std::isfinite(flows.stored) && (element.size() == 0 || Numbers(xdot, element.size()).allFinite());
  if (!finite) throw Error(fmt::format("element '{}' gives a force or an energy that is not a number", element.name()));
}

}  // namespace

PortFlow::PortFlow(const Mechanism& m, std::vector<ElementPtr> elements, std::vector<ConstraintPtr> constraints,
                   const ConstrainedOptions& options)
    : mechanism_(m), work_(m), elements_(std::move(elements)), flows_(m.nv()), q_(m.nq()), v_(m.nv()), tau_(m.nv()) {
  size_ = m.nv();
  for (const ElementPtr& element : elements_) {
    own_.push_back(size_);
    size_ += element->size();
  }
  first_quadrature_ = size_;
  size_ += 3 * static_cast<int>(elements_.size());
  const auto forces = [this](double, const OwnedVector&, const OwnedVector&, OwnedVector& tau) { tau = tau_; };
  if (constraints.empty()) {
    motion_ = std::make_unique<VelocityFlow>(m, forces);
    return;
  }
  ++size_;
  auto constrained = std::make_unique<ConstrainedFlow>(ConstrainedDynamics(m, std::move(constraints), options), forces);
  constrained_ = constrained.get();
  motion_ = std::move(constrained);
}

/// One element at the state in q_ and v_.
const PortFlows& PortFlow::evaluate(std::size_t i, double t, const double* x, double* xdot) {
  flows_.tau.setZero();
  flows_.supplied = flows_.dissipated = flows_.stored = 0.0;
  elements_[i]->evaluate({t, q_, v_, mechanism_, work_}, x + own_[i], flows_, xdot + own_[i]);
  check(*elements_[i], flows_, xdot + own_[i]);
  return flows_;
}

void PortFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  q_ = Numbers(q, mechanism_.nq()), v_ = Numbers(x, mechanism_.nv());
  tau_.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const PortFlows& flows = evaluate(i, t, x, xdot);
    tau_ += flows.tau;
    double* const books = xdot + quadratures(i);
    books[0] = flows.supplied, books[1] = flows.tau.dot(v_), books[2] = flows.dissipated;
  }
  motion_->rates(t, q, x, v, xdot);
  if (constrained_ == nullptr) return;
  const ConstrainedDynamics& at = constrained_->dynamics();
  xdot[size_ - 1] = at.multipliers().dot(at.A() * v_);
}

bool PortFlow::after_step(double t, double* q, double* x) {
  q_ = Numbers(q, mechanism_.nq()), v_ = Numbers(x, mechanism_.nv());
  if (!motion_->after_step(t, q, x)) return false;
  const double before = energy(q_, v_);
  corrections_ += energy(Numbers(q, mechanism_.nq()), Numbers(x, mechanism_.nv())) - before;
  return true;
}

void PortFlow::forgive(double t, const double* q, const double* x, double* q_error, double* x_error) {
  motion_->forgive(t, q, x, q_error, x_error);
}

OwnedVector PortFlow::start(const VectorRef& v) const {
  OwnedVector x(size_);
  x.head(mechanism_.nv()) = v;
  for (std::size_t i = 0; i < elements_.size(); ++i) elements_[i]->start(x.data() + own_[i]);
  return x;
}

double PortFlow::energy(const VectorRef& q, const VectorRef& v) {
  return kinetic_energy(mechanism_, work_, q, v) + potential_energy(mechanism_, work_, q);
}

OwnedVector PortFlow::stored(double t, const VectorRef& q, const VectorRef& x) {
  q_ = q, v_ = x.head(mechanism_.nv());
  OwnedVector out(elements_.size()), xdot(size_);
  for (std::size_t i = 0; i < elements_.size(); ++i) out[i] = evaluate(i, t, x.data(), xdot.data()).stored;
  return out;
}

Ledger PortFlow::ledger(double t, const VectorRef& q, const VectorRef& x, double initial, const OwnedVector& stored_then) {
  Ledger out{.initial = initial, .final = energy(q, x.head(mechanism_.nv())), .entries = {}};
  const OwnedVector stored_now = stored(t, q, x);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const double* books = x.data() + quadratures(i);
    out.entries.push_back({elements_[i]->name(), books[0], books[1], stored_now[i] - stored_then[i], books[2]});
  }
  if (constrained_ == nullptr) return out;
  out.entries.push_back({"constraints", x[size_ - 1], x[size_ - 1], 0.0, 0.0});
  out.entries.push_back({"integrator", corrections_, corrections_, 0.0, 0.0});
  return out;
}

}  // namespace amble
