#include "amble/riemann/geodesic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/riemann/curvature.hpp"
#include "amble/riemann/geodesic_between.hpp"
#include "amble/riemann/jacobi_fields.hpp"
#include "amble/riemann/known_geometry.hpp"
#include "amble/simulation/simulator.hpp"

namespace amble {
namespace {

Eigen::VectorXd draw(int n, std::uint64_t seed) {
  Random random(seed);
  return Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) { return random.uniform(-1.0, 1.0); });
}

RandomMechanism sample(std::uint64_t seed) {
  return random_mechanism(
      seed,
      {.bodies = 1 + static_cast<int>(seed % 4), .mimic = seed % 3 == 0 ? 0.3 : 0.0, .properties = false});
}

/// By another integrator: by the same one they are the same to the last bit.
TEST(Geodesics, AreMotionsWithoutForces) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RandomMechanism r = sample(seed);
    const Mechanism free = with_gravity(r.mechanism, Vector3<double>::Zero());
    const Eigen::VectorXd v = draw(free.nv(), seed);
    const auto connection = levi_civita(r.mechanism);
    const GeodesicEnd end = geodesic_end(*connection, r.q, v, 1.0);
    Simulator simulator(free, {}, {}, {.integrator = {.tolerance = 1e-13}, .method = "radau"});
    simulator.reset(r.q, v);
    simulator.advance(1.0);
    EXPECT_LT(free.difference(end.q, simulator.q()).norm(), 1e-10) << "seed " << seed;
    EXPECT_LT((end.v - simulator.v()).norm(), 1e-10 * (1.0 + end.v.norm())) << "seed " << seed;
    Workspace work(free);
    EXPECT_NEAR(kinetic_energy(free, work, end.q, end.v) / kinetic_energy(free, work, r.q, v), 1.0, 1e-10);
  }
}

/// The acceleration comes from the connection itself, not from the dynamics that the run uses.
TEST(Geodesics, HaveNoCovariantAcceleration) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RandomMechanism r = sample(seed);
    const auto connection = levi_civita(r.mechanism);
    const Eigen::VectorXd v = draw(r.mechanism.nv(), seed);
    Christoffel gamma(r.mechanism.nv());
    connection->coefficients(r.q, gamma);
    const Eigen::VectorXd a = connection->acceleration(r.q, v);
    EXPECT_LT((a + contract(gamma, v, v)).norm(), 1e-9 * (1.0 + a.norm())) << "seed " << seed;
  }
}

TEST(Geodesics, RunBackAgain) {
  const RandomMechanism r = sample(5);
  const auto connection = levi_civita(r.mechanism);
  const Eigen::VectorXd v = draw(r.mechanism.nv(), 5);
  const GeodesicEnd there = geodesic_end(*connection, r.q, v, 0.8),
                    back = geodesic_end(*connection, there.q, there.v, -0.8);
  EXPECT_LT(r.mechanism.difference(back.q, r.q).norm(), 1e-10);
}

TEST(Geodesics, UnderConstraintsAreTheirFreeMotions) {
  const auto check = [](const Mechanism& m, const OwnedVector& q, std::uint64_t seed) {
    const auto connection = constrained_connection(m, constraints_of(m));
    const OwnedVector v = connection->admissible(q, draw(m.nv(), seed));
    const GeodesicEnd end = geodesic_end(*connection, q, v, 0.3);
    Simulator simulator(with_gravity(m, Vector3<double>::Zero()), {}, {},
                        {.integrator = {.tolerance = 1e-12}});
    simulator.reset(q, v);
    simulator.advance(0.3);
    EXPECT_LT(m.difference(end.q, simulator.q()).norm(), 1e-8);
    Christoffel gamma(m.nv());
    connection->coefficients(q, gamma);
    EXPECT_LT((connection->acceleration(q, v) + contract(gamma, v, v)).norm(),
              1e-7 * (1.0 + v.squaredNorm()));
  };
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 4, .loops = 1, .properties = false});
    check(r.mechanism, r.q, seed);
  }
}

