#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <numbers>

#include "amble/contact/compliant_contact.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/models/table.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/ports/drive.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

using Eigen::VectorXd;

constexpr double kNone = std::numeric_limits<double>::infinity(), kMass = 2.0, kGravity = 9.81;

/// A mass on rails along x and z.
Mechanism block(double gravity = kGravity) {
  Builder b("block");
  b.gravity({0, 0, -gravity});
  const Inertia<double> inertia = Inertia<double>::from_com(kMass, {0, 0, 0}, Matrix3<double>::Identity());
  b.body({.name = "rail", .inertia = Inertia<double>::from_com(0.0, {0, 0, 0}, Matrix3<double>::Zero())});
  b.body({.name = "block", .inertia = inertia});
  b.joint({.name = "along", .type = "prismatic", .parent = "world", .child = "rail", .axis = {1, 0, 0}});
  b.joint({.name = "up", .type = "prismatic", .parent = "rail", .child = "block", .axis = {0, 0, 1}});
  return b.build();
}

constexpr double kRadius = 0.1;

/// A solid ball on a free joint.
Mechanism ball() {
  Builder b("ball");
  b.body({.name = "ball",
          .inertia = Inertia<double>::from_com(
              kMass, {0, 0, 0}, 0.4 * kMass * kRadius * kRadius * Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "ball"});
  return b.build();
}

/// The last body over the ground; a point of it when the radius is zero.
ElementPtr on_ground(const Mechanism& m, double radius, const CompliantOptions& options,
                     const Vector3<double>& point = Vector3<double>::Zero()) {
  const OverPlane where{.body = m.bodies().back().name, .point = point, .radius = radius};
  return compliant_contact("contact", m, over_plane("contact", m, where), options);
}

SurfaceLawPtr frictionless() { return slipping_surface(nullptr); }

Simulator simulator(const Mechanism& m, std::vector<ElementPtr> elements, double tolerance = 1e-11,
                    const std::string& method = "rkmk45") {
  return Simulator(m, std::move(elements), {}, {.integrator = {.tolerance = tolerance}, .method = method});
}

void expect_closed_books(Simulator& s, double share) {
  const Ledger books = s.ledger();
  ASSERT_GT(books.exchanged, 0.0);
  EXPECT_LT(std::abs(books.residual()), share * books.exchanged);
  for (const LedgerEntry& e : books.entries) {
    EXPECT_LT(std::abs(e.gap()), share * books.exchanged) << e.name;
    EXPECT_GE(e.dissipated, -share * books.exchanged) << e.name;
  }
}

/// The first root after `from`, by small steps and bisection.
template <class F>
double first_root(F f, double from, double step) {
  double a = from, b = from + step;
  while (f(a) * f(b) > 0.0) a = b, b += step;
  for (int i = 0; i < 100; ++i) (f(a) * f(0.5 * (a + b)) > 0.0 ? a : b) = 0.5 * (a + b);
  return b;
}

VectorXd two(double x, double z) { return Eigen::Vector2d(x, z); }

// ---- bouncing

/// m d'' = m g - k d - c d', from d = 0 with speed v: the depth and its rate.
struct Pressing {
  double k, c, v;
  double half() const { return c / (2.0 * kMass); }
  double w() const { return std::sqrt(k / kMass - half() * half()); }
  double rest() const { return kMass * kGravity / k; }
  double depth(double t) const {
    return rest() + std::exp(-half() * t) *
                        (-rest() * std::cos(w() * t) + (v - half() * rest()) / w() * std::sin(w() * t));
  }
  double rate(double t) const {
    const double A = -rest(), B = (v - half() * rest()) / w(), wt = w() * t;
    return std::exp(-half() * t) *
           ((B * w() - half() * A) * std::cos(wt) - (A * w() + half() * B) * std::sin(wt));
  }
};

TEST(CompliantMotion, ABallOnKelvinVoigtGroundBouncesAsTheClosedFormSays) {
  const Mechanism m = block();
  for (const double c : {0.0, 20.0, 100.0}) {
    const Pressing law{.k = 2e4, .c = c, .v = 1.5};
    Simulator s = simulator(m, {on_ground(m, 0.0,
                                          {.normal = kelvin_voigt_pulling({.stiffness = law.k, .damping = c}),
                                           .surface = frictionless()})});
    const double fall = law.v / kGravity;
    s.reset(two(0.0, 0.5 * kGravity * fall * fall), two(0.0, 0.0));
    s.advance(fall + 0.1);
    const double parting = first_root([&](double t) { return law.depth(t); }, 1e-5, 1e-4);
    ASSERT_EQ(s.events().size(), 2u);
    EXPECT_NEAR(s.events()[0].t, fall, 1e-9);
    EXPECT_NEAR(s.events()[1].t - s.events()[0].t, parting, 1e-9);
    EXPECT_NEAR(s.v()[1], -law.rate(parting) - kGravity * (0.1 - parting), 1e-8);
    expect_closed_books(s, 1e-9);
  }
}

TEST(CompliantMotion, GroundThatDoesNotPullLetsGoWhereItsPushIsZero) {
  const Mechanism m = block();
  const Pressing law{.k = 2e4, .c = 150.0, .v = 1.5};
  Simulator s = simulator(m, {on_ground(m, 0.0,
                                        {.normal = kelvin_voigt({.stiffness = law.k, .damping = law.c}),
                                         .surface = frictionless()})});
  s.reset(two(0.0, 1e-12), two(0.0, -law.v));
  s.advance(0.1);
  const double let_go =
      first_root([&](double t) { return law.k * law.depth(t) + law.c * law.rate(t); }, 1e-5, 1e-4);
  EXPECT_NEAR(s.v()[1], -law.rate(let_go) - kGravity * (0.1 - let_go), 1e-8);
  expect_closed_books(s, 1e-9);
}

TEST(CompliantMotion, AHertzContactLastsAsLongAsTheClosedFormSays) {
  const Mechanism m = block(0.0);
  for (const double v : {0.1, 1.0, 7.0}) {
    const double k = 3e7;
    Simulator s =
        simulator(m, {on_ground(m, 0.0, {.normal = hertz({.stiffness = k}), .surface = frictionless()})});
    s.reset(two(0.0, 1e-3 * v), two(0.0, -v));
    s.advance(0.02 + 2e-3);
    // Twice deepest / v times the integral of 1 / sqrt(1 - x^2.5) from 0 to 1.
    const double deepest = std::pow(1.25 * kMass * v * v / k, 0.4);
    const double integral = std::sqrt(std::numbers::pi) / 2.5 * std::tgamma(0.4) / std::tgamma(0.9);
    ASSERT_EQ(s.events().size(), 2u);
    const double lasted = s.events()[1].t - s.events()[0].t;
    EXPECT_NEAR(lasted, 2.0 * deepest / v * integral, 1e-8 * lasted);
    EXPECT_NEAR(s.v()[1], v, 1e-8 * v);
    EXPECT_NEAR(lasted / std::pow(kMass * kMass / (k * k * v), 0.2), 3.2180, 1e-4);  // 2.94 (4/5)^-0.4
  }
}

/// -v of the bounce with v / c - ln(1 + c v) / c^2 the same before and after: the first integral of
/// Hunt-Crossley, whatever the stiffness and exponent.
double hunt_crossley_bounce(double v, double c) {
  const auto integral = [c](double x) { return x / c - std::log1p(c * x) / (c * c); };
  double slow = 0.0, fast = std::min(v, 1.0 / c);
  for (int i = 0; i < 200; ++i)
    (integral(-0.5 * (slow + fast)) < integral(v) ? slow : fast) = 0.5 * (slow + fast);
  return slow;
}

TEST(CompliantMotion, HuntCrossleyBouncesAsItsFirstIntegralSays) {
  const Mechanism m = block(0.0);
  for (const double exponent : {1.0, 1.5, 2.2})
    for (const double c : {0.05, 0.3, 1.5}) {
      Simulator s = simulator(
          m, {on_ground(m, 0.0,
                        {.normal = hunt_crossley({.stiffness = 1e6, .damping = c, .exponent = exponent}),
                         .surface = frictionless()})});
      const double v = 0.8;
      s.reset(two(0.0, 1e-3), two(0.0, -v));
      s.advance(1.0);
      EXPECT_NEAR(s.v()[1], hunt_crossley_bounce(v, c), 1e-8);
      if (c == 0.05) {
        EXPECT_NEAR(s.v()[1] / v, 1.0 - 2.0 / 3.0 * c * v, 0.02 * c * v);
      }
      expect_closed_books(s, 1e-8);
    }
}

// ---- sliding

/// The block at rest on its ground, pushed along by a force that comes within a second: at once it would
/// swing beyond.
Simulator pushed_block(const Mechanism& m, double force, SurfaceLawPtr surface, double tolerance = 1e-11) {
  const ElementPtr push =
      drive("push", [force](double t, const OwnedVector&, const OwnedVector&, OwnedVector& tau) {
        tau[0] = t < 1.0 ? force * t * t * (3.0 - 2.0 * t) : force;
      });
  Simulator s = simulator(m,
                          {on_ground(m, 0.0,
                                     {.normal = kelvin_voigt({.stiffness = 1e5, .damping = 500.0}),
                                      .surface = std::move(surface)}),
                           push},
                          tolerance);
  s.reset(two(0.0, -kMass * kGravity / 1e5), two(0.0, 0.0));
  return s;
}

TEST(CompliantMotion, ABlockPushedBelowFrictionStretchesItsContactAndCreepsNoFurther) {
  const Mechanism m = block();
  const double mu = 0.5, K = 1e4, force = 0.9 * mu * kMass * kGravity;
  Simulator s = pushed_block(
      m, force, slipping_surface(stick_slip({.stiffness = K, .friction = mu, .relaxation = 0.02})));
  s.advance(3.0);
  EXPECT_NEAR(s.q()[0], force / K, 1e-9);
  s.advance(60.0);
  EXPECT_NEAR(s.q()[0], force / K, 1e-11);
  EXPECT_LT(std::abs(s.v()[0]), 1e-10);
}

TEST(CompliantMotion, ABlockPushedAboveFrictionSlidesAsCoulombSays) {
  const Mechanism m = block();
  const double mu = 0.5;
  for (const char* law : {"stick_slip", "micro_slip"}) {
    const double force = 1.3 * mu * kMass * kGravity;
    Simulator s =
        pushed_block(m, force, slipping_surface(sliding_law(law, {.stiffness = 1e4, .friction = mu})));
    s.advance(1.5);
    const double before = s.v()[0];
    s.advance(2.5);
    EXPECT_NEAR(s.v()[0] - before, force / kMass - mu * kGravity, 1e-8) << law;
    EXPECT_NEAR(s.accelerations()[0], force / kMass - mu * kGravity, 1e-8) << law;
    expect_closed_books(s, 1e-8);
  }
}

TEST(CompliantMotion, ABlockThatStopsLeavesNoEnergyUnaccounted) {
  const Mechanism m = block();
  for (const SlidingLawKind& kind : sliding_laws()) {
    if (kind.make == nullptr) continue;
    const bool dry = std::string(kind.name) != "viscous";
    const SlidingLawPtr law = kind.make({.stiffness = 1e4,
                                         .friction = 0.4,
                                         .relaxation = 0.01,
                                         .static_friction = 0.5,
                                         .damping = 50.0,
                                         .viscosity = dry ? 0.0 : 8.0});
    const ElementPtr contact = on_ground(
        m, 0.0,
        {.normal = kelvin_voigt({.stiffness = 1e5, .damping = 500.0}), .surface = slipping_surface(law)});
    for (const char* method : {"rkmk45", "radau"}) {
      Simulator s = simulator(m, {contact}, 1e-9, method);
      s.reset(two(0.0, -kMass * kGravity / 1e5), two(1.0, 0.0));
      s.advance(1.0);
      expect_closed_books(s, 1e-6);
      EXPECT_NEAR(s.v()[0], dry ? 0.0 : std::exp(-8.0 / kMass), 1e-3) << kind.name;
      if (dry) {
        EXPECT_NEAR(s.q()[0], 0.5 / (0.4 * kGravity), 0.005) << kind.name;
      }
    }
  }
}

TEST(CompliantMotion, OnThePrintedMapABlockSlidesOnForever) {
  const Mechanism m = block();
  Simulator s = pushed_block(m, 0.0, printed_map({.stiffness = 1e4, .most_stretch = 1e-3}), 1e-10);
  s.reset(two(0.0, -kMass * kGravity / 1e5), two(1.0, 0.0));
  s.advance(2.0);
  // All that friction ever took is what the spring holds: 1/2 1e4 1e-6 J, of 1 J.
  EXPECT_NEAR(s.v()[0], std::sqrt(1.0 - 2.0 * 0.5e4 * 1e-6 / kMass), 1e-6);
  EXPECT_NEAR(s.ledger().entries[0].stored, 0.5e4 * 1e-6, 1e-6);
}

// ---- rolling and spinning

VectorXd ball_at(const Mechanism& m, double height) {
  VectorXd q = m.neutral();
  q[2] = height;
  return q;
}

TEST(CompliantMotion, ABallThatSlidesComesToRollWithFiveSeventhsOfItsSpeed) {
  const Mechanism m = ball();
  const double k = 1e7, sunk = kMass * kGravity / k;
  Simulator s =
      simulator(m,
                {on_ground(m, kRadius,
                           {.normal = kelvin_voigt({.stiffness = k, .damping = 4000.0}),
                            .surface = slipping_surface(stick_slip({.stiffness = 1e5, .friction = 0.3})),
                            .share_a = 0.0})},
                1e-10);
  VectorXd v = VectorXd::Zero(6);
  v[0] = 1.0;
  s.reset(ball_at(m, kRadius - sunk), v);
  const double slides = 2.0 / 7.0 / (0.3 * kGravity);
  s.advance(0.5 * slides);
  const double mid = (pose(m, *std::make_unique<Workspace>(m), s.q(), "ball").rotation() *
                      Vector3<double>(s.v().head<3>()))[0];
  EXPECT_NEAR(mid, 1.0 - 0.5 * slides * 0.3 * kGravity, 1e-3);
  s.advance(1.0);
  Workspace work(m);
  const Vector3<double> velocity = pose(m, work, s.q(), "ball").rotation() * Vector3<double>(s.v().head<3>());
  EXPECT_NEAR(velocity[0], 5.0 / 7.0, 1e-4);
  EXPECT_NEAR(velocity[0], kRadius * s.v()[4], 1e-4);
  expect_closed_books(s, 1e-7);
}

TEST(CompliantMotion, ABallThatSpinsSlowsDownByItsFrictionAndStops) {
  const Mechanism m = ball();
  const double k = 1e6, sunk = kMass * kGravity / k, arm = 2e-3, inertia = 0.4 * kMass * kRadius * kRadius;
  Simulator s = simulator(
      m,
      {on_ground(
          m, kRadius,
          {.normal = kelvin_voigt({.stiffness = k, .damping = 1000.0}),
           .surface = slipping_surface(nullptr, {.stiffness = 2.0, .friction = arm, .relaxation = 0.02})})},
      1e-10);
  VectorXd v = VectorXd::Zero(6);
  v[5] = 10.0;
  s.reset(ball_at(m, kRadius - sunk), v);
  s.advance(1.0);
  EXPECT_NEAR(s.v()[5], 10.0 - arm * kMass * kGravity / inertia, 0.1);
  const double before = s.v()[5];
  s.advance(1.5);
  EXPECT_NEAR(s.v()[5] - before, -0.5 * arm * kMass * kGravity / inertia, 1e-7);
  s.advance(8.0);
  EXPECT_LT(std::abs(s.v()[5]), 1e-6);
  expect_closed_books(s, 1e-7);
}

TEST(CompliantMotion, RollingResistanceStopsARollingBall) {
  const Mechanism m = ball();
  const double k = 1e6, sunk = kMass * kGravity / k, arm = 2e-3;
  Simulator s =
      simulator(m,
                {on_ground(m, kRadius,
                           {.normal = kelvin_voigt({.stiffness = k, .damping = 1000.0}),
                            .surface = slipping_surface(stick_slip({.friction = 1.0}), {}, {.arm = arm})})},
                1e-9);
  VectorXd v = VectorXd::Zero(6);
  v[0] = 0.5, v[4] = 0.5 / kRadius;
  s.reset(ball_at(m, kRadius - sunk), v);
  s.advance(0.5);
  const double slower = arm * kGravity / kRadius / 1.4;  // (m + I / r^2) a = arm m g / r
  Workspace work(m);
  EXPECT_NEAR((pose(m, work, s.q(), "ball").rotation() * Vector3<double>(s.v().head<3>()))[0],
              0.5 - 0.5 * slower, 1e-3);
  expect_closed_books(s, 1e-7);
}

// ---- making and breaking

/// A ball thrown obliquely at ground that never lets it slip: at release its contact is still strained.
struct Thrown {
  explicit Thrown(double relaxation, const std::string& method = "rkmk45")
      : m(ball()),
        s(simulator(m,
                    {on_ground(m, kRadius,
                               {.normal = kelvin_voigt({.stiffness = 1e5, .damping = 20.0}),
                                .surface = slipping_surface(
                                    stick_slip({.stiffness = 3e4, .friction = kNone, .relaxation = 1e-4}),
                                    {.stiffness = 20.0, .friction = kNone}),
                                .fading = relaxation})},
                    method == "radau" ? 1e-9 : 1e-11, method)) {
    VectorXd v = VectorXd::Zero(6);
    v[0] = 2.0, v[1] = -0.3, v[2] = -2.0, v[5] = 20.0;
    s.reset(ball_at(m, kRadius + 0.01), v);
  }
  Mechanism m;
  Simulator s;
};

TEST(CompliantMotion, EnergyLeftInTheContactAtReleaseIsHeatOfThatInstant) {
  for (const char* method : {"rkmk45", "radau"}) {
    Thrown thrown(0.0, method);
    thrown.s.advance(0.1);
    ASSERT_EQ(thrown.s.events().size(), 2u);
    const Ledger books = thrown.s.ledger();
    EXPECT_EQ(books.entries[0].stored, 0.0);
    EXPECT_GT(books.entries[0].dissipated, 0.05);  // of 8 J
    EXPECT_EQ(books.losses, 0.0);
    expect_closed_books(thrown.s, method == std::string("radau") ? 1e-7 : 1e-9);
  }
}

TEST(CompliantMotion, StrainMayFadeAfterReleaseAndCountAtTheNextTouch) {  // DS Fig 3.13
  Thrown dropped(0.0), fading(0.05), lasting(1e9);
  for (Thrown* x : {&dropped, &fading, &lasting}) x->s.advance(0.1);
  const double all = lasting.s.ledger().entries[0].stored, since = 0.1 - lasting.s.events()[1].t;
  EXPECT_NEAR(fading.s.ledger().entries[0].stored, all * std::exp(-2.0 * since / 0.05), 1e-9 * all);
  EXPECT_NEAR(dropped.s.ledger().entries[0].dissipated - lasting.s.ledger().entries[0].dissipated, all,
              1e-8 * all);
  for (Thrown* x : {&dropped, &fading, &lasting}) {
    expect_closed_books(x->s, 1e-9);
    x->s.advance(2.0);  // several bounces
    EXPECT_GE(x->s.events().size(), 6u);
    expect_closed_books(x->s, 1e-8);
  }
  EXPECT_GT((dropped.s.q() - lasting.s.q()).norm(), 1e-3);  // the strain that was kept made a difference
}

TEST(CompliantMotion, BooksCloseBetweenMovingBodiesOfRandomMechanisms) {
  int touches = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const RandomMechanism made =
        random_mechanism(seed, {.bodies = 4, .branching = 0.0, .fixed = 0.0, .properties = false});
    const Mechanism& m = made.mechanism;
    Random random(seed + 50);
    OwnedVector q = m.random(random), v(m.nv());
    for (double& x : v) x = random.uniform(-1.0, 1.0);
    Workspace work(m);
    const LinkPoses poses = forward_kinematics(m, work, q);
    const int b = static_cast<int>(m.links().size()) - 1, a = b - 2;
    const double apart = (poses[b].translation() - poses[a].translation()).norm();
    const ContactPairPtr pair =
        sphere_on_sphere_pair("balls", {a, Pose()}, 0.5 * apart, {b, Pose()}, 0.5 * apart - 0.005);
    const CompliantOptions options{
        .normal = hunt_crossley({.stiffness = 2e4, .damping = 0.2}),
        .surface = slipping_surface(stick_slip({.stiffness = 1e4, .stiffness_across = 4e3, .friction = 0.5}),
                                    {.stiffness = 10.0, .friction = 0.02},
                                    {.arm = 0.01, .creep = 0.01, .relief = 1.0}),
        .share_a = 0.3,
        .fading = seed % 2 == 0 ? 0.0 : 0.1,
        .factor = {.value = [](double t) { return 1.0 + 0.3 * std::sin(5.0 * t); }}};
    Simulator s = simulator(m, {compliant_contact("contact", m, pair, options)}, 1e-10);
    s.reset(q, v);
    s.advance(2.0);
    touches += static_cast<int>(s.events().size());
    if (s.events().empty()) continue;
    expect_closed_books(s, 1e-7);
  }
  EXPECT_GT(touches, 5);
}

