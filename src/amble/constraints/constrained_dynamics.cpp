#include "amble/constraints/constrained_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"

namespace amble {

namespace {

/// Which constraints are independent, the others repeating them.
struct Independence {
  std::vector<int> pivots, redundant;
  double least = 1.0;  ///< the smallest share of a pivot that the pivots before it do not explain
};

/// From the columns of Y = L^-1 A^T (M = L L^T), each made a unit vector first, so that metres and radians weigh alike.
Independence independent_columns(Eigen::MatrixXd Y, double threshold) {
  for (Eigen::Index i = 0; i < Y.cols(); ++i)
    if (const double length = Y.col(i).norm(); length > 0.0) Y.col(i) /= length;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Y);
  Independence out;
  for (Eigen::Index i = 0; i < Y.cols(); ++i) {
    const double share = i < Y.rows() ? std::abs(qr.matrixR()(i, i)) : 0.0;
    const int row = qr.colsPermutation().indices()[i];
    (share > threshold ? out.pivots : out.redundant).push_back(row);
    if (share > threshold) out.least = std::min(out.least, share);
  }
  std::sort(out.redundant.begin(), out.redundant.end());
  return out;
}

}  // namespace

struct ConstrainedDynamics::Memory {
  Memory(const Mechanism& m, std::vector<ConstraintPtr> given, const ConstrainedOptions& o)
      : constraints(std::move(given)), options(o), kinematics(m), a(m.nv()) {
    for (std::size_t i = 0; i < constraints.size(); ++i)
      for (int k = 0; k < constraints[i]->rows(); ++k) owner.push_back({static_cast<int>(i), k});
    const int n = static_cast<int>(owner.size());
    A = OwnedRowMatrix(n, m.nv());
    gamma = violation = target = lambda = OwnedVector(n);
  }

  const Mechanism& mechanism() const { return kinematics.mechanism(); }
  int rows() const { return static_cast<int>(owner.size()); }
  void require_state() const {
    if (!set) throw Error("ConstrainedDynamics has no state yet: set_state() comes first");
  }

  void evaluate(const VectorRef& q, const VectorRef& v);
  const Eigen::MatrixXd& inertia();
  const Eigen::MatrixXd& weighted();
  const Independence& independence();
  Eigen::VectorXd wanted() const;
  Eigen::VectorXd least_change(const Eigen::VectorXd& right, Eigen::VectorXd& x);
  Eigen::VectorXd shared_force(const Eigen::VectorXd& y);
  Eigen::VectorXd by_multipliers(const VectorRef& tau, std::span<const ExternalWrench> external);
  Eigen::VectorXd by_pseudo_velocities(const VectorRef& tau, std::span<const ExternalWrench> external);
  Eigen::VectorXd by_reduced_momenta(const VectorRef& tau, std::span<const ExternalWrench> external);
  Eigen::MatrixXd null_space();
  Eigen::VectorXd particular(const Eigen::VectorXd& right);
  [[noreturn]] void throw_contradiction(const Eigen::VectorXd& residual) const;

  struct Owner {
    int constraint, row;
  };
  std::vector<ConstraintPtr> constraints;
  ConstrainedOptions options;
  ConstraintKinematics kinematics;
  std::vector<Owner> owner;
  OwnedRowMatrix A;
  OwnedVector gamma, violation, target, lambda, a;
  Eigen::MatrixXd M, Y;
  Eigen::LLT<Eigen::MatrixXd> M_factor;
  Independence rows_found;
  bool set = false, has_M = false, has_Y = false, has_rank = false;
};

ConstrainedDynamics::ConstrainedDynamics(const Mechanism& m, std::vector<ConstraintPtr> constraints,
                                         const ConstrainedOptions& options) {
  if (constraints.empty()) throw Error(fmt::format("'{}' has no constraints to work with", m.name()));
  if (!(options.damping >= 0.0)) throw Error(fmt::format("the damping of constraints is {} 1/s: expected 0 or more", options.damping));
  for (const ConstraintPtr& c : constraints)
    if (c == nullptr) throw Error("a constraint is null");
  memory_ = std::make_unique<Memory>(m, std::move(constraints), options);
}
ConstrainedDynamics::ConstrainedDynamics(ConstrainedDynamics&&) noexcept = default;
ConstrainedDynamics::~ConstrainedDynamics() = default;

