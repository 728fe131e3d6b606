#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "amble/contact/contact_scene.hpp"
#include "amble/contact/rigid_contact.hpp"
#include "amble/contact/test/contact_bodies.hpp"
#include "amble/recording/certificates.hpp"
#include "amble/simulation/simulate.hpp"

// More contacts than a body needs to stand: by events and by steps, forces are those of Coulomb's law.
namespace amble {
namespace {

constexpr double kG = 9.81, kMass = 3.0;

/// Feet at the corners, the weight at `com`.
Mechanism table(const Vector3<double>& com, const Vector3<double>& gravity) {
  Builder b("table");
  b.gravity(gravity);
  b.body({.name = "body",
          .inertia = Inertia<double>::from_com(kMass, com, Vector3<double>(0.05, 0.04, 0.06).asDiagonal())});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "body"});
  return b.build();
}

/// Gravity over a slope that falls along (cos way, sin way), its plane being z = 0.
Vector3<double> sloped(double angle, double way) {
  return kG * Vector3<double>(std::sin(angle) * std::cos(way), std::sin(angle) * std::sin(way), -std::cos(angle));
}

Simulator simulator(const Mechanism& m, const std::vector<ContactSpec>& feet, const std::string& method) {
  const std::vector<ElementPtr> elements =
      method == "time_stepping" ? std::vector<ElementPtr>{contact_scene("feet", m, {.ground = GroundPtr(), .contacts = feet})}
                                : rigid_contacts(m, feet);
  return Simulator(m, elements, {}, {.method = method});
}

/// Force and moment about the centre of mass of all that a recording's contacts do at an instant, less gravity's.
double out_of_balance(const Recording& r, double t, const Vector3<double>& com, const Vector3<double>& gravity) {
  Vector3<double> force = kMass * gravity, moment = Vector3<double>::Zero();
  for (std::size_t i = 0; i < r.contacts().rows(); ++i) {
    const double* row = r.contacts().row(i);
    if (row[0] != t) continue;
    const Eigen::Map<const Eigen::Vector3d> p(row + 3), f(row + 6);
    force += f, moment += (p - com).cross(f);
  }
  return std::max(force.norm(), moment.norm());
}

void expect_certificates(const Recording& r, const std::string& trace) {
  for (const Certificate& c : certificates(r)) EXPECT_LT(c.value, 1e-8) << trace << " " << c.name;
  EXPECT_TRUE(warnings(certificates(r)).empty()) << trace;
  const Ledger books = r.ledger();
  EXPECT_LT(std::abs(books.residual()), 1e-9) << trace;
}

constexpr double kShares[] = {0.3, 0.7, 0.9, 0.99, 0.9999, 1.0 - 1e-6};

TEST(RedundantContacts, ABoxOnASlopeIsHeldByForcesInsideTheirCones) {
  const double a = 0.15, b = 0.1, h = 0.1;
  for (const std::string method : {"rkmk45", "time_stepping"})
    for (const double mu : {0.1, 0.4, 0.8})
      for (const double way : {0.0, 0.5, std::numbers::pi / 2})
        for (const double share : kShares) {
          const Vector3<double> gravity = sloped(share * std::atan(mu), way);
          const Mechanism m = table({0, 0, 0}, gravity);
          Simulator s = simulator(m, box_corners(a, b, h, mu), method);
          OwnedVector q = m.neutral();
          q[2] = h;
          s.reset(q, OwnedVector(6));
          Recording r(m);
          simulate(s, 0.5, 0.1, r);
          const std::string trace = fmt::format("{} mu {} way {} share {}", method, mu, way, share);
          expect_certificates(r, trace);
          EXPECT_LT((s.q() - q).norm(), 1e-9 * 0.5) << trace;
          EXPECT_LT(out_of_balance(r, r.t().back(), {0, 0, h}, gravity), 1e-8 * kMass * kG) << trace;
        }
}

