#include "amble/constraints/contact_dynamics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/pair_constraints.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

/// A random mechanism in motion, some of it held.
struct HeldState {
  RandomState s;
  std::vector<BodyContact> contacts;
  Eigen::VectorXd tau;
  std::vector<ExternalWrench> external;
};

/// As many contacts as leave the mechanism free to move, for all joint types, roots and followers.
HeldState held_state(std::uint64_t seed) {
  HeldState x{seed % 4 == 3 ? custom_state(seed)
                            : random_state(seed, {.bodies = 12 + static_cast<int>(seed % 20),
                                                  .roots = 1 + static_cast<int>(seed % 3),
                                                  .mimic = seed % 5 == 0 ? 0.3 : 0.0}),
              {},
              {},
              {}};
  Random random(seed + 77);
  const Mechanism& m = x.s.m;
  x.tau = Eigen::VectorXd::NullaryExpr(m.nv(), [&](Eigen::Index) { return random.uniform(-3, 3); });
  const int bodies = static_cast<int>(m.bodies().size());
  for (int i = 0; i < 1 + static_cast<int>(seed % 3); ++i) {
    const auto& body = m.bodies()[static_cast<int>(random.uniform(0, 1) * bodies) % bodies];
    x.contacts.push_back({body.name, random_pose(random), random.uniform(0, 1) < 0.6,
                          random.uniform(0, 1) < 0.5 ? ContactAxes::body : ContactAxes::world});
  }
  if (seed % 2 == 0) x.external = {{bodies / 2, Wrench<double>({1, -2, 3}, {0.3, 0.2, -0.1})}};
  return x;
}

/// J and (dJ/dt) v of the contacts by the kinematics of places.
struct Rows {
  Eigen::MatrixXd J;
  Eigen::VectorXd bias;
};
Rows rows_of(const Mechanism& m, const std::vector<BodyContact>& contacts, const VectorRef& q, const VectorRef& v) {
  Workspace work(m);
  Rows out{Eigen::MatrixXd(0, m.nv()), Eigen::VectorXd(0)};
  for (const BodyContact& c : contacts) {
    const JacobianOptions at{.point = c.X_PC.translation(),
                             .frame = c.axes == ContactAxes::body ? JacobianFrame::local : JacobianFrame::aligned};
    Eigen::MatrixXd J = jacobian(m, work, q, c.place, at);
    Eigen::VectorXd bias = jacobian_dot(m, work, q, v, c.place, at) * v;
    if (c.axes == ContactAxes::body) {
      const Eigen::Matrix3d R = c.X_PC.rotation().matrix().transpose();
      for (int k : {0, 3})
        J.middleRows<3>(k) = (R * J.middleRows<3>(k)).eval(), bias.segment<3>(k) = (R * bias.segment<3>(k)).eval();
    }
    const int n = c.point ? 3 : 6;
    const Eigen::Index before = out.J.rows();
    out.J.conservativeResize(before + n, Eigen::NoChange), out.bias.conservativeResize(before + n);
    out.J.bottomRows(n) = J.topRows(n), out.bias.tail(n) = bias.head(n);
  }
  return out;
}

double scale(const Eigen::MatrixXd& x) { return 1.0 + (x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff()); }

/// Rows far from redundant, so that the numbers of two ways can be compared.
bool well(const Mechanism& m, const VectorRef& q, const Eigen::MatrixXd& J) {
  Workspace work(m);
  const Eigen::MatrixXd M = mass_matrix(m, work, q), G = J * M.ldlt().solve(J.transpose());
  const Eigen::VectorXd d = G.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> e(d.asDiagonal() * G * d.asDiagonal());
  return e.eigenvalues()[0] > 1e-4;
}

