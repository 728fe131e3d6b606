#include "amble/riemann/curvature.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/mechanism/random_mechanism.hpp"
#include "amble/riemann/flat_coordinates.hpp"
#include "amble/riemann/geodesic.hpp"
#include "amble/riemann/known_geometry.hpp"

namespace amble {
namespace {

Eigen::VectorXd draw(int n, Random& random) {
  return Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) { return random.normal(); });
}

/// Every joint type, some seeds small enough for tensors.
RandomMechanism sample(std::uint64_t seed) {
  return random_mechanism(seed,
                          {.bodies = 2 + static_cast<int>(seed % 3), .mimic = seed % 3 == 0 ? 0.3 : 0.0});
}

double size_of(const CurvatureTensor& R) {
  double most = 0.0;
  for (std::size_t i = 0; i < R.size(); ++i) most = std::max(most, std::abs(R.data()[i]));
  return most;
}

TEST(VelocityFrame, BracketsAreTheTorsionFreePartOfTheConnection) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const RandomMechanism r = sample(seed);
    const int n = r.mechanism.nv();
    Workspace work(r.mechanism);
    Christoffel gamma(n), c(n);
    christoffel(r.mechanism, work, r.q, gamma, ChristoffelKind::second);
    structure_constants(r.mechanism, r.q, c);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          EXPECT_NEAR(gamma(i, j, k) - gamma(i, k, j), c(i, k, j), 1e-9) << "seed " << seed;
  }
}

TEST(Curvature, HasItsSymmetriesAndBianchisIdentity) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomMechanism r = sample(seed);
    const int n = r.mechanism.nv();
    const Curvature curvature(r.mechanism, r.q);
    const CurvatureTensor& R = curvature.riemann();
    const double scale = 1.0 + size_of(R);
    double worst = 0.0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          for (int l = 0; l < n; ++l) {
            worst = std::max(worst, std::abs(R(i, j, k, l) + R(j, i, k, l)));
            worst = std::max(worst, std::abs(R(i, j, k, l) - R(k, l, i, j)));
            worst = std::max(worst, std::abs(R(i, j, k, l) + R(i, k, l, j) + R(i, l, j, k)));
          }
    EXPECT_LT(worst, 1e-9 * scale) << "seed " << seed;
    EXPECT_LT((curvature.ricci() - curvature.ricci().transpose()).norm(),
              1e-8 * (1.0 + curvature.ricci().norm()));
  }
}

/// The same by the definition, with the derivatives of Gamma differenced: another route to every term.
CurvatureTensor differenced(const Mechanism& m, const OwnedVector& q) {
  const int n = m.nv();
  Workspace work(m);
  const auto gamma_at = [&](const VectorRef& at) {
    Christoffel g(n);
    christoffel(m, work, at, g, ChristoffelKind::second);
    return Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(g.data(), n * n * n));
  };
  const Eigen::VectorXd g = gamma_at(q);
  std::vector<Eigen::VectorXd> slope;
  for (int k = 0; k < n; ++k)
    slope.push_back(
        slope_at_zero([&](double t) { return gamma_at(m.integrate(q, t * Eigen::VectorXd::Unit(n, k))); }));
  const Eigen::MatrixXd M = mass_matrix(m, work, q);
  const auto at = [n](int i, int j, int k) { return (i * n + j) * n + k; };
  CurvatureTensor R(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) {
          double up = slope[k][at(i, j, l)] - slope[l][at(i, j, k)];
          for (int p = 0; p < n; ++p) {
            const double bracket = g[at(p, l, k)] - g[at(p, k, l)];  // [e_k, e_l]
            up +=
                g[at(p, j, l)] * g[at(i, p, k)] - g[at(p, j, k)] * g[at(i, p, l)] - bracket * g[at(i, j, p)];
          }
          for (int h = 0; h < n; ++h) R(h, j, k, l) += M(h, i) * up;
        }
  return R;
}

TEST(Curvature, AgreesWithDifferencedChristoffelSymbols) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 2});
    const CurvatureTensor ours = Curvature(r.mechanism, r.q).riemann(),
                          theirs = differenced(r.mechanism, r.q);
    double worst = 0.0;
    for (std::size_t i = 0; i < ours.size(); ++i)
      worst = std::max(worst, std::abs(ours.data()[i] - theirs.data()[i]));
    EXPECT_LT(worst, 1e-7 * (1.0 + size_of(ours))) << "seed " << seed << " " << r.mechanism.nv();
  }
}

