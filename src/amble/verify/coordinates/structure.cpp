#include <Eigen/SVD>

#include "amble/dynamics/coordinates/chart_reference.hpp"
#include "amble/verify/coordinates/cases.hpp"
#include "amble/verify/coordinates/themes.hpp"

namespace amble {

namespace {

constexpr int kSeeds = 100;

Claim closed_form(const std::string& name, const std::string& source, double tolerance) {
  return {"coordinates." + name, source, "closed form", tolerance};
}

using OfBlock = double (*)(const ChartCase& x, const ChartBlock& b, const Eigen::VectorXd& theta);

/// Summed over the joints that have a chart.
VerificationEntry block_entry(const Claim& claim, const char* name, OfBlock error) {
  return worst_entry(claim, kSeeds, [=](std::uint64_t seed) {
    const ChartCase x = chart_case(seed, chart(name));
    double sum = 0.0;
    for (const ChartBlock& b : x.dynamics.coordinates().blocks())
      sum += error(x, b, x.q.segment(b.theta.start, b.theta.size));
    return sum;
  });
}

Eigen::MatrixXd projector_of(const ChartCase& x, const ChartBlock& b) {
  return x.dynamics.projector().block(b.theta.start, b.theta.start, b.theta.size, b.theta.size);
}

/// F -> R skew(R^T F), column by column of the nine matrices F with a single one.
double matrix_projector(const ChartCase& x, const ChartBlock& b, const Eigen::VectorXd& theta) {
  const Matrix3<double> R(theta.data());
  Eigen::MatrixXd expected(9, 9);
  for (int k = 0; k < 9; ++k) {
    Matrix3<double> F = Matrix3<double>::Zero();
    F.data()[k] = 1.0;
    const Matrix3<double> mapped = 0.5 * R * (R.transpose() * F - F.transpose() * R);
    expected.col(k) = mapped.reshaped();
  }
  return relative_error(projector_of(x, b), expected);
}

double quaternion_projector(const ChartCase& x, const ChartBlock& b, const Eigen::VectorXd& theta) {
  const Eigen::MatrixXd expected = Eigen::MatrixXd::Identity(4, 4) - theta * theta.transpose() / theta.squaredNorm();
  return relative_error(projector_of(x, b), expected);
}

double quaternion_null_direction(const ChartCase& x, const ChartBlock& b, const Eigen::VectorXd& theta) {
  return (x.dynamics.j_omega(b) * theta).norm() + (x.dynamics.j_omega_base(b) * theta).norm();
}

/// For r_i . r_j in the order of the chart; with Rdot = R [w]x that is 2 (w.w delta_ij - w_i w_j).
double matrix_constraint_bias(const ChartCase& x, const ChartBlock& b, const Eigen::VectorXd&) {
  const Vector3<double> w = x.s.v.segment<3>(b.v.start + (b.floats ? 3 : 0));
  const Matrix3<double> twice = 2.0 * (w.dot(w) * Matrix3<double>::Identity() - w * w.transpose());
  Vector6<double> expected;
  expected << twice.diagonal(), twice(0, 1), twice(0, 2), twice(1, 2);
  return relative_error(x.dynamics.constraint_bias().segment<6>(b.constraint), expected);
}

double projector_of_constraints(std::uint64_t seed, const ChartPtr& chart) {
  const ChartCase x = chart_case(seed, chart);
  const Eigen::MatrixXd A = x.dynamics.projector(), G = x.dynamics.constraint_jacobian();
  return (A * A - A).norm() + (A - A.transpose()).norm() + (A * G.transpose()).norm() +
         std::abs(A.trace() - x.s.m.nv());
}

/// Both what our recursion leaves for the constraints to carry and the multiplier of the dense system.
double multiplier(std::uint64_t seed, const ChartPtr& chart) {
  ChartCase x = chart_case(seed, chart);
  const ChartReference literal(x.dynamics.coordinates(), x.q, x.qdot);
  const ChartReference::Solution dense = literal.forward(x.load.tau, x.load.forces);
  const double size = 1.0 + (literal.M() * dense.qddot).norm() + x.load.tau.norm();
  return (x.dynamics.multiplier(x.load.tau, x.load.forces).norm() + dense.lambda.norm()) / size;
}

/// How far C'' is from zero in the motion that the forces give.
double keeps_constraints(std::uint64_t seed, const ChartPtr& chart) {
  ChartCase x = chart_case(seed, chart);
  const ChartReference literal(x.dynamics.coordinates(), x.q, x.qdot);
  const Eigen::VectorXd qddot = x.dynamics.forward(x.load.tau, x.load.forces);
  return (literal.G() * qddot + literal.gamma()).norm() / (1.0 + qddot.norm());
}

/// How far the rank of M is from nv.
double rank(std::uint64_t seed, const ChartPtr& chart) {
  ChartCase x = chart_case(seed, chart);
  if (x.s.m.nv() == 0) return 0.0;
  const Eigen::MatrixXd M = x.dynamics.mass_matrix();
  const Eigen::VectorXd spectrum = Eigen::JacobiSVD<Eigen::MatrixXd>(M).singularValues();
  return std::abs(static_cast<double>((spectrum.array() > 1e-12 * spectrum[0]).count() - x.s.m.nv()));
}

/// The root's joint frame is turned against the world: there x0 has the axes of that frame.
double weight(std::uint64_t seed) {
  const std::vector<ChartPtr>& charts = verified_charts();
  const ChartCase x = floating_chart_case(seed, charts[seed % charts.size()]);
  const ChartReference literal(x.dynamics.coordinates(), x.q, x.qdot);
  const Joint& root = x.s.m.joints().front();
  Eigen::VectorXd g = Eigen::VectorXd::Zero(x.q.size());
  g.segment<3>(x.dynamics.coordinates().block(root.name).start) =
      (root.X_PF.rotation() * root.R_FN).matrix().transpose() * x.s.m.gravity();
  return relative_error(literal.M() * g, literal.applied_forces(Eigen::VectorXd::Zero(x.s.m.nv())));
}

}  // namespace

std::vector<VerificationEntry> coordinates_structure() {
  std::vector<VerificationEntry> out{
      block_entry(closed_form("matrix_projector", "BK (34) corrected: A maps F to R skew(R^T F)", 1e-13), "matrix",
                  matrix_projector),
      block_entry(closed_form("quaternion_projector", "BK (34) corrected: 1 - theta theta^T / theta.theta", 1e-13),
                  "quaternion", quaternion_projector),
      block_entry(closed_form("quaternion_null", "BK (11), (12) corrected: J_omega theta = 0", 1e-13), "quaternion",
                  quaternion_null_direction),
      block_entry(closed_form("matrix_bias", "BK (30) for r_i . r_j: 2 (w.w delta_ij - w_i w_j)", 1e-13), "matrix",
                  matrix_constraint_bias),
      worst_entry(closed_form("weight", "BK (24): weight of a floating tree is M (g, 0, 0)", 1e-13), kSeeds, weight),
  };
  for (const ChartPtr& chart : verified_charts())
    out.push_back(worst_entry(closed_form("rank_" + chart->name(), "rank of M in chart coordinates is nv", 0.0),
                              kSeeds, [=](std::uint64_t seed) { return rank(seed, chart); }));
  for (const std::string name : {"quaternion", "matrix"}) {
    out.push_back(worst_entry(
        closed_form("projector_" + name, "A = 1 - G^T (G G^T)^-1 G: symmetric, rank nv, A G^T = 0", 1e-12),
        kSeeds, [=](std::uint64_t seed) { return projector_of_constraints(seed, chart(name)); }));
    out.push_back(worst_entry(
        closed_form("keeps_" + name, "BK (30): G qddot = -gamma in the motion", 1e-13), kSeeds,
        [=](std::uint64_t seed) { return keeps_constraints(seed, chart(name)); }));
    out.push_back(worst_entry(
        closed_form("multiplier_" + name, "BK (32): a chart carries nothing, lambda = 0", 1e-12), kSeeds,
        [=](std::uint64_t seed) { return multiplier(seed, chart(name)); }));
  }
  return out;
}

}  // namespace amble
