#pragma once

#include "amble/ports/bonds/bond_system.hpp"

namespace amble {

/// Where a bond graph is: the time, its states, and with a mechanism the motion of that.
struct BondInstant {
  double t = 0.0;
  const double* x = nullptr;  ///< the states
  const double* q = nullptr;  ///< of the mechanism
  const double* v = nullptr;
  const double* M = nullptr;      ///< its mass matrix, nv x nv; read when needs_acceleration()
  const double* force = nullptr;  ///< what else moves it: M a = force + tau
};

/// What an element does: power taken in from outside, given to the others, turned into heat (W).
struct BondPower {
  double supplied = 0.0, delivered = 0.0, dissipated = 0.0;
};

/// The equations of a bond graph, ready to be evaluated and to be read. Not for several threads at once: each takes a
/// copy.
class BondEquations {
 public:
  /// Throws an Error with every conflict of the causality.
  explicit BondEquations(BondGraph graph);
  BondEquations(const BondEquations& other);
  BondEquations(BondEquations&&) noexcept;
  BondEquations& operator=(BondEquations&&) noexcept;
  ~BondEquations();

  const BondGraph& graph() const;
  const BondSystem& system() const;
  int size() const { return static_cast<int>(system().states.size()); }
  std::vector<std::string> state_names() const;
  OwnedVector initial() const;
  bool needs_acceleration() const { return system().needs_acceleration; }

  /// Solves what is unknown and evaluates all; the results below are then those of this instant. Throws an Error when
  /// the equations have no solution that Newton's method finds, or a number is not finite.
  void evaluate(const BondInstant& at);
  const OwnedVector& rates() const;         ///< of the states
  const OwnedVector& tau() const;           ///< on the mechanism
  const OwnedVector& acceleration() const;  ///< of the mechanism, when needs_acceleration()
  const OwnedVector& unknowns() const;

  /// Elements with a power of their own: all but junctions, TF, GY and a mechanism; in the order of the graph.
  const std::vector<int>& powered() const;
  BondPower power(std::size_t powered) const;
  double stored(std::size_t powered) const;  ///< energy (J)
  double stored() const;
  /// Of a bond, by component.
  double effort(int bond, int component = 0) const;
  double flow(int bond, int component = 0) const;
  /// Of a state, an unknown, a mechanism's "NAME.JOINT.q", or "NAME.e", "NAME.f" as in expressions. Throws an Error
  /// with the nearest name.
  double value(const std::string& name) const;

  /// Of a graph without a mechanism.
  OwnedVector rates_at(double t, const VectorRef& x);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// How causality came out: which storage depends on which elements, which elements form algebraic loops and how they
/// are solved, in sentences. Works for graphs with conflicts too.
std::string causality_report(const BondGraph& graph);
/// The equations, one line each: what is unknown, the rates of the states, the energy.
std::string equations_text(const BondEquations& equations);

/// x' = (J - R) dH/dx + g u, y = g^T dH/dx of a linear graph, u being the values of its sources in their order: J is
/// skew-symmetric, R symmetric. Where storage depends on other storage, H is what all of it stores, by the
/// independent states.
struct PortHamiltonianMatrices {
  OwnedMatrix interconnection, dissipation, input;
  OwnedMatrix energy_hessian;  ///< dH/dx = energy_hessian x
  std::vector<std::string> states, sources;
};
/// Throws an Error naming what makes the graph nonlinear or modulated, a mechanism, or storage that stores nothing.
PortHamiltonianMatrices port_hamiltonian_matrices(const BondGraph& graph);

}  // namespace amble
