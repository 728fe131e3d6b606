#include "amble/contact/release.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/random_numbers.hpp"
#include "amble/contact/free_acceleration.hpp"
#include "amble/contact/impact.hpp"
#include "amble/contact/test/contact_bodies.hpp"

namespace amble {
namespace {

constexpr double kPi = std::numbers::pi;

// ---- DS Example 3.13

struct Example313 : testing::Test {
  Mechanism m = two_links();
  OwnedVector q{Eigen::Vector2d(kPi / 4.0, kPi / 2.0)};
  // 1 N along x at the centre of the second link, which is at (-sin q1 - sin(q1 + q2) / 2, ...).
  OwnedVector tau{
      Eigen::Vector2d(-std::cos(q[0]) - 0.5 * std::cos(q[0] + q[1]), -0.5 * std::cos(q[0] + q[1]))};
  ContactAccelerations at = contact_accelerations(
      m, q, OwnedVector(2), tau, {{.body = "second", .point = {0.0, 1.0, 0.0}, .normal = {0.0, 1.0, 0.0}}});
  // (normal, t1, t2) are (y, x, -z) for a normal along y.
  static constexpr int kX = 1, kY = 0;
};

TEST_F(Example313, HasTheMobilityAndTheFreeAccelerationOfTheBook) {
  EXPECT_NEAR(tau[0], -std::sqrt(2.0) / 4.0, 1e-15);
  EXPECT_NEAR(tau[1], std::sqrt(2.0) / 4.0, 1e-15);
  EXPECT_NEAR(at.mobility(kX, kX), 12.0 / 5.0, 1e-13);
  EXPECT_NEAR(at.mobility(kY, kY), 12.0 / 5.0, 1e-13);
  EXPECT_NEAR(std::abs(at.mobility(kX, kY)), 8.0 / 5.0, 1e-13);
  EXPECT_NEAR(at.free[kX], 7.0 / 5.0, 1e-13);
  EXPECT_NEAR(at.free[kY], -3.0 / 5.0, 1e-13);
}

TEST_F(Example313, TheForcePullsAndTheContactStaysAllTheSame) {
  const OwnedVector f = held_forces(at.mobility, at.free, 3, {1});
  EXPECT_NEAR(f[kX], -3.0 / 4.0, 1e-13);
  EXPECT_NEAR(f[kY], -1.0 / 4.0, 1e-13);
  EXPECT_FALSE(decide_release(at.free[kY]));
  EXPECT_EQ(decide_held(at.mobility, at.free, 3), std::vector<char>{1});
  // Remark 3.14: (A^T M^-1 A) lambda = -a.
  EXPECT_LT((at.mobility * f + at.free).norm(), 1e-13);
}

TEST_F(Example313, PulledUpwardsItOpens) {
  const OwnedVector up = -tau;
  const ContactAccelerations lifted = contact_accelerations(
      m, q, OwnedVector(2), up, {{.body = "second", .point = {0.0, 1.0, 0.0}, .normal = {0.0, 1.0, 0.0}}});
  EXPECT_TRUE(decide_release(lifted.free[kY]));
  EXPECT_EQ(decide_held(lifted.mobility, lifted.free, 3), std::vector<char>{0});
}

// ---- DS Example 3.16: a bar of half length 1 and weight 10 N on two supports

struct Bar {
  double first = -0.9, second = 0.9;  // where the supports are
  double push = 0.0, at = 0.0;        // N up, and where

