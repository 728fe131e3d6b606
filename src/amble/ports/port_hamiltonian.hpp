#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "amble/ports/element.hpp"

// Explicit port-Hamiltonian systems, DS Definition B.1:
//     xdot = (J - R) dH/dx + g u,    y = g^T dH/dx + (K + S) u,
// J and K skew-symmetric, R and S positive semi-definite. So dH/dt = y . u - dH/dx . R dH/dx - u . S u: passive.
namespace amble {

/// A system at a state. Rows and columns of a mechanism's configuration come first, along its velocities.
struct PortHamiltonianTerms {
  PortHamiltonianTerms(int states, int ports)
      : J(states, states), R(states, states), g(states, ports), K(ports, ports), S(ports, ports), gradient(states) {}
  OwnedMatrix J, R, g, K, S;
  OwnedVector gradient;  ///< dH/dx
  double energy = 0.0;   ///< H (J)

  /// Everything zero.
  void clear();
  OwnedVector rates(const VectorRef& u) const;
  OwnedVector output(const VectorRef& u) const;
  double dissipated(const VectorRef& u) const;  ///< W
};

/// One per thread: it may compute in memory of its own.
class PortHamiltonian {
 public:
  virtual ~PortHamiltonian() = default;
  /// Whose configuration is part of the state; null when the state is numbers alone.
  virtual const Mechanism* mechanism() const { return nullptr; }
  /// How many numbers x has.
  virtual int numbers() const = 0;
  virtual int ports() const = 0;
  /// Rates: along the mechanism's velocities, and of x.
  int states() const { return numbers() + (mechanism() == nullptr ? 0 : mechanism()->nv()); }
  /// `out` is zero before.
  virtual void evaluate(const double* q, const double* x, PortHamiltonianTerms& out) = 0;
};
using PortHamiltonianPtr = std::shared_ptr<PortHamiltonian>;

/// H = x . Q x / 2 and constant matrices; those left empty are zero. Throws an Error for sizes that do not fit and for a
/// structure that is not J, K skew, R, S positive semi-definite, Q symmetric.
struct LinearPortHamiltonian {
  OwnedMatrix Q, J, R, g, K, S;
};
PortHamiltonianPtr port_hamiltonian(const LinearPortHamiltonian& given);

/// From a function that fills the terms at x.
using PortHamiltonianFunction = std::function<void(const VectorRef& x, PortHamiltonianTerms& out)>;
PortHamiltonianPtr port_hamiltonian(int numbers, int ports, PortHamiltonianFunction function);

/// A mechanism: x are its momenta p, u forces of the joints, y their velocities. DS Theorem 2.18.
PortHamiltonianPtr port_hamiltonian(const Mechanism& mechanism);

/// The second on ports of the first, DS (B.3)-(B.5): what the first moves drives the second, whose answer is taken off its
/// input, u1 = u - y2, u2 = y1. The ports of the first stay open, then come those of the second that are not connected.
/// Throws an Error when both have a mechanism, or a port is missing or taken twice; evaluate() throws one when y1 depends
/// on u1 at a connected port (an algebraic loop).
PortHamiltonianPtr interconnect(PortHamiltonianPtr first, std::vector<int> first_ports, PortHamiltonianPtr second,
                                std::vector<int> second_ports);

/// How far a system is from what the definition asks for, at a state.
struct StructureReport {
  double skew = 0.0;             ///< largest |J + J^T|, |K + K^T|
  double least_R = 0.0;          ///< smallest eigenvalue of the symmetric part
  double least_S = 0.0;
  double asymmetry = 0.0;        ///< largest |R - R^T|, |S - S^T|
  double gradient_error = 0.0;   ///< of dH/dx beside differences of H, relative to 1 + |dH/dx|
  bool passive(double tolerance = 1e-6) const;
};
StructureReport check_structure(PortHamiltonian& system, const VectorRef& q, const VectorRef& x);

/// A system on velocities of a mechanism, as an element: u are these velocities, and its y is taken off their forces. Its
/// numbers start at `start`. Throws an Error when the system has a mechanism of its own or the sizes do not fit.
ElementPtr port_element(std::string name, PortHamiltonianPtr system, std::vector<int> velocities, const VectorRef& start);

}  // namespace amble
