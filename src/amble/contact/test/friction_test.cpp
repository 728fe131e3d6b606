#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "amble/base/random.hpp"
#include "amble/base/test/count_allocations.hpp"
#include "amble/base/test/message_of.hpp"
#include "amble/contact/solvers/friction_solver.hpp"
#include "amble/contact/solvers/local_contact.hpp"
#include "amble/contact/solvers/random_friction.hpp"

namespace amble {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vec3 = Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

VectorXd vector(const std::vector<double>& x) { return Eigen::Map<const VectorXd>(x.data(), x.size()); }
VectorXd free_velocities(const FrictionProblem& p) {
  return Eigen::Map<const VectorXd>(p.w().data(), p.rows());
}

/// How far from the laws, written down once more: de Saxce's form of Coulomb's law, with forces as speeds by
/// the mean diagonal of each block in G.
double distance_from_laws(const FrictionProblem& p, const VectorXd& f) {
  const MatrixXd G = p.matrix();
  const VectorXd u = G * f + free_velocities(p);
  double worst = 0.0;
  for (int i = 0; i < p.blocks(); ++i) {
    const FrictionBlock& b = p.block(i);
    const int r = b.row;
    const double g = std::max(G.diagonal().segment(r, b.rows).mean(), 1e-300);
    const double speed = u[r] + p.offset(r);
    if (b.kind == FrictionKind::bilateral) {
      for (int k = r; k < r + b.rows; ++k) worst = std::max(worst, std::abs(u[k] + p.offset(k)));
    } else if (b.kind == FrictionKind::box) {
      const double force = g * f[r], bound = g * b.coefficient;
      worst = std::max(worst, std::abs(force) - bound);
      worst = std::max(worst, std::min(std::abs(u[r]), std::abs(force + std::copysign(bound, u[r]))));
    } else if (b.kind == FrictionKind::unilateral) {
      worst = std::max({worst, -g * f[r], -speed, std::min(std::abs(g * f[r]), std::abs(speed))});
    } else {
      const Eigen::Vector2d f_t = g * f.segment<2>(r + 1), u_t = u.segment<2>(r + 1);
      const double f_n = g * f[r], mu = b.coefficient;
      const double dual = speed + mu * u_t.norm();  // (dual, u_t) in the dual cone: mu |u_t| <= dual
      const double power = (f_n * dual + f_t.dot(u_t)) / (1.0 + mu * std::abs(f_n) + std::abs(f_n) + dual);
      worst = std::max({worst, f_t.norm() - mu * f_n, mu * u_t.norm() - dual, -f_n, std::abs(power)});
    }
  }
  return worst;
}

double scale_of(const FrictionProblem& p) {
  return std::max(free_velocities(p).cwiseAbs().maxCoeff(), 1e-300);
}

/// Free velocities and columns of one rigid body: mass, principal inertia, centre, and its velocity.
struct Body {
  double mass = 1.0;
  Vec3 inertia = Vec3::Ones(), centre = Vec3::Zero(), v = Vec3::Zero(), omega = Vec3::Zero();

  void add(FrictionProblem& p, double mu, const Vec3& point, const Vec3& n, const Vec3& t) const {
    Eigen::Matrix<double, 6, 3> Y;
    Vec3 axes[3] = {n, t, n.cross(t)}, arm = point - centre;
    const int block = p.blocks();
    for (int k = 0; k < 3; ++k)
      Y.col(k) << axes[k] / std::sqrt(mass), arm.cross(axes[k]).cwiseQuotient(inertia.cwiseSqrt());
    p.add(FrictionLaw::contact(mu), Y.data());
    for (int k = 0; k < 3; ++k) p.w(p.block(block).row + k) = axes[k].dot(v + omega.cross(arm));
  }
};

/// A box of half widths 1, 1, h on the ground, four contacts.
FrictionProblem box_on_ground(const Body& body, double mu, double h = 1.0) {
  FrictionProblem p(6);
  for (int k = 0; k < 4; ++k)
    body.add(p, mu, body.centre + Vec3(2.0 * (k & 1) - 1.0, 2.0 * (k >> 1) - 1.0, -h), Vec3::UnitZ(),
             Vec3::UnitX());
  return p;
}

class EverySolver : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<FrictionSolver> solver(double tolerance = 1e-11, int iterations = 0) const {
    return make_friction_solver(GetParam(), {.tolerance = tolerance, .iterations = iterations});
  }
};
INSTANTIATE_TEST_SUITE_P(Friction, EverySolver, testing::ValuesIn(friction_solvers()));

