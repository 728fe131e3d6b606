#include "amble/simulation/port_hamiltonian_flow.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

PortHamiltonianFlow::PortHamiltonianFlow(PortHamiltonianPtr system, Input input)
    : system_(std::move(system)),
      input_(std::move(input)),
      terms_(system_->states(), system_->ports()),
      u_(system_->ports()) {}

const PortHamiltonianTerms& PortHamiltonianFlow::evaluate(const double* q, const double* x) {
  terms_.clear();
  system_->evaluate(q, x, terms_);
  return terms_;
}

void PortHamiltonianFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  const PortHamiltonianTerms& at = evaluate(q, x);
  u_.setZero();
  if (input_) input_(t, u_);
  const OwnedVector rates = at.rates(u_);
  if (!rates.allFinite()) throw Error("a port-Hamiltonian system or its input gives a rate that is not a number");
  const int nv = system_->states() - system_->numbers();
  std::copy_n(rates.data(), nv, v);
  std::copy_n(rates.data() + nv, system_->numbers(), xdot);
  xdot[system_->numbers()] = at.output(u_).dot(u_);
  xdot[system_->numbers() + 1] = at.dissipated(u_);
}

OwnedVector PortHamiltonianFlow::start(const VectorRef& numbers) const {
  if (numbers.size() != system_->numbers())
    throw Error(fmt::format("the state has {} numbers, but the system has {}", numbers.size(), system_->numbers()));
  OwnedVector x(size());
  x.head(numbers.size()) = numbers;
  return x;
}

double PortHamiltonianFlow::energy(const VectorRef& q, const VectorRef& x) {
  return evaluate(q.data(), x.data()).energy;
}

Ledger PortHamiltonianFlow::ledger(const VectorRef& q, const VectorRef& x, double initial) {
  const double supplied = x[system_->numbers()], dissipated = x[system_->numbers() + 1];
  return {.initial = initial,
          .final = energy(q, x),
          .entries = {{"ports", supplied, supplied, 0.0, 0.0}, {"dissipation", 0.0, -dissipated, 0.0, dissipated}},
          .losses = 0.0,
          .exchanged = std::abs(supplied) + dissipated};
}

}  // namespace amble
