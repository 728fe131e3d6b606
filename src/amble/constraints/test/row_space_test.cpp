#include "amble/constraints/row_space.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "amble/base/random.hpp"
#include "amble/base/test/count_allocations.hpp"
#include "amble/constraints/closed_mechanisms.hpp"
#include "amble/constraints/constrained_dynamics.hpp"
#include "amble/constraints/mass_factor.hpp"
#include "amble/dynamics/test/random_state.hpp"

namespace amble {
namespace {

Eigen::MatrixXd random_matrix(Random& random, int rows, int cols) {
  Eigen::MatrixXd out(rows, cols);
  for (double& x : out.reshaped()) x = random.uniform(-1, 1);
  return out;
}

TEST(MassFactor, TwoHalvesAreTheInverse) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 8, .roots = 2, .mimic = seed % 2 == 0 ? 0.4 : 0.0});
    if (s.m.nv() == 0) continue;
    Workspace work(s.m);
    const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
    MassFactor factor(s.m);
    ASSERT_TRUE(factor.compute(mass_matrix(s.m, work, s.q)));
    Eigen::VectorXd x = s.v, half;
    factor.solve_inward(x.data());
    half = x;
    factor.solve_outward(x.data());
    EXPECT_LT((M * x - s.v).norm(), 1e-9 * s.v.norm()) << "seed " << seed;
    EXPECT_NEAR(half.squaredNorm(), s.v.dot(x), 1e-9 * half.squaredNorm()) << "seed " << seed;
  }
}

TEST(MassFactor, ASupportGrowsByWhatIsOnTheWayToTheWorld) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomState s = random_state(seed, {.bodies = 8, .roots = 2});
    if (s.m.nv() == 0) continue;
    Workspace work(s.m);
    MassFactor factor(s.m);
    ASSERT_TRUE(factor.compute(mass_matrix(s.m, work, s.q)));
    for (int c = 0; c < s.m.nv(); ++c) {
      Eigen::VectorXd some = Eigen::VectorXd::Unit(s.m.nv(), c), all = some;
      Support support{c, c + 1};
      factor.solve_inward(some.data(), support);
      factor.solve_inward(all.data());
      EXPECT_EQ(some, all) << "seed " << seed;
      const Support least = support_of(all.data(), s.m.nv());
      EXPECT_TRUE(support.begin <= least.begin && support.end == least.end) << "seed " << seed;
    }
  }
}

/// Against the general decomposition, with and without columns that repeat others.
TEST(RowSpace, FindsRankShortestSolutionsAndShares) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 8, rank = random.integer(1, 6), columns = rank + (trial % 2 == 0 ? 0 : random.integer(1, 4));
    Eigen::MatrixXd Y(n, columns);
    Y.leftCols(rank) = random_matrix(random, n, rank);
    Y.rightCols(columns - rank) = Y.leftCols(rank) * random_matrix(random, rank, columns - rank);
    RowSpace space(n, columns);
    space.compute(Y, 1e-10);
    EXPECT_EQ(static_cast<int>(space.independent().size()), rank);
    EXPECT_EQ(static_cast<int>(space.redundant().size()), columns - rank);
    const Eigen::VectorXd right = Y.transpose() * random_matrix(random, n, 1);
    Eigen::VectorXd y, x;
    space.reach(right, y);
    const Eigen::VectorXd reference = Y.transpose().completeOrthogonalDecomposition().solve(right);
    EXPECT_LT((y - reference).norm(), 1e-8 * reference.norm());
    space.shares(y, x);
    const Eigen::VectorXd shares = Y.completeOrthogonalDecomposition().solve(y);
    EXPECT_LT((x - shares).norm(), 1e-6 * shares.norm());
  }
}

TEST(Support, IsFromTheFirstToTheLastNumberThatIsNotZero) {
  Random random(2);
  for (int size = 0; size < 40; ++size)
    for (int begin = 0; begin <= size; ++begin) {
      const int end = begin + random.integer(0, size - begin);
      Eigen::VectorXd x = Eigen::VectorXd::Constant(size, -0.0);
      x.segment(begin, end - begin).setConstant(1e-300);
      const Support support = support_of(x.data(), size);
      EXPECT_EQ(support.size(), end - begin) << size << " " << begin;
      EXPECT_TRUE(support.size() == 0 || support.begin == begin) << size << " " << begin;
    }
}

/// One that was used before, by columns elsewhere and by redundant ones, answers as a new one.
TEST(RowSpace, KeepsNothingFromTheTimeBefore) {
  Random random(12);
  const int n = 12, columns = 5;
  RowSpace used(n, columns);
  for (int trial = 0; trial < 60; ++trial) {
    Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(n, columns);
    for (int c = 0; c < columns; ++c) {
      const int begin = random.integer(0, n - 4);
      Y.col(c).segment(begin, 4) = random_matrix(random, 4, 1);
    }
    if (trial % 3 == 0) Y.col(3) = -2.0 * Y.col(1);
    std::vector<Support> supports;
    for (int c = 0; c < columns; ++c) supports.push_back(support_of(Y.col(c).data(), n));
    RowSpace fresh(n, columns);
    used.compute(Y, supports, 1e-10), fresh.compute(Y, 1e-10);
    EXPECT_EQ(used.independent(), fresh.independent()) << "trial " << trial;
    EXPECT_EQ(used.redundant().size(), trial % 3 == 0 ? 1u : 0u) << "trial " << trial;
    const Eigen::VectorXd right = Y.transpose() * random_matrix(random, n, 1);
    Eigen::VectorXd y, x;
    used.reach(right, y), used.shares(y, x);
    EXPECT_LT((Y.transpose() * y - right).norm(), 1e-9 * right.norm()) << "trial " << trial;
    EXPECT_LT((Y * x - y).norm(), 1e-9 * y.norm()) << "trial " << trial;
  }
}

TEST(RowSpace, NearlyRedundantColumnsAreKeptAndSolvedToTheirCondition) {
  Random random(9);
  Eigen::MatrixXd Y = random_matrix(random, 6, 3);
  Y.col(2) = Y.col(0) + Y.col(1) + 1e-7 * Y.col(2);
  RowSpace space(6, 3);
  space.compute(Y, 1e-10);
  EXPECT_EQ(space.independent().size(), 3u);
  EXPECT_LT(space.least_share(), 1e-6);
  const Eigen::Vector3d right(1.0, 2.0, 3.0 + 1e-7);
  Eigen::VectorXd y;
  space.reach(right, y);
  EXPECT_LT((Y.transpose() * y - right).norm(), 1e-12);
}

#ifdef AMBLE_COUNTS_ALLOCATIONS
TEST(ConstrainedDynamics, AccelerationsDoNotAllocate) {
  const ConstrainedMechanism all[] = {n_four_bar(3), bricard(), stewart_platform(), rolling_disc()};
  for (const ConstrainedMechanism& x : all) {
    ConstrainedDynamics d(x.mechanism, x.constraints);
    const OwnedVector v(x.mechanism.nv()), tau(x.mechanism.nv());
    d.set_state(x.q, v);
    d.accelerations(tau);
    EXPECT_EQ(allocations_of([&] {
                d.set_state(x.q, v);
                d.accelerations(tau);
              }),
              0)
        << x.mechanism.name();
  }
}
#endif

}  // namespace
}  // namespace amble
