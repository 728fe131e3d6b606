#include "amble/control/chart_formulation.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "amble/geometry/charts.hpp"

namespace amble::detail {

ChartFormulation::ChartFormulation(WholeBodyProgram& program, const Mechanism& m, const WholeBodySettings& settings)
    : WholeBodySolver(program, settings),
      program_(program),
      multiplier_(settings.formulation == Formulation::chart_multiplier),
      tolerance_(settings.tolerance),
      coordinates_(m, chart(settings.chart)),
      dynamics_(coordinates_) {
  result_.x = OwnedVector(program.most_variables());
  result_.multipliers = OwnedVector(program.capacity() + program.most_variables());
}

void ChartFormulation::set_state(const MotionState& at) {
  q_chart_ = q_chart_.size() == 0 ? coordinates_.from_configuration(at.q())
                                  : coordinates_.from_configuration(at.q(), q_chart_);
  qdot_chart_ = coordinates_.rates(q_chart_, at.v());
  dynamics_.set_state(q_chart_, qdot_chart_);
  const int nv = at.mechanism().nv(), nc = coordinates_.size();
  T_.resize(nv, nc);
  for (int i = 0; i < nc; ++i) T_.col(i) = coordinates_.velocity(q_chart_, Eigen::VectorXd::Unit(nc, i));
  M_ = dynamics_.mass_matrix(), A_ = dynamics_.projector();
  G_ = dynamics_.constraint_jacobian(), gamma_ = dynamics_.constraint_bias();
  rest_ = dynamics_.velocity_matrix() * qdot_chart_ - dynamics_.weight();
  // The forces that qddot = 0 takes tell the accelerations it has.
  const Eigen::Map<const RowMatrix> M(at.mass_matrix(), nv, nv);
  const Eigen::Map<const Eigen::VectorXd> bias(at.bias_forces(), nv);
  carried_ = Eigen::MatrixXd(M).llt().solve(dynamics_.inverse(Eigen::VectorXd::Zero(nc)) - bias);
}

bool ChartFormulation::is_driven(const ChartBlock& block) const { return program_.is_driven(block.v.start); }

ChartFormulation::Sizes ChartFormulation::sizes_of(RowProgram& rows) const {
  Sizes n{coordinates_.size(), rows.variables() - program_.nv(), multiplier_ ? coordinates_.constraint_count() : 0, 0};
  for (int k = 0; k < rows.constraints(); ++k)
    n.slacks += rows.softness_of(k) > 0.0 && rows.lower_of(k) != rows.upper_of(k);
  return n;
}

double ChartFormulation::seen(RowProgram& rows, int k, Eigen::RowVectorXd& out) const {
  const int nv = program_.nv(), forces = rows.variables() - nv;
  Eigen::RowVectorXd r = Eigen::RowVectorXd::Zero(rows.variables());
  if (k < rows.rows())
    r = Eigen::Map<Eigen::RowVectorXd>(rows.row(k), rows.variables());
  else
    r[k - rows.rows()] = 1.0;
  out.head(T_.cols()) = r.head(nv) * T_;
  out.segment(T_.cols(), forces) = r.tail(forces);
  return r.head(nv).dot(carried_);
}

/// All but the equation of motion: one row of C each, in their order; wishes become curvature.
int ChartFormulation::put_rows(RowProgram& rows, const Sizes& n, QuadraticProgram& out) const {
  int slack = n.chart + n.forces + n.multipliers;
  for (int k = 0; k < rows.constraints(); ++k) {
    if (k < rows.rows() && rows.name(k) < program_.nv()) continue;
    Eigen::RowVectorXd r = Eigen::RowVectorXd::Zero(n.all());
    const double shift = seen(rows, k, r), softness = rows.softness_of(k);
    const double low = rows.lower_of(k) - shift, high = rows.upper_of(k) - shift;
    if (softness > 0.0 && low == high) {
      out.H += r.transpose() * r / softness;
      out.g -= r.transpose() * low / softness;
      continue;
    }
    if (softness > 0.0) out.H(slack, slack) = 1.0 / softness, r[slack++] = -1.0;
    out.C.row(k) = r, out.lower[k] = low, out.upper[k] = high;
  }
  return rows.constraints();
}

/// w = M qddot + N qdot - weight - J'f is T' tau. Where nothing drives, A w = 0, BK (37), or w = G' lambda, BK (38).
int ChartFormulation::put_motion(const Sizes& n, int row, QuadraticProgram& out) const {
  const int nv = program_.nv();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n.chart, n.all());
  W.leftCols(n.chart) = M_;
  const Eigen::Map<const RowMatrix> J(program_.point_rows(), program_.forces(), nv);
  for (const HeldContact& c : program_.contacts())
    if (c.held)
      W.middleCols(n.chart + c.column - nv, c.forces()) = -(J.middleRows(c.force, c.forces()) * T_).transpose();
  const Eigen::VectorXd rest = rest_ + T_.transpose() * program_.carried_forces();
  const auto put = [&](const Eigen::RowVectorXd& r, double low, double high) {
    out.C.row(row) = r, out.lower[row] = low, out.upper[row] = high, ++row;
  };
  const auto bound = [&](int j, const Eigen::RowVectorXd& w, double known) {
    const double limit = program_.is_driven(j) ? program_.torque_bound(j) : 0.0;
    if (limit < kInfinity) put(w, -limit - known, limit - known);
  };
  coordinates_.for_each_plain([&](int chart, int, int v, int count) {
    for (int k = 0; k < count; ++k) bound(v + k, W.row(chart + k), rest[chart + k]);
  });
  for (const ChartBlock& b : coordinates_.blocks()) {
    const int size = b.size(), rates = b.v.size;
    const Eigen::MatrixXd Tb = T_.block(b.v.start, b.start, rates, size);
    if (is_driven(b)) {
      const Eigen::MatrixXd P = (Tb * Tb.transpose()).inverse() * Tb;
      for (int k = 0; k < rates; ++k)
        bound(b.v.start + k, P.row(k) * W.middleRows(b.start, size), P.row(k).dot(rest.segment(b.start, size)));
      continue;
    }
    Eigen::MatrixXd rows_of = W.middleRows(b.start, size);
    Eigen::VectorXd known = rest.segment(b.start, size);
    if (multiplier_) {
      rows_of.middleCols(n.chart + n.forces, n.multipliers) -= G_.middleCols(b.start, size).transpose();
    } else {
      const Eigen::MatrixXd Ab = A_.block(b.start, b.start, size, size);
      rows_of = Ab * rows_of, known = Ab * known;
    }
    for (int k = 0; k < size; ++k) put(rows_of.row(k), -known[k], -known[k]);
  }
  return row;
}

