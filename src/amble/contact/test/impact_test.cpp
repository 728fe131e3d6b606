#include "amble/contact/impact.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "amble/base/test/message_of.hpp"
#include "amble/base/test/random_numbers.hpp"
#include "amble/constraints/builtin_mechanisms.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/contact/test/contact_bodies.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

using Specs = std::vector<ContactSpec>;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// A random tree in motion with contacts at random points of random bodies.
struct Bed {
  Bed(std::uint64_t seed, int count, double friction)
      : random(seed),
        m(random_mechanism(seed, {.bodies = 6, .types = {"free", "revolute", "spherical"}}).mechanism),
        work(m),
        q(m.random(random)),
        v(random_numbers(random, m.nv(), -1.0, 1.0)) {
    for (int i = 0; i < count; ++i) {
      const OwnedVector x = random_numbers(random, 3, -0.3, 0.3), n = random_numbers(random, 3, -1.0, 1.0);
      const int body = random.integer(0, static_cast<int>(m.bodies().size()) - 1);
      contacts.push_back({.body = m.bodies()[body].name,
                          .point = Vector3<double>(x),
                          .normal = Vector3<double>(n),
                          .friction = friction});
    }
  }
  double energy(const OwnedVector& speed) { return kinetic_energy(m, work, q, speed); }
  Eigen::MatrixXd rows() {
    ConstraintKinematics at(m);
    at.set_state(q, v);
    OwnedRowMatrix out(3 * contacts.size(), m.nv());
    for (std::size_t i = 0; i < contacts.size(); ++i)
      put_contact_rows(at, contact_point(at, contacts[i]), out.data() + 3 * i * m.nv());
    return out;
  }
  Random random;
  Mechanism m;
  Workspace work;
  OwnedVector q, v;
  Specs contacts;
};

TEST(Impact, OfOnePointWithoutSlipIsTheProjectionOfTheBook) {
  int struck = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Bed bed(seed, 1, kNever);
    const Eigen::MatrixXd A = bed.rows(), M = mass_matrix(bed.m, bed.work, bed.q), W = M.inverse();
    const ImpactResult r = impact(bed.m, bed.q, bed.v, bed.contacts);
    if ((A * bed.v)[0] > 0.0) {
      EXPECT_EQ(r.v, bed.v);
      continue;
    }
    ++struck;
    // (3.44) on momenta and (3.45).
    const Eigen::MatrixXd K = (A * W * A.transpose()).completeOrthogonalDecomposition().pseudoInverse();
    const Eigen::VectorXd p = M * bed.v, after = p - A.transpose() * K * A * W * p;
    EXPECT_LT((M * r.v - after).norm(), 1e-9 * p.norm()) << seed;
    EXPECT_NEAR(r.energy_lost, 0.5 * bed.v.dot(A.transpose() * K * A * bed.v), 1e-10 * bed.energy(bed.v));
    EXPECT_NEAR(r.energy_lost, bed.energy(bed.v) - bed.energy(r.v), 1e-10 * bed.energy(bed.v));
    // Impulses in world axes are what changes the momentum.
    ConstraintKinematics at(bed.m);
    at.set_state(bed.q, bed.v);
    const Eigen::VectorXd along =
        contact_axes(contact_point(at, bed.contacts[0]).normal).transpose() * r.impulses[0];
    EXPECT_LT((M * (r.v - bed.v) - A.transpose() * along).norm(), 1e-9 * p.norm());
  }
  EXPECT_GT(struck, 20);
}