TEST_P(EverySolver, HoldsABoxOnASlopeUpToTheAngleOfFriction) {
  // Sweeps take the longer the nearer the limit is.
  const double g_h = 0.0981, mu = 0.5, limit = std::atan(mu), near = GetParam() == "newton" ? 1e-6 : 1e-2;
  for (const double slope : {0.2, limit - near, limit + near, 0.8}) {
    Body body{.mass = 3.0, .inertia = {2, 2, 2}};
    body.v = g_h * Vec3(std::sin(slope), 0.0, -std::cos(slope));
    const FrictionProblem p = box_on_ground(body, mu, 0.3);
    const auto solve = solver();
    const FrictionSolution& s = solve->solve(p);
    ASSERT_EQ(s.status, FrictionStatus::solved) << slope;
    const double slip = std::max(0.0, g_h * (std::sin(slope) - mu * std::cos(slope)));
    double carried = 0.0, pull = 0.0;
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(s.velocities[3 * i], 0.0, 1e-11) << slope;
      EXPECT_NEAR(s.velocities[3 * i + 1], slip, 1e-11) << slope;
      EXPECT_NEAR(s.velocities[3 * i + 2], 0.0, 1e-11) << slope;
      carried += s.forces[3 * i], pull += s.forces[3 * i + 1];
    }
    EXPECT_NEAR(carried, 3.0 * g_h * std::cos(slope), 1e-10);
    EXPECT_NEAR(pull, -3.0 * std::min(g_h * std::sin(slope), mu * g_h * std::cos(slope)), 1e-10);
    EXPECT_LE(s.certificate.work, 1e-15);
  }
}

TEST_P(EverySolver, SlidesAPushedBlockAgainstItsMotion) {
  Body body{.mass = 2.0, .inertia = {1, 1, 1}};
  body.v = Vec3(0.6, -0.8, -0.1);  // friction 0.4 takes 0.04 of the speed 1
  const FrictionProblem p = box_on_ground(body, 0.4, 1e-9);
  const auto solve = solver();
  const FrictionSolution& s = solve->solve(p);
  ASSERT_EQ(s.status, FrictionStatus::solved);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(s.velocities[3 * i + 1], 0.96 * 0.6, 1e-10);
    EXPECT_NEAR(s.velocities[3 * i + 2], -0.96 * 0.8, 1e-10);
  }
}

TEST_P(EverySolver, TurnsABallThatIsHitWithSpin) {
  // A ball on the ground: in a long impact it slips until its point of contact is at rest. G is 1/m for the
  // normal and 1/m + r^2/I = 7/(2 m) for the tangents of a solid ball.
  const double m = 0.5, r = 0.2, spin = 30.0, down = 2.0;
  Body ball{.mass = m, .inertia = Vec3::Constant(0.4 * m * r * r)};
  ball.v = Vec3(0, 0, -down), ball.omega = Vec3(0, spin, 0);
  for (const double mu : {0.1, 10.0}) {
    FrictionProblem p(6);
    ball.add(p, mu, Vec3(0, 0, -r), Vec3::UnitZ(), Vec3::UnitX());
    p.offset(0) = -0.5 * down;  // leaves at half the speed
    const auto solve = solver();
    const FrictionSolution& s = solve->solve(p);
    ASSERT_EQ(s.status, FrictionStatus::solved);
    const double slip = -r * spin, impulse = 1.5 * m * down, stop = 2.0 * m / 7.0 * r * spin;
    EXPECT_NEAR(s.velocities[0], 0.5 * down, 1e-11);
    EXPECT_NEAR(s.forces[0], impulse, 1e-11);
    EXPECT_NEAR(s.forces[1], std::min(mu * impulse, stop), 1e-10);
    EXPECT_NEAR(s.velocities[1], slip + 3.5 / m * std::min(mu * impulse, stop), 1e-10);
  }
}