void expect_equations(const HeldState& x, ContactDynamics& d, const Eigen::VectorXd& v, double damping,
                      std::uint64_t seed) {
  const Mechanism& m = x.s.m;
  const Rows r = rows_of(m, x.contacts, x.s.q, v);
  const Eigen::VectorXd a = d.solve(x.s.q, v, x.tau, x.external), f = d.forces();
  Workspace work(m);
  const Eigen::MatrixXd M = mass_matrix(m, work, x.s.q);
  const Eigen::VectorXd needed = inverse_dynamics(m, work, x.s.q, v, a, x.external), pull = r.J.transpose() * f;
  const double size = (M.cwiseAbs() * a.cwiseAbs()).maxCoeff() + scale(needed) + scale(pull);
  EXPECT_LT((needed - x.tau - pull).cwiseAbs().maxCoeff(), 1e-11 * size) << "seed " << seed;
  const Eigen::VectorXd moved = r.J * a + r.bias + damping * r.J * v;
  EXPECT_LT(moved.cwiseAbs().maxCoeff(), 1e-11 * scale(r.J) * scale(a)) << "seed " << seed;
}

TEST(ContactDynamics, TheEquationsHold) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const HeldState x = held_state(seed);
    const Mechanism& m = x.s.m;
    const double damping = seed % 3 == 0 ? 7.0 : 0.0;
    ContactDynamics d(m, x.contacts, {.damping = damping});
    const Rows r = rows_of(m, x.contacts, x.s.q, x.s.v);
    if (!well(m, x.s.q, r.J)) continue;
    ++solved;
    expect_equations(x, d, x.s.v, damping, seed);
    EXPECT_EQ(d.rank(), d.rows());
  }
  EXPECT_GT(solved, 250);
}

TEST(ContactDynamics, TheEquationsHoldAtRestWhateverTheRank) {
  int redundant = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const HeldState x = held_state(seed);
    const Mechanism& m = x.s.m;
    const Eigen::VectorXd v = Eigen::VectorXd::Zero(m.nv());
    ContactDynamics d(m, x.contacts);
    expect_equations(x, d, v, 0.0, seed);
    redundant += d.rank() < d.rows();
    const Eigen::MatrixXd J = rows_of(m, x.contacts, x.s.q, v).J;
    const Eigen::VectorXd f = d.forces(), pull = J.transpose() * f;
    if (d.rank() < d.rows()) {
      EXPECT_LE(f.norm(), (1.0 + 1e-6) * J.transpose().completeOrthogonalDecomposition().solve(pull).norm() + 1e-9)
          << "seed " << seed;
    }
  }
  EXPECT_GT(redundant, 30);
}

/// Velocities that the contacts allow.
Eigen::VectorXd allowed(const Mechanism& m, const VectorRef& q, const Eigen::VectorXd& v, const Eigen::MatrixXd& J) {
  Workspace work(m);
  const Eigen::MatrixXd M = mass_matrix(m, work, q), Y = M.ldlt().solve(J.transpose());
  return v - Y * (J * Y).completeOrthogonalDecomposition().solve(J * v);
}

/// The same contacts as constraints against frames of the world where they are.
std::vector<ConstraintPtr> as_constraints(const Mechanism& m, const std::vector<BodyContact>& contacts,
                                          const VectorRef& q) {
  Workspace work(m);
  std::vector<ConstraintPtr> out;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const BodyContact& c = contacts[i];
    Pose X_WC = pose(m, work, q, c.place) * c.X_PC;
    if (c.axes == ContactAxes::world) X_WC = Pose(X_WC.translation());
    out.push_back(pair_constraint(m, fmt::format("c{}", i), c.point ? "spherical" : "fixed", {0, X_WC},
                                  link_frame(m, c.place, c.X_PC)));
  }
  return out;
}

