#include "amble/dynamics/regressor.hpp"

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

using BodyRegressor = Matrix<double, 6, kInertialParameters>;

Inertia<double> unit_inertia(int parameter) { return inertia_of_parameters(InertialParameters::Unit(parameter)); }

/// The wrench that a body needs to move with V and A (in its frame), by its parameters.
BodyRegressor body_regressor(const Twist<double>& V, const Twist<double>& A) {
  BodyRegressor Y;
  for (int p = 0; p < kInertialParameters; ++p) {
    const Inertia<double> unit = unit_inertia(p);
    Y.col(p) = (unit * A + cross(V, unit * V)).vector();
  }
  return Y;
}

}  // namespace

InertialParameters inertial_parameters(const Inertia<double>& inertia) {
  const Matrix3<double>& I = inertia.about_origin();
  InertialParameters p;
  p << inertia.mass(), inertia.first_moment(), I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
  return p;
}

Inertia<double> inertia_of_parameters(const InertialParameters& p) {
  Matrix3<double> I;
  I << p[4], p[5], p[6], p[5], p[7], p[8], p[6], p[8], p[9];
  return {p[0], p.segment<3>(1), I};
}

OwnedVector inertial_parameters(const Mechanism& m) {
  OwnedVector all(kInertialParameters * static_cast<Eigen::Index>(m.bodies().size()));
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    all.segment<kInertialParameters>(kInertialParameters * b) = inertial_parameters(m.bodies()[b].inertia);
  return all;
}

MatrixView inverse_dynamics_regressor(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                                      const VectorRef& a) {
  const std::span<const LinkMotion> links = link_accelerations(m, work, q, v, a);
  ResultSlot& slot = work.memory().regressor;
  Eigen::Map<RowMatrix> Y(slot.numbers(), slot.rows, slot.cols);
  Y.setZero();
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    const Body& body = m.bodies()[b];
    const LinkMotion& at = links[body.link];
    const Pose X_BL = body.X_LB.inverse();
    const BodyRegressor wrenches = body.X_LB.coadjoint() * body_regressor(X_BL * at.V, X_BL * at.A);
    add_pull_back(m, links, body.link, 0, wrenches, Y.middleCols<kInertialParameters>(kInertialParameters * b));
  }
  ++slot.writes;
  return work.memory().matrix(slot);
}

VectorView kinetic_energy_regressor(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  const std::span<const LinkMotion> links = link_velocities(m, work, q, v);
  ResultSlot& slot = work.memory().kinetic_row;
  Eigen::Map<Eigen::VectorXd> row(slot.numbers(), slot.rows);
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    const Twist<double> V = m.bodies()[b].X_LB.inverse() * links[m.bodies()[b].link].V;
    for (int p = 0; p < kInertialParameters; ++p)
      row[kInertialParameters * b + p] = 0.5 * power(V, unit_inertia(p) * V);
  }
  ++slot.writes;
  return work.memory().vector(slot);
}

VectorView potential_energy_regressor(const Mechanism& m, Workspace& work, const VectorRef& q) {
  const LinkPoses X_WL = forward_kinematics(m, work, q);
  ResultSlot& slot = work.memory().potential_row;
  Eigen::Map<Eigen::VectorXd> row(slot.numbers(), slot.rows);
  row.setZero();
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    const Pose X_WB = X_WL[m.bodies()[b].link] * m.bodies()[b].X_LB;
    row[kInertialParameters * b] = -m.gravity().dot(X_WB.translation());
    row.segment<3>(kInertialParameters * b + 1) = -(X_WB.rotation().inverse() * m.gravity());
  }
  ++slot.writes;
  return work.memory().vector(slot);
}

}  // namespace amble
