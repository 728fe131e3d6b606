#include <algorithm>
#include <cmath>
#include <numbers>

#include "amble/contact/solvers/friction_solver.hpp"
#include "amble/contact/solvers/random_friction.hpp"
#include "amble/verify/contact/parts.hpp"
#include "amble/verify/evidence.hpp"

// Many frictional contacts at once: published and closed-form cases, laws on random problems, refusals.
namespace amble {

namespace {

/// DS Example 3.16: a bar of half length 1 and weight 10 N on two supports, pulled up with u at x. Forces of the supports,
/// then their accelerations.
Eigen::Vector4d two_supports(double first, double second, double u, double x) {
  const double m = 10.0 / 9.81, J = m / 3.0;
  FrictionProblem p(2);
  for (const double at : {first, second}) {
    const double column[] = {1.0 / std::sqrt(m), at / std::sqrt(J)};
    p.w(p.add(FrictionLaw::unilateral(), column)) = (u - 10.0) / m + at * u * x / J;
  }
  const auto solver = make_friction_solver("newton");
  const FrictionSolution& s = solver->solve(p);
  return {s.forces[0], s.forces[1], s.velocities[0], s.velocities[1]};
}

/// The four corners of a box on a slope, after a step under gravity: velocity down the slope, the largest difference
/// from it among corners, and the largest of other velocities.
double slope_error(const std::string& method, double slope, double mu) {
  const double mass = 3.0, fall = 0.0981, inertia = 2.0;
  FrictionProblem p(6);
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) {
      const Vector3<double> arm(x, y, -0.3);
      const Vector3<double> axes[] = {Vector3<double>::UnitZ(), Vector3<double>::UnitX(), Vector3<double>::UnitY()};
      Eigen::Matrix<double, 6, 3> Y;
      for (int k = 0; k < 3; ++k) Y.col(k) << axes[k] / std::sqrt(mass), cross<double>(arm, axes[k]) / std::sqrt(inertia);
      const int row = p.block(p.add(FrictionLaw::contact(mu), Y.data())).row;
      p.w(row) = -fall * std::cos(slope), p.w(row + 1) = fall * std::sin(slope);
    }
  const double slip = std::max(0.0, fall * (std::sin(slope) - mu * std::cos(slope)));
  const auto solver = make_friction_solver(method, {.tolerance = 1e-11});
  const FrictionSolution& s = solver->solve(p);
  double worst = s.status == FrictionStatus::solved ? 0.0 : HUGE_VAL;
  for (int i = 0; i < 4; ++i)
    worst = std::max({worst, std::abs(s.velocities[3 * i]), std::abs(s.velocities[3 * i + 1] - slip),
                      std::abs(s.velocities[3 * i + 2])});
  return worst;
}

double worst_residual(std::uint64_t seed) {
  const auto solver = make_friction_solver("newton");
  return solver->solve(random_friction(seed)).certificate.residual;
}

/// Coulomb's law in de Saxce's form, away from any solver: f . (u + mu |u_t| n) of all contacts, as a share of the sum of
/// |f| |u| scales.
double power_gap(std::uint64_t seed) {
  const FrictionProblem p = random_friction(seed);
  const auto solver = make_friction_solver("newton");
  const FrictionSolution& s = solver->solve(p);
  double gap = 0.0, size = 1e-300;
  for (int i = 0; i < p.blocks(); ++i) {
    const FrictionBlock& b = p.block(i);
    if (b.kind != FrictionKind::contact) continue;
    const double *f = &s.forces[b.row], *u = &s.velocities[b.row];
    const double slip = std::hypot(u[1], u[2]);
    gap += std::abs(f[0] * (u[0] + b.coefficient * slip) + f[1] * u[1] + f[2] * u[2]);
    size += std::abs(f[0] * p.w(b.row)) + std::abs(f[1] * p.w(b.row + 1)) + std::abs(f[2] * p.w(b.row + 2));
  }
  return gap / size;
}

/// Two loops that want different speeds of one coordinate: 1 when that is said, with one of their indices.
double contradiction() {
  FrictionProblem p(1);
  const double column = 1.0;
  for (const double speed : {0.0, 0.1}) {
    const int block = p.add(FrictionLaw::bilateral(1), &column);
    p.offset(p.block(block).row) = speed;
  }
  const auto solver = make_friction_solver("newton");
  return solver->solve(p).status == FrictionStatus::inconsistent ? 1.0 : 0.0;
}

}  // namespace

std::vector<VerificationEntry> contact_solvers() {
  const std::string published = "published", form = "closed form", law = "law";
  const char* bar = "DS Example 3.16: bar on two supports,";
  const auto case_of = [&](const char* name, const std::string& what, double reference, int k, double a, double b, double u,
                           double x) {
    return number_entry({std::string("contact.") + name, std::string(bar) + what, published, 1e-6}, reference,
                        [=] { return two_supports(a, b, u, x)[k]; });
  };
  const double limit = std::atan(0.5);
  std::vector<VerificationEntry> entries{
      case_of("two_supports_a", " (a) both hold: force (N)", 5.0, 0, -0.9, 0.9, 0.0, 0.0),
      case_of("two_supports_b", " (b) free: acceleration (m/s^2)", 0.981, 2, -0.9, 0.9, 11.0, 0.0),
      case_of("two_supports_c", " (c) the second holds: force (N)", 7.874016, 1, -0.8, -0.3, 0.0, 0.0),
      case_of("two_supports_c_lift", " (c) the first lifts: acceleration (m/s^2)", 3.475984, 2, -0.8, -0.3, 0.0, 0.0),
      case_of("two_supports_d", " (d) the first holds: force (N)", 7.794521, 0, -0.8, -0.3, 11.0, 0.9),
      case_of("two_supports_d_lift", " (d) the second lifts: acceleration (m/s^2)", 5.392140, 3, -0.8, -0.3, 11.0, 0.9),
  };
  entries.push_back(number_entry({"contact.slope_sticks", "a box on a slope 1e-6 rad below the angle of friction: speed after "
                                                          "a step (m/s)", form, 1e-11},
                                 0.0, [=] { return slope_error("newton", limit - 1e-6, 0.5); }));
  entries.push_back(number_entry({"contact.slope_slides", "the same 1e-6 rad above: error of g h (sin - mu cos)", form, 1e-11},
                                 0.0, [=] { return slope_error("newton", limit + 1e-6, 0.5); }));
  entries.push_back(number_entry({"contact.slope_slides_sweeps", "a slope of 0.7 rad by Gauss-Seidel: the same error", form, 1e-10},
                                 0.0, [] { return slope_error("gauss_seidel", 0.7, 0.5); }));
  entries.push_back(worst_entry({"contact.friction_residual",
                                 "certificate of Newton on 1000 random problems: mechanisms, stacks, tables, bricks, mass "
                                 "ratios to 1e4, up to 60 contacts, mu 0 to 2 and infinite",
                                 law, 1e-8},
                                1000, worst_residual));
  entries.push_back(worst_entry({"contact.friction_power", "f . (u + mu |u_t| n) = 0 (de Saxce), 60 of these problems", law, 1e-7},
                                60, power_gap));
  entries.push_back(number_entry({"contact.friction_contradiction", "two loops that contradict each other are reported: 1", law, 0.0},
                                 1.0, contradiction));
  return entries;
}

}  // namespace amble
