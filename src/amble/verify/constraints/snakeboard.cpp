#include <cmath>

#include "amble/verify/constraints/runs.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

using std::cos, std::sin;

constexpr SnakeboardParameters kParameters;
constexpr double kMass = kParameters.board_mass + kParameters.torso_mass + kParameters.wheel_mass;
constexpr double kHalf = kParameters.radius, kTorsoInertia = kParameters.torso_inertia,
                 kWheelInertia = kParameters.wheel_inertia;

/// Torque on the torso and on the wheels.
Vector2<double> torques(double t) { return {0.4 * cos(2.0 * t), 0.1 * cos(2.0 * t + 0.5)}; }

double beta(double phi) { return std::sqrt(kMass * kHalf * kHalf - kTorsoInertia * sin(phi) * sin(phi)); }

/// DS (2.110), (2.111) with -sin(phi) / beta, see errata: x is (x, y, theta, psi, phi, alpha).
class ReducedSnakeboard : public Flow {
 public:
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return 8; }
  void rates(double t, const double*, const double* x, double*, double* xdot) override {
    const double theta = x[2], phi = x[4], forward = x[5] / beta(phi), torso = x[6] / kTorsoInertia;
    const Vector2<double> u = torques(t);
    xdot[0] = kHalf * cos(theta) * cos(phi) * forward;
    xdot[1] = kHalf * sin(theta) * cos(phi) * forward;
    xdot[2] = sin(phi) * forward;
    xdot[3] = -sin(phi) * forward + torso;
    xdot[4] = x[7] / kWheelInertia;
    xdot[5] = -sin(phi) / beta(phi) * u[0];
    xdot[6] = u[0];
    xdot[7] = u[1];
  }
};

/// On its way with the wheels turned: alpha = (0.8, 0.06, 0.01).
Motion start(const Mechanism& m) {
  Eigen::VectorXd x(8), v(8);
  x << 0.1, -0.2, 0.3, 0.4, 0.25, 0.8, 0.06, 0.01;
  ReducedSnakeboard().rates(0.0, nullptr, x.data(), nullptr, v.data());
  return {m, OwnedVector(Eigen::VectorXd(x.head(5))), v.head(5), Eigen::VectorXd::Zero(5)};
}

/// Place and velocity after 5 s, by multipliers against the reduced equations.
double reduced_and_multipliers() {
  const ConstrainedMechanism board = snakeboard(kParameters);
  const Drive drive = [](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
    tau.tail<2>() = torques(t);
  };
  const Motion s = start(board.mechanism);
  ConstrainedRun full(s, board.constraints, drive);
  ReducedSnakeboard flow;
  MuntheKaasIntegrator reduced(flow, {.tolerance = 1e-12});
  Eigen::VectorXd x(8), rates(8);
  x << s.q, 0.8, 0.06, 0.01;
  reduced.set_state(0.0, Eigen::VectorXd(), x);
  reduced.run(5.0);
  full.to(5.0);
  flow.rates(5.0, nullptr, reduced.x().data(), nullptr, rates.data());
  return (full.q() - reduced.x().head(5)).norm() + (full.v() - rates.head(5)).norm();
}

double energy_without_input() {
  const ConstrainedMechanism board = snakeboard(kParameters);
  ConstrainedRun run(start(board.mechanism), board.constraints);
  const double before = run.energy();
  return (run.to(10.0).energy() - before) / before;
}

/// M of DS (2.106) and A of (2.108), the rows of which are the side velocities of rear and front wheels.
double matrices(std::uint64_t seed) {
  const ConstrainedMechanism board = snakeboard(kParameters);
  const Mechanism& m = board.mechanism;
  const Motion s = in_motion(m, m.random(seed), seed);
  ConstrainedDynamics d(m, board.constraints);
  d.set_state(s.q, s.v);
  const double theta = s.q[2], phi = s.q[4], J = kMass * kHalf * kHalf;
  Eigen::MatrixXd A(2, 5), M = Eigen::MatrixXd::Zero(5, 5);
  A << -sin(theta + phi), cos(theta + phi), kHalf * cos(phi), 0, 0, -sin(theta - phi), cos(theta - phi),
      -kHalf * cos(phi), 0, 0;
  M.diagonal() << kMass, kMass, J, kTorsoInertia, kWheelInertia;
  M(2, 3) = M(3, 2) = kTorsoInertia;
  Workspace work(m);
  return relative_error(d.A(), A) + relative_error(mass_matrix(m, work, s.q), M);
}

}  // namespace

std::vector<VerificationEntry> constraints_snakeboard() {
  const auto claim = [](const std::string& name, const std::string& source, const char* kind, double tolerance) {
    return Claim{"constraints." + name, source, kind, tolerance};
  };
  return {
      worst_entry(claim("snakeboard_matrices", "DS (2.106), (2.108)", "closed form", 1e-14), 20, matrices),
      number_entry(claim("snakeboard", "DS (2.110), (2.111) with -sin(phi)/beta against multipliers, t = 5 s",
                         "two routes", 1e-9),
                   0.0, reduced_and_multipliers),
      number_entry(claim("snakeboard_energy", "relative change in 10 s without input", "closed form", 1e-9), 0.0,
                   energy_without_input),
  };
}

}  // namespace amble
