#include "amble/simulation/bond_flow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/ports/carried_elements.hpp"

namespace amble {

namespace {

using Numbers = Eigen::Map<const Eigen::VectorXd>;

std::shared_ptr<const Mechanism> mechanism_of(const BondGraph& graph) {
  const BondElement* e = graph.mechanism();
  if (e == nullptr) return nullptr;
  if (!e->mechanism->loops().empty() || !e->mechanism->rollings().empty())
    throw Error(
        fmt::format("mechanism '{}' of bond graph '{}' has loops or rolling wheels: expected a tree of joints",
                    e->name, graph.name()));
  return e->mechanism;
}

}  // namespace

BondFlow::BondFlow(const BondGraph& graph)
    : equations_(graph),
      mechanism_(mechanism_of(graph)),
      nv_(mechanism_ ? mechanism_->nv() : 0),
      flows_(nv_),
      v_(nv_),
      tau_(nv_),
      force_(nv_),
      M_(nv_, nv_) {
  if (mechanism_) {
    work_ = std::make_unique<Workspace>(*mechanism_);
    elements_ = carried_elements(*mechanism_);
    q_ = OwnedVector(mechanism_->nq());
  }
  books_ = OwnedMatrix(4, static_cast<Eigen::Index>(elements_.size()));
  first_quadrature_ = nv_ + equations_.size();
}

OwnedVector BondFlow::start(const VectorRef& v) const {
  if (v.size() != nv_) throw Error(fmt::format("the velocity has {} numbers: expected {}", v.size(), nv_));
  OwnedVector x(size());
  x.head(nv_) = v;
  x.segment(nv_, equations_.size()) = equations_.initial();
  return x;
}

/// Forces of what the mechanism carries, and their books.
void BondFlow::carry(double t, const double* q, const double* x) {
  q_ = Numbers(q, q_.size()), v_ = Numbers(x, nv_);
  tau_.setZero();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    flows_.tau.setZero();
    flows_.supplied = flows_.dissipated = flows_.stored = 0.0;
    elements_[i]->evaluate({t, q_, v_, *mechanism_, *work_}, nullptr, flows_, nullptr);
    tau_ += flows_.tau;
    double* const book = books_.col(static_cast<Eigen::Index>(i)).data();
    book[0] = flows_.supplied, book[1] = flows_.tau.dot(v_), book[2] = flows_.dissipated, book[3] = flows_.stored;
  }
}

void BondFlow::set_graph(double t, const double* q, const double* x) {
  if (equations_.needs_acceleration()) {
    M_ = mass_matrix(*mechanism_, *work_, q_);
    force_ = tau_ - bias_forces(*mechanism_, *work_, q_, v_);
  }
  equations_.evaluate({.t = t, .x = x + nv_, .q = q, .v = x, .M = M_.data(), .force = force_.data()});
}

void BondFlow::set(double t, const double* q, const double* x) {
  if (mechanism_) carry(t, q, x);
  set_graph(t, q, x);
}

void BondFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  set(t, q, x);
  std::copy_n(equations_.rates().data(), equations_.size(), xdot + nv_);
  double* book = xdot + first_quadrature_;
  for (std::size_t i = 0; i < equations_.powered().size(); ++i, book += 3) {
    const BondPower p = equations_.power(i);
    book[0] = p.supplied, book[1] = p.delivered, book[2] = p.dissipated;
  }
  for (std::size_t i = 0; i < elements_.size(); ++i, book += 3)
    std::copy_n(books_.col(static_cast<Eigen::Index>(i)).data(), 3, book);
  if (!mechanism_) return;
  std::copy_n(x, nv_, v);
  if (equations_.needs_acceleration()) {
    std::copy_n(equations_.acceleration().data(), nv_, xdot);
    return;
  }
  tau_ += equations_.tau();
  Eigen::Map<Eigen::VectorXd>(xdot, nv_) = forward_dynamics(*mechanism_, *work_, q_, v_, tau_);
}

double BondFlow::energy(const VectorRef& q, const VectorRef& x) {
  if (!mechanism_) return 0.0;
  return kinetic_energy(*mechanism_, *work_, q, x.head(nv_)) + potential_energy(*mechanism_, *work_, q);
}

OwnedVector BondFlow::stored(double t, const VectorRef& q, const VectorRef& x) {
  set(t, q.data(), x.data());
  OwnedVector out(entries());
  const auto graph = static_cast<int>(equations_.powered().size());
  for (int i = 0; i < entries(); ++i) out[i] = i < graph ? equations_.stored(i) : books_(3, i - graph);
  return out;
}

const std::string& BondFlow::entry_name(int entry) const {
  const auto graph = static_cast<int>(equations_.powered().size());
  return entry < graph ? equations_.graph().elements()[equations_.powered()[entry]].name
                       : elements_[entry - graph]->name();
}

Ledger BondFlow::ledger(double t, const VectorRef& q, const VectorRef& x, double initial,
                        const OwnedVector& stored_then) {
  Ledger out{.initial = initial, .final = energy(q, x), .entries = {}};
  const OwnedVector stored_now = stored(t, q, x);
  for (int i = 0; i < entries(); ++i) {
    const double* book = x.data() + first_quadrature_ + 3 * i;
    out.entries.push_back({entry_name(i), book[0], book[1], stored_now[i] - stored_then[i], book[2]});
  }
  return out;
}

}  // namespace amble
