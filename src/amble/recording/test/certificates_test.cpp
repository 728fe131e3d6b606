#include "amble/recording/certificates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "amble/base/test/message_of.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/mechanism/builder.hpp"

namespace amble {
namespace {

const Certificate& named(const std::vector<Certificate>& all, const std::string& name) {
  for (const Certificate& c : all)
    if (c.name == name) return c;
  throw Error("no certificate " + name);
}

Mechanism ball() {
  Builder b("ball");
  b.body({.name = "ball", .inertia = Inertia<double>::from_com(2.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "flight", .type = "free", .parent = kWorld, .child = "ball"});
  return b.build();
}

TEST(Certificates, OfAMotionThatFulfilsItsLawsHold) {
  const Mechanism m = ball();
  Recording r(m);
  OwnedVector q = m.neutral();
  for (int i = 0; i < 3; ++i) r.add(0.1 * i, q, Eigen::VectorXd::Unit(6, 0), 1.0, 0.0);
  Ledger books{.initial = 1.0, .final = 1.5, .entries = {{"push", 0.5, 0.5, 0.0, 0.0}}, .exchanged = 0.5};
  r.add_ledger(0.2, books);
  const std::vector<Certificate> all = certificates(r);
  ASSERT_EQ(all.size(), 2u);  // nothing is held, nothing touches
  EXPECT_EQ(named(all, "energy").value, 0.0);
  EXPECT_EQ(named(all, "manifold").value, 0.0);
  EXPECT_TRUE(warnings(all).empty());
}

TEST(Certificates, BooksThatDoNotCloseAndQuaternionsThatDriftAreTold) {
  const Mechanism m = ball();
  Recording r(m);
  OwnedVector q = m.neutral();
  r.add(0.0, q, OwnedVector(6), 1.0, 0.0);
  q[6] = 1.0 + 1e-7;
  r.add(0.5, q, OwnedVector(6), 1.0, 0.0);
  q[6] = 1.0;
  r.add(1.0, q, OwnedVector(6), 1.0, 0.0);
  r.add_ledger(1.0, {.initial = 1.0, .final = 1.002, .entries = {{"push", 1.0, 0.001, 0.0, 0.0}}, .exchanged = 4.0});
  const std::vector<Certificate> all = certificates(r);
  EXPECT_NEAR(named(all, "energy").value, 0.001 / 4.0, 1e-15);
  EXPECT_NEAR(named(all, "manifold").value, 1e-7, 1e-15);
  EXPECT_EQ(named(all, "manifold").t, 0.5);
  EXPECT_EQ(warnings(all), (std::vector<std::string>{"energy: 0.00025 (relative) at 1 s, expected 1e-06 at most",
                                                     "manifold: 1e-07 (1) at 0.5 s, expected 1e-09 at most"}));
  EXPECT_TRUE(warnings(certificates(r, {}, {.energy = 1e-3, .manifold = 1e-6})).empty());
}

/// What stands still exchanges nothing: rounding of its height is no residual.
TEST(Certificates, RoundingOfAMechanismAtRestIsNothing) {
  const Mechanism m = ball();
  Recording r(m);
  r.add(0.0, m.neutral(), OwnedVector(6), 0.0, 12345.0);
  r.add(1.0, m.neutral(), OwnedVector(6), 1e-30, 12345.0);
  r.add_ledger(1.0, {.initial = 12345.0, .final = 12345.0 + 2e-12, .entries = {}, .exchanged = 0.0});
  EXPECT_EQ(named(certificates(r), "energy").value, 0.0);
  r.add_ledger(2.0, {.initial = 12345.0, .final = 12345.0 + 1e-6, .entries = {}, .exchanged = 0.0});
  EXPECT_FALSE(named(certificates(r), "energy").holds());
}

/// A four-bar whose crank turns while its rocker stands, for one state.
TEST(Certificates, ALoopThatOpensIsTold) {
  const ConstrainedMechanism four = four_bar();
  Recording r(four.mechanism);
  ConstrainedDynamics held(four.mechanism, four.constraints);
  held.set_state(four.q, OwnedVector(3));
  const OwnedVector v = held.project_velocity(Eigen::Vector3d(1.0, 0.0, 0.0));
  r.add(0.0, four.q, v, 1.0, 0.0);
  EXPECT_TRUE(warnings(certificates(r, four.constraints)).empty());
  OwnedVector open = four.q;
  open[0] += 1e-3;
  r.add(0.25, open, Eigen::Vector3d(1.0, 0.0, 0.0), 1.0, 0.0);
  const std::vector<Certificate> all = certificates(r, four.constraints);
  held.set_state(open, Eigen::Vector3d(1.0, 0.0, 0.0));
  EXPECT_EQ(named(all, "constraints").value, held.violation().lpNorm<Eigen::Infinity>());
  EXPECT_EQ(named(all, "constraint rates").value, held.velocity_error().lpNorm<Eigen::Infinity>());
  EXPECT_EQ(named(all, "constraints").t, 0.25);
  EXPECT_EQ(warnings(all).size(), 2u);
}

TEST(Certificates, ForcesOutsideTheirConesAreTold) {
  const Mechanism m = ball();
  Recording r(m);
  r.add(0.0, m.neutral(), OwnedVector(6), 0.0, 0.0);
  const auto touch = [](const Eigen::Vector3d& force, double friction) {
    ContactForce f{.link_a = 0, .link_b = 1};
    f.force = force, f.friction = friction;
    return f;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  r.add_contacts(0.0, std::vector{touch({3.0, 0.0, 10.0}, 0.3), touch({9.0, 0.0, 2.0}, infinite), touch({1.0, 0.0, 0.1}, 0.0)});
  EXPECT_LT(named(certificates(r), "contact forces").value, 1e-15);
  r.add_contacts(0.5, std::vector{touch({3.0, 4.0, 10.0}, 0.3)});  // 5 N across where 3 N are allowed
  r.add_contacts(1.0, std::vector{touch({0.0, 0.0, -1.0}, 0.3)});  // pulls
  const Certificate cone = named(certificates(r), "contact forces");
  EXPECT_NEAR(cone.value, 2.0 / std::sqrt(125.0), 1e-15);
  EXPECT_EQ(cone.t, 0.5);
}

TEST(Certificates, ABoundThatIsNoneIsRefused) {
  const Recording r(ball());
  EXPECT_EQ(message_of([&] { certificates(r, {}, {.cone = 0.0}); }), "the bound 'cone' is 0: expected more than 0");
}

}  // namespace
}  // namespace amble