const Mechanism& ConstrainedDynamics::mechanism() const { return memory_->mechanism(); }
std::span<const ConstraintPtr> ConstrainedDynamics::constraints() const { return memory_->constraints; }
int ConstrainedDynamics::rows() const { return memory_->rows(); }
const OwnedRowMatrix& ConstrainedDynamics::A() const { return memory_->A; }
const OwnedVector& ConstrainedDynamics::gamma() const { return memory_->gamma; }
const OwnedVector& ConstrainedDynamics::violation() const { return memory_->violation; }
const OwnedVector& ConstrainedDynamics::multipliers() const { return memory_->lambda; }
OwnedVector ConstrainedDynamics::velocity_error() const {
  memory_->require_state();
  return OwnedVector(memory_->A * memory_->kinematics.v() - memory_->target);
}

std::string ConstrainedDynamics::row_name(int row) const {
  const auto [constraint, k] = memory_->owner.at(row);
  return fmt::format("{}: {}", memory_->constraints[constraint]->name(), memory_->constraints[constraint]->meaning(k));
}
bool ConstrainedDynamics::holonomic(int row) const {
  const auto [constraint, k] = memory_->owner.at(row);
  return memory_->constraints[constraint]->holonomic(k);
}

// ---- the state

void ConstrainedDynamics::Memory::evaluate(const VectorRef& q, const VectorRef& v) {
  kinematics.set_state(q, v);
  violation.setZero(), target.setZero();
  int at = 0;
  for (const ConstraintPtr& c : constraints) {
    c->evaluate(kinematics, {A.data() + at * mechanism().nv(), gamma.data() + at, violation.data() + at, target.data() + at});
    at += c->rows();
  }
}

void ConstrainedDynamics::set_state(const VectorRef& q, const VectorRef& v) {
  Memory& x = *memory_;
  x.set = x.has_M = x.has_Y = x.has_rank = false;
  x.evaluate(q, v);
  x.set = true;
}

const Eigen::MatrixXd& ConstrainedDynamics::Memory::inertia() {
  require_state();
  if (has_M) return M;
  M = mass_matrix(mechanism(), kinematics.workspace(), kinematics.q());
  M_factor.compute(M);
  if (M_factor.info() != Eigen::Success) inverse_mass_matrix(mechanism(), kinematics.workspace(), kinematics.q());  // says why
  has_M = true;
  return M;
}

/// L^-1 A^T, where M = L L^T: its columns are the rows of A in the metric of M^-1.
const Eigen::MatrixXd& ConstrainedDynamics::Memory::weighted() {
  inertia();
  if (!has_Y) Y = M_factor.matrixL().solve(Eigen::MatrixXd(A.transpose()));
  has_Y = true;
  return Y;
}

const Independence& ConstrainedDynamics::Memory::independence() {
  if (!has_rank) rows_found = independent_columns(weighted(), options.redundancy);
  has_rank = true;
  return rows_found;
}

int ConstrainedDynamics::rank() const { return static_cast<int>(memory_->independence().pivots.size()); }
std::vector<int> ConstrainedDynamics::redundant_rows() const { return memory_->independence().redundant; }

/// What A a has to be: -gamma, and what brings errors back.
Eigen::VectorXd ConstrainedDynamics::Memory::wanted() const {
  const double beta = options.damping;
  Eigen::VectorXd right = -gamma;
  if (beta == 0.0) return right;
  const Eigen::VectorXd slip = A * kinematics.v() - target;
  for (int i = 0; i < rows(); ++i) {
    const bool has_phi = constraints[owner[i].constraint]->holonomic(owner[i].row);
    right[i] -= has_phi ? 2.0 * beta * slip[i] + beta * beta * violation[i] : beta * slip[i];
  }
  return right;
}

// ---- solving

void ConstrainedDynamics::Memory::throw_contradiction(const Eigen::VectorXd& residual) const {
  Eigen::Index worst = 0;
  residual.cwiseAbs().maxCoeff(&worst);
  const Owner o = owner[worst];
  throw Error(fmt::format("constraints contradict each other: '{}' ({}) cannot hold with the others, the smallest residual is "
                          "{:.3g}",
                          constraints[o.constraint]->name(), constraints[o.constraint]->meaning(o.row), residual.norm()));
}

