#include "amble/riemann/workspace_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "amble/base/error.hpp"
#include "amble/dynamics/dynamics.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// J, and M^-1 J^T with the inertia that is met there.
struct Met {
  Dense J, raised, lambda;
  Met(TaskMap& task, const Mechanism& m, Workspace& work, const VectorRef& q) : J(task.jacobian(q)) {
    raised = inverse_mass_matrix(m, work, q) * J.transpose();
    const Eigen::LDLT<Dense> gram(J * raised);
    const Eigen::VectorXd pivots = gram.vectorD();
    if (J.rows() > J.cols() || !(pivots.minCoeff() > 1e-14 * pivots.maxCoeff()))
      throw Error(fmt::format("the {} meets no finite inertia: the configuration is a kinematic singularity",
                              task.name()));
    lambda = gram.solve(Dense::Identity(J.rows(), J.rows()));
  }
};

void check_task_vector(const TaskMap& task, const VectorRef& x, const char* what) {
  if (x.size() != task.dimension() || !x.allFinite())
    throw Error(fmt::format("{} of the {} is {} finite numbers", what, task.name(), task.dimension()));
}

}  // namespace

WorkspaceDynamics workspace_dynamics(TaskMap& task, const VectorRef& q, const VectorRef& v) {
  const Mechanism& m = task.mechanism();
  Workspace work(m);
  const Met met(task, m, work, q);
  const Eigen::VectorXd gravity = gravity_forces(m, work, q), motion = bias_forces(m, work, q, v) - gravity;
  WorkspaceDynamics out;
  out.lambda = met.lambda;
  out.lift = met.raised * met.lambda;
  out.drift = task.jacobian_rate(q, v) * v - met.raised.transpose() * motion;
  out.mu = -met.lambda * out.drift;
  out.p = met.lambda * (met.raised.transpose() * gravity);
  return out;
}

LiftedFunction lifted_function(TaskMap& task, const VectorRef& q, const VectorRef& df) {
  check_task_vector(task, df, "a differential");
  Workspace work(task.mechanism());
  const OwnedVector differential = task.jacobian(q).transpose() * df;
  return {differential, inverse_mass_matrix(task.mechanism(), work, q) * differential};
}

OwnedVector lifted_feedback(TaskMap& task, const VectorRef& q, const VectorRef& v, const VectorRef& xddot,
                            const VectorRef* tau_rest) {
  check_task_vector(task, xddot, "xddot");
  const Mechanism& m = task.mechanism();
  Workspace work(m);
  const Met met(task, m, work, q);
  // M lift = J^T Lambda.
  Eigen::VectorXd tau = met.J.transpose() * (met.lambda * (xddot - task.jacobian_rate(q, v) * v));
  const Eigen::VectorXd bias = bias_forces(m, work, q, v);
  tau += bias;
  if (tau_rest == nullptr) return tau;
  m.check_velocity(*tau_rest, "tau_rest");
  return tau + *tau_rest - met.J.transpose() * (met.lambda * (met.raised.transpose() * *tau_rest));
}

}  // namespace amble