TEST(Impact, ObeysItsLawsForAnyFrictionAndRestitution) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const double mu = seed % 3 == 0 ? 0.0 : 0.2 * static_cast<double>(seed % 7),
                 e = 0.25 * static_cast<double>(seed % 5);
    Bed bed(seed, 1 + static_cast<int>(seed % 2), mu);
    for (ContactSpec& c : bed.contacts) c.restitution = e;
    const Eigen::MatrixXd A = bed.rows();
    for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
      const ImpactResult r = impact(bed.m, bed.q, bed.v, bed.contacts, {.law = law});
      const double size = bed.energy(bed.v);
      EXPECT_NEAR(r.energy_lost, size - bed.energy(r.v), 1e-9 * size) << seed;
      EXPECT_GT(r.energy_lost, -1e-9 * size) << seed;
      ConstraintKinematics at(bed.m);
      at.set_state(bed.q, bed.v);
      for (std::size_t i = 0; i < bed.contacts.size(); ++i) {
        const Matrix3<double> axes = contact_axes(contact_point(at, bed.contacts[i]).normal);
        const Eigen::Vector3d p = axes.transpose() * r.impulses[i], before = A.middleRows<3>(3 * i) * bed.v,
                              after = A.middleRows<3>(3 * i) * r.v;
        const double scale = bed.v.norm(), push = std::abs(p[0]) + 1e-6;
        EXPECT_GT(p[0], -1e-10 * push);
        EXPECT_GT(after[0], -1e-8 * scale) << seed;
        EXPECT_LT(p.tail<2>().norm(), mu * p[0] + 1e-9 * push);
        if (law == ImpactLaw::newton && r.note.empty()) {
          const double wanted = e * std::max(0.0, -before[0]);
          EXPECT_GT(after[0], wanted - 1e-8 * scale);
          if (p[0] > 1e-6) {
            EXPECT_NEAR(after[0], wanted, 1e-8 * scale) << seed;
          }
          // Friction is against the slip, in full.
          if (p[0] > 1e-6) {
            EXPECT_LT((p.tail<2>() * after.tail<2>().norm() + mu * p[0] * after.tail<2>()).norm(),
                      1e-7 * push * scale)
                << seed;
          }
        }
      }
    }
  }
}

TEST(Impact, OfALooseBallKeepsRestitutionByBothLaws) {
  const Mechanism m = free_body(2.0, {0.1, 0.1, 0.1});
  const OwnedVector q = m.neutral();
  OwnedVector v(6);
  v << 0.3, 0.0, -2.0, 0.0, 0.0, 0.0;
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson}) {
    const ImpactResult r =
        impact(m, q, v, Specs{{.body = "body", .friction = 0.0, .restitution = 0.5}}, {.law = law});
    EXPECT_NEAR(r.v[2], 1.0, 1e-14);
    EXPECT_NEAR(r.v[0], 0.3, 1e-15);
    EXPECT_NEAR(r.energy_lost, 0.5 * 2.0 * (4.0 - 1.0), 1e-13);
  }
}

/// Two balls of a cradle on rails, the second against a third: several at once.
TEST(Impact, OfARestingContactIsSharedOrOpensIt) {
  // A body on two feet is struck at the right one: as Example 3.15, wide and tall.
  const double w = 0.5, m = 1.0;
  for (const double h : {0.2, 1.0}) {
    const Mechanism body = flat_body(m, m * (h * h + w * w) / 3.0);
    const OwnedVector q(Eigen::Vector3d(0.0, h, 0.0)), v(Eigen::Vector3d(h, -w, -1.0));
    const Specs feet{{.body = "body", .point = {-w, -h, 0.0}, .normal = {0, 1, 0}, .friction = 0.7},
                     {.body = "body", .point = {w, -h, 0.0}, .normal = {0, 1, 0}, .friction = 0.7}};
    const ImpactResult r = impact(body, q, v, feet);
    EXPECT_EQ(r.states[0] == ContactState::open, h > w * std::sqrt(0.5));
    EXPECT_GE(r.impulses[0].y(), 0.0);
  }
}

TEST(Impact, NewtonsLawThatCreatesEnergyGivesWayToPoissons) {
  int replaced = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Bed bed(seed, 1, 0.8);
    bed.contacts[0].restitution = 0.95;
    const ImpactResult r = impact(bed.m, bed.q, bed.v, bed.contacts);
    EXPECT_GT(r.energy_lost, -1e-10 * bed.energy(bed.v));
    replaced += r.law == ImpactLaw::poisson;
    EXPECT_EQ(r.law == ImpactLaw::poisson, !r.note.empty());
  }
  EXPECT_GT(replaced, 0);
  EXPECT_LT(replaced, 200);
}