TEST(ContactDynamics, IsThatOfWeldsAndPointsAndTheForcesDoNoWork) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const HeldState x = held_state(seed);
    const Mechanism& m = x.s.m;
    const Rows r = rows_of(m, x.contacts, x.s.q, x.s.v);
    if (!well(m, x.s.q, r.J)) continue;
    ++compared;
    const Eigen::VectorXd v = allowed(m, x.s.q, x.s.v, r.J);
    ConstrainedDynamics other(m, as_constraints(m, x.contacts, x.s.q));
    other.set_state(x.s.q, v);
    const Eigen::VectorXd expected = other.accelerations(x.tau, x.external),
                          pull = other.A().transpose() * other.multipliers();
    ContactDynamics d(m, x.contacts);
    const Eigen::VectorXd a = d.solve(x.s.q, v, x.tau, x.external);
    EXPECT_LT((a - expected).cwiseAbs().maxCoeff(), 1e-9 * scale(expected)) << "seed " << seed;
    EXPECT_LT((r.J.transpose() * d.forces() - pull).cwiseAbs().maxCoeff(), 1e-9 * scale(pull)) << "seed " << seed;
    EXPECT_NEAR(pull.dot(v), 0.0, 1e-9 * scale(pull) * scale(v)) << "seed " << seed;
  }
  EXPECT_GT(compared, 70);
}

/// Central differences of order eight along each direction of q, v or tau, accelerations above forces.
template <class F>
Eigen::MatrixXd slopes(int nv, const F& f) {
  Eigen::MatrixXd out;
  for (int k = 0; k < nv; ++k) {
    const Eigen::VectorXd column =
        slope_at_zero([&](double t) { return f((t * Eigen::VectorXd::Unit(nv, k)).eval()); });
    if (k == 0) out.resize(column.size(), nv);
    out.col(k) = column;
  }
  return out;
}

void expect_derivatives(const HeldState& x, const Eigen::VectorXd& v, const ContactOptions& options, double tolerance,
                        const std::string& what) {
  const Mechanism& m = x.s.m;
  ContactDynamics d(m, x.contacts, options), other(m, x.contacts, options);
  const auto both = [&](const VectorRef& q, const VectorRef& v, const VectorRef& tau) {
    Eigen::VectorXd out(m.nv() + other.rows());
    out << other.solve(q, v, tau, x.external), other.forces();
    return out;
  };
  const auto stacked = [](const OwnedRowMatrix& a, const OwnedRowMatrix& f) {
    Eigen::MatrixXd out(a.rows() + f.rows(), a.cols());
    out << a, f;
    return out;
  };
  const auto near = [&](const Eigen::MatrixXd& ours, const Eigen::MatrixXd& expected, const char* in) {
    EXPECT_LT((ours - expected).cwiseAbs().maxCoeff(), tolerance * scale(expected)) << what << " in " << in;
  };
  const ContactDerivatives& c = d.derivatives(x.s.q, v, x.tau, x.external);
  Eigen::VectorXd now(m.nv() + d.rows());
  now << d.accelerations(), d.forces();
  near(now, both(x.s.q, v, x.tau), "nothing");
  near(stacked(c.a_dq, c.f_dq),
       slopes(m.nv(), [&](const Eigen::VectorXd& e) { return both(m.integrate(x.s.q, e), v, x.tau); }), "q");
  near(stacked(c.a_dv, c.f_dv), slopes(m.nv(), [&](const Eigen::VectorXd& e) { return both(x.s.q, v + e, x.tau); }),
       "v");
  near(stacked(c.a_dtau, c.f_dtau),
       slopes(m.nv(), [&](const Eigen::VectorXd& e) { return both(x.s.q, v, x.tau + e); }), "tau");
}

TEST(ContactDynamics, DerivativesAreThoseOfDifferences) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const HeldState x = held_state(seed);
    if (!well(x.s.m, x.s.q, rows_of(x.s.m, x.contacts, x.s.q, x.s.v).J)) continue;
    ++compared;
    expect_derivatives(x, x.s.v, {.damping = seed % 3 == 0 ? 7.0 : 0.0}, 1e-9, fmt::format("seed {}", seed));
  }
  EXPECT_GT(compared, 35);
}