// DS Example 3.16: a bar of half length 1 and weight 10 N on two supports, pulled up with u at x; forces and
// accelerations in the place of impulses and velocities.
TEST_P(EverySolver, DecidesTheFourCasesOfTwoSupports) {
  struct Case {
    double at[2], u, x, force[2], parts[2];
  };
  const Case cases[] = {{{-0.9, 0.9}, 0.0, 0.0, {5.0, 5.0}, {0.0, 0.0}},
                        {{-0.9, 0.9}, 11.0, 0.0, {0.0, 0.0}, {0.981, 0.981}},
                        {{-0.8, -0.3}, 0.0, 0.0, {0.0, 7.874016}, {3.475984, 0.0}},
                        {{-0.8, -0.3}, 11.0, 0.9, {7.794521, 0.0}, {0.0, 5.392140}}};
  const double g = 9.81, m = 10.0 / g, J = m / 3.0;
  for (const Case& c : cases) {
    FrictionProblem p(2);
    for (const double at : c.at) {
      // A point at `at` rises with the centre and, for a turn that lifts the right side, with at times the
      // turn.
      const double column[] = {1.0 / std::sqrt(m), at / std::sqrt(J)};
      const int b = p.add(FrictionLaw::unilateral(), column);
      p.w(b) = (c.u - 10.0) / m + at * c.u * c.x / J;
    }
    const auto solve = solver();
    const FrictionSolution& s = solve->solve(p);
    ASSERT_EQ(s.status, FrictionStatus::solved);
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(s.forces[k], c.force[k], 5e-7);
      EXPECT_NEAR(s.velocities[k], c.parts[k], 5e-7);
    }
  }
}

TEST_P(EverySolver, StopsDryFrictionAtItsBound) {
  for (const double w : {0.3, -0.05, 0.0}) {
    FrictionProblem p(1);
    const double column = 2.0;  // G = 4
    p.add(FrictionLaw::box(0.05), &column);
    p.w(0) = w;
    const auto solve = solver();
    const FrictionSolution& s = solve->solve(p);
    EXPECT_NEAR(s.forces[0], -std::clamp(w / 4.0, -0.05, 0.05), 1e-12);
    EXPECT_NEAR(s.velocities[0], w + 4.0 * s.forces[0], 1e-12);
  }
}

TEST_P(EverySolver, HoldsAHeavyBlockOnALightOne) {
  // 1e4 kg on 1 kg, frictionless and in one line: impulses m g h of what stands above.
  FrictionProblem p(2);
  const double heavy = 1e4, fall = 0.01;
  const double low[] = {1.0, 0.0}, high[] = {-1.0, 1.0 / std::sqrt(heavy)};
  p.add(FrictionLaw::unilateral(), low), p.add(FrictionLaw::unilateral(), high);
  p.w(0) = -fall;
  const auto solve = solver(1e-9, 1000000);
  const FrictionSolution& s = solve->solve(p);
  ASSERT_EQ(s.status, FrictionStatus::solved);
  EXPECT_NEAR(s.forces[0], (heavy + 1.0) * fall, 1e-5 * heavy * fall);
  EXPECT_NEAR(s.forces[1], heavy * fall, 1e-5 * heavy * fall);
}

TEST_P(EverySolver, NeverSlipsWithInfiniteFriction) {
  Body body{.mass = 2.0, .inertia = {1, 1, 1}};
  body.v = Vec3(5.0, -3.0, -0.5);
  const FrictionProblem p = box_on_ground(body, kInfinity, 0.05);
  const auto solve = solver();
  const FrictionSolution& s = solve->solve(p);
  ASSERT_EQ(s.status, FrictionStatus::solved);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(std::hypot(s.velocities[3 * i + 1], s.velocities[3 * i + 2]) * (s.forces[3 * i] > 0.0), 0.0,
                1e-10);
}

TEST_P(EverySolver, MeetsTheLawsAsTheyAreWrittenDown) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const FrictionProblem p = random_friction(seed);
    const auto solve = solver(1e-10, GetParam() == "gauss_seidel" ? 2000 : 0);
    const FrictionSolution& s = solve->solve(p);
    ASSERT_TRUE(vector(s.forces).allFinite() && vector(s.velocities).allFinite()) << seed;
    EXPECT_NEAR(s.certificate.residual, certify(p, s.forces).residual, 1e-14) << seed;
    EXPECT_LE(
        (vector(s.velocities) - p.matrix() * vector(s.forces) - free_velocities(p)).cwiseAbs().maxCoeff(),
        1e-12 * scale_of(p) *
            (1.0 + vector(s.forces).cwiseAbs().maxCoeff() * p.matrix().diagonal().maxCoeff()))
        << seed;
    if (s.status != FrictionStatus::solved) continue;
    ++solved;
    EXPECT_LE(distance_from_laws(p, vector(s.forces)), 1e-8 * scale_of(p)) << seed;
    EXPECT_LE(s.certificate.work, 1e-8) << seed;  // nothing here pushes: contacts and joints only take energy
  }
  EXPECT_GE(solved, GetParam() == "newton" ? 120 : 75);
}

