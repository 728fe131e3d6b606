#include "amble/simulation/behaviour_flow.hpp"

#include <algorithm>

namespace amble {

BehaviourFlow::BehaviourFlow(const BondGraph& graph) : behaviour_(graph) {
  behaviour_.evaluate(0.0, behaviour_.initial().data());
}

std::vector<std::string> BehaviourFlow::state_names() const {
  std::vector<std::string> out;
  for (const BondState& s : behaviour_.relations().states) out.push_back(s.name);
  return out;
}

OwnedVector BehaviourFlow::start(const VectorRef&) const {
  OwnedVector x(size());
  x.head(behaviour_.size()) = behaviour_.initial();
  return x;
}

void BehaviourFlow::set(double t, const double*, const double* x) { behaviour_.evaluate(t, x); }

void BehaviourFlow::rates(double t, const double* q, const double* x, double*, double* xdot) {
  set(t, q, x);
  double* book = std::copy_n(behaviour_.rates().data(), behaviour_.size(), xdot);
  for (int i = 0; i < entries(); ++i, book += 3) {
    const BondPower p = behaviour_.power(i);
    book[0] = p.supplied, book[1] = p.delivered, book[2] = p.dissipated;
  }
}

double BehaviourFlow::energy(const VectorRef&, const VectorRef&) { return 0.0; }

double BehaviourFlow::stored() const {
  double out = 0.0;
  for (int i = 0; i < entries(); ++i) out += behaviour_.stored(i);
  return out;
}

OwnedVector BehaviourFlow::stored(double t, const VectorRef& q, const VectorRef& x) {
  set(t, q.data(), x.data());
  OwnedVector out(entries());
  for (int i = 0; i < entries(); ++i) out[i] = behaviour_.stored(i);
  return out;
}

Ledger BehaviourFlow::ledger(double t, const VectorRef& q, const VectorRef& x, double initial,
                             const OwnedVector& stored_then) {
  Ledger out{.initial = initial, .final = energy(q, x), .entries = {}};
  const OwnedVector stored_now = stored(t, q, x);
  for (int i = 0; i < entries(); ++i) {
    const double* book = x.data() + behaviour_.size() + 3 * i;
    out.entries.push_back({graph().elements()[behaviour_.powered()[i]].name, book[0], book[1],
                           stored_now[i] - stored_then[i], book[2]});
  }
  return out;
}

}  // namespace amble