/// A floating tree with both ends held: 6D, or at as many points.
HeldState standing(std::uint64_t seed, int points, ContactAxes axes = ContactAxes::body) {
  HeldState x{
      random_state(seed, {.bodies = 14, .types = {"revolute", "universal", "spherical"}, .fixed = 0.0}), {}, {}, {}};
  Builder b("standing");
  Random random(seed);
  b.body({.name = "base", .inertia = random_inertia(random)});
  b.joint({.name = "root", .type = "free", .parent = kWorld, .child = "base"});
  for (const std::string side : {"left", "right"}) {
    std::string parent = "base";
    for (int i = 0; i < 6; ++i) {
      const std::string body = fmt::format("{}{}", side, i);
      b.body({.name = body, .inertia = random_inertia(random)});
      b.joint({.name = body, .type = "revolute", .parent = parent, .child = body, .X_PF = random_pose(random)});
      parent = body;
    }
    if (points == 0) x.contacts.push_back({parent, random_pose(random), false, axes});
    for (int i = 0; i < points; ++i) x.contacts.push_back({parent, random_pose(random), true, axes});
  }
  const Mechanism m = b.build();
  x.s = in_motion(m, m.random(seed), seed);
  x.tau = Eigen::VectorXd::LinSpaced(m.nv(), -1.0, 2.0);
  return x;
}

TEST(ContactDynamics, FourPointsOfAFootHoldItAsAWeldWouldWithTheSmallestForces) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const HeldState points = standing(seed, 4);
    HeldState welds = points;
    welds.contacts = {{"left5"}, {"right5"}};
    const Mechanism& m = points.s.m;
    ContactDynamics d(m, points.contacts), one(m, welds.contacts);
    const Eigen::VectorXd a = d.solve(points.s.q, points.s.v, points.tau);
    EXPECT_EQ(d.rows(), 24);
    EXPECT_EQ(d.rank(), 12);
    const Eigen::VectorXd expected = one.solve(points.s.q, points.s.v, points.tau);
    EXPECT_LT((a - expected).cwiseAbs().maxCoeff(), 1e-9 * scale(expected));
    const Eigen::MatrixXd J = rows_of(m, points.contacts, points.s.q, points.s.v).J;
    const Eigen::VectorXd f = d.forces(),
                          least = J.transpose().completeOrthogonalDecomposition().solve(J.transpose() * f);
    EXPECT_LT((f - least).cwiseAbs().maxCoeff(), 1e-9 * scale(f));
  }
}

TEST(ContactDynamics, DerivativesOfRedundantContactsAreThoseOfDifferences) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const HeldState x = standing(seed, 4);
    expect_derivatives(x, x.s.v, {}, 1e-9, fmt::format("points {}", seed));
  }
}

/// Redundant rows in world axes contradict each other as soon as bodies turn, so only at rest.
void expect_derivatives_at_rest(const HeldState& x, int rank) {
  const Mechanism& m = x.s.m;
  ContactDynamics d(m, x.contacts), other(m, x.contacts);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(m.nv());
  const ContactDerivatives& c = d.derivatives(x.s.q, v, x.tau);
  EXPECT_EQ(d.rank(), rank);
  const Eigen::MatrixXd a_dq = slopes(m.nv(), [&](const Eigen::VectorXd& e) {
    return Eigen::VectorXd(other.solve(m.integrate(x.s.q, e), v, x.tau));
  });
  const Eigen::MatrixXd f_dq = slopes(m.nv(), [&](const Eigen::VectorXd& e) {
    return other.solve(m.integrate(x.s.q, e), v, x.tau), Eigen::VectorXd(other.forces());
  });
  EXPECT_LT((c.a_dq - a_dq).cwiseAbs().maxCoeff(), 1e-9 * scale(a_dq));
  EXPECT_LT((c.f_dq - f_dq).cwiseAbs().maxCoeff(), 1e-9 * scale(f_dq));
}

TEST(ContactDynamics, DerivativesKnowThatStructuresCarryForcesDifferentlyAsTheyMove) {
  expect_derivatives_at_rest(standing(3, 4, ContactAxes::world), 12);
  // An arm welded at its tip cannot move, and most of what the weld can take is never asked for.
  HeldState arm{random_state(5, {.bodies = 4, .types = {"revolute"}, .branching = 0.0, .fixed = 0.0}), {}, {}, {}};
  arm.tau = Eigen::VectorXd::LinSpaced(arm.s.m.nv(), -1.0, 2.0);
  for (const ContactAxes axes : {ContactAxes::body, ContactAxes::world}) {
    arm.contacts = {{arm.s.m.bodies().back().name, Pose(Vector3<double>(0.1, 0.2, 0.3)), false, axes}};
    expect_derivatives_at_rest(arm, 4);
  }
}

