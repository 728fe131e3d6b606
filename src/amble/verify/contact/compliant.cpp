#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "amble/contact/compliant_contact.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/models/table.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/drive.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/verify/contact/parts.hpp"
#include "amble/verify/evidence.hpp"

// Contact that gives way: bounces in closed form, friction, books, the way to rigid contact.
namespace amble {

namespace {

constexpr double kGravity = 9.81, kMass = 2.0, kNone = std::numeric_limits<double>::infinity();

/// Bodies without mass on the way, then one of `inertia`: along x, z and about y.
Mechanism in_plane(const Inertia<double>& inertia, double gravity, bool turns) {
  Builder b("in plane");
  const Inertia<double> nothing =
      Inertia<double>::from_com(0.0, Vector3<double>::Zero(), Matrix3<double>::Zero());
  b.gravity({0, 0, -gravity});
  b.body({.name = "rail", .inertia = nothing});
  if (turns) b.body({.name = "lift", .inertia = nothing});
  b.body({.name = "body", .inertia = inertia});
  b.joint({.name = "along", .type = "prismatic", .parent = kWorld, .child = "rail", .axis = {1, 0, 0}});
  b.joint({.name = "up",
           .type = "prismatic",
           .parent = "rail",
           .child = turns ? "lift" : "body",
           .axis = {0, 0, 1}});
  if (turns)
    b.joint({.name = "turn", .type = "revolute", .parent = "lift", .child = "body", .axis = {0, 1, 0}});
  return b.build();
}
Mechanism block(double gravity) {
  return in_plane(Inertia<double>::from_com(kMass, Vector3<double>::Zero(), Matrix3<double>::Identity()),
                  gravity, false);
}

ElementPtr on_ground(const Mechanism& m, const CompliantOptions& options,
                     const OverPlane& where = {.body = "body"}) {
  return compliant_contact("contact", m, over_plane("contact", m, where), options);
}

Simulator simulator(const Mechanism& m, std::vector<ElementPtr> elements, double tolerance = 1e-11) {
  return Simulator(m, std::move(elements), {}, {.integrator = {.tolerance = tolerance}});
}

double largest_gap(Simulator& s) {
  const Ledger books = s.ledger();
  double worst = std::abs(books.residual());
  for (const LedgerEntry& e : books.entries) worst = std::max(worst, std::abs(e.gap()));
  return worst / books.exchanged;
}

// ---- bounces without gravity, from 1 m/s

Simulator bounce(const NormalLawPtr& law) {
  const Mechanism m = block(0.0);
  Simulator s = simulator(m, {on_ground(m, {.normal = law, .surface = slipping_surface(nullptr)})});
  s.reset(Eigen::Vector2d(0.0, 1e-3), Eigen::Vector2d(0.0, -1.0));
  s.advance(1.0);
  return s;
}

double kelvin_voigt_restitution() {
  return bounce(kelvin_voigt_pulling({.stiffness = 2e4, .damping = 60.0})).v()[1];
}
double expected_kelvin_voigt() {
  const double ratio = 60.0 / (2.0 * std::sqrt(2e4 * kMass));
  return std::exp(-std::numbers::pi * ratio / std::sqrt(1.0 - ratio * ratio));
}

double hertz_time() {
  const Simulator s = bounce(hertz({.stiffness = 3e7}));
  return s.events().at(1).t - s.events().at(0).t;
}
double expected_hertz_time() {
  const double deepest = std::pow(1.25 * kMass / 3e7, 0.4);
  return 2.0 * deepest * std::sqrt(std::numbers::pi) / 2.5 * std::tgamma(0.4) / std::tgamma(0.9);
}

constexpr double kHuntCrossley = 0.6;  // s/m
double hunt_crossley_restitution() {
  return bounce(hunt_crossley({.stiffness = 1e6, .damping = kHuntCrossley})).v()[1];
}
/// v / c - ln(1 + c v) / c^2 is the same for 1 and -e, whatever the stiffness and exponent.
double expected_hunt_crossley() {
  const auto integral = [](double v) {
    return v / kHuntCrossley - std::log1p(kHuntCrossley * v) / (kHuntCrossley * kHuntCrossley);
  };
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 100; ++i)
    (integral(-0.5 * (low + high)) < integral(1.0) ? low : high) = 0.5 * (low + high);
  return low;
}

// ---- friction

constexpr double kFriction = 0.5, kSlidingStiffness = 1e4;

/// A block that a force pushes along, which has come to its size after a second.
Simulator pushed(double force, const SurfaceLawPtr& surface) {
  const Mechanism m = block(kGravity);
  const ElementPtr push =
      drive("push", [force](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
        tau[0] = t < 1.0 ? force * t * t * (3.0 - 2.0 * t) : force;
      });
  Simulator s = simulator(
      m, {on_ground(m, {.normal = kelvin_voigt({.stiffness = 1e5, .damping = 500.0}), .surface = surface}),
          push});
  s.reset(Eigen::Vector2d(0.0, -kMass * kGravity / 1e5), Eigen::Vector2d(0.0, 0.0));
  return s;
}
SurfaceLawPtr stick_slip_surface() {
  return slipping_surface(
      stick_slip({.stiffness = kSlidingStiffness, .friction = kFriction, .relaxation = 0.02}));
}

constexpr double kHolding = 0.9 * kFriction * kMass * kGravity,
                 kSliding = 1.3 * kFriction * kMass * kGravity;  // N

double creep() {
  Simulator s = pushed(kHolding, stick_slip_surface());
  s.advance(4.0);
  const double before = s.q()[0];
  s.advance(64.0);
  return (s.q()[0] - before) / 60.0;
}
double stretch() {
  Simulator s = pushed(kHolding, stick_slip_surface());
  s.advance(10.0);
  return s.q()[0];
}
double sliding_acceleration() {
  Simulator s = pushed(kSliding, stick_slip_surface());
  s.advance(1.5);
  const double before = s.v()[0];
  s.advance(2.5);
  return s.v()[0] - before;
}
/// From 1 m/s, on the map of DS (3.25)-(3.27) as printed.
double printed_speed() {
  Simulator s = pushed(0.0, printed_map({.stiffness = kSlidingStiffness, .most_stretch = 1e-3}));
  s.reset(Eigen::Vector2d(0.0, -kMass * kGravity / 1e5), Eigen::Vector2d(1.0, 0.0));
  s.advance(2.0);
  return s.v()[0];
}

double rolling_speed() {
  Builder b("ball");
  b.body({.name = "body",
          .inertia = Inertia<double>::from_com(kMass, Vector3<double>::Zero(),
                                               0.4 * kMass * 0.01 * Matrix3<double>::Identity())});
  const Mechanism m = b.joint({.name = "free", .type = "free", .parent = kWorld, .child = "body"}).build();
  const CompliantOptions options{.normal = kelvin_voigt({.stiffness = 1e7, .damping = 4000.0}),
                                 .surface = slipping_surface(stick_slip({.stiffness = 1e5, .friction = 0.3})),
                                 .share_a = 0.0};
  Simulator s = simulator(m, {on_ground(m, options, {.body = "body", .radius = 0.1})}, 1e-10);
  OwnedVector q = m.neutral(), v(6);
  q[2] = 0.1 - kMass * kGravity / 1e7, v[0] = 1.0;
  s.reset(q, v);
  s.advance(2.0);
  Workspace work(m);
  return (jacobian(m, work, s.q(), "body", {.frame = JacobianFrame::aligned}) * s.v())[0];
}

// ---- books and limits

/// Two balls on links of a random chain that meet, with everything that a contact may have.
double open_share(std::uint64_t seed) {
  const Mechanism m =
      random_mechanism(seed, {.bodies = 4, .branching = 0.0, .fixed = 0.0, .properties = false}).mechanism;
  Random random(seed + 50);
  OwnedVector q = m.random(random), v(m.nv());
  for (double& x : v) x = random.uniform(-1.0, 1.0);
  Workspace work(m);
  const LinkPoses poses = forward_kinematics(m, work, q);
  const int b = static_cast<int>(m.links().size()) - 1, a = b - 2;
  const double apart = (poses[b].translation() - poses[a].translation()).norm();
  const ContactPairPtr pair =
      sphere_on_sphere_pair("balls", {a, Pose()}, 0.5 * apart, {b, Pose()}, 0.5 * apart + 0.01);
  const SlidingLawKind& sliding = sliding_laws()[seed % sliding_laws().size()];
  const SlidingNumbers numbers{
      .stiffness = 1e4, .friction = 0.4, .static_friction = 0.5, .damping = 5.0, .viscosity = 3.0};
  const CompliantOptions options{
      .normal = hunt_crossley({.stiffness = 2e4, .damping = 0.2}),
      .surface = slipping_surface(sliding_law(sliding.name, numbers), {.stiffness = 10.0, .friction = 0.02},
                                  {.arm = 0.01, .creep = 0.01, .relief = 1.0}),
      .share_a = 0.3,
      .fading = seed % 2 == 0 ? 0.0 : 0.1,
      .factor = {.value = [](double t) { return 1.0 + 0.3 * std::sin(5.0 * t); }}};
  Simulator s = simulator(m, {compliant_contact("contact", m, pair, options)}, 1e-10);
  s.reset(q, v);
  s.advance(1.0);
  return largest_gap(s);
}

/// By how much the velocity of a rod that is dropped on its end differs from that after the plastic impact.
double off_rigid(double stiffness) {
  const Mechanism m =
      in_plane(Inertia<double>::from_com(1.0, Vector3<double>::Zero(),
                                         Vector3<double>(1e-4, 1.0 / 12.0, 1.0 / 12.0).asDiagonal()),
               kGravity, true);
  Workspace work(m);
  const double angle = 0.6;
  const Eigen::Vector3d q(0.0, 0.5 * std::sin(angle) + 1e-9, angle), v(0.0, -2.0, 0.0);
  const Eigen::MatrixXd J =
      jacobian(m, work, q, "body", {.point = {0.5, 0, 0}, .frame = JacobianFrame::aligned});
  const Eigen::MatrixXd A = (Eigen::MatrixXd(2, 3) << J.row(0), J.row(2)).finished(),
                        W = inverse_mass_matrix(m, work, q);
  const Eigen::VectorXd rigid = v - W * A.transpose() * (A * W * A.transpose()).ldlt().solve(A * v);
  const double damping = 2.0 * std::sqrt(stiffness);
  const SlidingNumbers sliding{.stiffness = stiffness, .friction = kNone, .relaxation = damping / stiffness};
  Simulator s =
      simulator(m,
                {on_ground(m,
                           {.normal = kelvin_voigt_pulling({.stiffness = stiffness, .damping = damping}),
                            .surface = slipping_surface(stick_slip(sliding))},
                           {.body = "body", .point = {0.5, 0, 0}})},
                1e-9);
  s.reset(q, v);
  s.advance(20.0 / std::sqrt(stiffness));
  return (s.v() - rigid).norm() / rigid.norm();
}

}  // namespace