TEST(Impact, KeepsTheLoopsOfAMechanism) {
  const ConstrainedMechanism made = builtin_mechanism("four_bar", {});
  const Mechanism& m = made.mechanism;
  ConstrainedDynamics loops(m, made.constraints);
  OwnedVector v(m.nv());
  v.setConstant(1.0);
  loops.set_state(made.q, v);
  v = loops.project_velocity(v);
  Workspace work(m);
  const std::string tip = m.bodies().back().name;
  const Specs contacts{{.body = tip,
                        .point = {0.3, 0.1, 0.0},
                        .normal = {0.3, -1.0, 0.2},
                        .friction = 0.0,
                        .restitution = 0.4}};
  for (const double side : {1.0, -1.0}) {
    const OwnedVector before = side * v;
    const ImpactResult r = impact(m, made.q, before, contacts, {.constraints = made.constraints});
    loops.set_state(made.q, r.v);
    EXPECT_LT(loops.velocity_error().norm(), 1e-11);
    EXPECT_NEAR(r.energy_lost, kinetic_energy(m, work, made.q, before) - kinetic_energy(m, work, made.q, r.v),
                1e-11);
    // One freedom: a bounce reverses all velocities, or nothing happens.
    const bool struck = r.impulses[0].norm() > 0.0;
    EXPECT_LT((r.v - (struck ? -0.4 : 1.0) * before).norm(), 1e-10);
  }
}

TEST(Impact, FromOneManifoldToAnotherIsAProjectionOrABounce) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Bed bed(seed, 2, kNever);
    const Eigen::MatrixXd M = mass_matrix(bed.m, bed.work, bed.q), W = M.inverse(), A = bed.rows();
    const OwnedRowMatrix one(A.topRows(1)), both(A);
    // Before: on M1, where the first row holds.
    OwnedVector v = impact_between(W, one, one, bed.v);
    EXPECT_NEAR((one * v).norm(), 0.0, 1e-10);
    const OwnedVector plastic = impact_between(W, both, both, v),
                      bounce = impact_between(W, both, one, v, 1.0);
    EXPECT_LT((both * plastic).norm(), 1e-9);
    EXPECT_NEAR((one * bounce).norm(), 0.0, 1e-9);
    EXPECT_LT((both * (bounce + v)).norm(), 1e-8);                                    // all speeds reversed
    EXPECT_NEAR(bed.energy(bounce), bed.energy(v), 1e-9 * bed.energy(v));             // by e = 1 without loss
    EXPECT_NEAR(v.dot(M * plastic), plastic.dot(M * plastic), 1e-9 * bed.energy(v));  // M-orthogonal
  }
}

TEST(Impact, PlayTakesMoreThanTheImpactOfRigidBodies) {
  Bed bed(3, 1, kNever);
  bed.contacts[0].normal *= (bed.rows() * bed.v)[0] > 0.0 ? -1.0 : 1.0;
  OwnedRowMatrix play(1, bed.m.nv());
  play(0, bed.m.nv() - 1) = 1.0;
  const ImpactResult rigid = impact(bed.m, bed.q, bed.v, bed.contacts);
  for (const double share : {0.0, 0.5, 1.0}) {
    const ImpactResult r = impact(bed.m, bed.q, bed.v, bed.contacts, {.play = play, .play_share = share});
    EXPECT_NEAR(r.v[bed.m.nv() - 1], (1.0 - share) * rigid.v[bed.m.nv() - 1], 1e-10);
    EXPECT_LT((bed.rows() * r.v).norm(), 1e-9);
    EXPECT_NEAR(r.lost_in_play, bed.energy(rigid.v) - bed.energy(r.v), 1e-10);
    EXPECT_GE(r.lost_in_play, 0.0);
  }
}

// ---- shares of energy