  Mechanism m = flat_body(10.0 / 9.81, 10.0 / 9.81 / 3.0);
  ContactAccelerations numbers() const {
    const OwnedVector tau(Eigen::Vector3d(0.0, push, push * at));
    const auto support = [](double x) {
      return ContactSpec{.body = "body", .point = {x, 0.0, 0.0}, .normal = {0.0, 1.0, 0.0}};
    };
    return contact_accelerations(m, OwnedVector(3), OwnedVector(3), tau, {support(first), support(second)});
  }
  /// By the formulas: a force up at s gives y'' = f/m and angle'' = f s / J.
  TwoContactAccelerations formulas() const {
    const double mass = 10.0 / 9.81, J = mass / 3.0, y = (push - 10.0) / mass, turn = push * at / J;
    const auto free = [&](double x) { return y + x * turn; };
    const auto per = [&](double x, double s) { return 1.0 / mass + x * s / J; };
    const double f1 = -free(first) / per(first, first), f2 = -free(second) / per(second, second);
    return {free(first), free(second), free(second) + per(second, first) * f1,
            free(first) + per(first, second) * f2};
  }
};

/// The same through the mechanism.
TwoContactAccelerations accelerations(const ContactAccelerations& n) {
  const OwnedVector one = n.mobility * held_forces(n.mobility, n.free, 3, {1, 0}) + n.free;
  const OwnedVector two = n.mobility * held_forces(n.mobility, n.free, 3, {0, 1}) + n.free;
  return {n.free[0], n.free[3], one[3], two[0]};
}

void expect_same(const TwoContactAccelerations& a, const TwoContactAccelerations& b) {
  EXPECT_NEAR(a.first, b.first, 1e-12);
  EXPECT_NEAR(a.second, b.second, 1e-12);
  EXPECT_NEAR(a.second_with_first_held, b.second_with_first_held, 1e-12);
  EXPECT_NEAR(a.first_with_second_held, b.first_with_second_held, 1e-12);
}

struct Example316 : testing::TestWithParam<int> {};

TEST_P(Example316, EndsAsTheBookSays) {
  const Bar bars[] = {{},
                      {.push = 11.0},
                      {.first = -0.8, .second = -0.3},
                      {.first = -0.8, .second = -0.3, .push = 11.0, .at = 0.9}};
  const TwoContacts ends[] = {TwoContacts::both, TwoContacts::free, TwoContacts::second, TwoContacts::first};
  const std::vector<char> held[] = {{1, 1}, {0, 0}, {0, 1}, {1, 0}};
  const double forces[][2] = {{5.0, 5.0}, {0.0, 0.0}, {0.0, 7.874016}, {7.794521, 0.0}};
  const double lifts[][2] = {{0.0, 0.0}, {0.981, 0.981}, {3.475984, 0.0}, {0.0, 5.392140}};
  const int k = GetParam();
  const ContactAccelerations n = bars[k].numbers();
  expect_same(accelerations(n), bars[k].formulas());
  EXPECT_EQ(decide_two_contacts(accelerations(n)), ends[k]);
  EXPECT_EQ(decide_held(n.mobility, n.free, 3), held[k]);
  const OwnedVector f = held_forces(n.mobility, n.free, 3, held[k]), a = n.mobility * f + n.free;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(f[3 * i], forces[k][i], 5e-7);
    EXPECT_NEAR(a[3 * i], lifts[k][i], 5e-7);
  }
}
INSTANTIATE_TEST_SUITE_P(Cases, Example316, testing::Range(0, 4));

TEST(TwoContactDecision, FollowsFig320OnEveryWay) {
  using enum TwoContacts;
  const auto decide = [](double a1, double a2, double a2_held, double a1_held) {
    return decide_two_contacts({a1, a2, a2_held, a1_held});
  };
  EXPECT_EQ(decide(1, 1, -1, -1), free);
  EXPECT_EQ(decide(-1, -1, 1, -1), first);
  EXPECT_EQ(decide(-1, -1, -1, 1), second);
  EXPECT_EQ(decide(-1, -1, 1, 1), first);  // the figure tries the first contact first
  EXPECT_EQ(decide(-1, -1, -1, -1), both);
  EXPECT_EQ(decide(-1, 1, 1, -1), first);
  EXPECT_EQ(decide(-1, 1, -1, 1), second);
  EXPECT_EQ(decide(-1, 1, -1, -1), both);
  EXPECT_EQ(decide(1, -1, 1, 1), second);
  EXPECT_EQ(decide(1, -1, 1, -1), first);
  EXPECT_EQ(decide(1, -1, -1, -1), both);
  EXPECT_EQ(decide(0, 0, 0, 0), both);  // zero keeps a contact
}

TEST(HeldContacts, AgreeWithFig320OnRandomPairs) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const OwnedVector numbers = random_numbers(random, 48, -1.0, 1.0);
    const Eigen::Map<const Eigen::Matrix<double, 6, 7>> B(numbers.data());
    const Eigen::MatrixXd G = B * B.transpose();
    const OwnedVector w = numbers.tail(6);
    // Normals alone: then G is positive and there is one answer.
    const Eigen::MatrixXd N = G(Eigen::seqN(0, 2, 3), Eigen::seqN(0, 2, 3));
    const OwnedVector n(Eigen::Vector2d(w[0], w[3]));
    const std::vector<char> held = decide_held(N, n, 1);
    const Eigen::VectorXd one = N * held_forces(N, n, 1, {1, 0}) + n,
                          two = N * held_forces(N, n, 1, {0, 1}) + n;
    const TwoContacts decided = decide_two_contacts({n[0], n[1], one[1], two[0]});
    const bool first = decided == TwoContacts::first || decided == TwoContacts::both;
    const bool second = decided == TwoContacts::second || decided == TwoContacts::both;
    EXPECT_EQ(held, (std::vector<char>{first, second})) << "seed " << seed;
    const OwnedVector f = held_forces(N, n, 1, held), a = N * f + n;
    for (int i = 0; i < 2; ++i) EXPECT_GT(std::min(f[i], a[i]), -1e-12);
  }
}

TEST(HeldContacts, OfATableOnFourLegsAreAllFour) {
  const Mechanism m = free_body(3.0, {0.1, 0.2, 0.15});
  OwnedVector q = m.neutral();
  q[2] = 0.4;
  const ContactAccelerations n =
      contact_accelerations(m, q, OwnedVector(6), OwnedVector(6), box_corners(0.5, 0.3, 0.4, 1.0));
  EXPECT_EQ(decide_held(n.mobility, n.free, 3), std::vector<char>(4, 1));
  const OwnedVector f = held_forces(n.mobility, n.free, 3, std::vector<char>(4, 1));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(f[3 * i], 3.0 * 9.81 / 4.0, 1e-9);
}

