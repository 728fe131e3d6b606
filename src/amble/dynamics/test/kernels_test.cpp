#include <gtest/gtest.h>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kernels/select.hpp"
#include "amble/dynamics/workspace_memory.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

/// Rows of a stack, side by side as lanes want them.
void pack(const std::vector<Eigen::VectorXd>& rows, double* out) {
  const int lanes = static_cast<int>(rows.size());
  for (int lane = 0; lane < lanes; ++lane)
    for (Eigen::Index i = 0; i < rows[lane].size(); ++i) out[i * lanes + lane] = rows[lane][i];
}

class EveryInstructionSet : public testing::TestWithParam<const kernels::Kernels*> {};

TEST_P(EveryInstructionSet, GivesTheSameForOneStateAndInLanes) {
  const kernels::Kernels& k = *GetParam();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Mechanism m = random_mechanism(seed, {.bodies = 1 + static_cast<int>(seed) % 30, .mimic = seed % 4 == 3 ? 0.3 : 0.0}).mechanism;
    const int nv = m.nv(), lanes = k.lanes;
    Workspace work(m);
    Random random(seed);
    std::vector<Eigen::VectorXd> q, v, a;
    for (int lane = 0; lane < lanes; ++lane) {
      q.emplace_back(m.random(random)), v.emplace_back(nv), a.emplace_back(nv);
      for (int i = 0; i < nv; ++i) v[lane][i] = random.uniform(-2, 2), a[lane][i] = random.uniform(-2, 2);
    }
    const std::size_t number = sizeof(double) * lanes;
    LineBuffer Q(number * m.nq()), V(number * nv), A(number * nv), tau(number * nv), back(number * nv), M(number * nv * nv);
    const kernels::Tree& tree = work.memory().tree.tree();
    LineBuffer scratch(k.scratch_bytes(tree, true));
    pack(q, Q.numbers()), pack(v, V.numbers()), pack(a, A.numbers());
    k.inverse_dynamics.lanes(tree, scratch.data(), Q.numbers(), V.numbers(), A.numbers(), nullptr, nullptr, tau.numbers());
    k.mass_matrix.lanes(tree, scratch.data(), Q.numbers(), nullptr, M.numbers());
    if (!tree.coupled)
      k.forward_dynamics.lanes(tree, scratch.data(), Q.numbers(), V.numbers(), tau.numbers(), nullptr, nullptr, back.numbers());
    for (int lane = 0; lane < lanes; ++lane) {
      const Eigen::VectorXd expected = inverse_dynamics(m, work, q[lane], v[lane], a[lane]);
      const Eigen::MatrixXd masses = mass_matrix(m, work, q[lane]);
      const Eigen::VectorXd round = tree.coupled ? Eigen::VectorXd() : Eigen::VectorXd(forward_dynamics(m, work, q[lane], v[lane], expected));
      for (int i = 0; i < nv; ++i) {
        EXPECT_NEAR(tau.numbers()[i * lanes + lane], expected[i], 1e-12 * (1.0 + expected.norm())) << "seed " << seed;
        if (!tree.coupled) {
          EXPECT_NEAR(back.numbers()[i * lanes + lane], round[i], 1e-9 * (1.0 + round.norm())) << "seed " << seed;
        }
        for (int j = 0; j < nv; ++j)
          EXPECT_NEAR(M.numbers()[(i * nv + j) * lanes + lane], masses(i, j), 1e-12 * (1.0 + masses.norm())) << "seed " << seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Usable, EveryInstructionSet, testing::ValuesIn(kernels::usable_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace amble