TEST_P(EverySolver, SaysWhichLoopContradictsOthers) {
  FrictionProblem p(2);
  const double column[] = {1.0, 0.0};
  p.add(FrictionLaw::unilateral(), column);
  p.add(FrictionLaw::bilateral(1), column), p.add(FrictionLaw::bilateral(1), column);
  p.offset(1) = 0.1, p.offset(2) = -0.1;
  const auto solve = solver();
  const FrictionSolution& s = solve->solve(p);
  EXPECT_NE(s.status, FrictionStatus::solved);
  EXPECT_TRUE(vector(s.forces).allFinite());
  EXPECT_GE(s.certificate.worst_block, 1);
  EXPECT_GT(s.certificate.bilateral, 0.05);
}

TEST_P(EverySolver, RefusesWhatIsNoProblem) {
  const double column[] = {1.0, 2.0, 0.5, 0.0, 1.0, 0.0}, bad[] = {1.0, std::nan("")};
  const auto solve = solver();
  FrictionProblem p(2);
  p.add(FrictionLaw::contact(0.5), column);
  p.add(FrictionLaw::unilateral(), column);
  p.w(3) = std::nan("");
  EXPECT_EQ(message_of([&] { solve->solve(p); }), "block 1: w is nan, expected a finite number");
  p.w(3) = 0.0, p.offset(0) = kInfinity;
  EXPECT_EQ(message_of([&] { solve->solve(p); }), "block 0: offset is inf, expected a finite number");
  p.offset(0) = 0.0, p.compliance(1) = -1.0;
  EXPECT_EQ(message_of([&] { solve->solve(p); }), "block 0: compliance is -1, expected at least 0");
  p.compliance(1) = 0.0;
  p.add(FrictionLaw::unilateral(), bad);
  EXPECT_EQ(message_of([&] { solve->solve(p); }),
            "block 2: its columns have squares that sum to nan, expected finite numbers");
}

TEST_P(EverySolver, TakesABadGuessForNone) {
  const FrictionProblem p = random_friction(2);
  const auto solve = solver(1e-10);
  const std::vector<double> guess(p.rows(), std::nan(""));
  EXPECT_EQ(solve->solve(p, guess).status, FrictionStatus::solved);
}

TEST_P(EverySolver, SolvesNothing) {
  const auto solve = solver();
  EXPECT_EQ(solve->solve(FrictionProblem(3)).status, FrictionStatus::solved);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST_P(EverySolver, AllocatesNothingAfterTheFirstTime) {
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5, 9, 21, 64}) {
    const FrictionProblem p = random_friction(seed);
    const auto solve = solver(1e-10, 300);
    EXPECT_EQ(allocations_of([&] { solve->solve(p); }), 0) << seed;
  }
}

TEST_P(EverySolver, AllocatesNothingAfterReserve) {
  FrictionProblem small = random_friction(2), p = random_friction(8);
  const auto solve = solver(1e-10, 300);
  solve->reserve(p.dimension(), p.blocks(), p.rows());
  const long before = allocations;
  solve->solve(p);
  EXPECT_EQ(allocations - before, 0);
}
#endif

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(Friction, NewtonAllocatesNothingOnTheHardestProblems) {
  const auto newton = make_friction_solver("newton");
  const FrictionProblem p = random_friction(541);  // solved along the curve of the interior path
  EXPECT_GE(newton->solve(p).iterations, 300);
  EXPECT_EQ(allocations_of([&] { newton->solve(p); }), 0);
}
#endif

TEST(Friction, NewtonReachesTheToleranceOnAThousandProblems) {
  const auto newton = make_friction_solver("newton");
  int largest = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const FrictionProblem p = random_friction(seed);
    const FrictionSolution& s = newton->solve(p);
    EXPECT_LE(s.certificate.residual, 1e-8) << seed << " " << name_of(s.status);
    largest = std::max(largest, p.rows());
  }
  EXPECT_GE(largest, 165);
}

/// A box that lands on its four corners, turning.
FrictionProblem landing_box(std::uint64_t seed, double mu) {
  Random r(seed);
  Body body{.mass = r.uniform(0.1, 10.0),
            .inertia = {r.uniform(0.1, 2.0), r.uniform(0.1, 2.0), r.uniform(0.1, 2.0)}};
  body.v = Vec3(r.normal(), r.normal(), -2.0 + r.normal()),
  body.omega = Vec3(r.normal(), r.normal(), r.normal());
  return box_on_ground(body, mu, r.uniform(0.05, 0.5));
}