TEST(Geodesics, RefuseWhatConstraintsForbid) {
  const RandomMechanism r = random_mechanism(2, {.bodies = 4, .loops = 1, .properties = false});
  const auto connection = constrained_connection(r.mechanism, constraints_of(r.mechanism));
  EXPECT_THROW(geodesic_end(*connection, r.q, Eigen::VectorXd::Ones(r.mechanism.nv()), 1.0), Error);
  EXPECT_THROW(geodesic_end(*levi_civita(r.mechanism), r.q, Eigen::VectorXd::Ones(1), 1.0), Error);
}

TEST(Transport, KeepsLengthsAndAngles) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const RandomMechanism r = sample(seed);
    const int n = r.mechanism.nv();
    const auto connection = levi_civita(r.mechanism);
    Workspace work(r.mechanism);
    const Eigen::VectorXd v = draw(n, seed);
    OwnedMatrix frame = Eigen::MatrixXd::Identity(n, n);
    frame.col(0) = v;
    const Eigen::MatrixXd before = frame.transpose() * (mass_matrix(r.mechanism, work, r.q) * frame);
    const OwnedMatrix carried = parallel_transport(*connection, r.q, v, 0.7, frame);
    const GeodesicEnd end = geodesic_end(*connection, r.q, v, 0.7);
    const Eigen::MatrixXd after = carried.transpose() * (mass_matrix(r.mechanism, work, end.q) * carried);
    EXPECT_LT((after - before).norm(), 1e-9 * (1.0 + before.norm())) << "seed " << seed;
    EXPECT_LT((carried.col(0) - end.v).norm(), 1e-9 * (1.0 + end.v.norm()))
        << "a geodesic carries its own velocity";
  }
}

/// On the plane in polar coordinates a constant field is parallel.
TEST(Transport, OnAFlatMechanismIsTheSameByEveryWay) {
  const Mechanism m = polar_arm(1.0);
  const auto connection = levi_civita(m);
  const auto way = [](double bulge) {
    return [bulge](double t) {
      return MovingConfiguration{Eigen::Vector2d(t, 1.0 + bulge * t * (1.0 - t)),
                                 Eigen::Vector2d(1.0, bulge * (1.0 - 2.0 * t))};
    };
  };
  const OwnedMatrix x = Eigen::MatrixXd(Eigen::Vector2d(0.0, 1.0));
  const OwnedMatrix a = parallel_transport(*connection, way(0.0), 0.0, 1.0, x),
                    b = parallel_transport(*connection, way(2.0), 0.0, 1.0, x);
  EXPECT_LT((a - b).norm(), 1e-10);
  EXPECT_LT((a.col(0) - Eigen::Vector2d(-std::sin(1.0), std::cos(1.0))).norm(), 1e-10);
}

TEST(Covariant, DerivativesAreExactByDualNumbers) {
  const RandomMechanism r = random_mechanism(8, {.bodies = 3, .types = {"spherical", "revolute", "free"}});
  const Mechanism& m = r.mechanism;
  const auto field = [&m](const auto& q) {
    using T = typename std::decay_t<decltype(q)>::value_type;
    std::vector<T> X(m.nv());
    for (int i = 0; i < m.nv(); ++i) X[i] = sin(q[i] * q[(i + 2) % m.nq()]) + q[(i + 1) % m.nq()] * 0.3;
    return X;
  };
  const Slopes Y = differentiate(m, r.q, field);
  const auto plain = [&](const VectorRef& q) {
    Eigen::VectorXd X(m.nv());
    for (int i = 0; i < m.nv(); ++i) X[i] = std::sin(q[i] * q[(i + 2) % m.nq()]) + 0.3 * q[(i + 1) % m.nq()];
    return X;
  };
  for (int k = 0; k < m.nv(); ++k) {
    const Eigen::VectorXd slope = slope_at_zero(
        [&](double t) { return plain(m.integrate(r.q, t * Eigen::VectorXd::Unit(m.nv(), k))); });
    EXPECT_LT((slope - Y.slopes.col(k)).norm(), 1e-10);
  }
  // Along a curve, nabla_v Y is what parallel transport finds missing.
  const auto connection = levi_civita(m);
  const Eigen::VectorXd v = draw(m.nv(), 4);
  const OwnedVector nabla = covariant_derivative(*connection, r.q, v, Y.values, Y.slopes);
  const Eigen::VectorXd measured = slope_at_zero(
      [&](double t) {
        const GeodesicEnd end = geodesic_end(*connection, r.q, v, t);
        const OwnedMatrix there = Eigen::MatrixXd(plain(end.q));
        return Eigen::VectorXd(parallel_transport(*connection, end.q, end.v, -t, there).col(0));
      },
      0.02);
  EXPECT_LT((measured - nabla).norm(), 1e-7 * (1.0 + nabla.norm()));
}

