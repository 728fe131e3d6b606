#include "amble/control/walking/stance_foot.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "amble/base/infinity.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

/// About the origin of the world.
Vector3<double> angular_momentum(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  const Eigen::VectorXd h = momentum_matrix(m, work, q) * v;
  const Vector3<double> c = center_of_mass(m, work, q);
  return h.tail<3>() + c.cross(Vector3<double>(h.head<3>()));
}

}  // namespace

double StanceFoot::friction_ratio() const {
  return normal() > 0.0 ? force.head<2>().norm() / normal() : kInfinity;
}
double StanceFoot::pressure_offset() const {
  return normal() > 0.0 ? moment.head<2>().norm() / normal() : kInfinity;
}

StanceFoot stance_foot(MechanismPhase& phase, const double* x, const double* a) {
  constexpr double kTime = 1e-5;  // s
  const Mechanism& m = phase.full();
  Workspace& work = phase.full_workspace();
  const OwnedVector q = phase.full_configuration(x), v = phase.full_velocity(x);
  const Eigen::VectorXd rate = phase.spec().embed * Eigen::Map<const Eigen::VectorXd>(a, phase.freedoms());
  const auto momentum_at = [&](double t) {
    return angular_momentum(m, work, q + t * v + 0.5 * t * t * rate, v + t * rate);
  };
  StanceFoot out{.force = phase.ground_force(x, a)};
  const Vector3<double> turning = (momentum_at(kTime) - momentum_at(-kTime)) / (2.0 * kTime);
  const Vector3<double> c = center_of_mass(m, work, q);
  const Vector3<double> foot = pose(m, work, q, phase.spec().stance_foot.place).translation() -
                               Vector3<double>(0.0, 0.0, phase.spec().stance_foot.radius);
  out.moment = turning - c.cross(Vector3<double>(m.mass() * m.gravity())) - foot.cross(out.force);
  return out;
}

}  // namespace amble
