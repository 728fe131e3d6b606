#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "amble/base/random.hpp"
#include "amble/contact/solvers/friction_interior.hpp"
#include "amble/contact/solvers/friction_solver.hpp"
#include "amble/contact/solvers/random_friction.hpp"

// The ways that Newton's method takes where it does not go straight: back along a step, near where it was, and along
// the curve through the inside of all cones.
namespace amble {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// One free body of unit mass and inertia with contacts all round: more rows than it can move in.
FrictionProblem caged(Random& random, int contacts, double mu) {
  FrictionProblem p(6);
  const auto any = [&] { return random.uniform(-1.0, 1.0); };
  VectorXd v(6);
  for (int k = 0; k < 6; ++k) v[k] = any();
  for (int i = 0; i < contacts; ++i) {
    const Eigen::Matrix3d axes = Eigen::Quaterniond(any(), any(), any(), any()).normalized().toRotationMatrix();
    const Eigen::Vector3d at(any(), any(), any());
    Eigen::Matrix<double, 6, 3> Y;
    for (int k = 0; k < 3; ++k) Y.col(k) << axes.col(k), at.cross(axes.col(k));
    p.add(FrictionLaw::contact(mu), Y.data());
    for (int k = 0; k < 3; ++k) p.w(3 * i + k) = Y.col(k).dot(v);
  }
  return p;
}

/// The matrix of a scaled problem, block by block.
MatrixXd matrix_of(const ScaledFriction& scaled) {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> G(scaled.rows(), scaled.rows());
  for (int i = 0; i < scaled.size(); ++i)
    for (int j = 0; j < scaled.size(); ++j)
      scaled.gram(scaled.block(i), scaled.block(j), &G(scaled.block(i).row, scaled.block(j).row), scaled.rows());
  return G;
}

TEST(FrictionPaths, NewtonFindsItsWayFromForcesThatAreAllWrong) {
  // From far outside, and from forces a thousand times too large, steps have to be shortened and taken back.
  Random random(3);
  for (int trial = 0; trial < 150; ++trial) {
    const FrictionProblem p = caged(random, 2 + trial % 9, 0.1 + 0.1 * (trial % 12));
    const double size = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 30.0 : 1000.0;
    std::vector<double> guess(p.rows());
    for (double& f : guess) f = random.uniform(-size, size);
    const auto solver = make_friction_solver("newton", {.tolerance = 1e-11});
    const FrictionSolution& s = solver->solve(p, guess);
    EXPECT_EQ(s.status, FrictionStatus::solved) << trial;
    EXPECT_LT(s.certificate.residual, 1e-11) << trial;
    EXPECT_LT(s.certificate.work, 1e-10) << trial << ": contacts only take";
  }
}

TEST(FrictionPaths, AGuessDoesNotChangeAMotionThatIsTheOnlyOne) {
  // Two contacts or fewer on a body leave it no choice between motions when nothing is redundant and friction is small.
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const FrictionProblem p = caged(random, 1 + trial % 2, 0.05);
    const auto solver = make_friction_solver("newton", {.tolerance = 1e-12});
    const std::vector<double> straight = solver->solve(p, {}).velocities;
    std::vector<double> guess(p.rows());
    for (double& f : guess) f = random.uniform(-50.0, 50.0);
    const std::vector<double>& led = solver->solve(p, guess).velocities;
    for (int r = 0; r < p.rows(); ++r) EXPECT_NEAR(led[r], straight[r], 1e-9) << trial;
  }
}

TEST(FrictionPaths, TheInsideOfAllConesLeadsToASolution) {
  Random random(11);
  int reached = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const FrictionProblem p = caged(random, 1 + trial % 6, 0.4);
    ScaledFriction scaled;
    scaled.load(p, {});
    const MatrixXd G = matrix_of(scaled);  // symmetric: either order of its numbers
    EXPECT_LT((G - G.transpose()).norm(), 1e-12 * G.norm());
    InteriorPath path;
    path.start(scaled, G.data());
    double smoothing = path.smoothing();
    for (int k = 0; k < 80 && path.smoothing() > 1e-16 && path.step(); ++k) smoothing = std::min(smoothing, path.smoothing());
    for (int i = 0; i < scaled.size(); ++i) {
      const double* f = scaled.f() + scaled.block(i).row;
      EXPECT_LT(std::hypot(f[1], f[2]), scaled.block(i).mu * f[0] * (1.0 + 1e-12) + 1e-300) << trial << ": inside";
    }
    reached += scaled.natural() < 1e-6;
    EXPECT_LT(smoothing, 1e-3) << trial;
  }
  EXPECT_GE(reached, 36) << "of 40";
}

TEST(FrictionPaths, TheCurveOfSolutionsIsFollowedByItsLength) {
  // Every point of it is one of the smoothed laws: f_n u_n = tau, and friction against the slip.
  Random random(13);
  int reached = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const FrictionProblem p = caged(random, 1 + trial % 5, 0.5);
    ScaledFriction scaled;
    scaled.load(p, {});
    const MatrixXd G = matrix_of(scaled);
    InteriorPath path;
    path.start(scaled, G.data());
    for (int k = 0; k < 400 && path.smoothing() > 1e-14 && path.step_along(1e-6); ++k) {
    }
    for (int i = 0; i < scaled.size(); ++i) {
      const double* f = scaled.f() + scaled.block(i).row;
      const double* u = scaled.u() + scaled.block(i).row;
      EXPECT_GT(f[0], 0.0) << trial;
      EXPECT_LT(f[1] * u[1] + f[2] * u[2], 1e-6) << trial << ": friction takes";
    }
    reached += path.smoothing() < 1e-10;
  }
  EXPECT_GE(reached, 18) << "of 20";
}

}  // namespace
}  // namespace amble