TEST(HeldContacts, OfATableThatLandsOnTwoOfItsFourLegsLetTheOthersGo) {
  // A tall table, 0.6 m wide, turns about its left legs: as the closet of Example 3.15 with two legs on each
  // side.
  const Mechanism m = free_body(2.0, {0.5, 0.5, 0.5});
  OwnedVector q = m.neutral(), v(6);
  q[2] = 1.0;
  v << 1.0, 0.0, -0.3, 0.0, 1.0, 0.0;
  const double w = 0.3, h = 1.0;
  for (int order = 0; order < 2; ++order) {
    std::vector<ContactSpec> legs =
        box_corners(order == 0 ? w : -w, 0.2, h, std::numeric_limits<double>::infinity());
    const ImpactResult r = impact(m, q, v, legs);
    EXPECT_NEAR(r.v[4], 58.0 / 67.0, 1e-13);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(r.states[i] == ContactState::open, legs[i].point.x() < 0.0);
  }
}

TEST(HeldContacts, OfTwelvePointsOfAPlateAreFoundOneAfterAnother) {
  // A plate that falls flat on a row of points along its middle and beyond: pushed down at one edge, it turns
  // about the last row there.
  const Mechanism m = free_body(1.0, {0.1, 0.1, 0.2});
  std::vector<ContactSpec> points;
  for (int i = 0; i < 4; ++i)
    for (const double y : {-0.2, 0.0, 0.2})
      points.push_back({.body = "body", .point = {-0.3 + 0.1 * i, y, 0.0}});
  const ContactAccelerations n =
      contact_accelerations(m, m.neutral(), OwnedVector(6), OwnedVector(6), points);
  const std::vector<char> held = decide_held(n.mobility, n.free, 3);
  // The centre of mass is over the last row, x = 0: all of that holds, and the others do not part.
  const OwnedVector a = n.mobility * held_forces(n.mobility, n.free, 3, held) + n.free;
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(a[3 * i], 0.0, 1e-9);
}

// ---- DS Example 3.15: a closet of width 2 w and height 2 h turns about its left foot until the right one
// lands

struct Closet {
  double m, J, w, h;
  Mechanism body = flat_body(m, J);
  ImpactResult land() const {
    OwnedVector q(Eigen::Vector3d(0.0, h, 0.0));
    const OwnedVector v(Eigen::Vector3d(h, -w, -1.0));  // turning clockwise at 1 rad/s about (-w, 0)
    const auto foot = [&](double x) {
      return ContactSpec{.body = "body", .point = {x, -h, 0.0}, .normal = {0.0, 1.0, 0.0}};
    };
    return impact(body, q, v, std::vector<ContactSpec>{foot(-w), foot(w)});
  }
};

TEST(Example315, TheClosetKeepsTurningTheSameWayByTheRatioOfTheBook) {
  const ImpactResult r = Closet{2.0, 0.5, 0.3, 1.0}.land();
  EXPECT_NEAR(r.v[2] / -1.0, 58.0 / 67.0, 1e-14);
  EXPECT_EQ(r.states[0], ContactState::open);
  EXPECT_EQ(r.states[1], ContactState::sticking);
  EXPECT_TRUE(!decide_struck(2.0 * 0.3 * 58.0 / 67.0));
}

TEST(Example315, RockingBeginsWhereTheBookSaysForAnyShape) {
  for (double w = 0.1; w < 1.5; w += 0.2)
    for (double h = 0.05; h < 2.0; h += 0.0937)
      for (const int mass : {0, 1, 2}) {
        const double m = 2.0;
        // All mass in the centre (nearly), evenly spread, at the edges.
        const double J = mass == 0 ? 1e-4 : mass == 1 ? m * (h * h + w * w) / 3.0 : m * (h * h + w * w);
        const double margin = J + m * (h * h - w * w);
        if (mass == 1) {
          EXPECT_EQ(margin > 0.0, h > std::sqrt(0.5) * w);
        }
        const ImpactResult r = Closet{m, J, w, h}.land();
        const double expected = margin > 0.0 ? -margin / (J + m * (h * h + w * w)) : 0.0;
        EXPECT_NEAR(r.v[2], expected, 1e-10) << w << " " << h << " " << mass;
        EXPECT_EQ(r.states[0] == ContactState::open, margin > 0.0);
        // (3.65), the speed of the left foot.
        if (margin > 0.0) {
          EXPECT_NEAR(r.v[1] - w * r.v[2], 2.0 * w * margin / (J + m * (h * h + w * w)), 1e-10);
        }
        const double before = 0.5 * (m * (h * h + w * w) + J),
                     after = 0.5 * (m * (r.v[0] * r.v[0] + r.v[1] * r.v[1]) + J * r.v[2] * r.v[2]);
        EXPECT_NEAR(r.energy_lost, before - after, 1e-10);
      }
}

}  // namespace
}  // namespace amble