TEST(ContactDynamics, AnImpactKeepsWhatTheContactsLeaveFree) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const HeldState x = held_state(seed);
    const Mechanism& m = x.s.m;
    const Eigen::MatrixXd J = rows_of(m, x.contacts, x.s.q, x.s.v).J;
    if (!well(m, x.s.q, J)) continue;
    ContactDynamics d(m, x.contacts, {.damping = 3.0});
    Workspace work(m);
    const Eigen::MatrixXd M = mass_matrix(m, work, x.s.q);
    for (const double e : {0.0, 0.4, 1.0}) {
      const Eigen::VectorXd after = d.impact(x.s.q, x.s.v, e), gained = M * (after - x.s.v);
      EXPECT_LT((J * after + e * J * x.s.v).norm(), 1e-9 * scale(J * x.s.v)) << "seed " << seed;
      EXPECT_LT((gained - J.transpose() * d.forces()).norm(), 1e-9 * scale(gained)) << "seed " << seed;
      const double before = x.s.v.dot(M * x.s.v);
      if (e == 1.0) {
        EXPECT_NEAR(after.dot(M * after), before, 1e-9 * before) << "seed " << seed;
      } else if (e == 0.0) {
        EXPECT_LT((after - allowed(m, x.s.q, x.s.v, J)).norm(), 1e-8 * scale(after)) << "seed " << seed;
      }
    }
  }
}

