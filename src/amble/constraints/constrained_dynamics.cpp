#include "amble/constraints/constrained_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/constraints/mass_factor.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/constraints/row_space.hpp"
#include "amble/constraints/sliding_constraint.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"

namespace amble {

namespace {

using Vector = Eigen::VectorXd;

}  // namespace

struct ConstrainedDynamics::Memory {
  Memory(const Mechanism& m, std::vector<ConstraintPtr> given, const ConstrainedOptions& o)
      : constraints(std::move(given)),
        options(o),
        kinematics(m),
        owner(owners(constraints)),
        A(owner.size(), m.nv()),
        gamma(owner.size()),
        violation(owner.size()),
        target(owner.size()),
        lambda(owner.size()),
        a(m.nv()),
        factor(m),
        Y(Eigen::MatrixXd::Zero(m.nv(), owner.size())),
        in_A(owner.size()),
        in_Y(owner.size()),
        space(m.nv(), rows()),
        right(owner.size()),
        left(owner.size()),
        x(owner.size()),
        y(m.nv()),
        change(m.nv()),
        given(constraints.size(), nullptr) {
    for (const ConstraintPtr& c : constraints) {
      sliding.push_back(dynamic_cast<const SlidingConstraint*>(c.get()));
      own_forces |= sliding.back() != nullptr;
    }
    if (!own_forces) return;
    B = OwnedRowMatrix(owner.size(), m.nv());
    Z = Eigen::MatrixXd::Zero(m.nv(), owner.size());
    answer = Eigen::MatrixXd(owner.size(), owner.size());
    lu = Eigen::PartialPivLU<Eigen::MatrixXd>(owner.size());
  }

  struct Owner {
    int constraint, row;
  };
  static std::vector<Owner> owners(const std::vector<ConstraintPtr>& constraints) {
    std::vector<Owner> out;
    for (std::size_t i = 0; i < constraints.size(); ++i)
      for (int k = 0; k < constraints[i]->rows(); ++k) out.push_back({static_cast<int>(i), k});
    return out;
  }

  const Mechanism& mechanism() const { return kinematics.mechanism(); }
  int rows() const { return static_cast<int>(owner.size()); }
  void require_state() const {
    if (!set) throw Error("ConstrainedDynamics has no state yet: set_state() comes first");
  }

  void evaluate(const VectorRef& q, const VectorRef& v);
  void factor_inertia();
  Eigen::MatrixXd inertia();
  RowSpace& row_space();
  void want();
  void least_change();
  double times(int row, const OwnedVector& v) const { return in_A[row].of(A.row(row)).dot(in_A[row].of(v)); }
  void by_multipliers(const VectorRef& tau, std::span<const ExternalWrench> external);
  void own_change();
  Vector by_pseudo_velocities(const VectorRef& tau, std::span<const ExternalWrench> external);
  Vector by_reduced_momenta(const VectorRef& tau, std::span<const ExternalWrench> external);
  void force_of(const Vector& needed);
  Eigen::MatrixXd null_space();
  Vector particular();
  [[noreturn]] void throw_contradiction(const Vector& residual) const;

