#include "amble/contact/compliant_contact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/contact/direct_pairs.hpp"
#include "amble/contact/models/table.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/ports/test/port_bed.hpp"

namespace amble {
namespace {

using Eigen::VectorXd;

/// With radii that leave a depth of 0.02 to 0.2 between two random links.
ContactPairPtr random_contact(PortBed& bed, bool over_ball) {
  const auto any_link = [&] {
    return static_cast<int>(bed.random.uniform(0.0, static_cast<double>(bed.m().links().size())));
  };
  const int link_a = any_link();
  int link_b = link_a;
  while (link_a == link_b) link_b = any_link();
  const LinkFrame a{link_a, random_pose(bed.random)}, b{link_b, random_pose(bed.random)};
  const LinkPoses poses = forward_kinematics(bed.m(), bed.work, bed.q);
  const Vector3<double> p = ((poses[link_a] * a.X_LF).inverse() * (poses[link_b] * b.X_LF)).translation();
  const double depth = bed.random.uniform(0.02, 0.2);
  if (over_ball) return sphere_on_sphere_pair("balls", a, 0.4 * p.norm(), b, 0.6 * p.norm() + depth);
  const LinkFrame plane{link_a, a.X_LF * Pose(Vector3<double>(0.0, 0.0, p[2] - 0.3 + depth))};
  return sphere_on_plane_pair("ball", plane, b, 0.3);
}

/// Pressed together, and strained at random.
Attached pressed(PortBed& bed, const CompliantOptions& options, bool over_ball) {
  Attached out(bed, compliant_contact("c", bed.m(), random_contact(bed, over_ball), options));
  out.memory[0] = 1.0;
  out.x = random_numbers(bed.random, 8, -0.3, 0.3);
  return out;
}

SurfaceLawPtr surface(const std::string& sliding) {
  const SlidingNumbers numbers{.stiffness = 300.0,
                               .friction = 0.4,
                               .relaxation = 0.02,
                               .static_friction = 0.6,
                               .stribeck_speed = 0.5,
                               .damping = 2.0,
                               .viscosity = 1.0};
  return slipping_surface(sliding_law(sliding, numbers),
                          {.stiffness = 40.0, .friction = 0.2, .relaxation = 0.05},
                          {.arm = 0.05, .creep = 0.1, .damping = 0.3, .relief = 1.5});
}

void expect_closed(Attached& one, const std::string& what) {
  EXPECT_LT(std::abs(one.gap()), 1e-8 * (1.0 + one.size)) << what;
  EXPECT_GE(one.flows().dissipated, -1e-12 * one.size) << what;
  EXPECT_GE(one.flows().stored, 0.0) << what;
}

// ---- the books, at every instant

TEST(CompliantContact, EveryLawKeepsItsBooksAtEveryInstantOnRandomMechanisms) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const bool over_ball : {false, true})
      for (const NormalLawKind& normal : normal_laws())
        for (const SlidingLawKind& sliding : sliding_laws()) {
          PortBed bed(seed);
          const double damping = std::string(normal.name) == "hertz" ? 0.0 : 0.4;
          Attached one = pressed(bed,
                                 {.normal = normal.make({.stiffness = 400.0, .damping = damping}),
                                  .surface = surface(sliding.name),
                                  .share_a = 0.3},
                                 over_ball);
          expect_closed(one, fmt::format("{} and {}, seed {}", normal.name, sliding.name, seed));
        }
}

TEST(CompliantContact, UnequalStiffnessAcrossKeepsTheBooksWhileTheGrainTurns) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    PortBed bed(seed);
    const SlidingLawPtr law =
        stick_slip({.stiffness = 300.0, .stiffness_across = 50.0, .friction = 5.0, .relaxation = 0.02});
    Attached one = pressed(bed,
                           {.normal = hertz({.stiffness = 400.0}),
                            .surface = slipping_surface(law, {.stiffness = 20.0, .friction = 1.0}),
                            .share_a = 0.8,
                            .grain = {0.3, 1.0, 0.2}},
                           seed % 2 == 0);
    expect_closed(one, fmt::format("seed {}", seed));
  }
}

TEST(CompliantContact, ThePrintedMapKeepsItsBooks) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    PortBed bed(seed);
    Attached one = pressed(bed,
                           {.normal = hertz({.stiffness = 400.0}),
                            .surface = printed_map({.stiffness = 300.0,
                                                    .twist_stiffness = 20.0,
                                                    .damping = 2.0,
                                                    .twist_damping = 0.2,
                                                    .most_stretch = 0.5,
                                                    .most_twist = 0.8,
                                                    .relief = 1.0})},
                           seed % 2 == 0);
    expect_closed(one, fmt::format("seed {}", seed));
  }
}

