#include "amble/control/holding_motion.hpp"

#include <algorithm>
#include <cmath>

namespace amble::detail {

namespace {

constexpr double kRestTime = 0.1;  // s: of the joints' decay, long beside any control period
constexpr double kRegularization =
    1e-9;  // of the mean diagonal: contacts that cannot carry all directions stay bounded

/// Scales the force at a point into its cone; nothing pulls.
void limit_to_cone(double friction, double* f) {
  f[2] = std::max(f[2], 0.0);
  const double sliding = std::hypot(f[0], f[1]), most = friction * f[2];
  if (sliding > most) f[0] *= most / sliding, f[1] *= most / sliding;
}

}  // namespace

HoldingMotion::HoldingMotion(const WholeBodyProgram& program) : x_(program.most_variables()) {
  for (int j = 0; j < program.nv(); ++j)
    if (!program.is_driven(j)) free_.push_back(j);
  const auto n = static_cast<Eigen::Index>(free_.size());
  square_ = Eigen::MatrixXd::Zero(n, n), factor_ = Eigen::LLT<Eigen::MatrixXd>(n);
  wanted_ = solution_ = Eigen::VectorXd::Zero(n);
}

const OwnedVector& HoldingMotion::find(const MotionState& at, const WholeBodyProgram& program) {
  x_.setZero();
  for (int j = 0; j < program.nv(); ++j)
    if (program.is_driven(j)) x_[j] = -at.v()[j] / kRestTime;
  if (!free_.empty()) {
    find_wanted(at, program);
    find_forces(program);
    find_free_accelerations(at, program);
  }
  if (!x_.allFinite()) x_.setZero();
  return x_;
}

/// h_U + M_UJ a_J: what the contacts have to bear so that the free velocities keep their value.
void HoldingMotion::find_wanted(const MotionState& at, const WholeBodyProgram& program) {
  const Eigen::Map<const RowMatrix> M(at.mass_matrix(), program.nv(), program.nv());
  for (std::size_t i = 0; i < free_.size(); ++i)
    wanted_[i] = program.bias()[free_[i]] + M.row(free_[i]).dot(x_.head(program.nv()));
}

void HoldingMotion::find_forces(const WholeBodyProgram& program) {
  square_.setZero();
  const auto row = [&](const HeldContact& c, int k, int i) {
    return program.point_rows()[static_cast<std::ptrdiff_t>(c.force + k) * program.nv() + free_[i]];
  };
  const int n = static_cast<int>(free_.size());
  for (const HeldContact& c : program.contacts())
    for (int k = 0; c.acts() && k < c.forces(); ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) square_(i, j) += row(c, k, i) * row(c, k, j);
  square_.diagonal().array() += kRegularization * std::max(square_.trace() / n, 1.0);
  factor_.compute(square_);
  solution_ = wanted_;
  factor_.solveInPlace(solution_);
  for (const HeldContact& c : program.contacts()) {
    if (!c.acts()) continue;
    double* f = x_.data() + c.column;
    for (int k = 0; k < c.forces(); ++k)
      for (int i = 0; i < n; ++i) f[k] += row(c, k, i) * solution_[i];
    for (int k = 0; k < c.forces(); k += 3) limit_to_cone(c.patch.friction, f + k);
    for (int k = 0; k < c.forces(); ++k)
      for (int i = 0; i < n; ++i) wanted_[i] -= row(c, k, i) * f[k];
  }
}

/// What the contacts do not bear accelerates the free velocities.
void HoldingMotion::find_free_accelerations(const MotionState& at, const WholeBodyProgram& program) {
  const Eigen::Map<const RowMatrix> M(at.mass_matrix(), program.nv(), program.nv());
  const int n = static_cast<int>(free_.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) square_(i, j) = M(free_[i], free_[j]);
  factor_.compute(square_);
  if (factor_.info() != Eigen::Success) return;  // massless free bodies have no acceleration of their own
  solution_ = wanted_;
  factor_.solveInPlace(solution_);
  for (int i = 0; i < n; ++i) x_[free_[i]] = -solution_[i];
}

}  // namespace amble::detail