// With redundant contacts that slide, forces and with them the motion are not unique: without friction the
// motion is, and with some compliance and little friction the forces are.
TEST(Friction, BothSolversFindTheSameWhereThereIsOnlyOne) {
  const auto newton = make_friction_solver("newton", {.tolerance = 1e-12});
  const auto sweeps = make_friction_solver("gauss_seidel", {.tolerance = 1e-12, .iterations = 100000});
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    FrictionProblem p = landing_box(seed, 0.0);
    EXPECT_LE(
        (vector(newton->solve(p).velocities) - vector(sweeps->solve(p).velocities)).cwiseAbs().maxCoeff(),
        1e-8)
        << seed;
    p = landing_box(seed, 0.3);
    for (int r = 0; r < p.rows(); ++r) p.compliance(r) = 0.1;
    const VectorXd a = vector(newton->solve(p).forces), b = vector(sweeps->solve(p).forces);
    EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-8 * a.cwiseAbs().maxCoeff()) << seed;
    EXPECT_LE(distance_from_laws(p, a), 1e-9) << seed;
  }
}

TEST(Friction, ATableStandsOnEqualLegs) {
  Body body{.mass = 20.0, .inertia = {1, 2, 3}};
  body.v = Vec3(0, 0, -0.0981);
  const auto newton = make_friction_solver("newton");
  const FrictionSolution& s = newton->solve(box_on_ground(body, 0.5, 0.7));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(s.forces[3 * i], 0.25 * 20.0 * 0.0981, 1e-6);
}

TEST(Friction, NewtonNamesTheContactThatIsSqueezed) {
  // A body between two walls that close in on it, and a third contact that has nothing to do with that.
  Body body;
  FrictionProblem p(6);
  body.add(p, 0.5, Vec3(0, 0, -1), Vec3::UnitZ(), Vec3::UnitX());
  body.add(p, 0.5, Vec3(-1, 0, 0), Vec3::UnitX(), Vec3::UnitY());
  body.add(p, 0.5, Vec3(1, 0, 0), -Vec3::UnitX(), Vec3::UnitY());
  p.offset(3) = p.offset(6) = -0.2;
  const auto newton = make_friction_solver("newton");
  const FrictionSolution& s = newton->solve(p);
  EXPECT_EQ(s.status, FrictionStatus::inconsistent);
  EXPECT_TRUE(s.certificate.worst_block == 1 || s.certificate.worst_block == 2);
  // The world against the world: nothing moves, whatever the force.
  FrictionProblem fixed(6);
  fixed.add(FrictionLaw::contact(0.5), std::span<const Support>());
  fixed.w(0) = -1.0;
  EXPECT_EQ(newton->solve(fixed).status, FrictionStatus::inconsistent);
  fixed.w(0) = 1.0;
  EXPECT_EQ(newton->solve(fixed).status, FrictionStatus::solved);
}

// Of the three ways in which the contact could give only two are open: forces along (1, 0.3, 0) push nothing.
FrictionProblem wedge(double friction, double offset) {
  FrictionProblem p(3);
  const double lean = 0.3, length = std::sqrt(1.0 + lean * lean);
  const double columns[] = {-lean / length, 0, 0, 1 / length, 0, 0, 0, 1, 0};
  p.add(FrictionLaw::contact(friction), columns);
  const double other[] = {0, 0, 1};
  p.add(FrictionLaw::unilateral(), other);
  p.offset(0) = offset, p.w(3) = -0.1;
  return p;
}

TEST(Friction, AContactThatIsWedgedAndShouldPartIsNamedSoon) {
  const auto solver = make_friction_solver("newton");
  const FrictionSolution& s = solver->solve(wedge(0.5, -0.01));
  EXPECT_EQ(s.status, FrictionStatus::inconsistent);
  EXPECT_EQ(s.certificate.worst_block, 0);
  EXPECT_LT(s.iterations, 300);
}

TEST(Friction, WedgedContactsThatNeedNotPartAndSteepOnesAreSolved) {
  const auto solver = make_friction_solver("newton");
  EXPECT_EQ(solver->solve(wedge(0.5, 0.0)).status, FrictionStatus::solved);
  EXPECT_EQ(solver->solve(wedge(0.5, 0.01)).status, FrictionStatus::solved);
  EXPECT_EQ(solver->solve(wedge(0.2, -0.01)).status, FrictionStatus::solved);  // slips out: the lean is more than its cone
}

TEST(Friction, AGoodGuessCostsOneLinearSystem) {
  const auto newton = make_friction_solver("newton");
  FrictionProblem p = random_friction(8);  // a table between walls
  const FrictionSolution cold = newton->solve(p);
  ASSERT_EQ(cold.status, FrictionStatus::solved);
  EXPECT_EQ(newton->solve(p, cold.forces).iterations, 0);
  Body body{.mass = 20.0, .inertia = {1, 2, 3}};
  body.v = Vec3(0.001, 0, -0.0981);
  const FrictionSolution standing = newton->solve(box_on_ground(body, 0.5, 0.7));
  body.v = Vec3(0.002, 0.001, -0.099);
  EXPECT_EQ(newton->solve(box_on_ground(body, 0.5, 0.7), standing.forces).iterations, 1);
}

