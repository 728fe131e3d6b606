#pragma once

#include "amble/ports/ledger.hpp"
#include "amble/simulation/motion_flows.hpp"

namespace amble {

/// A mechanism, its constraints and the elements attached to it. x is v, then the elements' own numbers, then for each
/// element the energy that it was supplied, delivered and dissipated since the start (J), then that of the constraints,
/// if any: the books are kept by the same integrator as the motion.
class PortFlow : public Flow {
 public:
  PortFlow(const Mechanism& mechanism, std::vector<ElementPtr> elements, std::vector<ConstraintPtr> constraints,
           const ConstrainedOptions& options = {});
  PortFlow(const PortFlow&) = delete;  // the motion asks this object for the forces
  PortFlow& operator=(const PortFlow&) = delete;

  const Mechanism* mechanism() const override { return &mechanism_; }
  int size() const override { return size_; }
  void rates(double t, const double* q, const double* x, double* v, double* xdot) override;
  bool after_step(double t, double* q, double* x) override;
  void forgive(double t, const double* q, const double* x, double* q_error, double* x_error) override;
  double singular_time() const override { return motion_->singular_time(); }

  const std::vector<ElementPtr>& elements() const { return elements_; }
  /// Null when nothing constrains the motion.
  ConstrainedFlow* constrained() { return constrained_; }

  /// x at the start of a motion: no energy has flowed yet.
  OwnedVector start(const VectorRef& v) const;
  /// Kinetic energy and energy in gravity.
  double energy(const VectorRef& q, const VectorRef& v);
  /// What an element has delivered since the start.
  double delivered(std::size_t element, const OwnedVector& x) const { return x[quadratures(element) + 1]; }
  /// What the elements store at a state, one number each.
  OwnedVector stored(double t, const VectorRef& q, const VectorRef& x);
  /// The books since a start with this energy and these stores.
  Ledger ledger(double t, const VectorRef& q, const VectorRef& x, double initial, const OwnedVector& stored_then);
  /// What projections onto the constraints have added to the mechanism's energy (J).
  double corrections() const { return corrections_; }
  void set_corrections(double joules) { corrections_ = joules; }

 private:
  const PortFlows& evaluate(std::size_t element, double t, const double* x, double* xdot);
  int quadratures(std::size_t element) const { return first_quadrature_ + 3 * static_cast<int>(element); }

  Mechanism mechanism_;
  Workspace work_;
  std::vector<ElementPtr> elements_;
  std::vector<int> own_;  // where the numbers of each element begin in x
  int first_quadrature_ = 0, size_ = 0;
  std::unique_ptr<Flow> motion_;
  ConstrainedFlow* constrained_ = nullptr;
  PortFlows flows_;
  OwnedVector q_, v_, tau_;
  double corrections_ = 0.0;
};

}  // namespace amble
