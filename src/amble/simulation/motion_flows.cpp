#include "amble/simulation/motion_flows.hpp"

#include "amble/dynamics/coordinates/hamiltonian.hpp"

namespace amble {

namespace {

/// How far off the charts' constraints the points may be that an integrator tries on its way.
constexpr double kStageTolerance = 0.1;

using Numbers = Eigen::Map<const Eigen::VectorXd>;

void set_drive(const Drive& drive, double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
  if (!drive) return;
  tau.setZero();
  drive(t, q, v, tau);
}

}  // namespace

MechanismFlow::MechanismFlow(const Mechanism& m, Drive drive)
    : mechanism_(m), work_(m), drive_(std::move(drive)), q_(m.nq()), v_(m.nv()), tau_(m.nv()) {}

void VelocityFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  const int nv = mechanism_.nv();
  q_ = Numbers(q, mechanism_.nq()), v_ = Numbers(x, nv);
  set_drive(drive_, t, q_, v_, tau_);
  std::copy_n(x, nv, v);
  Eigen::Map<Eigen::VectorXd>(xdot, nv) = forward_dynamics(mechanism_, work_, q_, v_, tau_);
}

void MomentumFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  const int nv = mechanism_.nv();
  q_ = Numbers(q, mechanism_.nq());
  if (drive_) {
    v_ = velocities(mechanism_, work_, q_, Numbers(x, nv));
    set_drive(drive_, t, q_, v_, tau_);
  }
  const HamiltonianRates rates = hamiltonian_rates(mechanism_, work_, q_, Numbers(x, nv), tau_);
  Eigen::Map<Eigen::VectorXd>(v, nv) = rates.v;
  Eigen::Map<Eigen::VectorXd>(xdot, nv) = rates.pdot;
}

ConstrainedFlow::ConstrainedFlow(ConstrainedDynamics dynamics, Drive drive, ConstraintMethod method, double drift)
    : dynamics_(std::move(dynamics)),
      drive_(std::move(drive)),
      method_(method),
      drift_(drift),
      q_(dynamics_.mechanism().nq()),
      v_(dynamics_.mechanism().nv()),
      tau_(dynamics_.mechanism().nv()) {}

void ConstrainedFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  const int nv = dynamics_.mechanism().nv();
  q_ = Numbers(q, dynamics_.mechanism().nq()), v_ = Numbers(x, nv);
  set_drive(drive_, t, q_, v_, tau_);
  dynamics_.set_state(q_, v_);
  std::copy_n(x, nv, v);
  Eigen::Map<Eigen::VectorXd>(xdot, nv) = dynamics_.accelerations(tau_, {}, method_);
}

bool ConstrainedFlow::after_step(double, double* q, double* x) {
  const Mechanism& m = dynamics_.mechanism();
  q_ = Numbers(q, m.nq()), v_ = Numbers(x, m.nv());
  dynamics_.set_state(q_, v_);
  const double violation = dynamics_.violation().cwiseAbs().maxCoeff();
  worst_ = std::max(worst_, violation);
  if (violation <= drift_ && dynamics_.velocity_error().cwiseAbs().maxCoeff() <= drift_) return false;
  dynamics_.project_state(q_, v_);
  std::copy_n(q_.data(), m.nq(), q);
  std::copy_n(v_.data(), m.nv(), x);
  ++projections_;
  return true;
}

ChartFlow::ChartFlow(const ChartCoordinates& coordinates, Drive drive, bool switching, const ChartSwitchOptions& options)
    : switcher_(coordinates, options),
      dynamics_(coordinates),
      drive_(std::move(drive)),
      switching_(switching),
      tau_(coordinates.mechanism().nv()) {}

void ChartFlow::set_stabilisation_rate(double rate) {
  dynamics_.set_stabilisation_rate(rate);
  stabilisation_rate_ = rate;
}

void ChartFlow::rates(double t, const double*, const double* x, double*, double* xdot) {
  const int n = coordinates().size();
  dynamics_.set_state(Numbers(x, n), Numbers(x + n, n), kStageTolerance);
  set_drive(drive_, t, dynamics_.q(), dynamics_.v(), tau_);
  std::copy_n(x + n, n, xdot);
  Eigen::Map<Eigen::VectorXd>(xdot + n, n) = dynamics_.forward(tau_);
}

bool ChartFlow::after_step(double t, double*, double* x) {
  const int n = coordinates().size();
  if (!switching_ || !switcher_.update(t, Eigen::Map<Eigen::VectorXd>(x, n), Eigen::Map<Eigen::VectorXd>(x + n, n)))
    return false;
  dynamics_ = ChartDynamics(coordinates());
  dynamics_.set_stabilisation_rate(stabilisation_rate_);
  return true;
}

OwnedVector ChartFlow::state(const VectorRef& q, const VectorRef& v) const {
  const int n = coordinates().size();
  OwnedVector x(2 * n);
  x.head(n) = coordinates().from_configuration(q);
  x.tail(n) = coordinates().rates(x.head(n), v);
  return x;
}

OwnedVector ChartFlow::configuration(const VectorRef& x) const { return coordinates().configuration(x.head(x.size() / 2)); }
OwnedVector ChartFlow::velocity(const VectorRef& x) const {
  return coordinates().velocity(x.head(x.size() / 2), x.tail(x.size() / 2));
}

}  // namespace amble