TEST(CompliantContact, WhatItTakesToChangeTheStiffnessIsSupplied) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    PortBed bed(seed);
    StiffnessFactor factor{[](double t) { return 1.2 + 0.5 * std::sin(3.0 * t + 1.0); }};
    if (seed % 2 == 0) factor.rate = [](double t) { return 1.5 * std::cos(3.0 * t + 1.0); };
    Attached one = pressed(bed,
                           {.normal = hunt_crossley({.stiffness = 400.0, .damping = 0.3}),
                            .surface = surface("micro_slip"),
                            .factor = factor},
                           seed % 3 == 0);
    EXPECT_GT(std::abs(one.flows().supplied), 1e-6);
    expect_closed(one, fmt::format("seed {}", seed));
  }
}

TEST(CompliantContact, StrainThatFadesAfterReleaseKeepsTheBooks) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PortBed bed(seed);
    Attached one = pressed(bed, {.surface = surface("stick_slip"), .fading = 0.3}, seed % 2 == 0);
    one.memory[0] = 0.0;
    EXPECT_GT(one.flows().dissipated, 0.0);
    EXPECT_EQ(one.flows().tau.norm(), 0.0);
    expect_closed(one, fmt::format("seed {}", seed));
  }
}

// ---- what acts where

TEST(CompliantContact, ActsOnlyOnJointsBetweenTheTwoLinks) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PortBed bed(seed);
    const ContactPairPtr pair = random_contact(bed, true);
    Attached one(bed, compliant_contact("c", bed.m(), pair, {.surface = surface("stick_slip")}));
    one.memory[0] = 1.0, one.x = random_numbers(bed.random, 8, -0.3, 0.3);
    std::vector<char> between(bed.m().links().size(), 0);
    for (const int end : {pair->a().link, pair->b().link})
      for (int i = end; i > 0; i = bed.m().links()[i].parent) between[i] ^= 1;
    std::vector<char> moves(bed.m().nv(), 0);  // several links may follow one velocity
    for (std::size_t i = 1; i < between.size(); ++i)
      for (int k = 0; k < bed.m().links()[i].v.size; ++k) moves[bed.m().links()[i].v.start + k] |= between[i];
    const PortFlows flows = one.flows();
    for (int k = 0; k < bed.m().nv(); ++k) EXPECT_TRUE(moves[k] || flows.tau[k] == 0.0) << "seed " << seed;
  }
}

TEST(CompliantContact, TheGrainMakesNoDifferenceWhereTheStiffnessHasNone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PortBed bed(seed);
    Attached one = pressed(bed, {.surface = surface("stick_slip"), .share_a = 0.3}, true);
    const OwnedVector tau = one.flows().tau;
    // The same strain seen from axes that are turned by 0.7 about the normal.
    const ContactPairPtr pair = [&] {
      PortBed again(seed);
      return random_contact(again, true);
    }();
    ConstraintKinematics at(bed.m());
    at.set_state(bed.q, bed.v);
    const FrameMotion a = at.frame(pair->a());
    const Vector3<double> n = a.R.transpose() * pair->nearest(a, at.frame(pair->b())).normal,
                          axis(one.x.data());
    Eigen::Map<Eigen::Vector3d>(one.x.data()) = SO3<double>::exp(0.7 * n) * axis;
    for (const int k : {3, 5}) {
      const double x = one.x[k], y = one.x[k + 1];
      one.x[k] = std::cos(0.7) * x + std::sin(0.7) * y, one.x[k + 1] = -std::sin(0.7) * x + std::cos(0.7) * y;
    }
    EXPECT_LT((one.flows().tau - tau).norm(), 1e-11 * (1.0 + tau.norm())) << "seed " << seed;
  }
}

// ---- the strain, against matrices

/// A ball on a free joint over the ground.
Mechanism free_ball() {
  Builder b("ball");
  b.body({.name = "ball",
          .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, 0.004 * Matrix3<double>::Identity())});
  b.joint({.name = "free", .type = "free", .parent = "world", .child = "ball"});
  return b.build();
}