TEST(Covariant, HessiansAreSecondDerivativesAlongGeodesics) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 2, .properties = false});
    const Mechanism& m = r.mechanism;
    const auto f = [](const auto& q) {
      using std::sin;
      auto sum = q[0] * q[0];
      for (std::size_t i = 1; i < q.size(); ++i) sum = sum + sin(q[i] * q[i - 1]);
      return sum;
    };
    const SecondSlopes slopes = differentiate_twice(m, r.q, f);
    Workspace work(m);
    const OwnedMatrix H = hessian(m, work, r.q, slopes.differential, slopes.second);
    const Eigen::VectorXd v = draw(m.nv(), seed);
    const auto connection = levi_civita(m);
    const auto along = [&](double t) {
      const OwnedVector q = geodesic_end(*connection, r.q, v, t).q;
      return f(std::vector<double>(q.data(), q.data() + q.size()));
    };
    const double h = 0.02,
                 second = (-along(2 * h) + 16 * along(h) - 30 * along(0) + 16 * along(-h) - along(-2 * h)) /
                          (12 * h * h);
    EXPECT_NEAR(v.dot(H * v), second, 1e-4 * (1.0 + std::abs(second))) << "seed " << seed;
    EXPECT_LT((H - H.transpose()).norm(), 1e-12 * (1.0 + H.norm()));
    EXPECT_NEAR(inner_product(m, work, r.q, gradient(m, work, r.q, slopes.differential), v),
                slopes.differential.dot(v), 1e-9);
  }
}

TEST(JacobiFields, AreTheDifferencesOfGeodesics) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 2, .properties = false});
    const Mechanism& m = r.mechanism;
    const Eigen::VectorXd v = draw(m.nv(), seed), x = draw(m.nv(), seed + 50), w = draw(m.nv(), seed + 90);
    VariationalRun run(m);
    run.start(r.q, v);
    run.advance(0.5);
    const GeodesicVariation at = run.now();
    const auto connection = levi_civita(m);
    const auto moved = [&](double t) {
      const GeodesicEnd end = geodesic_end(*connection, m.integrate(r.q, t * x), v + t * w, 0.5);
      Eigen::VectorXd both(2 * m.nv());
      both << m.difference(at.q, end.q), end.v;
      return both;
    };
    const Eigen::VectorXd slope = slope_at_zero(moved, 0.01);
    Eigen::VectorXd ours(2 * m.nv());
    ours << at.Q_q * x + at.Q_v * w, at.V_q * x + at.V_v * w;
    EXPECT_LT((slope - ours).norm(), 1e-7 * (1.0 + ours.norm())) << "seed " << seed;
  }
}

TEST(JacobiFields, OfRotationsVanishAfterATurn) {
  // Curvature 1/4, so fields vanish after pi / sqrt(1/4) at unit speed: both normal ones at once.
  const Mechanism m = rigid_body(1.0, {1, 1, 1}, true);
  const auto points = conjugate_points(m, m.neutral(), Eigen::Vector3d(0.6, 0.0, 0.8), 7.0, {.samples = 40});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].t, 2.0 * std::numbers::pi, 1e-6);
  EXPECT_EQ(points[0].multiplicity, 2);
  EXPECT_TRUE(conjugate_points(polar_arm(1.0), Eigen::Vector2d(0.0, 1.0), Eigen::Vector2d(0.2, 0.3), 2.0,
                               {.samples = 20})
                  .empty());
}