TEST(ContactDynamics, ContactsThatCannotHoldTogetherAreNamed) {
  // A rod on a pin, held at its end: it turns, and the end cannot keep its velocity in world axes.
  Builder b("rod");
  b.body({.name = "rod", .inertia = Inertia<double>::from_com(1.0, {0.5, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "pin", .type = "revolute", .parent = kWorld, .child = "rod", .axis = {0, 0, 1}});
  const Mechanism m = b.build();
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), spin = Eigen::VectorXd::Ones(1);
  const Pose end(Vector3<double>(1, 0, 0));
  ContactDynamics world(m, {{"rod", end, true, ContactAxes::world}}), body(m, {{"rod", end, true}});
  EXPECT_EQ(message_of([&] { world.solve(q, spin, q); }),
            "contacts contradict each other: the one on 'rod' cannot hold with the others, the smallest residual is 0.5");
  EXPECT_LT(body.solve(q, spin, q).norm(), 1e-12);  // seen from the rod it does
  EXPECT_LT(world.solve(q, q, spin).norm(), 1e-12);
  EXPECT_EQ(world.rank(), 1);
  EXPECT_NEAR(world.forces()[1], -1.0, 1e-12);
  ContactDynamics ground(m, {{"rod", end, true}, {"world"}});
  EXPECT_LT(ground.solve(q, q, spin).norm(), 1e-12);
  EXPECT_EQ(ground.rank(), 1);
  EXPECT_LT(ground.forces().tail(6).norm(), 1e-12);
}

TEST(ContactDynamics, WhereTheRankChangesThereAreAccelerationsButNoDerivatives) {
  // Two rods in a line, the tip held: it cannot leave the line, but a moment from now it could.
  Builder b("rods");
  std::string parent = kWorld;
  for (const std::string name : {"near", "far"}) {
    b.body({.name = name, .inertia = Inertia<double>::from_com(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity())});
    const Pose X_PF(Vector3<double>(parent == kWorld ? 0.0 : 1.0, 0, 0));
    b.joint({.name = name, .type = "revolute", .parent = parent, .child = name, .X_PF = X_PF, .axis = {0, 0, 1}});
    parent = name;
  }
  const Mechanism m = b.build();
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(2), tau = Eigen::VectorXd::Unit(2, 0);
  ContactDynamics d(m, {{"far", Pose(Vector3<double>(1, 0, 0)), true}});
  const Eigen::VectorXd a = d.solve(still, still, tau);
  EXPECT_EQ(d.rank(), 1);
  EXPECT_GT(a.norm(), 0.1);
  EXPECT_NEAR(2 * a[0] + a[1], 0.0, 1e-12);
  EXPECT_NE(message_of([&] { d.derivatives(still, still, tau); })
                .find("there are no derivatives here: the contact on 'far' repeats others in this configuration only"),
            std::string::npos);
  const Eigen::VectorXd bent = Eigen::Vector2d(0.3, -0.4);
  EXPECT_LT(d.derivatives(bent, still, tau).a_dq.norm(), 1e-10);  // nothing can move there
}

TEST(ContactDynamics, WhatCannotMoveStandsStill) {
  Builder b("stone");
  b.body({.name = "stone", .inertia = Inertia<double>::from_com(1.0, {0, 0, 0}, Matrix3<double>::Identity())});
  b.joint({.name = "bed", .type = "fixed", .parent = kWorld, .child = "stone"});
  const Mechanism m = b.build();
  ContactDynamics d(m, {{"stone"}});
  const Eigen::VectorXd none(0);
  EXPECT_EQ(d.solve(none, none, none).size(), 0);
  EXPECT_EQ(d.rank(), 0);
  EXPECT_EQ(d.forces(), Eigen::VectorXd::Zero(6));
  EXPECT_EQ(d.derivatives(none, none, none).f_dq.rows(), 6);
}

TEST(ContactDynamics, WhatIsWrongIsSaid) {
  const HeldState x = standing(1, 0);
  const Mechanism& m = x.s.m;
  const double nan = std::nan("");
  EXPECT_EQ(message_of([&] { ContactDynamics(m, {}); }), "'standing' has no contacts to work with");
  EXPECT_NE(message_of([&] { ContactDynamics(m, {{"left9"}}); }).find("left9"), std::string::npos);
  EXPECT_EQ(message_of([&] {
              ContactDynamics(m, {{"left5", Pose(Vector3<double>(nan, 0, 0))}});
            }),
            "the pose of the contact on 'left5' is not finite");
  EXPECT_EQ(message_of([&] { ContactDynamics(m, x.contacts, {.damping = -1.0}); }),
            "the damping of contacts is -1 1/s: expected 0 or more");
  EXPECT_EQ(message_of([&] { ContactDynamics(m, x.contacts, {.redundancy = 2.0}); }),
            "the redundancy of contacts is 2: expected more than 0 and less than 1");
  ContactDynamics d(m, x.contacts);
  const Eigen::VectorXd v = x.s.v, short_v = v.head(3), bad = v * nan;
  EXPECT_NE(message_of([&] { d.solve(x.s.q, v, short_v); }), "");
  EXPECT_NE(message_of([&] { d.solve(x.s.q, short_v, v); }), "");
  EXPECT_NE(message_of([&] { d.solve(v, v, v); }), "");
  EXPECT_NE(message_of([&] { d.derivatives(x.s.q, v, bad); }), "");
  EXPECT_NE(message_of([&] { d.impact(x.s.q, bad); }), "");
  EXPECT_EQ(message_of([&] { d.impact(x.s.q, v, 1.5); }), "the restitution of contacts is 1.5: expected 0 to 1");
  EXPECT_EQ(message_of([&] { d.force(2); }), "there is no contact 2: there are 2");
  EXPECT_EQ(d.row(1), 6);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(ContactDynamics, NothingAllocates) {
  for (int points : {0, 4}) {
    const HeldState x = standing(2, points);
    ContactDynamics d(x.s.m, x.contacts);
    EXPECT_EQ(allocations_of([&] { d.solve(x.s.q, x.s.v, x.tau); }), 0) << points;
    EXPECT_EQ(allocations_of([&] { d.derivatives(x.s.q, x.s.v, x.tau); }), 0) << points;
    EXPECT_EQ(allocations_of([&] { d.impact(x.s.q, x.s.v, 0.3); }), 0) << points;
  }
}
#endif

}  // namespace
}  // namespace amble