/// The change of velocity or acceleration, least in the metric M, by which A times it is `right`: M^-1 A^T x, and the least
/// such x. Rows that are far from redundant go by Cholesky. Others go by an orthogonal decomposition of L^-1 A^T itself, so
/// that close to a singular configuration the error grows with the condition of A, not with its square.
Eigen::VectorXd ConstrainedDynamics::Memory::least_change(const Eigen::VectorXd& right, Eigen::VectorXd& x) {
  constexpr double kWell = 1e-3;
  const Eigen::MatrixXd& columns = weighted();
  Eigen::VectorXd y;
  if (independence().redundant.empty() && rows_found.least > kWell) {
    const Eigen::MatrixXd K = columns.transpose() * columns;
    x = K.llt().solve(right);
    y = columns * x;
  } else {
    Eigen::MatrixXd kept(columns.rows(), rows_found.pivots.size());
    Eigen::VectorXd wanted(rows_found.pivots.size());
    for (Eigen::Index i = 0; i < kept.cols(); ++i)
      kept.col(i) = columns.col(rows_found.pivots[i]), wanted[i] = right[rows_found.pivots[i]];
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(kept);  // kept = Q R, so y = Q R^-T wanted
    const auto R = qr.matrixQR().topRows(kept.cols()).triangularView<Eigen::Upper>();
    Eigen::VectorXd padded = Eigen::VectorXd::Zero(kept.rows());
    padded.head(kept.cols()) = R.transpose().solve(wanted);
    y = qr.householderQ() * padded;
    const Eigen::VectorXd residual = columns.transpose() * y - right;
    if (!(residual.norm() <= 1e-6 * (1.0 + right.norm()))) throw_contradiction(residual);
    x = shared_force(y);
  }
  return M_factor.matrixU().solve(y);
}

/// The least x with L^-1 A^T x = y: redundant rows share what one of them could carry.
Eigen::VectorXd ConstrainedDynamics::Memory::shared_force(const Eigen::VectorXd& y) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(options.redundancy);
  solver.compute(weighted());
  return solver.solve(y);
}

Eigen::VectorXd ConstrainedDynamics::Memory::by_multipliers(const VectorRef& tau, std::span<const ExternalWrench> external) {
  const Eigen::VectorXd free =
      forward_dynamics(mechanism(), kinematics.workspace(), kinematics.q(), kinematics.v(), tau, external);
  Eigen::VectorXd x;
  const Eigen::VectorXd change = least_change(wanted() - A * free, x);
  lambda = x;
  return free + change;
}

Eigen::MatrixXd ConstrainedDynamics::Memory::null_space() {
  const int nv = mechanism().nv(), rank = static_cast<int>(independence().pivots.size());
  Eigen::MatrixXd rows(nv, rank);
  for (int i = 0; i < rank; ++i) rows.col(i) = A.row(rows_found.pivots[i]).transpose();
  const Eigen::MatrixXd Q = rows.householderQr().householderQ() * Eigen::MatrixXd::Identity(nv, nv);
  return Q.rightCols(nv - rank);
}

/// Some acceleration with A a = right.
Eigen::VectorXd ConstrainedDynamics::Memory::particular(const Eigen::VectorXd& right) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(options.redundancy);
  solver.compute(Eigen::MatrixXd(A));
  const Eigen::VectorXd a = solver.solve(right), residual = A * a - right;
  if (!(residual.norm() <= 1e-6 * (1.0 + right.norm()))) throw_contradiction(residual);
  return a;
}

/// a = a0 + S y with A a0 = -gamma: S^T M S y = S^T (tau - bias - M a0), ZB (22) with a0 in the place of (dS/dt) sigma.
Eigen::VectorXd ConstrainedDynamics::Memory::by_pseudo_velocities(const VectorRef& tau,
                                                                  std::span<const ExternalWrench> external) {
  inertia();
  const Eigen::MatrixXd S = null_space();
  const Eigen::VectorXd a0 = particular(wanted());
  const Eigen::VectorXd needed =
      inverse_dynamics(mechanism(), kinematics.workspace(), kinematics.q(), kinematics.v(), a0, external);
  const Eigen::MatrixXd reduced = S.transpose() * M * S;
  const Eigen::VectorXd y = reduced.llt().solve(S.transpose() * (tau - needed));
  return a0 + S * y;
}

