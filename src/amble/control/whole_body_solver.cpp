#include "amble/control/whole_body_solver.hpp"

#include <algorithm>
#include <cmath>

namespace amble::detail {

namespace {

/// Multipliers of a proof that are smaller than this part of the largest have no part in it.
constexpr double kNoPart = 1e-7;

// What a tick may take where constraints contradict each other: rounds in which a proof says what gives way, and programs for the dense
// solver with its iterations. After the proofs all limits give way at once, then all contacts.
constexpr int kProofs = 4, kDensePrograms = 3, kDenseIterations = 600;

constexpr double kHeld = 1e-9;  // 1/s^2, m/s^2: what is off by no more did not give way

bool sure(const RowResult& r) { return r.status == QpStatus::solved || r.status == QpStatus::infeasible || r.status == QpStatus::invalid; }

void keep_worst(const QpCertificate& now, QpCertificate& worst) {
  if (now.residual() > worst.residual()) worst = now;
}

}  // namespace

WholeBodySolver::WholeBodySolver(WholeBodyProgram& program, const WholeBodySettings& settings)
    : program_(program),
      softness_(1.0 / settings.relaxed_weight),
      tolerance_(settings.tolerance),
      dense_(program.most_variables(), program.capacity(), program.capacity() + program.nv(),
             {.tolerance = settings.tolerance, .dense_iterations = kDenseIterations}),
      x_(program.most_variables()),
      everything_(program.capacity() + program.most_variables()) {
  for (std::size_t i = 0; i <= program.tasks().size(); ++i)
    solvers_.emplace_back(program.most_variables(), program.capacity(), RowSettings{.tolerance = settings.tolerance});
}

const RowResult& WholeBodySolver::solve_quickly(RowProgram& rows, int index, WholeBodyResult& result) {
  const RowResult& found = solvers_[index].solve(rows);
  result.iterations += found.iterations;
  return found;
}

const RowResult& WholeBodySolver::solve_surely(RowProgram& rows, WholeBodyResult& result) {
  const RowResult& found = dense_.solve(rows);
  ++result.fallbacks, result.iterations += found.iterations;
  return found;
}

/// The better of two answers, the second asked for where the first is not sure.
const RowResult& WholeBodySolver::solve_level(RowProgram& rows, int index, WholeBodyResult& result) {
  const RowResult& quick = solve_quickly(rows, index, result);
  if (sure(quick) || result.fallbacks >= kDensePrograms) return quick;
  const RowResult& other = solve_surely(rows, result);
  return sure(other) || other.certificate.residual() <= quick.certificate.residual() ? other : quick;
}

/// True when the answer can be used.
bool WholeBodySolver::take(const RowResult& found, WholeBodyResult& result) {
  constexpr double kUsable = 1e-5;  // of an answer that is not as good as asked for
  const bool known = found.status == QpStatus::inaccurate || found.status == QpStatus::iteration_limit;
  const bool usable = found.status == QpStatus::solved || (known && found.certificate.residual() < kUsable);
  if (!usable || !found.x.allFinite()) return false;
  x_ = found.x;
  keep_worst(found.certificate, result.certificate);
  return true;
}

void WholeBodySolver::solve(RowProgram& rows, WholeBodyResult& result) {
  result.relaxed.clear();
  result.certificate = {}, result.iterations = result.levels = result.fallbacks = 0;
  result.status = WholeBodyStatus::failed;
  int level = program_.next_level(0);
  if (!solve_first(rows, level, result)) return;
  find_amounts(rows, result);
  for (result.levels = 1; level >= 0;) {
    const int next = program_.next_level(level);
    if (next < 0) break;
    program_.fix_level(level, x_, rows);
    program_.add_level(next, rows);
    if (!take(solve_level(rows, result.levels, result), result)) break;  // what was reached before stays
    ++result.levels, level = next;
  }
  const bool met = result.relaxed.empty() && result.certificate.residual() <= tolerance_;
  result.status = met ? WholeBodyStatus::solved : WholeBodyStatus::degraded;
}

/// Constraints that contradict each other are named by the proof; the least important of them give way. Where proofs fail or do not
/// end soon, all limits give way, then all contacts: what is left can always be met.
bool WholeBodySolver::solve_first(RowProgram& rows, int level, WholeBodyResult& result) {
  if (level >= 0) program_.add_level(level, rows);
  for (int round = 0; round < kProofs; ++round) {
    const RowResult& found = result.relaxed.empty() ? solve_level(rows, 0, result) : solve_quickly(rows, 0, result);
    if (found.status != QpStatus::infeasible && take(found, result)) return true;
    if (found.status != QpStatus::infeasible || !relax(rows, found.multipliers, result)) break;
  }
  everything_.setOnes();
  if (relax_limits(rows, everything_, 0.0, result) && take(solve_surely(rows, result), result)) return true;
  relax_contacts(rows, everything_, 0.0, result);
  return take(solve_surely(rows, result), result);
}

bool WholeBodySolver::relax(RowProgram& rows, const OwnedVector& proof, WholeBodyResult& result) {
  const double least = kNoPart * proof.head(rows.constraints()).cwiseAbs().maxCoeff();
  return relax_limits(rows, proof, least, result) || relax_contacts(rows, proof, least, result);
}

bool WholeBodySolver::relax_limits(RowProgram& rows, const OwnedVector& proof, double least, WholeBodyResult& result) {
  const std::size_t before = result.relaxed.size();
  for (int j = 0; j < program_.nv(); ++j) {
    if (std::abs(proof[rows.rows() + j]) <= least || rows.x_softness[j] > 0.0) continue;
    rows.x_softness[j] = softness_;
    result.relaxed.push_back({Relaxed::Kind::joint_limit, j, 0.0});
  }
  for (int k = 0; k < rows.rows(); ++k) {
    const int task = program_.constraint_task_of(rows.name(k));
    if (task < 0 || std::abs(proof[k]) <= least || rows.softness[k] > 0.0) continue;
    for (int other = 0; other < rows.rows(); ++other)
      if (program_.constraint_task_of(rows.name(other)) == task) rows.softness[other] = softness_;
    result.relaxed.push_back({Relaxed::Kind::constraint_task, task, 0.0});
  }
  return result.relaxed.size() > before;
}

bool WholeBodySolver::relax_contacts(RowProgram& rows, const OwnedVector& proof, double least,
                                     WholeBodyResult& result) {
  const std::size_t before = result.relaxed.size();
  for (int k = 0; k < rows.rows(); ++k) {
    const int contact = program_.contact_of(rows.name(k));
    if (contact < 0 || std::abs(proof[k]) <= least || rows.softness[k] > 0.0) continue;
    for (int other = 0; other < rows.rows(); ++other)
      if (program_.contact_of(rows.name(other)) == contact) rows.softness[other] = softness_;
    result.relaxed.push_back({Relaxed::Kind::contact, contact, 0.0});
  }
  return result.relaxed.size() > before;
}

/// By how much it gave way.
void WholeBodySolver::find_amounts(RowProgram& rows, WholeBodyResult& result) const {
  const auto miss = [](double value, double low, double high) { return std::max({0.0, low - value, value - high}); };
  for (Relaxed& r : result.relaxed) {
    if (r.kind == Relaxed::Kind::joint_limit)
      r.amount = miss(x_[r.index], rows.x_lower[r.index], rows.x_upper[r.index]);
    for (int k = 0; r.kind != Relaxed::Kind::joint_limit && k < rows.rows(); ++k) {
      const int name = rows.name(k);
      if (r.index != (r.kind == Relaxed::Kind::contact ? program_.contact_of(name) : program_.constraint_task_of(name)))
        continue;
      const double value = Eigen::Map<Eigen::RowVectorXd>(rows.row(k), rows.variables()).dot(x_.head(rows.variables()));
      r.amount = std::max(r.amount, miss(value, rows.lower[k], rows.upper[k]));
    }
  }
  std::erase_if(result.relaxed, [](const Relaxed& r) { return r.amount <= kHeld; });
}

}  // namespace amble::detail