std::vector<VerificationEntry> contact_compliant() {
  const std::string form = "closed form";
  return {
      number_entry({"contact.kelvin_voigt_bounce",
                    "restitution exp(-pi z / sqrt(1 - z^2)) of a linear spring and damper", form, 1e-10},
                   expected_kelvin_voigt(), kelvin_voigt_restitution),
      number_entry(
          {"contact.hertz_time",
           "how long a Hertz contact lasts (s): 2 d/v sqrt(pi)/2.5 Gamma(0.4)/Gamma(0.9)", form, 1e-12},
          expected_hertz_time(), hertz_time),
      number_entry({"contact.hunt_crossley_bounce",
                    "restitution from the first integral of Hunt and Crossley's law", form, 1e-9},
                   expected_hunt_crossley(), hunt_crossley_restitution),
      number_entry({"contact.stick_creep", "a block pushed by 0.9 of its friction for 60 s: its speed (m/s)",
                    form, 1e-12},
                   0.0, creep),
      number_entry({"contact.stick_stretch", "and how far it has gone (m): force / stiffness", form, 1e-12},
                   kHolding / kSlidingStiffness, stretch),
      number_entry({"contact.compliant_sliding",
                    "a block pushed by 1.3 of its friction: its acceleration (m/s^2)", form, 1e-11},
                   kSliding / kMass - kFriction * kGravity, sliding_acceleration),
      number_entry(
          {"contact.compliant_rolling",
           "a ball that slides at 1 m/s ends up rolling at 5/7, less what it is sunk in (m/s)", form, 1e-8},
          1.0 / (1.0 + 0.4 * std::pow(0.1 / (0.1 - kMass * kGravity / 1e7), 2)), rolling_speed),
      number_entry({"contact.printed_slip",
                    "DS (3.25)-(3.27) as printed: friction takes K a_max^2 / 2 and no more, whatever the way "
                    "(m/s after 2 s)",
                    form, 1e-10},
                   std::sqrt(1.0 - kSlidingStiffness * 1e-6 / kMass), printed_speed),
      worst_entry({"contact.compliant_ledger",
                   "every law of sliding between links of 20 random chains, with twisting, rolling, variable "
                   "stiffness and release: the largest of the residual and the gap, of the energy exchanged",
                   "conservation", 1e-7},
                  20, open_share),
      number_entry({"contact.compliant_to_rigid",
                    "a dropped rod, against the plastic impact: the difference at stiffness 1e10, of that at "
                    "1e8 (1/10)",
                    "two routes", 1e-3},
                   0.1, [] { return off_rigid(1e10) / off_rigid(1e8); }),
  };
}

}  // namespace amble
