#pragma once

#include "amble/dynamics/dynamics.hpp"

// Gauss' principle of least constraint: of all accelerations that the joints allow, the true ones deviate least from
// those that the bodies would have if nothing linked them. BK III.
namespace amble {

/// D of BK (22) in kg m^2/s^4, summed over the bodies that can move: each deviates from the acceleration that gravity,
/// wrenches from outside and the drives of its joints give it alone. A drive acts on its joint's child, and against the
/// parent, with the smallest wrench that does the work tau . v. Armature counts as a body on its joint. Of a body without
/// mass, or without inertia, the deviation would be infinite as soon as a force acts on it: there the part of D that
/// does not depend on `a` is left out.
double gauss_deviation(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a, const VectorRef& tau, std::span<const ExternalWrench> external = {});

/// D as a function of `a`, a^T hessian a / 2 + gradient . a + constant, read off (22) body by body. The minimum is where
/// M a + bias = tau, BK (23), (24); the hessian is M.
struct GaussQuadratic {
  OwnedMatrix hessian;
  OwnedVector gradient;
  double constant = 0.0;
};
GaussQuadratic gauss_quadratic(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                               const VectorRef& tau, std::span<const ExternalWrench> external = {});

/// Linear conditions on accelerations, A a = b.
struct AccelerationConstraint {
  OwnedMatrix A;
  OwnedVector b;
};

/// Where D is least among the accelerations with A a = b, and the forces A^T lambda that hold them; BK (31), one dense
/// system. Redundant rows share their force (the smallest lambda). Throws an Error when no acceleration fulfils A a = b.
struct GaussMinimum {
  OwnedVector a, lambda;
};
GaussMinimum gauss_minimum(const Mechanism& mechanism, Workspace& work, const VectorRef& q, const VectorRef& v,
                           const VectorRef& tau, std::span<const ExternalWrench> external = {},
                           const AccelerationConstraint& constraint = {});

}  // namespace amble