/// C'' = 0 of the charts, BK (30).
void ChartFormulation::put_constraints(const Sizes& n, int row, QuadraticProgram& out) const {
  for (int k = 0; k < G_.rows(); ++k, ++row) {
    out.C.row(row).head(n.chart) = G_.row(k);
    out.lower[row] = out.upper[row] = -gamma_[k];
  }
}

const RowResult& ChartFormulation::solve_surely(RowProgram& rows, WholeBodyResult& result) {
  const Sizes n = sizes_of(rows);
  const int nv = program_.nv();
  QuadraticProgram out(n.all(), 0, rows.constraints() + n.chart + nv + coordinates_.constraint_count());
  const Eigen::VectorXd d = rows.d.head(nv);
  out.H.topLeftCorner(n.chart, n.chart) = T_.transpose() * d.asDiagonal() * T_;
  out.g.head(n.chart) = T_.transpose() * (d.cwiseProduct(carried_) + rows.g.head(nv));
  for (int k = 0; k < n.forces; ++k) out.H(n.chart + k, n.chart + k) = rows.d[nv + k], out.g[n.chart + k] = rows.g[nv + k];
  put_constraints(n, put_motion(n, put_rows(rows, n, out), out), out);
  const QpResult found = amble::solve(out, {.tolerance = 0.1 * tolerance_});
  result.iterations += found.iterations;
  result_.status = found.status, result_.certificate = found.certificate;
  result_.x.setZero(), result_.multipliers.setZero();
  result_.x.head(nv) = T_ * found.x.head(n.chart) + carried_;
  result_.x.segment(nv, n.forces) = found.x.segment(n.chart, n.forces);
  result_.multipliers.head(rows.constraints()) = found.multipliers.rows.head(rows.constraints());
  return result_;
}

}  // namespace amble::detail
