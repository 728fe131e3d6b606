#include <cmath>
#include <numbers>

#include "amble/constraints/pair_constraints.hpp"
#include "amble/verify/constraints/runs.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

constexpr double kTen = 10.0;  // s

/// A01: a point mass at (-1, 0), released, 1 m from the origin; here a free body on a distance. Coordinate 0 or 1 of
/// it.
double pendulum(int coordinate) {
  Builder b("pendulum");
  b.gravity({0, -9.81, 0});
  b.body({.name = "mass", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  const Mechanism m = b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "mass"}).build();
  Motion s{m, m.neutral(), Eigen::VectorXd::Zero(6), Eigen::VectorXd::Zero(6)};
  s.q[0] = -1.0;
  return ConstrainedRun(s, {distance_constraint(m, "rod", {}, {1, Pose()}, 1.0)}).to(kTen).q()[coordinate];
}

/// A02: all uprights vertical, their tips moving at 1 m/s along x.
Motion windmill_start(int n) {
  const ConstrainedMechanism x = n_four_bar(n);
  Motion s{x.mechanism, x.q, Eigen::VectorXd::Ones(x.mechanism.nv()), Eigen::VectorXd::Zero(x.mechanism.nv())};
  for (int i = 0; i <= n; ++i) s.v[x.mechanism.v_slice("ground" + std::to_string(i)).start] = -1.0;
  return s;
}

/// Place (x, y) and velocity of the first tip after 10 s, in which all rods lie flat ten times.
Vector4<double> windmill_tip(int n) {
  ConstrainedRun run(windmill_start(n), 1e-11);
  run.to(kTen);
  const double angle = run.q("ground0"), speed = run.v("ground0"), c = std::cos(angle), s = std::sin(angle);
  return {c, s, -speed * s, speed * c};
}

/// Until they first lie flat, all uprights of A02 are one pendulum: (n + 1)/3 + n about its pin, and (n + 1)/2 + n
/// for the moment of its mass.
double falling_windmill(int n) {
  const double inertia = (n + 1) / 3.0 + n, moment = (n + 1) / 2.0 + n, mass = 2 * moment;
  Builder b("one pendulum");
  b.gravity({0, -9.81, 0});
  const Vector3<double> about_com(1.0, 1.0, inertia - mass / 4);
  b.body({.name = "rod", .inertia = Inertia<double>::from_com(mass, {0.5, 0, 0}, about_com.asDiagonal())});
  const Mechanism one = b.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "rod"}).build();
  VelocityFlow flow(one);
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  run.set_state(0.0, Eigen::VectorXd::Constant(1, 0.5 * std::numbers::pi), Eigen::VectorXd::Constant(1, -1.0));
  run.run(0.6);
  ConstrainedRun many(windmill_start(n), 1e-11);
  return many.to(0.6).q("ground0") - run.q()[0];
}

/// Energy of a Bricard that falls from the cube, relative to what it is; not a number unless it moves.
double bricard_energy() {
  const Mechanism m = bricard().mechanism;
  ConstrainedRun run({m, m.neutral(), Eigen::VectorXd::Zero(5), Eigen::VectorXd::Zero(5)}, 1e-11);
  const double before = run.energy();
  run.to(kTen);
  return run.v().norm() > 1e-3 ? (run.energy() - before) / std::abs(before) : std::nan("");
}

double four_bar_violation() {
  const ConstrainedMechanism x = four_bar();
  ConstrainedDynamics d = constrained(x.mechanism, x.q, Eigen::Vector3d::Zero());
  const OwnedVector v = d.project_velocity(Eigen::Vector3d(5.0, 0.0, 0.0));
  return ConstrainedRun({x.mechanism, x.q, v, Eigen::Vector3d::Zero()}, 1e-10).to(20.0).worst_violation();
}

}  // namespace

std::vector<VerificationEntry> constraints_published() {
  const auto entry = [](const std::string& name, const std::string& source, const char* kind, double tolerance,
                        double reference, const std::function<double()>& ours) {
    return number_entry({"constraints." + name, source, kind, tolerance}, reference, ours);
  };
  const std::string kA01 = "IFToMM A01: simple pendulum as a distance constraint, t = 10 s";
  const std::string kA02 = "IFToMM A02: N-four-bar through its singular configuration, t = 10 s";
  return {
      entry("a01_x", kA01, "published", 1e-8, -0.27508746257612, [] { return pendulum(0); }),
      entry("a01_y", kA01, "published", 1e-8, -0.96141920509912, [] { return pendulum(1); }),
      entry("a02_x", kA02 + ", N = 2", "published", 1e-8, 0.32845811154081, [] { return windmill_tip(2)[0]; }),
      entry("a02_y", kA02 + ", N = 2", "published", 1e-8, 0.94451853817860, [] { return windmill_tip(2)[1]; }),
      entry("a02_vx", kA02 + ", N = 2", "published", 1e-8, 1.42305147020694, [] { return windmill_tip(2)[2]; }),
      entry("a02_vy", kA02 + ", N = 2", "published", 1e-8, -0.49486884548704, [] { return windmill_tip(2)[3]; }),
      entry("a02_x_of_40", kA02 + ", N = 40", "published", 1e-8, 0.18051222668673,
            [] { return windmill_tip(40)[0]; }),
      entry("a02_falls", "IFToMM A02, N = 2: one pendulum until it lies flat, t = 0.6 s", "two routes", 1e-8, 0.0,
            [] { return falling_windmill(2); }),
      entry("bricard_energy", "relative change in 10 s of a Bricard's fall, one constraint redundant", "closed form",
            1e-8, 0.0, bricard_energy),
      entry("four_bar_violation", "worst |phi| in 20 s at 5 rad/s, tolerance 1e-10", "closed form", 1e-8, 0.0,
            four_bar_violation),
  };
}

}  // namespace amble