/// Changes what moves, and with it the velocities of all contacts, by about this.
void push_anyhow(FrictionProblem& p, double size, Random& random) {
  std::vector<double> y(p.dimension()), u(p.rows());
  for (double& number : y) number = random.normal();
  for (int i = 0; i < p.blocks(); ++i) p.velocities(p.block(i), y.data(), u.data() + p.block(i).row);
  double largest = 0.0;
  for (const double speed : u) largest = std::max(largest, std::abs(speed));
  for (int r = 0; r < p.rows(); ++r) p.w(r) += size / largest * u[r];
}

/// A motion: each problem has a little other velocities than the last, and its forces are the guess.
TEST(Friction, AMotionIsSolvedWithinTheBoundOfItsWorkToTheLooseTolerance) {
  constexpr double kLoose = 1e-8;
  constexpr int kMost = 150;
  const auto newton = make_friction_solver("newton", {.loose_tolerance = kLoose, .iterations = kMost});
  int problems = 0, unsolved = 0, systems = 0;
  for (std::uint64_t seed = 200; seed < 260; ++seed) {
    Random random(seed);
    FrictionProblem p = random_friction(seed);
    std::vector<double> guess = newton->solve(p).forces;
    for (int step = 0; step < 10; ++step) {
      push_anyhow(p, 3e-3 * scale_of(p), random);
      const FrictionSolution& s = newton->solve(p, guess);
      guess = s.forces;
      ++problems, unsolved += s.status == FrictionStatus::not_reached, systems += s.iterations;
      EXPECT_LE(s.iterations, kMost + kMost / 10) << seed << " step " << step;
      if (s.status != FrictionStatus::solved) continue;
      // measured otherwise than the residual, which weighs blocks by what they move
      EXPECT_LE(distance_from_laws(p, vector(s.forces)), 10.0 * kLoose * scale_of(p)) << seed << " step " << step;
    }
  }
  EXPECT_LT(unsolved, problems / 50);
  EXPECT_LT(systems, 10 * problems);
}

TEST(Friction, NewtonSolvesHeapsAndPatchesOfManyContacts) {
  const auto newton = make_friction_solver("newton");
  for (const FrictionScene scene : {FrictionScene::pile, FrictionScene::patches})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const FrictionProblem p = random_friction(seed, scene);
      const FrictionSolution& s = newton->solve(p);
      EXPECT_EQ(s.status, FrictionStatus::solved) << seed << ": " << s.certificate.residual;
      EXPECT_LE(distance_from_laws(p, vector(s.forces)), 1e-8 * scale_of(p)) << seed;
    }
}

TEST(Friction, ADenseMatrixGivesTheSameProblem) {
  for (const std::uint64_t seed : {2, 5, 8, 12}) {
    const FrictionProblem p = random_friction(seed);
    std::vector<FrictionLaw> laws;
    for (int i = 0; i < p.blocks(); ++i)
      laws.push_back({p.block(i).kind, p.block(i).coefficient, p.block(i).rows});
    const MatrixXd G = p.matrix();
    const FrictionProblem dense(G, free_velocities(p), laws);
    EXPECT_LE((dense.matrix() - G).cwiseAbs().maxCoeff(), 1e-12 * G.cwiseAbs().maxCoeff()) << seed;
  }
}

/// Free bodies, masses up to 1e4 apart, that touch the world and each other anywhere: G as anyone would form it, of less
/// than full rank, with rounding in it.
MatrixXd touching_bodies(Random& r, int bodies, int contacts, VectorXd& w) {
  VectorXd inverse(6 * bodies), v(6 * bodies);
  for (int b = 0; b < bodies; ++b) {
    const double mass = std::pow(10.0, r.uniform(-2.0, 2.0));
    for (int k = 0; k < 6; ++k) inverse[6 * b + k] = 1.0 / (mass * (k < 3 ? 1.0 : r.uniform(0.05, 0.15))), v[6 * b + k] = r.normal();
  }
  MatrixXd J = MatrixXd::Zero(3 * contacts, 6 * bodies);
  for (int i = 0; i < contacts; ++i) {
    const int b = r.integer(0, bodies - 1), a = r.integer(0, bodies);
    const bool ground = a == bodies || a == b;
    const Vec3 n = (ground ? Vec3(0.3 * r.normal(), 0.3 * r.normal(), 1.0) : Vec3(r.normal(), r.normal(), r.normal())).normalized();
    const Vec3 t = n.unitOrthogonal(), axes[3] = {n, t, n.cross(t)};
    for (const int body : {b, ground ? -1 : a}) {
      const Vec3 arm = 0.3 * Vec3(r.normal(), r.normal(), r.normal());
      for (int k = 0; k < 3 && body >= 0; ++k)
        J.row(3 * i + k).segment<6>(6 * body) << (body == b ? 1.0 : -1.0) * axes[k].transpose(), (body == b ? 1.0 : -1.0) * arm.cross(axes[k]).transpose();
    }
  }
  w = J * v;
  return J * inverse.asDiagonal() * J.transpose();
}

