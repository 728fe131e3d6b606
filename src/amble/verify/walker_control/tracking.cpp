#include <cmath>

#include "amble/base/infinity.hpp"
#include "amble/control/walking/curve_tracking.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/walker_control/themes.hpp"

namespace amble {

namespace {

constexpr double kMass = 1.3, kTransfer = 0.7;

/// DS Example 5.2.
Mechanism point_mass() {
  Builder b("point");
  b.body({.name = "rail", .auxiliary = true});
  b.body({.name = "mass", .inertia = Inertia<double>::from_com(kMass, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "x", .type = "prismatic", .parent = "world", .child = "rail", .axis = {1, 0, 0}});
  b.joint({.name = "y", .type = "prismatic", .parent = "rail", .child = "mass", .axis = {0, 1, 0}});
  return b.build();
}
void circles(const OwnedVector& q, OwnedVector& w) { w << -q[1], q[0]; }

struct Circling {
  double radius, energy_change, across, residual, work_of_laws;
};

/// From (1, 0.2) with (0.3, 0.9), for a minute.
Circling circling() {
  const Mechanism m = point_mass();
  Simulator s(m, curve_tracking("tracking", m, circles, {.transfer = kTransfer, .softening = 0.0}), {},
              {.integrator = {.tolerance = 1e-12}});
  s.reset(Eigen::Vector2d(1.0, 0.2), Eigen::Vector2d(0.3, 0.9));
  const double energy = s.kinetic_energy();
  s.step(60.0);
  Workspace work(m);
  const MomentumSplit split(m, work, circles, s.q(), s.v());
  const Ledger books = s.ledger();
  double delivered = 0.0;
  for (const LedgerEntry& e : books.entries) delivered = std::max(delivered, std::abs(e.delivered));
  return {s.q().norm(), s.kinetic_energy() - energy, std::sqrt(2.0 * split.energy_across()), books.residual(), delivered};
}

/// A smooth field on any manifold: it looks at positions of bodies alone.
VelocityField wavy(const Mechanism& m) {
  return [m, work = std::make_shared<Workspace>(m)](const OwnedVector& q, OwnedVector& w) {
    const Eigen::MatrixXd h = momentum_matrix(m, *work, q);
    for (int i = 0; i < w.size(); ++i) w[i] = 1.0 + 0.3 * i + 0.2 * std::sin(h.col(i).sum() + i);
  };
}

/// What the laws ask for in a random mechanism in random motion.
struct Asked {
  Motion motion;
  MomentumSplit split;
  TrackingForces forces;
};
Asked asked(std::uint64_t seed) {
  const Motion s = floating_motion(seed, 6);
  Workspace work(s.m);
  const MomentumSplit split(s.m, work, wavy(s.m), s.q, s.v);
  TrackingSettings laws{.transfer = 0.5, .damping = 0.7};
  laws.limit = OwnedVector(Eigen::VectorXd::Constant(s.m.nv(), kInfinity));
  return {s, split, tracking_forces(s.m, work, split, s.q, s.v, laws)};
}
double scaled(double value, const OwnedVector& force, const Eigen::VectorXd& v) {
  return std::abs(value) / (1.0 + force.norm() * v.norm());
}

/// How the energy across changes with the asymptotic law alone: -2 a T2 2 T1, by DS (5.19), (5.20) with M^-1 for M.
double transfer_rate_error(std::uint64_t seed) {
  const Asked at = asked(seed);
  const double across = at.split.across.dot(at.split.M_across), along = at.split.alpha * at.split.alpha;
  const double a = 0.5 / std::sqrt(across + 1e-3);
  const double power = at.forces.asymptotic.dot(at.split.across);
  return std::abs(power + a * along * across) / (1.0 + std::abs(power));
}

}  // namespace

std::vector<VerificationEntry> walker_control_tracking() {
  const auto once = std::make_shared<std::optional<Circling>>();
  const auto of_circle = [once](double Circling::*part) {
    return [once, part] {
      if (!*once) *once = circling();
      return **once.*part;
    };
  };
  const std::string circle = "DS Example 5.6, m = 1.3, a = 0.7";
  std::vector<VerificationEntry> all{
      number_entry({"walker-control.circle.radius", circle, "closed form", 1e-9}, 1.650141096030,
                   of_circle(&Circling::radius)),
      number_entry({"walker-control.circle.energy", circle, "closed form", 1e-10}, 0.0,
                   of_circle(&Circling::energy_change)),
      number_entry({"walker-control.circle.across", circle, "closed form", 1e-9}, 0.0, of_circle(&Circling::across)),
      number_entry({"walker-control.circle.books", circle, "two routes", 1e-10}, 0.0, of_circle(&Circling::residual)),
      number_entry({"walker-control.circle.work_of_laws", circle, "closed form", 1e-10}, 0.0,
                   of_circle(&Circling::work_of_laws))};
  all.push_back(worst_entry({"walker-control.passive.nominal", "DS Theorem 5.3: the law has no power", "closed form", 1e-11},
                            40, [](std::uint64_t seed) {
                              const Asked at = asked(seed);
                              return scaled(at.forces.nominal.dot(at.motion.v), at.forces.nominal, at.motion.v);
                            }));
  all.push_back(worst_entry({"walker-control.passive.asymptotic", "DS (5.18): the law has no power", "closed form", 1e-11},
                            40, [](std::uint64_t seed) {
                              const Asked at = asked(seed);
                              return scaled(at.forces.asymptotic.dot(at.motion.v), at.forces.asymptotic, at.motion.v);
                            }));
  all.push_back(worst_entry({"walker-control.passive.damping", "DS (5.17): takes |across|^2 and no more", "closed form", 1e-11},
                            40, [](std::uint64_t seed) {
                              const Asked at = asked(seed);
                              const double heat = 0.7 * at.split.across.dot(at.split.M_across);
                              return scaled(at.forces.damping.dot(at.motion.v) + heat, at.forces.damping, at.motion.v);
                            }));
  all.push_back(worst_entry({"walker-control.errata.inverse_mass", "DS (5.19), (5.20) with Mbar^-1", "two routes", 1e-11},
                            40, transfer_rate_error));
  all.push_back(number_entry({"walker-control.errata.force_is_a_covector",
                              "DS (5.27) with M w: it accelerates along the field alone", "two routes", 1e-11},
                             0.0, [] {
                               const Asked at = asked(5);
                               Workspace work(at.motion.m);
                               const TrackingForces f = tracking_forces(
                                   at.motion.m, work, at.split, at.motion.q, at.motion.v, {.energy_gain = 1.0, .energy = 3.0});
                               const Eigen::VectorXd rate =
                                   inverse_mass_matrix(at.motion.m, work, at.motion.q) * f.energy.matrix();
                               return (rate - rate.norm() / at.split.w.norm() *
                                                  std::copysign(1.0, rate.dot(at.split.w)) * at.split.w)
                                          .norm() /
                                      (1.0 + rate.norm());
                             }));
  return all;
}

}  // namespace amble
