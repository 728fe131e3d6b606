#pragma once

#include <memory>

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/riemann/differentiate.hpp"
#include "amble/dynamics/velocity_frame.hpp"

// The metric of kinetic energy, <x, y> = x^T M(q) y, and what differentiates vector fields by it.
// ZB 2.4, 3.1. (ZB's metric has a factor 1/2, which changes neither connection nor geodesics; here |v|^2 is
// twice the kinetic energy.)
namespace amble {

double inner_product(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& x,
                     const VectorRef& y);

/// grad f = M^-1 df, from the differential df (nv numbers).
OwnedVector gradient(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                     const VectorRef& differential);

/// The second covariant derivative of a function, a symmetric matrix: `second` as SecondSlopes has it.
OwnedMatrix hessian(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                    const VectorRef& differential, const OwnedMatrix& second);

/// A way to differentiate vector fields along each other on the configurations of a mechanism. Owns its
/// memory; one per thread.
class Connection {
 public:
  virtual ~Connection() = default;
  const Mechanism& mechanism() const { return mechanism_; }

  /// out(i, j, k): component i of nabla_{e_k} e_j.
  virtual void coefficients(const VectorRef& q, Christoffel& out) = 0;
  /// -out(i, j, k) v_j v_k: with it a curve is a geodesic.
  virtual OwnedVector acceleration(const VectorRef& q, const VectorRef& v) = 0;
  /// Where geodesics start from: a velocity that it can carry on; `v` itself unless constraints forbid part
  /// of it.
  virtual OwnedVector admissible(const VectorRef& q, const VectorRef& v);

 protected:
  /// Keeps the mechanism without its gravity.
  explicit Connection(const Mechanism& mechanism);
  Mechanism mechanism_;
};

/// Of M, for the tree of joints: without torsion and keeping lengths. Loops and rolling wheels do not hold
/// it.
std::unique_ptr<Connection> levi_civita(const Mechanism& mechanism);

/// ZB (26): geodesics are the force-free motions under constraints A(q) v = 0.
std::unique_ptr<Connection> constrained_connection(const Mechanism& mechanism,
                                                   std::vector<ConstraintPtr> constraints);

/// nabla_X Y at q, of a field Y with components `Y` there whose rates along the frame are the columns of
/// `dY`: given, or by differentiate().
OwnedVector covariant_derivative(Connection& connection, const VectorRef& q, const VectorRef& X,
                                 const VectorRef& Y, const OwnedMatrix& dY);

}  // namespace amble