TEST(Friction, AMatrixOfLessThanFullRankIsFactoredToRoundingAndSolved) {
  const auto newton = make_friction_solver("newton");
  int deficient = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random r(seed);
    const int bodies = r.integer(1, 6), contacts = r.integer(1, 5 * bodies);
    VectorXd w;
    const MatrixXd G = touching_bodies(r, bodies, contacts, w);
    std::vector<FrictionLaw> laws;
    for (int i = 0; i < contacts; ++i) laws.push_back(FrictionLaw::contact(std::pow(10.0, r.uniform(-2.0, 2.0))));
    const FrictionProblem p(G, w, laws);
    deficient += p.dimension() < p.rows();
    const VectorXd root = G.diagonal().cwiseSqrt();
    EXPECT_LE((p.matrix() - G).cwiseQuotient(root * root.transpose()).cwiseAbs().maxCoeff(), 1e-12) << seed;
    const FrictionSolution& s = newton->solve(p);
    EXPECT_EQ(s.status, FrictionStatus::solved) << seed << ": " << s.certificate.residual;
  }
  EXPECT_GE(deficient, 50);
}

TEST(Friction, WorkIsBoundedWhateverTheProblem) {
  FrictionProblem p = random_friction(541);  // takes hundreds of linear systems
  const auto newton = make_friction_solver("newton", {.iterations = 100});
  const FrictionSolution& s = newton->solve(p);
  EXPECT_EQ(s.status, FrictionStatus::not_reached);
  EXPECT_LE(s.iterations, 130);  // one round of tries beyond
  EXPECT_TRUE(vector(s.forces).allFinite());
  EXPECT_LT(s.certificate.residual, 1.0);  // the best that was found is no worse than nothing
}

TEST(Friction, RefusesAMatrixThatIsNone) {
  const FrictionLaw laws[] = {FrictionLaw::unilateral(), FrictionLaw::unilateral()};
  const VectorXd w = VectorXd::Zero(2);
  MatrixXd G(2, 2);
  G << 1, 0.5, 0.4, 1;
  EXPECT_EQ(message_of([&] { FrictionProblem(G, w, laws); }), "G is not symmetric");
  G << 1, 2, 2, 1;
  EXPECT_NE(message_of([&] { FrictionProblem(G, w, laws); }).find("not semidefinite"), std::string::npos);
  EXPECT_EQ(message_of([&] { FrictionProblem(MatrixXd::Identity(3, 3), w, laws); }),
            "G is 3 x 3, expected 2 x 2 as w has 2 numbers");
  EXPECT_EQ(message_of([&] { FrictionProblem(MatrixXd::Identity(2, 2), w, std::span(laws, 1)); }),
            "the laws have 1 rows, expected 2 as w has");
  G << 1, 0, 0, std::nan("");
  EXPECT_EQ(message_of([&] { FrictionProblem(G, w, laws); }), "G or w has a number that is not finite");
}

TEST(Friction, RefusesLawsAndSegmentsThatAreNone) {
  FrictionProblem p(3);
  const Support outside[] = {{0, 4}}, crossed[] = {{1, 2}, {0, 1}};
  EXPECT_EQ(message_of([&] { p.add(FrictionLaw::contact(-0.1), std::span<const Support>()); }),
            "block 0: friction coefficient is -0.1, expected at least 0");
  EXPECT_EQ(message_of([&] { p.add(FrictionLaw::box(std::nan("")), std::span<const Support>()); }),
            "block 0: bound is nan, expected at least 0");
  EXPECT_EQ(message_of([&] { p.add(FrictionLaw::bilateral(0), std::span<const Support>()); }),
            "block 0: a bilateral block of 0 rows, expected at least 1");
  EXPECT_EQ(message_of([&] { p.add(FrictionLaw::unilateral(), outside); }),
            "block 0: segment 0 to 4, expected rising segments within 0 to 3");
  EXPECT_EQ(message_of([&] { p.add(FrictionLaw::unilateral(), crossed); }),
            "block 0: segment 0 to 1, expected rising segments within 0 to 3");
}

