#include "amble/dynamics/springs.hpp"

#include "amble/base/slope.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/constraints/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

/// Springs and dampers between random bodies, and to the world.
Motion sprung_motion(std::uint64_t seed) {
  const Motion s = random_motion(seed, 20);
  Builder b(s.m.description());
  Random random(seed + 500);
  const int last = static_cast<int>(s.m.bodies().size()) - 1;
  const auto point = [&] {
    return Vector3<double>(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  };
  for (int i = 0; i < 3; ++i)
    b.spring({.name = "spring" + std::to_string(i),
              .body_a = i == 0 ? kWorld : s.m.bodies()[0].name,
              .body_b = last == 0 && i > 0 ? kWorld : s.m.bodies()[std::max(i == 0 ? 0 : 1, last - i)].name,
              .point_a = point(),
              .point_b = point(),
              .stiffness = random.uniform(1, 100),
              .length = random.uniform(0, 2),
              .damping = random.uniform(0, 5)});
  return {b.build(), s.q, s.v, s.a};
}

double against_slope_of_energy(std::uint64_t seed) {
  const Motion s = sprung_motion(seed);
  Workspace work(s.m);
  const int nv = s.m.nv();
  Eigen::VectorXd slope(nv);
  for (int k = 0; k < nv; ++k)
    slope[k] = slope_at_zero(
        [&](double t) { return spring_energy(s.m, work, s.m.integrate(s.q, t * Eigen::VectorXd::Unit(nv, k))); });
  return relative_error(-spring_forces(s.m, work, s.q, Eigen::VectorXd::Zero(nv)), slope);
}

double power_balance(std::uint64_t seed) {
  const Motion s = sprung_motion(seed);
  Workspace work(s.m);
  const double given = spring_forces(s.m, work, s.q, s.v).dot(s.v), burnt = spring_dissipation(s.m, work, s.q, s.v);
  const double stored =
      slope_at_zero([&](double t) { return spring_energy(s.m, work, s.m.integrate(s.q, t * s.v)); });
  return std::abs(given + burnt + stored) / (1.0 + std::abs(given) + burnt);
}

/// A mass on a spring of length zero in space: z(t) by its frequency, seconds after a release from 1 m below.
double oscillator() {
  Builder b("oscillator");
  b.body({.name = "mass", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "mass"});
  b.spring({.name = "spring", .body_a = kWorld, .body_b = "mass", .stiffness = 18.0});
  const Mechanism m = b.build();
  Workspace work(m);
  VelocityFlow flow(m, [&](double, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
    tau = spring_forces(m, work, q, v);
  });
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-12});
  OwnedVector q = m.neutral();
  q[2] = -1.0;
  run.set_state(0.0, q, Eigen::VectorXd::Zero(6));
  run.run(2.0);
  return run.q()[2];
}

}  // namespace

std::vector<VerificationEntry> constraints_springs() {
  const double middle = -2.0 * 9.81 / 18.0;  // where weight and spring balance
  return {
      worst_entry(
          {"constraints.spring_forces", "slopes of the springs' energy, random mechanisms", "two routes", 1e-9}, 30,
          against_slope_of_energy),
      worst_entry({"constraints.spring_power", "given + burnt + stored = 0, random mechanisms", "two routes", 1e-9},
                  30, power_balance),
      number_entry({"constraints.spring_oscillator", "z of a mass on a spring, sqrt(k/m) = 3 rad/s, t = 2 s",
                    "closed form", 1e-9},
                   middle + (-1.0 - middle) * std::cos(6.0), oscillator),
  };
}

}  // namespace amble