TEST(GeodesicBetween, EndsWhereItShouldAndIsShortest) {
  for (std::uint64_t seed : {1, 2, 3, 4}) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 2, .properties = false});
    const Mechanism& m = r.mechanism;
    const OwnedVector q1 = m.integrate(r.q, 0.6 * draw(m.nv(), seed));
    const auto found = geodesics_between(m, r.q, q1);
    ASSERT_FALSE(found.empty());
    const GeodesicBetween& g = found.front();
    EXPECT_TRUE(g.converged) << "seed " << seed << " kink " << g.kink;
    EXPECT_TRUE(g.locally_shortest()) << "seed " << seed;
    EXPECT_LT(g.miss, 1e-8) << "seed " << seed;
    // Longer than it is every nearby path with the same ends.
    const auto connection = levi_civita(m);
    const CurveOnMechanism curve = geodesic(*connection, r.q, g.v0, 1.0, {.samples = 201});
    EXPECT_NEAR(curve_length(m, curve), g.length, 1e-9 * g.length);
  }
}

double polyline_length(const Mechanism& m, const std::vector<OwnedVector>& places) {
  Workspace work(m);
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const OwnedVector d = m.difference(places[i], places[i + 1]);
    sum += std::sqrt(inner_product(m, work, m.integrate(places[i], 0.5 * d), d, d));
  }
  return sum;
}

TEST(GeodesicBetween, IsShorterThanItsNeighbours) {
  const Mechanism m = DoublePendulum().mechanism();
  const Eigen::Vector2d q0(-0.6, 0.4), q1(0.9, 1.6);
  const GeodesicBetween g = geodesics_between(m, q0, q1).front();
  const CurveOnMechanism curve = geodesic(*levi_civita(m), q0, g.v0, 1.0, {.samples = 401});
  EXPECT_NEAR(polyline_length(m, curve.q), g.length, 1e-5 * g.length);
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Vector2d aside(random.normal(), random.normal());
    std::vector<OwnedVector> places = curve.q;
    for (std::size_t i = 0; i < places.size(); ++i)
      places[i] += 0.05 * std::sin(std::numbers::pi * curve.t[i]) * aside;
    EXPECT_GT(polyline_length(m, places), polyline_length(m, curve.q));
  }
}

TEST(GeodesicBetween, OfAPlaneIsTheStraightLine) {
  const Eigen::Vector2d q0(0.0, 1.0), q1(2.0, 1.5);
  const GeodesicBetween g = geodesics_between(polar_arm(2.0), q0, q1).front();
  EXPECT_NEAR(g.length, std::sqrt(2.0 * (1.0 + 2.25 - 3.0 * std::cos(2.0))), 1e-9);
  EXPECT_EQ(g.index, 0);
}

TEST(GeodesicBetween, FindsSeveralOnTheTorus) {
  const Mechanism m = DoublePendulum().mechanism();
  const auto found =
      geodesics_between(m, Eigen::Vector2d(0, 0.3), Eigen::Vector2d(1.0, 2.5), {.windings = 1});
  ASSERT_GE(found.size(), 4u);
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].converged) {
      EXPECT_LE(found[i - 1].length, found[i].length + 1e-12);
    }
  for (const GeodesicBetween& g : found) {
    if (g.converged) {
      EXPECT_EQ(g.index, 0);
    }
  }
}

TEST(GeodesicBetween, LongWayRoundRotationsIsLeftForTheShortOne) {
  // The straight path is the geodesic itself; by way of a place far aside the long way round can be found.
  const Mechanism m = rigid_body(1.0, {1, 1, 1}, true);
  const OwnedVector q1 = m.integrate(m.neutral(), Eigen::Vector3d(0.0, 0.0, 2.0));
  const auto found = geodesics_between(m, m.neutral(), q1, {.starts = 6, .spread = 2.0});
  EXPECT_NEAR(found.front().length, 2.0, 1e-9);
  for (const GeodesicBetween& g : found)
    if (g.converged) {
      EXPECT_LT(std::min(std::abs(g.length - 2.0), std::abs(g.length - (2 * std::numbers::pi - 2.0))), 1e-8);
    }
}

TEST(GeodesicBetween, RefusesNonsense) {
  const Mechanism m = polar_arm(1.0);
  EXPECT_THROW(geodesics_between(m, Eigen::Vector2d(0, 1), Eigen::Vector3d(0, 1, 2)), Error);
  EXPECT_THROW(geodesics_between(m, Eigen::Vector2d(0, 1), Eigen::Vector2d(0, 2), {.segments = 1}), Error);
  EXPECT_THROW(geodesics_between(m, Eigen::Vector2d(0, 1), Eigen::Vector2d(0, 2), {.starts = 0}), Error);
}

}  // namespace
}  // namespace amble
