#include "amble/walkers/mechanism_phase.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/walkers/mechanism_lanes.hpp"

namespace amble {

namespace {

using Eigen::VectorXd, Eigen::MatrixXd;
using RowMap = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

Eigen::Map<const VectorXd> part(const double* x, int start, int size) { return {x + start, size}; }

void check_sizes(const Mechanism& full, const MechanismPhaseSpec& s) {
  if (full.nq() != full.nv() || s.stance.nq() != s.stance.nv())
    throw Error(
        fmt::format("walker '{}': every coordinate has to be that of a joint with one axis", full.name()));
  if (s.embed.rows() != full.nv() || s.embed.cols() != s.stance.nv() || s.offset.size() != full.nv() ||
      s.relabel.cols() != full.nv() || s.relabel.rows() != s.shift.size())
    throw Error(fmt::format("phase '{}' of walker '{}': its maps to and from the full mechanism do not fit",
                            s.name, full.name()));
}

}  // namespace

MechanismPhase::MechanismPhase(const Mechanism& full, MechanismPhaseSpec spec, bool planar)
    : full_((check_sizes(full, spec), full)),
      weightless_(with_gravity(full, Vector3<double>::Zero())),
      spec_(std::move(spec)),
      planar_(planar),
      m_(spec_.stance.nv()),
      work_(spec_.stance),
      full_work_(full_),
      weightless_work_(weightless_),
      swing_(spec_.stance.place(spec_.swing_foot.place)),
      stance_(spec_.stance.place(spec_.stance_foot.place)),
      always_(spec_.passing.size() == 0),
      tau_(m_),
      zero_(full_.nv()) {}

// ---- between events

void MechanismPhase::joint_forces(const double* x) {
  const auto q = part(x, 0, m_), v = part(x, m_, m_);
  const Mechanism& s = spec_.stance;
  tau_ = -s.stiffness().cwiseProduct(q - s.spring_reference()) - s.damping().cwiseProduct(v);
}

void MechanismPhase::acceleration(const double* x, double* a, Derivative da) {
  joint_forces(x);
  const auto q = part(x, 0, m_), v = part(x, m_, m_);
  if (da == nullptr) {
    Eigen::Map<VectorXd>(a, m_) = forward_dynamics(spec_.stance, work_, q, v, tau_);
    return;
  }
  const ForwardDynamicsDerivatives d = forward_dynamics_derivatives(spec_.stance, work_, q, v, tau_);
  RowMap out(da, m_, 2 * m_);
  const MatrixXd inverse = d.M_inverse;
  out.leftCols(m_) = d.dq;
  out.rightCols(m_) = d.dv;
  out.leftCols(m_) -= inverse * spec_.stance.stiffness().asDiagonal();
  out.rightCols(m_) -= inverse * spec_.stance.damping().asDiagonal();
  Eigen::Map<VectorXd>(a, m_) = d.a;
}

void MechanismPhase::forced_acceleration(const double* x, const VectorRef& forces, double* a) {
  joint_forces(x);
  tau_ += forces;
  Eigen::Map<VectorXd>(a, m_) = forward_dynamics(spec_.stance, work_, part(x, 0, m_), part(x, m_, m_), tau_);
}

OwnedVector MechanismPhase::full_configuration(const double* x) const {
  return spec_.embed * part(x, 0, m_) + spec_.offset;
}
OwnedVector MechanismPhase::full_velocity(const double* x) const { return spec_.embed * part(x, m_, m_); }

std::unique_ptr<LanePhase> MechanismPhase::in_lanes() const {
  if (spec_.next_foot) return nullptr;  // angles of a foot in space are found one by one
  return mechanism_lanes(full_, spec_, planar_, drop_);
}

// ---- events

double MechanismPhase::coordinate(int i, const double* x) const {
  return spec_.embed.row(i).dot(part(x, 0, m_)) + spec_.offset[i];
}

Vector3<double> MechanismPhase::position(const Place& place, const double* x) {
  return forward_kinematics(spec_.stance, work_, part(x, 0, m_))[place.link] * place.X_LP.translation();
}

double MechanismPhase::clearance(const double* x) {
  return position(swing_, x).z() - spec_.swing_foot.radius + drop_;
}

double MechanismPhase::reach(const double* x) { return position(swing_, x).x() - position(stance_, x).x(); }

/// The rear foot is where the stance foot was at the strike; since its own strike it has rolled by its radius
/// times what the lean of a stance leg changes in a step.
double MechanismPhase::advance_at_start(const double* x, Derivative dq) {
  const auto q = part(x, 0, m_);
  const auto lean = [&](const Place& place) {
    const Matrix3<double> R =
        (forward_kinematics(spec_.stance, work_, q)[place.link] * place.X_LP).rotation().matrix();
    return std::atan2(-R(0, 2), R(2, 2));  // about -y
  };
  if (dq != nullptr) {
    const auto row = [&](const FootContact& foot) {
      return Eigen::RowVectorXd(contact_rows(foot, MatrixXd(jacobian(spec_.stance, work_, q, foot.place,
                                                                     {.frame = JacobianFrame::aligned})))
                                    .row(0));
    };
    Eigen::Map<Eigen::RowVectorXd>(dq, m_) = row(spec_.stance_foot) - row(spec_.swing_foot);
  }
  return spec_.stance_foot.radius * (lean(stance_) - lean(swing_)) - reach(x);
}

double MechanismPhase::width(const double* x) {
  return std::abs(position(swing_, x).y() - position(stance_, x).y());
}

double MechanismPhase::guard(const double* x, Derivative dguard) {
  if (dguard != nullptr) {
    std::fill(dguard, dguard + 2 * m_, 0.0);
    Eigen::Map<Eigen::RowVectorXd> dq(dguard, m_);
    if (spec_.stop)
      dq = (spec_.stop_rises ? -1.0 : 1.0) * spec_.embed.row(*spec_.stop);
    else
      dq = jacobian(spec_.stance, work_, part(x, 0, m_), spec_.swing_foot.place,
                    {.frame = JacobianFrame::aligned})
               .row(2);
  }
  if (!spec_.stop) return clearance(x);
  const double left = spec_.stop_at - coordinate(*spec_.stop, x);
  return spec_.stop_rises ? left : -left;
}

bool MechanismPhase::counts(const double* x) const {
  return always_ || spec_.passing.dot(spec_.embed * part(x, 0, m_) + spec_.offset) > spec_.passed;
}

int MechanismPhase::failures() const {
  return static_cast<int>(spec_.bounds.size()) + (spec_.detect_scuffing ? 1 : 0);
}

void MechanismPhase::failure_values(const double* x, double* values) {
  for (const MechanismPhaseSpec::Bound& bound : spec_.bounds) {
    const double at = coordinate(bound.coordinate, x);
    *values++ = std::min(at - bound.lower, bound.upper - at);
  }
  if (spec_.detect_scuffing) *values = !spec_.stop && counts(x) ? 1.0 : clearance(x);
}

std::string MechanismPhase::failure_name(int failure) const {
  return failure < static_cast<int>(spec_.bounds.size()) ? spec_.bounds[failure].failure
                                                         : "scuffs the floor with the swing foot";
}

// ---- strikes

/// Velocity of the part of the foot that touches the floor: v + omega x (-r n) with n = z.
OwnedMatrix MechanismPhase::contact_rows(const FootContact& foot, const MatrixXd& J) const {
  MatrixXd rows(planar_ ? 2 : 3, J.cols());
  rows.row(0) = J.row(0) - foot.radius * J.row(4);
  if (!planar_) rows.row(1) = J.row(1) + foot.radius * J.row(3);
  rows.bottomRows(1) = J.row(2);
  return rows;
}

OwnedMatrix MechanismPhase::foot_rows(const FootContact& foot, const VectorRef& q) {
  return contact_rows(
      foot, MatrixXd(jacobian(full_, full_work_, q, foot.place, {.frame = JacobianFrame::aligned})));
}

OwnedMatrix MechanismPhase::foot_row_rates(const FootContact& foot, const VectorRef& q, const VectorRef& v) {
  return contact_rows(
      foot, MatrixXd(jacobian_dot(full_, full_work_, q, v, foot.place, {.frame = JacobianFrame::aligned})));
}

OwnedMatrix MechanismPhase::strike_rows(const VectorRef& q) {
  const int feet = rows_of_feet(), held = static_cast<int>(spec_.strike.held.size()), each = planar_ ? 2 : 3;
  MatrixXd J = MatrixXd::Zero(feet + held, full_.nv());
  for (int i = 0; i * each < feet; ++i) J.middleRows(i * each, each) = foot_rows(spec_.strike.feet[i], q);
  for (int i = 0; i < held; ++i) J(feet + i, spec_.strike.held[i]) = 1.0;
  return J;
}

MechanismPhase::Impulse MechanismPhase::strike(const VectorRef& q, const VectorRef& v) {
  const int n = full_.nv();
  const MatrixXd M = amble::mass_matrix(full_, full_work_, q);
  const OwnedMatrix J = strike_rows(q);
  const int rows = static_cast<int>(J.rows());
  MatrixXd K = MatrixXd::Zero(n + rows, n + rows);
  K.topLeftCorner(n, n) = M;
  K.topRightCorner(n, rows) = -J.transpose();
  K.bottomLeftCorner(rows, n) = J;
  VectorXd right = VectorXd::Zero(n + rows);
  right.head(n) = M * v;
  const VectorXd solution = K.partialPivLu().solve(right);
  return {solution.head(n), solution.tail(rows), J};
}

/// Of v+ in (q, v-), n x 2n. The conditions of the strike differentiated: M dv+ - J^T dp = M dv- - d(M) (v+ -
/// v-) + d(J)^T p and J dv+ = -d(J) v+.
OwnedMatrix MechanismPhase::strike_derivative(const VectorRef& q, const VectorRef& v,
                                              const Impulse& impulse) {
  const int n = full_.nv(), rows = static_cast<int>(impulse.J.rows()), each = planar_ ? 2 : 3;
  const MatrixXd M = amble::mass_matrix(full_, full_work_, q);
  MatrixXd K = MatrixXd::Zero(n + rows, n + rows), right = MatrixXd::Zero(n + rows, 2 * n);
  K.topLeftCorner(n, n) = M;
  K.topRightCorner(n, rows) = -impulse.J.transpose();
  K.bottomLeftCorner(rows, n) = impulse.J;
  right.topRightCorner(n, n) = M;
  // Without weight and at rest, inverse dynamics of the accelerations w is M w.
  const VectorXd change = impulse.after - v;
  right.topLeftCorner(n, n) =
      -inverse_dynamics_derivatives(weightless_, weightless_work_, q, zero_, change).dq.matrix();
  for (int k = 0; k < n; ++k) {
    const VectorXd along = VectorXd::Unit(n, k);
    for (int i = 0; i * each < rows_of_feet(); ++i) {
      const OwnedMatrix dJ = foot_row_rates(spec_.strike.feet[i], q, along);
      right.col(k).head(n) += dJ.transpose() * impulse.impulse.segment(i * each, each);
      right.col(k).segment(n + i * each, each) = -dJ * impulse.after;
    }
  }
  return K.partialPivLu().solve(right).topRows(n);
}

double MechanismPhase::turn(const double* x) {
  if (!spec_.next_foot || !spec_.next_foot->any_heading) return 0.0;
  const OwnedVector q = full_configuration(x);
  return foot_angles(full_, full_work_, q, zero_, spec_.next_foot->place, false, false).angles[0];
}

double MechanismPhase::reset(const double* x, double* next, Derivative dnext) {
  const OwnedVector q = full_configuration(x), v = full_velocity(x);
  const Impulse impulse = strike(q, v);
  const int k = static_cast<int>(spec_.relabel.rows());
  Eigen::Map<VectorXd>(next, k) = spec_.relabel * q + spec_.shift;
  Eigen::Map<VectorXd>(next + k, k) = spec_.relabel * impulse.after;
  std::optional<FootAngles> foot;
  if (spec_.next_foot) {
    foot = foot_angles(full_, full_work_, q, impulse.after, spec_.next_foot->place, spec_.next_foot->mirrored,
                       dnext != nullptr);
    if (spec_.next_foot->any_heading) foot->angles[0] = 0.0;
    Eigen::Map<VectorXd>(next, 3) = foot->angles;
    Eigen::Map<VectorXd>(next + k, 3) = foot->rates;
  }
  if (dnext != nullptr) {
    RowMap out(dnext, 2 * k, 2 * m_);
    const int n = full_.nv();
    const MatrixXd strike = strike_derivative(q, v, impulse);
    MatrixXd configurations = spec_.relabel, after = spec_.relabel * strike;
    if (foot) {
      configurations.topRows(3) = foot->J;
      if (spec_.next_foot->any_heading) configurations.row(0).setZero();
      after.topRows(3) = foot->J * strike;
      after.topLeftCorner(3, n) += foot->drates;
    }
    out.setZero();
    out.topLeftCorner(k, m_) = configurations * spec_.embed;
    out.bottomLeftCorner(k, m_) = after.leftCols(n) * spec_.embed;
    out.bottomRightCorner(k, m_) = after.rightCols(n) * spec_.embed;
  }
  // What the impulses took, each times the mean of its velocity before and after, which is zero: DS (3.45).
  return -0.5 * impulse.impulse.dot(impulse.J * v);
}

// ---- figures

double MechanismPhase::kinetic_energy(const double* x) {
  return amble::kinetic_energy(spec_.stance, work_, part(x, 0, m_), part(x, m_, m_));
}

double MechanismPhase::height_energy(const double* x) {
  return amble::potential_energy(spec_.stance, work_, part(x, 0, m_));
}

double MechanismPhase::potential_energy(const double* x) {
  const VectorXd stretch = part(x, 0, m_) - spec_.stance.spring_reference();
  return height_energy(x) +
         0.5 * stretch.cwiseAbs2().dot(spec_.stance.stiffness().matrix());
}

bool MechanismPhase::mass_matrix(const double* x, double* M) {
  RowMap(M, m_, m_) = amble::mass_matrix(spec_.stance, work_, part(x, 0, m_));
  return true;
}

StepPhase::Powers MechanismPhase::powers(const double* x) {
  const auto q = part(x, 0, m_), v = part(x, m_, m_);
  const Mechanism& s = spec_.stance;
  const VectorXd springs = s.stiffness().cwiseProduct(q - s.spring_reference());
  return {-gravity_forces(s, work_, q).dot(v), -springs.dot(v), -s.damping().cwiseProduct(v).dot(v)};
}

Vector3<double> MechanismPhase::ground_force(const double* x, const double* a) {
  const OwnedVector q = full_configuration(x), v = full_velocity(x);
  const OwnedVector forces = inverse_dynamics(full_, full_work_, q, v, spec_.embed * part(a, 0, m_));
  // The first coordinates of a full walker are where its foot is: their forces are the floor's.
  return planar_ ? Vector3<double>(forces[0], 0.0, forces[1]) : Vector3<double>(forces.head<3>());
}

MechanismPhase::GroundForce MechanismPhase::ground_force_derivatives(const double* x, const double* a) {
  const OwnedVector q = full_configuration(x), v = full_velocity(x), all = spec_.embed * part(a, 0, m_);
  const int rows = planar_ ? 2 : 3;
  GroundForce out{.force = inverse_dynamics(full_, full_work_, q, v, all).head(rows)};
  const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(full_, full_work_, q, v, all);
  out.by_q = d.dq.topRows(rows) * spec_.embed;
  out.by_v = d.dv.topRows(rows) * spec_.embed;
  out.by_a = d.M.topRows(rows) * spec_.embed;
  return out;
}

MechanismPhase::StrikeReport MechanismPhase::strike_report(const double* x) {
  const OwnedVector q = full_configuration(x), v = full_velocity(x);
  const Impulse impulse = strike(q, v);
  const auto in_space = [&](const VectorXd& rows) {
    return planar_ ? Vector3<double>(rows[0], 0.0, rows[1]) : Vector3<double>(rows[0], rows[1], rows[2]);
  };
  StrikeReport report;
  const int each = planar_ ? 2 : 3;
  for (std::size_t i = 0; i < spec_.strike.feet.size(); ++i)
    report.impulses.push_back(in_space(impulse.impulse.segment(static_cast<int>(i) * each, each)));
  report.held = impulse.impulse.tail(static_cast<Eigen::Index>(spec_.strike.held.size()));
  report.stance_velocity = in_space(foot_rows(spec_.stance_foot, q) * impulse.after);
  return report;
}

}  // namespace amble
