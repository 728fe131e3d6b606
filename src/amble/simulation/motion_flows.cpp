#include "amble/simulation/motion_flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"

namespace amble {

namespace {

/// What a projection near a singular configuration leaves, where it counts many times: as little as rounding lets it.
constexpr double kClosest = 1e-15;

/// Below this regularity a singular configuration is looked out for, and below this it is near: errors off the branch
/// weigh ten times what they do elsewhere.
constexpr double kLookOut = 0.3, kNearSingular = 0.1;

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

void VelocityFlow::forces(double t, const double* q, const double* x, double* tau, double*) {
  q_ = Numbers(q, mechanism_.nq()), v_ = Numbers(x, mechanism_.nv());
  set_drive(drive_, t, q_, v_, tau_);
  std::copy_n(tau_.data(), mechanism_.nv(), tau);
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
      longest_(dynamics_.rows()),
      q_(dynamics_.mechanism().nq()),
      v_(dynamics_.mechanism().nv()),
      tau_(dynamics_.mechanism().nv()) {}

void ConstrainedFlow::rates(double t, const double* q, const double* x, double* v, double* xdot) {
  const int nv = dynamics_.mechanism().nv();
  q_ = Numbers(q, dynamics_.mechanism().nq()), v_ = Numbers(x, nv);
  set_drive(drive_, t, q_, v_, tau_);
  dynamics_.set_time(t);
  dynamics_.set_state(q_, v_);
  std::copy_n(x, nv, v);
  Eigen::Map<Eigen::VectorXd>(xdot, nv) = dynamics_.accelerations(tau_, {}, method_);
}

/// Regularity falls in proportion to the distance from a singular configuration, or to a power k of it: a straight
/// line through its last two values meets zero at T = t + (t* - t) / k, and dT/dt = 1 - 1 / k tells k.
void ConstrainedFlow::look_ahead(double t, double violation) {
  constexpr double kNever = std::numeric_limits<double>::infinity(), kMostBent = 0.75;
  if (!(t > t_)) regularity_ = -1.0, singular_time_ = straight_ = kNever;  // another motion has begun
  const double before = regularity_, t_before = t_, expected = singular_time_, T_before = straight_;
  regularity_ = dynamics_.regularity(longest_), t_ = t;
  near_singular_ = regularity_ < kNearSingular;
  singular_time_ = straight_ = kNever;
  if (t > expected && regularity_ * (expected - t_before) > 0.5 * before * (t - expected)) {
    ++passed_;
    check_branch(expected, violation);
  } else if (regularity_ < before) {
    straight_ = t + regularity_ * (t - t_before) / (before - regularity_);
    const double bent =
        std::isfinite(T_before) ? std::clamp((straight_ - T_before) / (t - t_before), 0.0, kMostBent) : 0.0;
    if (regularity_ < kLookOut) singular_time_ = t + (straight_ - t) / (1.0 - bent);
  }
}

/// The branches are a distance of about the regularity apart, and phi is that times the distance from the branch.
void ConstrainedFlow::check_branch(double t, double violation) const {
  if (violation <= 1e-2 * regularity_ * regularity_) return;
  throw Error(
      fmt::format("'{}' passed through a singular configuration at about {:.6g} s, and its branches of motion cannot "
                  "be told apart: the violation is {:.3g}; a smaller tolerance helps",
                  dynamics_.mechanism().name(), t, violation));
}

/// A step near a singular configuration errs off the branch, where the constraints are weak, and is projected back.
void ConstrainedFlow::forgive(double t, const double* q, const double* x, double* q_error, double* x_error) {
  if (!near_singular_ && !(t > singular_time_)) return;
  const Mechanism& m = dynamics_.mechanism();
  dynamics_.set_time(t);
  dynamics_.set_state(Numbers(q, m.nq()), Numbers(x, m.nv()));
  const Eigen::MatrixXd P = dynamics_.projector();
  for (double* error : {q_error, x_error}) {
    const Eigen::VectorXd allowed = P * Numbers(error, m.nv());
    std::copy_n(allowed.data(), m.nv(), error);
  }
}

bool ConstrainedFlow::after_step(double t, double* q, double* x) {
  const Mechanism& m = dynamics_.mechanism();
  q_ = Numbers(q, m.nq()), v_ = Numbers(x, m.nv());
  dynamics_.set_time(t);
  dynamics_.set_state(q_, v_);
  const double violation = dynamics_.violation().cwiseAbs().maxCoeff();
  worst_ = std::max(worst_, violation);
  look_ahead(t, violation);
  if (!near_singular_ && violation <= drift_ && dynamics_.velocity_error().cwiseAbs().maxCoeff() <= drift_)
    return false;
  dynamics_.project_state(q_, v_, near_singular_ ? kClosest : 1e-13);
  std::copy_n(q_.data(), m.nq(), q);
  std::copy_n(v_.data(), m.nv(), x);
  ++projections_;
  return true;
}

ChartFlow::ChartFlow(const ChartCoordinates& coordinates, Drive drive, bool switching,
                     const ChartSwitchOptions& options)
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

OwnedVector ChartFlow::configuration(const VectorRef& x) const {
  return coordinates().configuration(x.head(x.size() / 2));
}
OwnedVector ChartFlow::velocity(const VectorRef& x) const {
  return coordinates().velocity(x.head(x.size() / 2), x.tail(x.size() / 2));
}

}  // namespace amble