/// Momenta that the constraints allow are p = S alpha with S = M Z, A Z = 0, so A M^-1 S = 0; S^T M^-1 = Z^T takes the
/// multipliers out of dp/dt = pdot + A^T lambda, DS (2.103), (2.104), where pdot is that of the free mechanism.
Eigen::VectorXd ConstrainedDynamics::Memory::by_reduced_momenta(const VectorRef& tau,
                                                                std::span<const ExternalWrench> external) {
  const Mechanism& m = mechanism();
  const OwnedVector q(kinematics.q()), v(kinematics.v());
  const Eigen::MatrixXd inertia_here = inertia(), Z = null_space();
  const Eigen::VectorXd right = wanted(), p = inertia_here * v;
  const Eigen::VectorXd pdot = hamiltonian_rates(m, kinematics.workspace(), q, p, tau, external).pdot;
  // dp/dt = dM/dt v + M a with a = a0 + Z y: what is left of Z^T dp/dt = Z^T pdot is y.
  const Eigen::VectorXd M_rate_v = slope_at_zero([&](double t) -> Eigen::VectorXd {
    return mass_matrix(m, kinematics.workspace(), m.integrate(q, t * v)) * v;
  });
  const Eigen::VectorXd a0 = particular(right);
  const Eigen::MatrixXd reduced = Z.transpose() * inertia_here * Z;
  const Eigen::VectorXd y = reduced.llt().solve(Z.transpose() * (pdot - M_rate_v - inertia_here * a0));
  return a0 + Z * y;
}

const OwnedVector& ConstrainedDynamics::accelerations(const VectorRef& tau, std::span<const ExternalWrench> external,
                                                      ConstraintMethod method) {
  Memory& x = *memory_;
  x.require_state();
  switch (method) {
    case ConstraintMethod::multipliers: x.a = x.by_multipliers(tau, external); return x.a;
    case ConstraintMethod::pseudo_velocities: x.a = x.by_pseudo_velocities(tau, external); break;
    case ConstraintMethod::reduced_momenta: x.a = x.by_reduced_momenta(tau, external); break;
  }
  // The forces that hold the constraints are what the motion needs beyond tau.
  const OwnedVector q(x.kinematics.q()), v(x.kinematics.v());
  const Eigen::VectorXd needed = inverse_dynamics(x.mechanism(), x.kinematics.workspace(), q, v, x.a, external);
  x.inertia();
  x.lambda = x.shared_force(x.M_factor.matrixL().solve(needed - tau));
  return x.a;
}

OwnedVector ConstrainedDynamics::project_velocity(const VectorRef& v) {
  Memory& x = *memory_;
  x.mechanism().check_velocity(v, "v");
  x.require_state();
  Eigen::VectorXd impulse;
  return OwnedVector(v - x.least_change(x.A * v - x.target, impulse));
}

void ConstrainedDynamics::project_state(OwnedVector& q, OwnedVector& v, double tolerance) {
  constexpr int kMostSteps = 20;
  Memory& x = *memory_;
  set_state(q, v);
  double smallest = x.violation.cwiseAbs().maxCoeff();
  for (int i = 0; smallest > tolerance; ++i) {
    Eigen::VectorXd force;
    const OwnedVector moved = x.mechanism().integrate(q, -x.least_change(x.violation, force));
    set_state(moved, v);
    const double left = x.violation.cwiseAbs().maxCoeff();
    if (!(left < smallest) || i == kMostSteps) {
      if (smallest <= 100.0 * tolerance) break;  // as near as rounding lets it
      throw Error(fmt::format("the configuration of '{}' is too far from its constraints to be projected: the smallest residual "
                              "is {:.3g}; assemble() starts from anywhere",
                              x.mechanism().name(), smallest));
    }
    q = moved, smallest = left;
  }
  set_state(q, v);
  v = project_velocity(v);
  set_state(q, v);
}

OwnedMatrix ConstrainedDynamics::projector() {
  Memory& x = *memory_;
  const Eigen::MatrixXd Z = x.null_space(), M = x.inertia();
  const Eigen::MatrixXd reduced = Z.transpose() * M * Z;
  return OwnedMatrix(Z * reduced.llt().solve(Z.transpose() * M));
}

OwnedMatrix ConstrainedDynamics::basis() const { return OwnedMatrix(memory_->null_space()); }

std::vector<ConstraintPtr> loop_constraints(const Mechanism& m) {
  std::vector<ConstraintPtr> out;
  for (int i = 0; i < static_cast<int>(m.loops().size()); ++i) out.push_back(loop_constraint(m, i));
  return out;
}

}  // namespace amble