TEST(Friction, RefusesOptionsAndNamesThatAreNone) {
  EXPECT_EQ(message_of([] { make_friction_solver("lemke"); }),
            "friction solver 'lemke', expected one of newton, gauss_seidel");
  EXPECT_EQ(message_of([] { make_friction_solver("newton", {.tolerance = 0.0}); }),
            "tolerance is 0, expected more than 0");
  EXPECT_EQ(message_of([] { make_friction_solver("newton", {.loose_tolerance = -1.0}); }),
            "loose_tolerance is -1, expected 0 or more");
  EXPECT_EQ(message_of([] { make_friction_solver("newton", {.iterations = -1}); }),
            "iterations is -1, expected at least 0");
  EXPECT_EQ(message_of([] { make_friction_solver("gauss_seidel", {.relaxation = 2.0}); }),
            "relaxation is 2, expected more than 0 and less than 2");
}

TEST(Friction, OverRelaxationArrivesAtTheSameForces) {
  Body body{.mass = 2.0, .inertia = {1, 0.7, 1.3}};
  body.v = Vec3(0.4, 0.1, -1.0);
  const FrictionProblem p = box_on_ground(body, 0.3, 0.2);
  const VectorXd plain =
      vector(make_friction_solver("gauss_seidel", {.tolerance = 1e-12})->solve(p).velocities);
  for (const double relaxation : {0.7, 1.3}) {
    const auto solve = make_friction_solver("gauss_seidel", {.tolerance = 1e-12, .relaxation = relaxation});
    const FrictionSolution& s = solve->solve(p);
    ASSERT_EQ(s.status, FrictionStatus::solved) << relaxation;
    EXPECT_LE((vector(s.velocities) - plain).cwiseAbs().maxCoeff(), 1e-9) << relaxation;
  }
}

TEST(Friction, OneContactIsSolvedExactly) {
  Random r(7);
  for (int i = 0; i < 20000; ++i) {
    Eigen::Matrix3d A;
    for (double& x : A.reshaped()) x = r.normal() * std::pow(10.0, r.uniform(-2.0, 1.0));
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> G = A * A.transpose();
    const double mu = i % 5 == 0 ? 0.0 : std::pow(10.0, r.uniform(-3.0, 2.0));
    const Vec3 q(r.normal(), r.normal(), r.normal());
    Vec3 f;
    solve_local_contact(G.data(), q.data(), mu, f.data());
    FrictionProblem p(3);
    p.add(FrictionLaw::contact(mu), Eigen::Matrix3d(A.transpose()).data());
    for (int k = 0; k < 3; ++k) p.w(k) = q[k];
    EXPECT_LE(distance_from_laws(p, f), 1e-9 * (1.0 + G.norm() * f.norm())) << i;
  }
}

TEST(Friction, TheCertificateSeesEveryBrokenLaw) {
  Body body{.mass = 2.0, .inertia = {1, 0.7, 1.3}};
  body.v = Vec3(0.4, 0.0, -1.0);
  FrictionProblem p(6);
  body.add(p, 0.5, Vec3(0, 0, 0), Vec3::UnitZ(), Vec3::UnitX());  // f_n = 2, f_t = -0.8: sticks
  const auto residual = [&](double n, double t1, double t2) {
    return certify(p, std::vector<double>{n, t1, t2});
  };
  EXPECT_NEAR(residual(2.0, -0.8, 0.0).residual, 0.0, 1e-15);
  EXPECT_NEAR(residual(2.0, -0.8, 0.0).work, 0.0, 1e-15);
  EXPECT_NEAR(residual(1.9, -0.8, 0.0).signorini, 0.05, 1e-12);  // still closing
  EXPECT_NEAR(residual(2.2, -0.8, 0.0).signorini, 0.1, 1e-12);   // pushes what parts
  EXPECT_NEAR(residual(2.0, -1.5, 0.0).cone, 0.5, 1e-12);
  EXPECT_NEAR(residual(2.0, -0.6, 0.0).dissipation, 0.1 * (1.0 - 0.6),
              1e-12);  // slips at 0.1 with 0.6 of 1 N s
  EXPECT_GT(residual(2.0, -0.6, 0.0).residual, 0.05);
  EXPECT_EQ(residual(2.0, -0.6, 0.0).worst_block, 0);
}

}  // namespace
}  // namespace amble
