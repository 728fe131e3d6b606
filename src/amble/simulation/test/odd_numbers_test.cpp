#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "amble/base/error.hpp"
#include "amble/base/random.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/contact/compliant_contact.hpp"
#include "amble/contact/contact_scene.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/dynamics/coordinates/hamiltonian.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/joint_elements.hpp"
#include "amble/simulation/integrators.hpp"
#include "amble/simulation/simulate.hpp"
#include "amble/simulation/variational.hpp"

// Random mechanisms with numbers that no robot has: masses from 1e-9 to 1e9 kg, stiffness to 1e12, steps from
// 1e-6 to 0.1 s. A run ends with finite numbers or with an Error that names what went wrong; it never hangs
// and never gives NaN.
namespace amble {
namespace {

constexpr long kSteps = 200;  // of a run, rejected ones too where the scheme finds its own

double power_of_ten(Random& random, double from, double to) {
  return std::pow(10.0, random.uniform(from, to));
}

OwnedVector powers_of_ten(Random& random, int n, double from, double to) {
  OwnedVector out(n);
  for (double& x : out) x = power_of_ten(random, from, to);
  return out;
}

struct OddCase {
  std::uint64_t seed;
  Mechanism mechanism;
  OwnedVector q, v;
  std::string method, contacts;
  double step, tolerance;
  bool springs;

  /// All the steps there are, or what most schemes that find them get through.
  double duration() const {
    const bool fixed = method != "rkmk45" && method != "radau" && method != "momenta";
    return (fixed ? kSteps * (1.0 - 1e-9) : 10.0) * step;
  }
  std::string text() const {
    return fmt::format(
        "seed {}: {} bodies, nv {}, loops {}, mass {:.2g} kg, {}, step {:.2g} s, tolerance {:.2g}, contacts "
        "{}{}",
        seed, mechanism.bodies().size(), mechanism.nv(), mechanism.loops().size(), mechanism.mass(), method,
        step, tolerance, contacts, springs ? ", springs" : "");
  }
};

Inertia<double> times(double factor, const Inertia<double>& I) {
  return {factor * I.mass(), factor * I.first_moment(), factor * I.about_origin()};
}

Mechanism odd_mechanism(const Mechanism& m, Random& random) {
  ModelDescription d = m.description();
  // All of one size, or each of its own.
  const bool alike = random.uniform() < 0.6;
  const double spread = random.uniform(0.0, 9.0), common = power_of_ten(random, -9.0, 9.0);
  for (BodyDescription& body : d.bodies)
    body.inertia = times(alike ? common : power_of_ten(random, -spread, spread), body.inertia);
  Builder b(d);
  for (std::size_t i = 0; i < d.bodies.size() && random.uniform() < 0.5; ++i)
    b.spring({.name = fmt::format("spring{}", i),
              .body_a = kWorld,
              .body_b = d.bodies[i].name,
              .point_b = {0.1, 0.0, 0.1},
              .stiffness = power_of_ten(random, 0.0, 12.0),
              .length = random.uniform(0.0, 1.0),
              .damping = random.uniform() < 0.5 ? 0.0 : power_of_ten(random, -3.0, 9.0)});
  return b.build();
}

OwnedVector odd_velocity(const Mechanism& m, const OwnedVector& q, Random& random) {
  OwnedVector v(m.nv());
  const double size = random.uniform() < 0.3 ? 0.0 : power_of_ten(random, -3.0, 3.0);
  for (double& x : v) x = size * random.normal();
  const std::vector<ConstraintPtr> held = constraints_of(m);
  if (held.empty()) return v;
  ConstrainedDynamics dynamics(m, held);
  dynamics.set_state(q, v);
  return dynamics.project_velocity(v);
}

const std::vector<std::string>& engines() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = integrator_names();
    out.insert(out.end(), {"momenta", "variational alone"});
    return out;
  }();
  return all;
}

OddCase odd_case(std::uint64_t seed) {
  Random random(seed);
  const std::string method = engines()[seed % engines().size()];
  const bool tree = method.find("variational") == 0 || method == "momenta";
  const RandomMechanism r = random_mechanism(
      seed, {.bodies = random.integer(1, 6), .loops = !tree && random.uniform() < 0.4 ? 1 : 0, .mimic = 0.2});
  Mechanism m = odd_mechanism(r.mechanism, random);
  OwnedVector v = odd_velocity(m, r.q, random);
  const std::string contacts = random.uniform() < 0.5           ? "none"
                               : method == "time_stepping"      ? "stepped"
                               : tree || random.uniform() < 0.5 ? "compliant"
                                                                : "rigid";
  return {seed,
          std::move(m),
          r.q,
          std::move(v),
          method,
          contacts,
          power_of_ten(random, -6.0, -1.0),
          power_of_ten(random, -12.0, -4.0),
          random.uniform() < 0.5};
}

/// Points of two bodies over planes that they are at, above or below.
std::vector<ContactSpec> contacts_of(const OddCase& c, Random& random) {
  std::vector<ContactSpec> out;
  Workspace work(c.mechanism);
  for (const Body& body : c.mechanism.bodies()) {
    if (body.link == 0 || out.size() == 2) continue;
    const Vector3<double> at = pose(c.mechanism, work, c.q, body.name).translation();
    const double gap = random.uniform() < 0.3 ? 0.0 : random.uniform(-0.01, 0.1);
    out.push_back({.body = body.name,
                   .radius = random.uniform() < 0.5 ? 0.0 : 0.05,
                   .offset = at.z() - gap - 0.05,
                   .friction = random.uniform(0.0, 1.5),
                   .restitution = random.uniform()});
  }
  return out;
}