/// Carries z round the parallelogram of x and y with sides h and brings out what is left: -h^2 R(x, y) z.
TEST(Curvature, IsWhatParallelTransportRoundASmallLoopLeaves) {
  const DoublePendulum pendulum;
  const Mechanism m = pendulum.mechanism();
  const auto connection = levi_civita(m);
  const Eigen::Vector2d q0(0.3, 0.7), z(0.4, -1.1);
  const auto round_trip = [&](double h) {
    OwnedMatrix x = Eigen::MatrixXd(z);
    const Eigen::Vector2d corners[] = {{0, 0}, {h, 0}, {h, h}, {0, h}, {0, 0}};
    for (int side = 0; side < 4; ++side) {
      const Eigen::Vector2d from = q0 + corners[side], along = corners[side + 1] - corners[side];
      x = parallel_transport(
          *connection,
          [&](double t) {
            return MovingConfiguration{from + t * along, along};
          },
          0, 1, x);
    }
    return Eigen::Vector2d((x.col(0) - z) / (h * h));
  };
  const Curvature curvature(m, q0);
  const Eigen::Vector2d expected = -curvature.apply(Eigen::Vector2d::UnitX(), Eigen::Vector2d::UnitY(), z);
  // Odd orders cancel between loops of both signs; Richardson takes out h^2.
  const auto centred = [&](double h) { return Eigen::Vector2d(0.5 * (round_trip(h) + round_trip(-h))); };
  const Eigen::Vector2d measured = (4.0 * centred(0.01) - centred(0.02)) / 3.0;
  EXPECT_LT((measured - expected).norm(), 1e-5 * expected.norm());
  EXPECT_GT(expected.norm(), 0.1);
}

TEST(Curvature, OfRotationsWithUnitInertiaIsAQuarter) {
  const Mechanism m = rigid_body(1.0, {1, 1, 1}, true);
  Random random(3);
  for (int i = 0; i < 5; ++i) {
    const Curvature curvature(m, m.random(random));
    EXPECT_NEAR(curvature.sectional(draw(3, random), draw(3, random)), 0.25, 1e-12);
    EXPECT_NEAR(curvature.scalar(), 1.5, 1e-12);
    EXPECT_LT((curvature.ricci() - 0.5 * Eigen::Matrix3d::Identity()).norm(), 1e-12);
  }
  const Curvature::Range range =
      Curvature(rigid_body(2.0, {1, 1, 1}), rigid_body(2.0, {1, 1, 1}).neutral()).range();
  EXPECT_NEAR(range.most.curvature, 0.25, 1e-12);
  EXPECT_NEAR(range.least.curvature, 0.0, 1e-12);
}

/// Milnor: the axes of inertia give ((I_j - I_k)^2 + 2 I_i (I_j + I_k) - 3 I_i^2) / (4 I_1 I_2 I_3) for the
/// plane normal to i.
TEST(Curvature, OfAnyRigidBodyIsMilnors) {
  const Vector3<double> I(1.3, 1.0, 0.8);
  const Mechanism m = rigid_body(1.0, I, true);
  const Curvature curvature(m, m.random(7));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double known =
        (std::pow(I[j] - I[k], 2) + 2.0 * I[i] * (I[j] + I[k]) - 3.0 * I[i] * I[i]) / (4.0 * I.prod());
    EXPECT_NEAR(curvature.sectional(Eigen::Vector3d::Unit(j), Eigen::Vector3d::Unit(k)), known, 1e-12);
  }
}

TEST(Curvature, OfTheDoublePendulumIsGausss) {
  const DoublePendulum pendulum{.mass_1 = 1.2,
                                .com_1 = 0.4,
                                .inertia_1 = 0.1,
                                .mass_2 = 0.8,
                                .com_2 = 0.35,
                                .inertia_2 = 0.05,
                                .length_1 = 0.9};
  const Mechanism m = pendulum.mechanism();
  for (double q2 = -3.0; q2 <= 3.0; q2 += 0.37) {
    const Curvature curvature(m, Eigen::Vector2d(0.4, q2));
    EXPECT_NEAR(curvature.sectional(Eigen::Vector2d::UnitX(), Eigen::Vector2d::UnitY()),
                pendulum.curvature(q2), 1e-11);
    EXPECT_NEAR(curvature.scalar(), 2.0 * pendulum.curvature(q2), 1e-11);
    EXPECT_NEAR(curvature.range().largest().curvature, pendulum.curvature(q2), 1e-11);
  }
}

TEST(Curvature, TurnsOfOnePlaneAreParallelToItself) {
  const Curvature curvature(DoublePendulum().mechanism(), Eigen::Vector2d(0.1, 0.2));
  EXPECT_THROW(curvature.sectional(Eigen::Vector2d(1, 2), Eigen::Vector2d(2, 4)), Error);
  EXPECT_THROW(curvature.sectional(Eigen::Vector3d(1, 2, 3), Eigen::Vector2d(2, 4)), Error);
}