/// A ball that slides and spins: its place and yaw, and how they change.
struct Dance {
  static Vector2<double> slide(double t) {
    return {0.1 * std::cos(2.0 * t), 0.15 * std::sin(3.0 * t)};
  }  // m/s
  static double yaw(double t) { return 0.8 * std::sin(1.7 * t); }
  static double spin(double t) { return 0.8 * 1.7 * std::cos(1.7 * t); }
};

/// The rates that a contact gives its own numbers while the ball dances, 1 mm deep: friction holds
/// everything.
struct DancingContact {
  explicit DancingContact(double share_a)
      : m(free_ball()),
        work(m),
        element(compliant_contact(
            "c", m, sphere_on_plane_pair("ball", LinkFrame(), LinkFrame{1, Pose()}, 0.101),
            {.surface =
                 slipping_surface(stick_slip({.friction = kNone}), {.stiffness = 1.0, .friction = kNone}),
             .share_a = share_a})) {}
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  VectorXd rates(double t, const VectorXd& x) {
    const Vector2<double> u = Dance::slide(t);
    const double yaw = Dance::yaw(t);
    OwnedVector q = m.neutral(), v(6);
    q[2] = 0.1, q[5] = std::sin(0.5 * yaw), q[6] = std::cos(0.5 * yaw);
    v[0] = std::cos(yaw) * u[0] + std::sin(yaw) * u[1],
    v[1] = -std::sin(yaw) * u[0] + std::cos(yaw) * u[1];  // body axes
    v[5] = Dance::spin(t);
    const double touching = 1.0;
    PortFlows flows(6);
    VectorXd out(8);
    element->evaluate({t, q, v, m, work, &touching, nullptr}, x.data(), flows, out.data());
    return out;
  }

  Mechanism m;
  Workspace work;
  ElementPtr element;
};

template <class X, class F>
X runge_kutta(X x, double end, int steps, F f) {
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const X k1 = f(t, x), k2 = f(t + h / 2, X(x + h / 2 * k1)), k3 = f(t + h / 2, X(x + h / 2 * k2)),
            k4 = f(t + h, X(x + h * k3));
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}

TEST(CompliantContact, TheStrainIsTheMatrixThatTheDeformationTwistIntegratesTo) {  // DS (3.28)-(3.31)
  for (const double share_a : {0.0, 0.25, 0.5, 1.0}) {
    DancingContact contact(share_a);
    VectorXd start = VectorXd::Zero(8);
    start[0] = 1.0;
    const double end = 2.0;
    const VectorXd x =
        runge_kutta(start, end, 2000, [&](double t, const VectorXd& at) { return contact.rates(t, at); });

    // H1d_c and Hc_2d, both 3 x 3 for the plane, side by side; Psi_c has turned by the share of a of the
    // spin.
    using Both = Eigen::Matrix<double, 3, 6>;
    const auto turn = [](double angle) { return Eigen::Rotation2D<double>(angle).toRotationMatrix(); };
    Both H;
    H << Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity();
    H = runge_kutta(H, end, 2000, [&](double t, const Both& at) {
      const Eigen::Vector2d v = turn(-share_a * Dance::yaw(t)) * Eigen::Vector2d(Dance::slide(t));
      const double w = Dance::spin(t);
      Eigen::Matrix3d T;
      T << 0, -w, v[0], w, 0, v[1], 0, 0, 0;
      Both rate;
      rate << share_a * at.leftCols<3>() * T, (1.0 - share_a) * T * at.rightCols<3>();
      return rate;
    });
    const Eigen::Matrix3d Hd = H.leftCols<3>() * H.rightCols<3>();
    EXPECT_NEAR(x[3], Hd(0, 2), 1e-11) << share_a;
    EXPECT_NEAR(x[4], Hd(1, 2), 1e-11) << share_a;
    EXPECT_NEAR(x[7], std::atan2(Hd(1, 0), Hd(0, 0)), 1e-11) << share_a;
    EXPECT_GT(std::hypot(x[3], x[4]), 1e-3);
  }
}

TEST(CompliantContact, TheContactFrameIsNearerToTheStifferBody) {  // DS (3.21)
  const Mechanism m = free_ball();
  Workspace work(m);
  OwnedVector q = m.neutral(), v(6);
  q[2] = 0.08, v[0] = 0.3;
  const double touching = 1.0;
  for (const double share_a : {0.0, 0.4, 1.0}) {
    const ElementPtr c =
        compliant_contact("c", m, sphere_on_plane_pair("ball", LinkFrame(), LinkFrame{1, Pose()}, 0.1),
                          {.surface = slipping_surface(viscous({.viscosity = 5.0})), .share_a = share_a});
    OwnedVector x(8), rates(8);
    x[0] = 1.0;
    PortFlows flows(6);
    c->evaluate({0.0, q, v, m, work, &touching, nullptr}, x.data(), flows, rates.data());
    const double height = -share_a * 0.02;  // p_a is at z = 0, p_b at z = -0.02
    EXPECT_NEAR(flows.tau[0], -1.5, 1e-14);
    EXPECT_NEAR(flows.tau[4], -1.5 * (height - 0.08), 1e-14);  // about the middle of the ball
  }
}