// ---- towards rigid

/// A slender rod in the plane x, z: its middle and its angle.
Mechanism rod() {
  Builder b("rod");
  b.body({.name = "slide", .inertia = Inertia<double>::from_com(0.0, {0, 0, 0}, Matrix3<double>::Zero())});
  b.body({.name = "lift", .inertia = Inertia<double>::from_com(0.0, {0, 0, 0}, Matrix3<double>::Zero())});
  b.body({.name = "rod",
          .inertia = Inertia<double>::from_com(1.0, {0, 0, 0},
                                               Vector3<double>(1e-4, 1.0 / 12.0, 1.0 / 12.0).asDiagonal())});
  b.joint({.name = "along", .type = "prismatic", .parent = "world", .child = "slide", .axis = {1, 0, 0}});
  b.joint({.name = "up", .type = "prismatic", .parent = "slide", .child = "lift", .axis = {0, 0, 1}});
  b.joint({.name = "turn", .type = "revolute", .parent = "lift", .child = "rod", .axis = {0, 1, 0}});
  return b.build();
}

TEST(CompliantMotion, ADroppedRodTendsToThePlasticImpactAsTheContactGetsStiffer) {
  const Mechanism m = rod();
  Workspace work(m);
  const double angle = 0.6;  // the end at x = 0.5 of the rod is lower
  VectorXd q(3), v(3);
  q << 0.0, 0.5 * std::sin(angle) + 1e-9, angle;
  v << 0.0, -2.0, 0.0;
  Eigen::MatrixXd J = jacobian(m, work, q, "rod", {.point = {0.5, 0, 0}, .frame = JacobianFrame::aligned});
  const Eigen::MatrixXd A = (Eigen::MatrixXd(2, 3) << J.row(0), J.row(2)).finished(),
                        W = inverse_mass_matrix(m, work, q);
  const VectorXd rigid = v - W * A.transpose() * (A * W * A.transpose()).ldlt().solve(A * v);
  double last = kNone;
  for (const double k : {1e6, 1e8, 1e10}) {
    const double c = 2.0 * std::sqrt(k);
    Simulator s = simulator(m,
                            {on_ground(m, 0.0,
                                       {.normal = kelvin_voigt_pulling({.stiffness = k, .damping = c}),
                                        .surface = slipping_surface(stick_slip(
                                            {.stiffness = k, .friction = kNone, .relaxation = c / k}))},
                                       {0.5, 0, 0})},
                            1e-9);
    s.reset(q, v);
    s.advance(20.0 / std::sqrt(k));
    const double off = (s.v() - rigid).norm() / rigid.norm();
    EXPECT_LT(off, 0.12 * last);  // by ten for every hundred
    last = off;
    expect_closed_books(s, 1e-6);
  }
  EXPECT_LT(last, 2e-3);
}

}  // namespace
}  // namespace amble