TEST(ImpactLoss, OfTheCompassIsThatOfTheErrata) {
  Builder b("compass");
  const auto mass = [](double m, double y) {
    return Inertia<double>::from_com(m, {0.0, y, 0.0}, Matrix3<double>::Zero());
  };
  // A stance leg with the hip's mass: two points, 1 kg at 0.5 m and 5 kg at 1 m.
  const double com = 5.5 / 6.0, J = 0.25 + 5.0 - 6.0 * com * com;
  b.body(
      {.name = "stance",
       .inertia = Inertia<double>::from_com(6.0, {0.0, com, 0.0}, Vector3<double>(J, 0.0, J).asDiagonal())});
  b.body({.name = "swing", .inertia = mass(1.0, 0.5)});
  b.joint({.name = "float", .type = "planar", .parent = "world", .child = "stance"});
  b.joint({.name = "hip",
           .type = "revolute",
           .parent = "stance",
           .child = "swing",
           .X_PF = Pose(SO3<double>(), {0.0, 1.0, 0.0})});
  const Mechanism m = b.build();
  // Legs symmetric about the normal; the swing leg points down from the hip: its own frame is turned by pi.
  const double q4 = 0.5;
  OwnedVector q(4);
  q << 0.0, 0.0, -0.5 * q4, std::numbers::pi + q4;
  const Specs feet{{.body = "swing", .point = {0.0, 1.0, 0.0}, .normal = {0, 1, 0}}},
      stance{{.body = "stance", .normal = {0, 1, 0}}};
  const ImpactLoss loss = impact_loss(m, q, feet, stance);
  ASSERT_EQ(loss.shares.size(), 2);
  EXPECT_NEAR(loss.shares[0], 0.997147165570, 1e-11);
  EXPECT_NEAR(loss.shares[1], 0.270431135537, 1e-11);
  const double lost = 2.0 * 9.81 * 7.0 * std::sin(3.0 * std::numbers::pi / 180.0) * std::sin(0.25);
  EXPECT_NEAR(lost, 1.778, 1e-3);
  EXPECT_NEAR(lost / loss.shares[1], 6.575778, 1e-6);
}

TEST(ImpactLoss, IsWhatImpactsAlongItsDirectionsLose) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Bed bed(seed, 1, kNever);
    const ImpactLoss loss = impact_loss(bed.m, bed.q, bed.contacts);
    const Eigen::MatrixXd M = mass_matrix(bed.m, bed.work, bed.q);
    EXPECT_LT((loss.velocities.transpose() * M * loss.velocities -
               Eigen::MatrixXd::Identity(bed.m.nv(), bed.m.nv()))
                  .norm(),
              1e-9);
    EXPECT_LT((loss.momenta - M * loss.velocities).norm(), 1e-12 * M.norm() * loss.velocities.norm());
    const int rank = static_cast<int>(bed.rows().colPivHouseholderQr().rank());
    for (int i = 0; i < bed.m.nv(); ++i) {
      OwnedVector v = loss.velocities.col(i);
      EXPECT_NEAR(loss.shares[i], i < rank ? 1.0 : 0.0,
                  1e-9);  // all of it along the contact's rows, nothing beyond
      if ((bed.rows() * v)[0] > 0.0) v = -v;
      if (i >= rank) continue;
      EXPECT_NEAR(impact(bed.m, bed.q, v, bed.contacts).energy_lost, 0.5 * loss.shares[i], 1e-8) << seed;
    }
  }
}

TEST(Impact, SaysWhatItCannotDo) {
  const Mechanism m = free_body(1.0, {1, 1, 1});
  const OwnedVector q = m.neutral(), v(6);
  const auto says = [&](const ContactSpec& c) { return message_of([&] { impact(m, q, v, Specs{c}); }); };
  EXPECT_NE(says({.body = "leg"}).find("leg"), std::string::npos);
  EXPECT_NE(says({.body = "body", .normal = {0, 0, 0}}).find("expected a direction"), std::string::npos);
  EXPECT_NE(says({.body = "body", .friction = -1.0}).find("friction of -1"), std::string::npos);
  EXPECT_NE(says({.body = "body", .restitution = 1.5}).find("restitution of 1.5"), std::string::npos);
  EXPECT_NE(
      message_of([&] { impact_loss(m, q, Specs{{.body = "body", .friction = 0.5}}); }).find("0 or infinity"),
      std::string::npos);
  EXPECT_NE(message_of([] { impact_law("hertz"); }).find("newton or poisson"), std::string::npos);
}

}  // namespace
}  // namespace amble