TEST(CompliantContact, AllocatesNothingWhenAsked) {
#ifdef AMBLE_COUNTS_ALLOCATIONS
  PortBed bed(5);
  Attached one = pressed(bed, {.surface = surface("lugre")}, true);
  PortFlows out(bed.m().nv());
  OwnedVector rates(8), values(one.element->guards());
  const PortState at = one.state(0.0, bed.q);
  one.element->evaluate(at, one.x.data(), out, rates.data());
  const long before = allocations;
  one.element->evaluate(at, one.x.data(), out, rates.data());
  one.element->guard_values(at, one.x.data(), values.data());
  EXPECT_EQ(allocations, before);
#endif
}

TEST(CompliantContact, APlaneIsWhereItsNormalAndOffsetSay) {
  const Mechanism m = free_ball();
  Workspace work(m);
  const Vector3<double> n = Vector3<double>(0.2, -0.4, 2.0), unit = n.normalized();
  const OverPlane where{.body = "ball", .point = {0.1, 0.2, 0.3}, .radius = 0.05, .normal = n, .offset = 0.7};
  const ContactPairPtr pair = over_plane("c", m, where);
  ConstraintKinematics at(m);
  at.set_state(m.neutral(), VectorXd::Zero(6));
  const ContactPoint found = pair->nearest(at.frame(pair->a()), at.frame(pair->b()));
  EXPECT_LT((found.normal - unit).norm(), 1e-15);
  EXPECT_NEAR(found.distance, unit.dot(where.point) - 0.05 - 0.7, 1e-15);
  EXPECT_EQ(message_of([&] {
              over_plane("c", m, {.body = "ball", .normal = {0, 0, 0}});
            }),
            "'c' is over a plane whose normal has the length 0: expected one above 0");
  EXPECT_EQ(message_of([&] { over_plane("c", m, {.body = "ball", .radius = -1.0}); }),
            "'c' has a radius of -1: expected a number, not negative");
}

// ---- what is refused

TEST(CompliantContact, OptionsThatMakeNoSenseAreRefused) {
  PortBed bed(1);
  const ContactPairPtr pair = random_contact(bed, true);
  const auto made = [&](const CompliantOptions& options) {
    return message_of([&] { compliant_contact("c", bed.m(), pair, options); });
  };
  EXPECT_EQ(made({.normal = nullptr}), "'c' has no normal law");
  EXPECT_EQ(made({.surface = nullptr}), "'c' has no surface law");
  EXPECT_EQ(made({.share_a = 1.5}), "'c' has a share of 1.5 of the deformation on a: expected 0 to 1");
  EXPECT_EQ(made({.grain = Vector3<double>::Zero()}), "'c' has a grain without a direction");
  EXPECT_EQ(made({.fading = -1.0}), "'c' has a fading time of -1: expected a number, not negative");
  EXPECT_EQ(made({.factor = {.rate = [](double) { return 0.0; }}}),
            "'c' has the rate of a stiffness factor, but no value");
  EXPECT_EQ(message_of([&] { compliant_contact("c", bed.m(), nullptr); }), "'c' has no pair of surfaces");
  const LinkFrame one{1, Pose()}, beyond{99, Pose()};
  EXPECT_EQ(message_of([&] { compliant_contact("c", bed.m(), sphere_on_plane_pair("ball", one, one, 0.1)); }),
            "'c' is between two surfaces of one body");
  EXPECT_NE(message_of([&] {
              compliant_contact("c", bed.m(), sphere_on_plane_pair("ball", one, beyond, 0.1));
            }).find("'c' has a surface on link 99"),
            std::string::npos);
  Attached negative = pressed(bed, {.factor = {.value = [](double) { return -1.0; }}}, true);
  EXPECT_EQ(message_of([&] { negative.flows(); }),
            "'c' has a stiffness factor of -1: expected a number above 0");
}

}  // namespace
}  // namespace amble
