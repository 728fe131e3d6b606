#include "amble/simulation/variational_step.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "amble/base/error.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/line_coordinates.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// S of v = S ddot for one joint at q exp(scale d), DS (2.72).
Matrix6<double> local_jacobian(const Joint& joint, const OwnedVector& q, const OwnedVector& d, double scale) {
  Matrix6<double> S = Matrix6<double>::Identity();
  Vector6<double> x = Vector6<double>::Zero();
  x.head(joint.v.size) = scale * d.segment(joint.v.start, joint.v.size);
  visit_joint(joint.kind, joint.parameters,
              [&](const auto& type) { type.local_jacobian(q.data() + joint.q.start, x.data(), S); });
  return S;
}

bool is_identity(const Matrix6<double>& S, int size) { return S.topLeftCorner(size, size).isIdentity(0.0); }

/// Joints whose S is not the identity: those that turn in space.
std::vector<int> turning_joints(const Mechanism& m) {
  const OwnedVector q = m.neutral(), d = Eigen::VectorXd::LinSpaced(m.nv(), 0.3, 0.7);
  std::vector<int> out;
  for (int i = 0; i < static_cast<int>(m.joints().size()); ++i) {
    const Joint& joint = m.joints()[i];
    if (joint.leader >= 0 || joint.v.size == 0) continue;
    const Matrix6<double> S = local_jacobian(joint, q, d, 1.0);
    if (is_identity(S, joint.v.size)) continue;
    const auto along = d.segment(joint.v.start, joint.v.size);
    if (!(S.topLeftCorner(joint.v.size, joint.v.size) * along).isApprox(along, 1e-12))
      throw Error(
          fmt::format("custom joint '{}' does not move at a constant velocity along its own coordinates: the "
                      "variational integrator needs that",
                      joint.name));
    out.push_back(i);
  }
  return out;
}

}  // namespace

VariationalStep::VariationalStep(const Mechanism& m, Drive drive)
    : mechanism_(m),
      work_(m),
      drive_(std::move(drive)),
      turning_(turning_joints(m)),
      q_(m.nq()),
      q_middle_(m.nq()),
      v_(m.nv()),
      p_(m.nv()),
      d_(m.nv()),
      half_(m.nv()),
      speed_(m.nv()),
      force_(m.nv()),
      pulled_(m.nv()),
      w_(m.nv()),
      residual_(m.nv()),
      change_(m.nv()),
      steps_(m.nv(), kKept) {}

void VariationalStep::set_state(double t, const VectorRef& q, const VectorRef& v) {
  if (!std::isfinite(t)) throw Error(fmt::format("the time is {}", t));
  mechanism_.check_configuration(q, q_);
  mechanism_.check_velocity(v, "v");
  t_ = t, v_ = v, last_h_ = 0.0;
  p_ = momenta(mechanism_, work_, q_, v_);
}

/// x = S(scale d)^T x, or its inverse.
void VariationalStep::transpose(double scale, OwnedVector& x) const {
  for (const int i : turning_) {
    const Joint& joint = mechanism_.joints()[i];
    auto part = x.segment(joint.v.start, joint.v.size);
    Vector6<double> out = Vector6<double>::Zero();
    out.head(joint.v.size) = part;
    out = local_jacobian(joint, q_, d_, scale).transpose() * out;
    part = out.head(joint.v.size);
  }
}

void VariationalStep::transpose_inverse(double scale, OwnedVector& x) const {
  for (const int i : turning_) {
    const Joint& joint = mechanism_.joints()[i];
    auto part = x.segment(joint.v.start, joint.v.size);
    Vector6<double> out = Vector6<double>::Zero();
    out.head(joint.v.size) = part;
    out = local_jacobian(joint, q_, d_, scale).transpose().partialPivLu().solve(out).eval();
    part = out.head(joint.v.size);
  }
}

/// The midpoint for the present d, its momentum M d/h, and the force there: dL/dq and what the drive gives.
void VariationalStep::evaluate_middle(double h) {
  half_ = 0.5 * d_, speed_ = d_ / h;
  mechanism_.integrate_unchecked(q_.data(), half_.data(), q_middle_.data());
  force_.setZero();
  ++evaluations_;
  if (drive_) drive_(t_ + 0.5 * h, q_middle_, speed_, force_);
  force_ += kinetic_energy_gradient(mechanism_, work_, q_middle_, speed_);
  force_ -= gravity_forces(mechanism_, work_, q_middle_);
  w_ = momenta(mechanism_, work_, q_middle_, speed_);
}

/// The step for the residual in residual_, after `known` others, by Broyden's method, which learns the slope of the
/// equations from its own steps (Kelley, Iterative Methods for Linear and Nonlinear Equations, 7.3). Returns how many
/// are known then: it starts anew when they are too many, or rounding is all that is left to learn from.
int VariationalStep::choose_step(int known) {
  pulled_ = residual_;
  for (int j = 0; j + 1 < known; ++j)
    pulled_ += steps_.col(j + 1) * (steps_.col(j).dot(pulled_) / steps_.col(j).squaredNorm());
  const auto last = steps_.col(std::max(known - 1, 0));
  const double slope = known > 0 ? 1.0 - last.dot(pulled_) / last.squaredNorm() : 0.0;
  const bool learnt = known < kKept && slope > 0.3 && slope < 3.0;
  if (learnt) residual_ = pulled_ / slope;
  steps_.col(learnt ? known : 0) = residual_;
  return learnt ? known + 1 : 1;
}

/// With dd = S(d)^-1 dq1 - S(-d)^-1 dq0 and dq_middle = Ad dq0 + S(d/2) dd / 2, where Ad = S(d/2) S(-d/2)^-1, the
/// discrete action gives p0 = S(-d)^-T w - h Ad^T force and p1 = S(d)^-T w, w = M d/h + h/2 S(d/2)^T force. Leaves w
/// there.
void VariationalStep::solve_for_d(double h) {
  constexpr int kMost = 100;
  constexpr double kRounding = 4e-16;
  double before = std::numeric_limits<double>::infinity();
  int known = 0;
  for (int i = 0; i < kMost; ++i) {
    evaluate_middle(h);
    pulled_ = force_;
    transpose(0.5, pulled_);
    w_ += 0.5 * h * pulled_;
    residual_ = w_;
    transpose_inverse(-1.0, residual_);
    transpose_inverse(-0.5, pulled_);
    residual_ = p_ - residual_ + h * pulled_;
    if (!residual_.allFinite()) break;
    residual_ = h * velocities(mechanism_, work_, q_middle_, residual_);
    known = choose_step(known);
    d_ += residual_;
    const double change = residual_.cwiseAbs().maxCoeff(), size = d_.cwiseAbs().maxCoeff();
    if (!(size < 1e100)) break;
    if (change <= kRounding * size || (change < 1e-12 * (1.0 + size) && change >= 0.5 * before)) return;
    before = change;
  }
  throw Error(
      fmt::format("a step of {} s at {} s is too long for the variational integrator: its equations have no "
                  "solution nearby; take shorter steps",
                  h, t_));
}

void VariationalStep::take(double h) {
  if (mechanism_.nv() > 0) {
    d_ = h * v_;
    if (h == last_h_) d_ += 0.5 * h * change_;  // a guess one order better
    change_ = -v_, last_h_ = h;
    solve_for_d(h);
    p_ = w_;
    transpose_inverse(1.0, p_);
    mechanism_.integrate_unchecked(q_.data(), d_.data(), q_middle_.data());
    q_ = q_middle_;
    v_ = velocities(mechanism_, work_, q_, p_);
    change_ += v_;
  }
  t_ += h;
}

}  // namespace amble
