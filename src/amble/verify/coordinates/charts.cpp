#include "amble/base/slope.hpp"
#include "amble/dynamics/coordinates/chart_reference.hpp"
#include "amble/verify/coordinates/cases.hpp"
#include "amble/verify/coordinates/themes.hpp"

namespace amble {

namespace {

constexpr int kSeeds = 200;

ChartReference literal(const ChartCase& x) { return {x.dynamics.coordinates(), x.q, x.qdot}; }

double mass_matrices(ChartCase& x) { return relative_error(x.dynamics.mass_matrix(), literal(x).M()); }
double velocity_matrices(ChartCase& x) { return relative_error(x.dynamics.velocity_matrix(), literal(x).N()); }

/// The backward error: the forces that the two motions ask for.
double literal_motion(ChartCase& x) {
  const Eigen::VectorXd dense = literal(x).forward(x.load.tau, x.load.forces).qddot;
  const Eigen::VectorXd qddot = x.dynamics.forward(x.load.tau, x.load.forces);
  const Eigen::MatrixXd M = x.dynamics.mass_matrix();
  return (M * (dense - qddot)).norm() / (1.0 + (M * qddot).norm() + x.load.tau.norm());
}

/// From the chart's own functions: v = R^T xdot and omega = J thetadot, differentiated.
Eigen::VectorXd accelerations(const ChartCase& x, const Eigen::VectorXd& qddot) {
  const ChartCoordinates& c = x.dynamics.coordinates();
  Eigen::VectorXd a(x.s.m.nv());
  c.for_each_plain([&](int from, int, int to, int count) { a.segment(to, count) = qddot.segment(from, count); });
  for (const ChartBlock& b : c.blocks()) {
    const Eigen::VectorXd theta = x.q.segment(b.theta.start, b.theta.size),
                          rates = x.qdot.segment(b.theta.start, b.theta.size),
                          turning = qddot.segment(b.theta.start, b.theta.size);
    const int at = b.v.start + (b.floats ? 3 : 0);
    a.segment<3>(at) = b.chart->angular_velocity_jacobian_base(theta) * turning +
                       b.chart->angular_velocity_jacobian_base_dot(theta, rates) * rates;
    if (!b.floats) continue;
    const Vector3<double> w = x.s.v.segment<3>(at), v = x.s.v.segment<3>(b.v.start);
    a.segment<3>(b.v.start) = b.chart->rho(theta).transpose() * qddot.segment<3>(b.start) - cross<double>(w, v);
  }
  return a;
}

double forward(ChartCase& x) {
  Workspace work(x.s.m);
  const Eigen::VectorXd a = forward_dynamics(x.s.m, work, x.s.q, x.s.v, x.load.tau, x.load.wrenches);
  return relative_error(accelerations(x, x.dynamics.forward(x.load.tau, x.load.forces)), a);
}

/// Of accelerations that no forward dynamics chose; the rates of charts with constraints are held on them.
double inverse(ChartCase& x) {
  Random random(5);
  const Eigen::VectorXd any =
      Eigen::VectorXd::NullaryExpr(x.q.size(), [&](Eigen::Index) { return random.uniform(-5.0, 5.0); });
  const Eigen::VectorXd qddot = x.dynamics.projector() * any;
  Workspace work(x.s.m);
  const Eigen::VectorXd tau =
      inverse_dynamics(x.s.m, work, x.s.q, x.s.v, accelerations(x, qddot), x.load.wrenches);
  return relative_error(x.dynamics.inverse(qddot, x.load.forces), tau);
}

struct Check {
  const char *name, *source;
  double tolerance;  ///< relative
  double (*error)(ChartCase&);
};

constexpr Check kChecks[] = {
    {"M", "BK (25): M by recursion and summed over bodies", 1e-13, mass_matrices},
    {"N", "BK (26): N by recursion and summed over bodies", 1e-12, velocity_matrices},
    {"minimum", "BK (31): recursion and one dense system, backward error", 1e-11, literal_motion},
    {"forward", "BK (24), (30): accelerations of the core", 1e-11, forward},
    {"inverse", "BK (24): torques of the core", 1e-12, inverse},
};

double mixed(std::uint64_t seed) {
  ChartCase x = mixed_chart_case(seed);
  return mass_matrices(x) + velocity_matrices(x) + forward(x) + inverse(x);
}

/// Along a curve that keeps the constraints to second order, as far as the slope asks.
double mass_matrix_rate(std::uint64_t seed) {
  const std::vector<ChartPtr>& charts = verified_charts();
  ChartCase x = chart_case(seed, charts[seed % charts.size()]);
  const Eigen::MatrixXd N = x.dynamics.velocity_matrix();
  const Eigen::VectorXd qddot = x.dynamics.forward(x.load.tau, x.load.forces);
  constexpr double kStep = 1e-3, kOffTheManifold = 0.1;
  const Eigen::MatrixXd slope = slope_at_zero([&](double t) -> Eigen::MatrixXd {
    x.dynamics.set_state(x.q + t * x.qdot + 0.5 * t * t * qddot, x.qdot + t * qddot, kOffTheManifold);
    return x.dynamics.mass_matrix();
  }, kStep);
  return relative_error(N + N.transpose(), slope);
}

}  // namespace

std::vector<VerificationEntry> coordinates_charts() {
  std::vector<VerificationEntry> out;
  for (const Check& check : kChecks)
    for (const ChartPtr& chart : verified_charts())
      out.push_back(worst_entry({std::string("coordinates.") + check.name + "_" + chart->name(), check.source,
                                 "two routes", check.tolerance},
                                kSeeds, [=](std::uint64_t seed) {
                                  ChartCase x = chart_case(seed, chart);
                                  return check.error(x);
                                }));
  const std::string mixed_source = "M, N, forward and inverse, each joint with a chart of its own";
  out.push_back(worst_entry({"coordinates.mixed_charts", mixed_source, "two routes", 1e-11}, kSeeds, mixed));
  out.push_back(worst_entry({"coordinates.mass_matrix_rate", "dM/dt = N + N^T, by differences", "two routes", 1e-9},
                            70, mass_matrix_rate));
  return out;
}

}  // namespace amble