std::vector<ElementPtr> elements_of(const OddCase& c) {
  const Mechanism& m = c.mechanism;
  Random random(c.seed + 1000000);
  std::vector<ElementPtr> out;
  if (c.springs)
    out.push_back(joint_springs("springs", m, powers_of_ten(random, m.nv(), 0.0, 12.0), OwnedVector(m.nv())));
  if (c.springs) out.push_back(joint_dampers("dampers", powers_of_ten(random, m.nv(), -6.0, 6.0)));
  if (c.contacts == "none") return out;
  const std::vector<ContactSpec> specs = contacts_of(c, random);
  if (c.contacts == "stepped")
    out.push_back(contact_scene("contacts", m, {.ground = GroundPtr(), .shapes = false, .contacts = specs}));
  if (c.contacts == "rigid")
    for (ElementPtr& element : rigid_contacts(m, specs)) out.push_back(std::move(element));
  if (c.contacts == "compliant")
    for (std::size_t i = 0; i < specs.size(); ++i)
      out.push_back(compliant_contact(
          fmt::format("pad{}", i), m,
          over_plane(fmt::format("pad{}", i), m,
                     {.body = specs[i].body, .radius = 0.05, .offset = specs[i].offset}),
          {.normal = hunt_crossley({.stiffness = power_of_ten(random, 2.0, 12.0), .damping = 0.5})}));
  return out;
}

struct Outcome {
  std::string error;  ///< empty for a run that came to its end
  bool finite = false;
  long steps = 0;
  double residual = 0.0;  ///< of the ledger, relative
};

Outcome run_simulator(const OddCase& c) {
  Outcome out;
  Simulator s(
      c.mechanism, elements_of(c), {},
      {.integrator = {.tolerance = c.tolerance, .most_steps = kSteps, .step = c.step}, .method = c.method});
  s.reset(c.q, c.v);
  Recording recording(c.mechanism);
  try {
    simulate(s, c.duration(), 0.0, recording);
  } catch (const Error& e) {
    out.error = e.what();
  }
  out.finite = s.q().allFinite() && s.v().allFinite() && std::isfinite(s.t()) && recording.q().allFinite() &&
               recording.v().allFinite();
  if (out.error.empty()) {
    const Ledger books = s.ledger();
    out.residual = std::abs(books.residual()) / std::max(1e-300, books.exchanged + std::abs(books.final));
    out.finite = out.finite && std::isfinite(books.residual()) && std::isfinite(books.exchanged);
  }
  out.steps = s.report().steps + s.report().rejected;
  return out;
}

Outcome run_momenta(const OddCase& c) {
  MomentumFlow flow(c.mechanism);
  const auto run = make_integrator("rkmk45", flow, {.tolerance = c.tolerance, .most_steps = kSteps});
  Workspace work(c.mechanism);
  Outcome out;
  run->set_state(0.0, c.q, OwnedVector(mass_matrix(c.mechanism, work, c.q) * c.v));
  try {
    run->run(c.duration());
  } catch (const Error& e) {
    out.error = e.what();
  }
  out.finite = run->q().allFinite() && run->x().allFinite();
  out.steps = run->report().steps + run->report().rejected;
  return out;
}

Outcome run_variational(const OddCase& c) {
  VariationalIntegrator run(c.mechanism, c.step);
  run.set_state(0.0, c.q, c.v);
  Outcome out;
  try {
    run.run(kSteps);
  } catch (const Error& e) {
    out.error = e.what();
  }
  out.finite = run.q().allFinite() && run.v().allFinite();
  out.steps = kSteps;
  return out;
}

/// What cannot even begin is refused where it is put together.
Outcome run_of(const OddCase& c) {
  try {
    return c.method == "momenta"             ? run_momenta(c)
           : c.method == "variational alone" ? run_variational(c)
                                             : run_simulator(c);
  } catch (const Error& e) {
    return {.error = e.what(), .finite = true};
  }
}

struct Tally {
  int finished = 0, refused = 0;
};

/// An error says when, or names the thing in quotes.
bool says_enough(const std::string& error) {
  return error.size() > 15 &&
         (error.find(" s") != std::string::npos || error.find('\'') != std::string::npos);
}

Tally run_cases(std::uint64_t first, std::uint64_t last) {
  Tally out;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::optional<OddCase> c;
    try {
      c.emplace(odd_case(seed));
    } catch (const Error& e) {  // a loop of bodies that differ so much that no velocity can be projected
      EXPECT_TRUE(says_enough(e.what())) << e.what();
      ++out.refused;
      continue;
    }
    const Outcome run = run_of(*c);
    EXPECT_TRUE(run.finite) << c->text() << ": numbers that are not finite; " << run.error;
    EXPECT_LE(run.steps, 2 * kSteps) << c->text();
    EXPECT_TRUE(run.error.empty() || says_enough(run.error)) << c->text() << ": " << run.error;
    run.error.empty() ? ++out.finished : ++out.refused;
    if (std::getenv("AMBLE_ODD") != nullptr)
      fmt::print("{}: {}\n", c->text(),
                 run.error.empty() ? fmt::format("finished, residual {:.2g} of what moved", run.residual)
                                   : run.error);
  }
  fmt::print("{} finished, {} ended with a report\n", out.finished, out.refused);
  return out;
}

TEST(OddNumbers, RunsEndWithFiniteNumbersOrAReport) {
  const Tally t = run_cases(0, 504);
  EXPECT_GT(t.finished, 150);
  EXPECT_GT(t.refused, 100);
}

TEST(OddNumbersLong, RunsEndWithFiniteNumbersOrAReport) {
  const Tally t = run_cases(504, 20000);
  EXPECT_GT(t.finished, 6000);
  EXPECT_GT(t.refused, 4000);
}

}  // namespace
}  // namespace amble