TEST(RedundantContacts, ATableStandsWithItsWeightAnywhereOverItsFeet) {
  const double a = 0.5, b = 0.4, h = 0.7, mu = 0.5;
  for (const std::string method : {"rkmk45", "time_stepping"})
    for (const double x : {0.0, 0.2, 0.35})
      for (const double angle : {0.0, 0.05, 0.1}) {
        const Vector3<double> com(x, -0.6 * x, -0.3), gravity = sloped(angle, 0.4);
        const Mechanism m = table(com, gravity);
        Simulator s = simulator(m, box_corners(a, b, h, mu), method);
        OwnedVector q = m.neutral();
        q[2] = h;
        s.reset(q, OwnedVector(6));
        Recording r(m);
        simulate(s, 0.5, 0.1, r);
        const std::string trace = fmt::format("{} x {} angle {}", method, x, angle);
        expect_certificates(r, trace);
        EXPECT_LT((s.q() - q).norm(), 1e-8) << trace;
        EXPECT_LT(out_of_balance(r, r.t().back(), com + Vector3<double>(0, 0, h), gravity), 1e-7 * kMass * kG) << trace;
      }
}

TEST(RedundantContacts, WhatNoSharingCanBearSlides) {
  const double mu = 0.4, h = 0.1;
  for (const double share : {1.001, 1.1}) {
    const double angle = share * std::atan(mu), a = kG * (std::sin(angle) - mu * std::cos(angle));
    const Mechanism m = table({0, 0, 0}, sloped(angle, 0.5));
    Simulator s = simulator(m, box_corners(0.15, 0.1, h, mu), "rkmk45");
    OwnedVector q = m.neutral();
    q[2] = h;
    s.reset(q, OwnedVector(6));
    Recording r(m);
    simulate(s, 1.0, 0.1, r);
    EXPECT_NEAR(s.q().head<2>().norm(), 0.5 * a, 1e-7) << share;
    expect_certificates(r, fmt::format("share {}", share));
  }
}

TEST(RedundantContacts, FeetThatSlideOnTheirOwnFrictionDoNotPull) {
  // A table spun about a point beside its weight, all feet of different friction: the smallest forces come to pull at one.
  Builder b("table");
  b.body({.name = "body",
          .inertia = Inertia<double>::from_com(8.0, {0.2, 0.1, 0.0}, Vector3<double>(0.4, 0.5, 0.6).asDiagonal())});
  b.joint({.name = "root", .type = "free", .parent = "world", .child = "body"});
  const Mechanism m = b.build();
  std::vector<ContactSpec> feet = box_corners(0.5, 0.4, 0.3, 0.4);
  const double friction[] = {0.4, 0.2, 0.3, 0.5};
  for (int i = 0; i < 4; ++i) feet[i].friction = friction[i];
  Simulator s(m, rigid_contacts(m, feet));
  OwnedVector q = m.neutral(), v(6);
  q[2] = 0.3;
  v << 0.3, 0.1, 0.0, 0.0, 0.0, 1.5;
  s.reset(q, v);
  Recording r(m);
  simulate(s, 0.5, 0.002, r);
  expect_certificates(r, "spun");
  EXPECT_LT(s.v().norm(), 1e-9) << "it comes to rest";
  EXPECT_NEAR(s.q()[2], 0.3, 1e-9);
}

TEST(RedundantContacts, ABoxThatIsPushedHoldsUntilItsFrictionIsUsedUp) {
  // Pushed harder and harder at the height of its middle: the instant of slipping is that of one body, mu m g.
  const double mu = 0.4, h = 0.1;
  static constexpr double rate = 10.0;  // N/s
  const Mechanism m = table({0, 0, 0}, {0, 0, -kG});
  std::vector<ElementPtr> elements = rigid_contacts(m, box_corners(0.15, 0.1, h, mu));
  class Push : public Element {
   public:
    Push() : Element("push") {}
    void evaluate(const PortState& at, const double*, PortFlows& flows, double*) const override {
      flows.tau[0] = rate * at.t;
      flows.supplied = flows.tau[0] * at.v[0];
    }
  };
  elements.push_back(std::make_shared<Push>());
  Simulator s(m, elements);
  OwnedVector q = m.neutral();
  q[2] = h;
  s.reset(q, OwnedVector(6));
  Recording r(m);
  simulate(s, 1.25, 0.05, r);
  ASSERT_FALSE(r.events().empty());
  EXPECT_NEAR(r.events().front().t, mu * kMass * kG / rate, 1e-6);
  expect_certificates(r, "push");
}

}  // namespace
}  // namespace amble
