#pragma once

#include "amble/riemann/task_map.hpp"

// A mechanism as its task sees it. AL III.A, IV.
namespace amble {

/// The general form for any mechanism, task and motion (Khatib): Lambda xddot + mu + p = F for forces tau =
/// J^T F, and in general F = lift^T tau; xddot is the rate of the task's velocity J v.
struct WorkspaceDynamics {
  OwnedMatrix lambda;  ///< (J M^-1 J^T)^-1, the inertia that is met
  OwnedVector mu;      ///< Coriolis and centrifugal
  OwnedVector p;       ///< gravity
  OwnedMatrix lift;    ///< M^-1 J^T Lambda
  OwnedVector drift;   ///< xddot without joint forces and gravity: Jdot v - J M^-1 C v = -Lambda^-1 mu
};
/// Throws an Error where the task is singular.
WorkspaceDynamics workspace_dynamics(TaskMap& task, const VectorRef& q, const VectorRef& v);

/// d theta = J^T d f for theta(q) = f(x(q)), and its gradient M^-1 J^T d f. (AL (24) has the pseudoinverse
/// instead of J^T.)
struct LiftedFunction {
  OwnedVector differential, gradient;
};
LiftedFunction lifted_function(TaskMap& task, const VectorRef& q, const VectorRef& df);

/// Forces of the joints with which the task has the acceleration `xddot` exactly, whatever the mechanism does
/// beside it:
///   tau = M (lift (xddot - Jdot v)) + bias + (1 - J^T lift^T) tau_rest.
/// A feedback that gives xddot from the task's own state and velocity then has, on the mechanism, the error
/// dynamics it has in the workspace. `tau_rest` moves the rest and not the task; without it the rest
/// accelerates least, in the metric of M.
OwnedVector lifted_feedback(TaskMap& task, const VectorRef& q, const VectorRef& v, const VectorRef& xddot,
                            const VectorRef* tau_rest = nullptr);

}  // namespace amble
