#include "amble/contact/free_acceleration.hpp"

#include <Eigen/QR>

#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/pair_constraints.hpp"

namespace amble {

namespace {

/// The rows of a point or ball on a plane at rest; those of a ball are where it touches, which goes with its
/// centre.
void put_rows(const ConstraintKinematics& at, const ContactSpec& spec, double* rows, double* bias) {
  const ContactPoint c = contact_point(at, spec);
  const Vector3<double> rate =
      at.frame(link_frame(at.mechanism(), spec.body, Pose(SO3<double>(), spec.point))).p_dot;
  const Matrix3<double> axes = contact_axes(c.normal);
  for (int k = 0; k < 3; ++k)
    at.put_row({.force = axes.col(k), .point = c.p_b, .point_rate = rate}, c.link_a, c.link_b,
               rows + k * at.mechanism().nv(), bias[k]);
}

}  // namespace

ContactAccelerations contact_accelerations(const Mechanism& m, const VectorRef& q, const VectorRef& v,
                                           const VectorRef& tau, const std::vector<ContactSpec>& contacts,
                                           const std::vector<ConstraintPtr>& constraints) {
  ConstraintKinematics at(m);
  at.set_state(q, v);
  OwnedRowMatrix J(3 * contacts.size(), m.nv());
  OwnedVector bias(J.rows());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    put_rows(at, contacts[i], J.data() + 3 * i * m.nv(), bias.data() + 3 * i);
  Eigen::MatrixXd reach = inverse_mass_matrix(m, at.workspace(), q);
  OwnedVector a = forward_dynamics(m, at.workspace(), q, v, tau);
  if (!constraints.empty()) {
    ConstrainedDynamics held(m, constraints);
    held.set_state(q, v);
    a = held.accelerations(tau);
    const Eigen::MatrixXd R = reach * held.A().transpose(), K = held.A() * R;
    reach -= R * Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(K).solve(R.transpose());
  }
  return {OwnedMatrix(J * reach * J.transpose()), OwnedVector(J * a + bias)};
}

}  // namespace amble