TEST(Curvature, RangeBoundsEveryPlane) {
  Random random(11);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RandomMechanism r = sample(seed);
    if (r.mechanism.nv() < 2) continue;
    const Curvature curvature(r.mechanism, r.q);
    const Curvature::Range range = curvature.range();
    EXPECT_NEAR(curvature.sectional(range.most.x, range.most.y), range.most.curvature,
                1e-8 * (1 + std::abs(range.most.curvature)));
    for (int i = 0; i < 200; ++i) {
      const double K = curvature.sectional(draw(r.mechanism.nv(), random), draw(r.mechanism.nv(), random));
      EXPECT_LE(K, range.most.curvature + 1e-9 * (1.0 + std::abs(K))) << "seed " << seed;
      EXPECT_GE(K, range.least.curvature - 1e-9 * (1.0 + std::abs(K))) << "seed " << seed;
    }
  }
}

TEST(Flatness, IsToldApart) {
  EXPECT_TRUE(flatness(polar_arm(2.0)).flat);
  EXPECT_TRUE(flatness(gantry(1, 2, 3)).flat);
  EXPECT_TRUE(flatness(drive_chain({1, 2, 3, 4, 5, 6, 7}), {.samples = 3}).flat);
  EXPECT_TRUE(
      flatness(DoublePendulum{.com_2 = 0.0, .inertia_2 = 0.2}.mechanism()).flat);  // balanced second link
  const Flatness curved = flatness(DoublePendulum().mechanism());
  EXPECT_FALSE(curved.flat);
  EXPECT_NEAR(curved.largest, std::abs(DoublePendulum().curvature(curved.q[1])), 1e-9);
  EXPECT_THROW(flatness(polar_arm(1.0), {.samples = 0}), Error);
}

TEST(FlatCoordinates, OfAPolarArmAreThePlane) {
  const double mass = 2.5;
  FlatCoordinates flat(polar_arm(mass), Eigen::Vector2d(0.2, 1.0));
  const Eigen::Vector2d q(1.3, 1.7);
  const FlatCoordinates::Point at = flat.at(q);
  const auto plane = [](const Eigen::Vector2d& x) {
    return Eigen::Vector2d(x[1] * std::cos(x[0]), x[1] * std::sin(x[0]));
  };
  EXPECT_NEAR(at.x.norm(), std::sqrt(mass) * (plane(q) - plane({0.2, 1.0})).norm(), 1e-10);
  Eigen::Matrix2d M = Eigen::Vector2d(mass * q[1] * q[1], mass).asDiagonal();
  EXPECT_LT((at.N.transpose() * at.N - M).norm(), 1e-9);
  EXPECT_LT((flat.configuration(at.x) - q).norm(), 1e-9);
}

TEST(FlatCoordinates, AreACoordinateSystemWhereM1IsZero) {
  // A massless first link with a point mass at the end: the plane in bipolar clothes.
  const DoublePendulum pendulum{.mass_1 = 0, .inertia_1 = 0, .mass_2 = 1.5, .com_2 = 0.8, .inertia_2 = 0};
  const Mechanism m = pendulum.mechanism();
  const Eigen::Vector2d q0(0.2, 1.2);
  FlatCoordinates flat(m, q0);
  const Eigen::Vector2d q(0.9, 1.9);
  const FlatCoordinates::Point at = flat.at(q);
  for (int k = 0; k < 2; ++k) {  // N is the differential of x, which the eigenvectors of M do not give
    const Eigen::VectorXd slope = slope_at_zero(
        [&](double t) { return Eigen::VectorXd(flat.at(q + t * Eigen::Vector2d::Unit(k)).x); }, 5e-3);
    EXPECT_LT((slope - at.N.col(k)).norm(), 1e-7);
  }
  const auto tip = [](const Eigen::Vector2d& a) {
    return Eigen::Vector2d(std::sin(a[0]) + 0.8 * std::sin(a[0] + a[1]),
                           std::cos(a[0]) + 0.8 * std::cos(a[0] + a[1]));
  };
  EXPECT_NEAR(at.x.norm(), std::sqrt(1.5) * (tip(q) - tip(q0)).norm(), 1e-9);
}

TEST(FlatCoordinates, AreRefusedWithTheCurvatureAndThePlace) {
  try {
    FlatCoordinates flat(DoublePendulum().mechanism(), Eigen::Vector2d(0.25, 0.5));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("sectional curvature is"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("q = [0.25, 0.5]"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace amble
