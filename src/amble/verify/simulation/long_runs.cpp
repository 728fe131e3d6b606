#include <algorithm>
#include <cmath>

#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/simulation/variational.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/simulation/themes.hpp"

namespace amble {

namespace {

constexpr long kSteps = 1'000'000;

Mechanism spinning_body() {
  Builder b("body");
  b.gravity({0, 0, 0});
  const Matrix3<double> I = Vector3<double>(0.3, 0.5, 0.7).asDiagonal();
  b.body({.name = "body", .inertia = Inertia<double>::from_com(1.3, {0.1, -0.2, 0.05}, I)});
  return b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "body"}).build();
}

Mechanism double_pendulum() {
  Builder b("double pendulum");
  const Inertia<double> rod = Inertia<double>::from_com(1.0, {0, 0, -0.5}, Matrix3<double>::Identity() / 12.0);
  b.body({.name = "upper", .inertia = rod}).body({.name = "lower", .inertia = rod});
  b.joint({.name = "shoulder", .type = "revolute", .parent = kWorld, .child = "upper", .axis = {0, 1, 0}});
  b.joint({.name = "elbow",
           .type = "revolute",
           .parent = "upper",
           .child = "lower",
           .X_PF = Pose(Vector3<double>(0, 0, -1)),
           .axis = {0, 1, 0}});
  return b.build();
}

struct Band {
  double first_tenth = 0.0, last_tenth = 0.0;  ///< the largest error of the energy, relative to the kinetic one
};

Band energy_band(const Mechanism& m, const Eigen::VectorXd& q, const Eigen::VectorXd& v, double h, double size) {
  VariationalIntegrator run(m, h);
  Workspace work(m);
  const auto energy = [&] { return kinetic_energy(m, work, run.q(), run.v()) + potential_energy(m, work, run.q()); };
  run.set_state(0.0, q, v);
  const double start = energy();
  Band out;
  for (long i = 0; i < kSteps; ++i) {
    run.step();
    const double error = std::abs(energy() - start) / size;
    if (10 * i < kSteps) out.first_tenth = std::max(out.first_tenth, error);
    if (10 * i >= 9 * kSteps) out.last_tenth = std::max(out.last_tenth, error);
  }
  return out;
}

VerificationEntry band_entry(const std::string& name, const std::string& what, const std::function<Band()>& run) {
  const std::string id = "simulation." + name,
                    source = what +
                             ", 10^6 variational steps: largest error of the energy in the "
                             "last tenth beside that in the first, relative";
  return {id, [=] {
            const Band band = run();
            return Verification{id, source, band.first_tenth, band.last_tenth, 0.1 * band.first_tenth, "two routes"};
          }};
}

/// About its middle axis, so that it tumbles.
Band tumbling() {
  const Mechanism m = spinning_body();
  const Eigen::VectorXd v = (Eigen::VectorXd(6) << 0, 0, 0, 0.1, 2.0, 0.1).finished();
  Workspace work(m);
  return energy_band(m, m.neutral(), v, 0.02, kinetic_energy(m, work, m.neutral(), v));
}

/// Relative to what it takes to lift it from hanging to where it starts.
Band swinging() {
  const Mechanism m = double_pendulum();
  Workspace work(m);
  const Eigen::Vector2d q(0.8, 0.5);
  const double lift = potential_energy(m, work, q) - potential_energy(m, work, Eigen::Vector2d::Zero());
  return energy_band(m, q, Eigen::Vector2d::Zero(), 0.01, lift);
}

}  // namespace

std::vector<VerificationEntry> simulation_long_runs() {
  return {
      band_entry("energy_of_a_spinning_body", "a free body that tumbles", tumbling),
      band_entry("energy_of_a_double_pendulum", "a double pendulum", swinging),
  };
}

}  // namespace amble