  std::vector<ConstraintPtr> constraints;
  ConstrainedOptions options;
  ConstraintKinematics kinematics;
  std::vector<Owner> owner;
  OwnedRowMatrix A;
  OwnedVector gamma, violation, target, lambda, a;
  MassFactor factor;  // M = U U^T
  Eigen::MatrixXd Y;  // U^-1 A^T: its columns are the rows of A in the metric of M^-1
  std::vector<Support> in_A, in_Y;  // of the rows of A and the columns of Y: a row touches few joints
  RowSpace space;
  Vector right, left;  // what A times something has to be, and what it misses
  Vector x, y, change;
  std::vector<const double*> given;                // for each constraint
  std::vector<const SlidingConstraint*> sliding;  // for each constraint, null for others
  bool own_forces = false;
  OwnedRowMatrix B;
  Eigen::MatrixXd Z, answer;  // U^-1 B^T, and A M^-1 B^T
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  bool set = false, has_factor = false, has_space = false;
};

ConstrainedDynamics::ConstrainedDynamics(const Mechanism& m, std::vector<ConstraintPtr> constraints,
                                         const ConstrainedOptions& options) {
  if (constraints.empty()) throw Error(fmt::format("'{}' has no constraints to work with", m.name()));
  if (!(options.damping >= 0.0))
    throw Error(fmt::format("the damping of constraints is {} 1/s: expected 0 or more", options.damping));
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
const OwnedRowMatrix& ConstrainedDynamics::force_rows() const { return memory_->own_forces ? memory_->B : memory_->A; }
void ConstrainedDynamics::set_given(int constraint, const double* numbers) { memory_->given.at(constraint) = numbers; }
const OwnedVector& ConstrainedDynamics::gamma() const { return memory_->gamma; }
const OwnedVector& ConstrainedDynamics::violation() const { return memory_->violation; }
const OwnedVector& ConstrainedDynamics::multipliers() const { return memory_->lambda; }
OwnedVector ConstrainedDynamics::velocity_error() const {
  memory_->require_state();
  return OwnedVector(memory_->A * memory_->kinematics.v() - memory_->target);
}

std::string ConstrainedDynamics::row_name(int row) const {
  const auto [constraint, k] = memory_->owner.at(row);
  return fmt::format("{}: {}", memory_->constraints[constraint]->name(),
                     memory_->constraints[constraint]->meaning(k));
}
bool ConstrainedDynamics::holonomic(int row) const {
  const auto [constraint, k] = memory_->owner.at(row);
  return memory_->constraints[constraint]->holonomic(k);
}

// ---- the state

void ConstrainedDynamics::Memory::evaluate(const VectorRef& q, const VectorRef& v) {
  kinematics.set_state(q, v);
  violation.setZero(), target.setZero();
  const int nv = mechanism().nv();
  int at = 0;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& c = *constraints[i];
    c.evaluate(kinematics, {A.data() + at * nv, gamma.data() + at, violation.data() + at, target.data() + at});
    if (sliding[i] != nullptr)
      sliding[i]->put_force_rows(kinematics, given[i], B.data() + at * nv);
    else if (own_forces)
      std::copy_n(A.data() + at * nv, c.rows() * nv, B.data() + at * nv);
    at += c.rows();
  }
  for (int i = 0; i < rows(); ++i) in_A[i] = support_of(A.data() + i * A.cols(), static_cast<int>(A.cols()));
}

void ConstrainedDynamics::set_time(double t) { memory_->kinematics.set_time(t); }

void ConstrainedDynamics::set_state(const VectorRef& q, const VectorRef& v) {
  Memory& x = *memory_;
  x.set = x.has_factor = x.has_space = false;
  x.evaluate(q, v);
  x.set = true;
}

void ConstrainedDynamics::Memory::factor_inertia() {
  require_state();
  if (has_factor) return;
  if (!factor.compute(mass_matrix(mechanism(), kinematics.workspace(), kinematics.q())))
    inverse_mass_matrix(mechanism(), kinematics.workspace(), kinematics.q());  // says why
  has_factor = true;
}

Eigen::MatrixXd ConstrainedDynamics::Memory::inertia() {
  require_state();
  return mass_matrix(mechanism(), kinematics.workspace(), kinematics.q());
}

RowSpace& ConstrainedDynamics::Memory::row_space() {
  factor_inertia();
  if (has_space) return space;
  for (int i = 0; i < rows(); ++i) {
    in_Y[i].of(Y.col(i)).setZero();
    in_Y[i] = in_A[i];
    in_Y[i].of(Y.col(i)) = in_A[i].of(A.row(i));
    factor.solve_inward(Y.col(i).data(), in_Y[i]);
  }
  space.compute(Y, in_Y, options.redundancy);
  has_space = true;
  return space;
}

int ConstrainedDynamics::rank() const { return static_cast<int>(memory_->row_space().independent().size()); }
std::vector<int> ConstrainedDynamics::redundant_rows() const { return memory_->row_space().redundant(); }
double ConstrainedDynamics::regularity(OwnedVector& longest) const {
  const RowSpace& space = memory_->row_space();
  longest = longest.cwiseMax(space.lengths());
  double shrunken = 1.0;
  for (int i : space.independent()) shrunken = std::min(shrunken, space.lengths()[i] / longest[i]);
  return shrunken * space.least_share();
}

/// Puts what A a has to be into `right`: -gamma, and what brings errors back.
void ConstrainedDynamics::Memory::want() {
  const double beta = options.damping;
  right = -gamma;
  if (beta == 0.0) return;
  for (int i = 0; i < rows(); ++i) {
    const bool has_phi = constraints[owner[i].constraint]->holonomic(owner[i].row);
    const double slip = times(i, kinematics.v()) - target[i];
    right[i] -= has_phi ? 2.0 * beta * slip + beta * beta * violation[i] : beta * slip;
  }
}

// ---- solving

void ConstrainedDynamics::Memory::throw_contradiction(const Vector& residual) const {
  Eigen::Index worst = 0;
  residual.cwiseAbs().maxCoeff(&worst);
  const Owner o = owner[worst];
  throw Error(fmt::format(
      "constraints contradict each other: '{}' ({}) cannot hold with the others, the smallest residual is "
      "{:.3g}",
      constraints[o.constraint]->name(), constraints[o.constraint]->meaning(o.row), residual.norm()));
}

/// Puts the change of velocity or acceleration, least in the metric M, by which A times it is `right` into `change`:
/// it is M^-1 A^T x, with the least such x.
void ConstrainedDynamics::Memory::least_change() {
  row_space().reach(right, y);
  for (int i = 0; i < rows(); ++i) left[i] = in_Y[i].of(Y.col(i)).dot(in_Y[i].of(y)) - right[i];
  if (!(left.norm() <= 1e-6 * (1.0 + right.norm()))) throw_contradiction(left);
  space.shares(y, x);
  change = y;
  factor.solve_outward(change.data());
}

void ConstrainedDynamics::Memory::by_multipliers(const VectorRef& tau, std::span<const ExternalWrench> external) {
  a = forward_dynamics(mechanism(), kinematics.workspace(), kinematics.q(), kinematics.v(), tau, external);
  want();
  for (int i = 0; i < rows(); ++i) right[i] -= times(i, a);
  if (own_forces)
    own_change();
  else
    least_change();
  lambda = x;
  a += change;
}

/// The change of acceleration M^-1 B^T x by which A times it is `right`, with the least such x: A M^-1 B^T is not
/// symmetric, and where friction pulls a body into what it slides on it can be singular though the rows of A are not.
void ConstrainedDynamics::Memory::own_change() {
  row_space();
  Z = B.transpose();
  for (int i = 0; i < rows(); ++i) factor.solve_inward(Z.col(i).data());
  answer.noalias() = Y.transpose() * Z;
  if (space.redundant().empty()) {
    lu.compute(answer);
    x = lu.solve(right);
  } else {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(1e-9);
    x = solver.compute(answer).solve(right);
  }
  left.noalias() = answer * x;
  left -= right;
  if (!x.allFinite() || !(left.norm() <= 1e-6 * (1.0 + right.norm()))) {
    if (!space.redundant().empty()) throw_contradiction(left);
    for (const SlidingConstraint* c : sliding)
      if (c != nullptr)
        throw Error(fmt::format("'{}' has no acceleration here, or several: friction and the force that it goes with feed "
                                "each other (Painleve)", c->name()));
  }
  y.noalias() = Z * x;
  change = y;
  factor.solve_outward(change.data());
}

/// Forces beyond tau that a motion needs are those that hold the constraints.
void ConstrainedDynamics::Memory::force_of(const Vector& needed) {
  row_space();
  y = needed;
  factor.solve_inward(y.data());
  space.shares(y, x);
  lambda = x;
}

Eigen::MatrixXd ConstrainedDynamics::Memory::null_space() {
  const int nv = mechanism().nv(), rank = static_cast<int>(row_space().independent().size());
  Eigen::MatrixXd rows(nv, rank);
  for (int i = 0; i < rank; ++i) rows.col(i) = A.row(space.independent()[i]).transpose();
  const Eigen::MatrixXd Q = rows.householderQr().householderQ() * Eigen::MatrixXd::Identity(nv, nv);
  return Q.rightCols(nv - rank);
}

/// Some acceleration with A a = right, the shortest.
Vector ConstrainedDynamics::Memory::particular() {
  want();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(options.redundancy);
  solver.compute(Eigen::MatrixXd(A));
  const Vector a0 = solver.solve(right), residual = A * a0 - right;
  if (!(residual.norm() <= 1e-6 * (1.0 + right.norm()))) throw_contradiction(residual);
  return a0;
}

/// a = a0 + S y with A a0 = -gamma: S^T M S y = S^T (tau - bias - M a0), ZB (22) with a0 in the place of (dS/dt)
/// sigma.
Vector ConstrainedDynamics::Memory::by_pseudo_velocities(const VectorRef& tau,
                                                         std::span<const ExternalWrench> external) {
  const Eigen::MatrixXd S = null_space();
  const Vector a0 = particular();
  const Vector needed =
      inverse_dynamics(mechanism(), kinematics.workspace(), kinematics.q(), kinematics.v(), a0, external);
  const Eigen::MatrixXd reduced = S.transpose() * inertia() * S;
  return a0 + S * reduced.llt().solve(S.transpose() * (tau - needed));
}

/// Momenta that the constraints allow are p = S alpha with S = M Z, A Z = 0, so A M^-1 S = 0; S^T M^-1 = Z^T takes
/// the multipliers out of dp/dt = pdot + A^T lambda, DS (2.103), (2.104), where pdot is that of the free mechanism.
Vector ConstrainedDynamics::Memory::by_reduced_momenta(const VectorRef& tau,
                                                       std::span<const ExternalWrench> external) {
  const Mechanism& m = mechanism();
  const OwnedVector q(kinematics.q()), v(kinematics.v());
  const Eigen::MatrixXd M = inertia(), Z = null_space();
  const Vector p = M * v;
  const Vector pdot = hamiltonian_rates(m, kinematics.workspace(), q, p, tau, external).pdot;
  // dp/dt = dM/dt v + M a with a = a0 + Z y: what is left of Z^T dp/dt = Z^T pdot is y.
  const Vector M_rate_v = slope_at_zero(
      [&](double t) -> Vector { return mass_matrix(m, kinematics.workspace(), m.integrate(q, t * v)) * v; });
  const Vector a0 = particular();
  const Eigen::MatrixXd reduced = Z.transpose() * M * Z;
  return a0 + Z * reduced.llt().solve(Z.transpose() * (pdot - M_rate_v - M * a0));
}

const OwnedVector& ConstrainedDynamics::accelerations(const VectorRef& tau, std::span<const ExternalWrench> external,
                                                      ConstraintMethod method) {
  Memory& x = *memory_;
  x.require_state();
  if (x.own_forces && method != ConstraintMethod::multipliers)
    throw Error("forces of friction go with multipliers: expected that method");
  switch (method) {
    case ConstraintMethod::multipliers:
      x.by_multipliers(tau, external);
      return x.a;
    case ConstraintMethod::pseudo_velocities:
      x.a = x.by_pseudo_velocities(tau, external);
      break;
    case ConstraintMethod::reduced_momenta:
      x.a = x.by_reduced_momenta(tau, external);
      break;
  }
  const OwnedVector q(x.kinematics.q()), v(x.kinematics.v());
  x.force_of(inverse_dynamics(x.mechanism(), x.kinematics.workspace(), q, v, x.a, external) - tau);
  return x.a;
}

OwnedVector ConstrainedDynamics::project_velocity(const VectorRef& v) {
  Memory& x = *memory_;
  x.mechanism().check_velocity(v, "v");
  x.require_state();
  x.right = x.A * v - x.target;
  x.least_change();
  return OwnedVector(v - x.change);
}

void ConstrainedDynamics::project_state(OwnedVector& q, OwnedVector& v, double tolerance) {
  constexpr int kMostSteps = 20;
  constexpr double kRounding = 1e-11;  // of phi, for mechanisms up to kilometres
  Memory& x = *memory_;
  set_state(q, v);
  double smallest = x.violation.cwiseAbs().maxCoeff();
  for (int i = 0; smallest > tolerance; ++i) {
    x.right = x.violation;
    x.least_change();
    const OwnedVector moved = x.mechanism().integrate(q, -x.change);
    set_state(moved, v);
    const double left = x.violation.cwiseAbs().maxCoeff();
    if (!(left < smallest) || i == kMostSteps) {
      if (smallest <= std::max(100.0 * tolerance, kRounding)) break;  // as near as rounding lets it
      throw Error(fmt::format(
          "the configuration of '{}' is too far from its constraints to be projected: the smallest residual "
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
