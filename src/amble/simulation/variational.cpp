#include "amble/simulation/variational.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
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

bool is_identity(const Matrix6<double>& S, int size) {
  return S.topLeftCorner(size, size).isIdentity(0.0);
}

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
      throw Error(fmt::format("custom joint '{}' does not move at a constant velocity along its own coordinates: the "
                              "variational integrator needs that",
                              joint.name));
    out.push_back(i);
  }
  return out;
}

}  // namespace

struct VariationalIntegrator::Memory {
  Memory(const Mechanism& m, double h, Drive given)
      : mechanism(m),
        work(m),
        drive(std::move(given)),
        h(h),
        turning(turning_joints(m)),
        q(m.nq()),
        q_middle(m.nq()),
        v(m.nv()),
        p(m.nv()),
        d(m.nv()),
        half(m.nv()),
        speed(m.nv()),
        force(m.nv()),
        pulled(m.nv()),
        w(m.nv()),
        residual(m.nv()) {}

  /// x = S(scale d)^T x, or its inverse.
  void transpose(double scale, OwnedVector& x) const;
  void transpose_inverse(double scale, OwnedVector& x) const;
  void evaluate_middle();
  void solve_for_d();

  Mechanism mechanism;
  Workspace work;
  Drive drive;
  double h, t = 0.0;
  std::vector<int> turning;
  OwnedVector q, q_middle, v, p, d, half, speed, force, pulled, w, residual;
  bool set = false;
};

VariationalIntegrator::VariationalIntegrator(const Mechanism& m, double step, Drive drive) {
  if (!(step > 0.0) || !std::isfinite(step))
    throw Error(fmt::format("a step of {} s is asked for: expected more than 0", step));
  memory_ = std::make_unique<Memory>(m, step, std::move(drive));
}
VariationalIntegrator::VariationalIntegrator(VariationalIntegrator&&) noexcept = default;
VariationalIntegrator::~VariationalIntegrator() = default;

double VariationalIntegrator::t() const { return memory_->t; }
const OwnedVector& VariationalIntegrator::q() const { return memory_->q; }
const OwnedVector& VariationalIntegrator::v() const { return memory_->v; }

void VariationalIntegrator::set_state(double t, const VectorRef& q, const VectorRef& v) {
  Memory& x = *memory_;
  if (!std::isfinite(t)) throw Error(fmt::format("the time is {}", t));
  x.mechanism.check_configuration(q, x.q);
  x.mechanism.check_velocity(v, "v");
  x.t = t, x.v = v;
  x.p = momenta(x.mechanism, x.work, x.q, x.v);
  x.set = true;
}

void VariationalIntegrator::Memory::transpose(double scale, OwnedVector& x) const {
  for (const int i : turning) {
    const Joint& joint = mechanism.joints()[i];
    auto part = x.segment(joint.v.start, joint.v.size);
    Vector6<double> out = Vector6<double>::Zero();
    out.head(joint.v.size) = part;
    out = local_jacobian(joint, q, d, scale).transpose() * out;
    part = out.head(joint.v.size);
  }
}

void VariationalIntegrator::Memory::transpose_inverse(double scale, OwnedVector& x) const {
  for (const int i : turning) {
    const Joint& joint = mechanism.joints()[i];
    auto part = x.segment(joint.v.start, joint.v.size);
    Vector6<double> out = Vector6<double>::Zero();
    out.head(joint.v.size) = part;
    out = local_jacobian(joint, q, d, scale).transpose().partialPivLu().solve(out).eval();
    part = out.head(joint.v.size);
  }
}

/// The midpoint for the present d, its momentum M d/h, and the force there: dL/dq and what the drive gives.
void VariationalIntegrator::Memory::evaluate_middle() {
  half = 0.5 * d, speed = d / h;
  mechanism.integrate_unchecked(q.data(), half.data(), q_middle.data());
  force.setZero();
  if (drive) drive(t + 0.5 * h, q_middle, speed, force);
  force += kinetic_energy_gradient(mechanism, work, q_middle, speed);
  force -= gravity_forces(mechanism, work, q_middle);
  w = momenta(mechanism, work, q_middle, speed);
}

/// With dd = S(d)^-1 dq1 - S(-d)^-1 dq0 and dq_middle = Ad dq0 + S(d/2) dd / 2, where Ad = S(d/2) S(-d/2)^-1, the discrete
/// action gives p0 = S(-d)^-T w - h Ad^T force and p1 = S(d)^-T w, w = M d/h + h/2 S(d/2)^T force. Leaves w there.
void VariationalIntegrator::Memory::solve_for_d() {
  constexpr int kMost = 100;
  constexpr double kRounding = 4e-16;
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMost; ++i) {
    evaluate_middle();
    pulled = force;
    transpose(0.5, pulled);
    w += 0.5 * h * pulled;
    residual = w;
    transpose_inverse(-1.0, residual);
    transpose_inverse(-0.5, pulled);
    residual = p - residual + h * pulled;
    if (!residual.allFinite()) break;
    residual = h * velocities(mechanism, work, q_middle, residual);
    d += residual;
    const double change = residual.cwiseAbs().maxCoeff(), size = d.cwiseAbs().maxCoeff();
    if (change <= kRounding * size || (change < 1e-12 * (1.0 + size) && change >= 0.5 * before)) return;
    if (!(size < 1e100)) break;
    before = change;
  }
  throw Error(fmt::format("a step of {} s at {} s is too long for the variational integrator: its equations have no "
                          "solution nearby; take shorter steps",
                          h, t));
}

void VariationalIntegrator::step() {
  Memory& x = *memory_;
  if (!x.set) throw Error("the integrator has no state yet: set_state() comes first");
  if (x.mechanism.nv() == 0) {
    x.t += x.h;
    return;
  }
  x.d = x.h * x.v;
  x.solve_for_d();
  x.p = x.w;
  x.transpose_inverse(1.0, x.p);
  x.mechanism.integrate_unchecked(x.q.data(), x.d.data(), x.q_middle.data());
  x.q = x.q_middle;
  x.v = velocities(x.mechanism, x.work, x.q, x.p);
  x.t += x.h;
}

void VariationalIntegrator::run(long steps) {
  for (long i = 0; i < steps; ++i) step();
}

}  // namespace amble
