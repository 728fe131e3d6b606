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

/// Two contacts in a random tree, by one instruction set: accelerations, forces and all derivatives. Nothing where the
/// rows of the contacts repeat each other.
std::vector<double> contact_numbers(const kernels::Kernels& k, const Mechanism& m, const kernels::Tree& tree, std::uint64_t seed) {
  Random random(seed);
  const OwnedVector q = m.random(random);
  Eigen::VectorXd v(m.nv()), tau(m.nv());
  for (int i = 0; i < m.nv(); ++i) v[i] = random.uniform(-2, 2), tau[i] = random.uniform(-2, 2);
  kernels::Contact all[2];
  all[0].node = tree.count - 1, all[0].p[1] = 0.3;
  all[1].node = tree.count / 2, all[1].p[0] = -0.2, all[1].row = 6, all[1].point = all[1].aligned = true;
  int shared[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4; ++i) {
    int a = all[i / 2].node, b = all[i % 2].node;
    while (a != b) (a > b ? a : b) = tree.nodes[a > b ? a : b].parent;
    shared[i] = a == 0 ? 0 : tree.nodes[a].depth + tree.nodes[a].freedoms;
  }
  const kernels::Contacts contacts{all, 2, 9, shared, 1.5};
  const int nv = m.nv();
  std::vector<double> out(2 * (nv + 9) + 3 * (nv + 9) * nv);
  double *a = out.data(), *f = a + nv, *again = f + 9, *to = again + nv + 9;
  double* const da[] = {to, to + nv * nv, to + 2 * nv * nv};
  double* const df[] = {to + 3 * nv * nv, to + 3 * nv * nv + 9 * nv, to + 3 * nv * nv + 18 * nv};
  LineBuffer scratch(k.contact_bytes(tree, contacts));
  const kernels::ContactOutcome outcome = k.contact_dynamics(tree, contacts, scratch.data(), q.data(), v.data(),
                                                             tau.data(), nullptr, nullptr, nullptr, a, f);
  k.contact_derivatives(tree, contacts, scratch.data(), q.data(), v.data(), tau.data(), nullptr, nullptr, again, again + nv, da, df);
  if (!outcome.independent) out.clear();
  return out;
}

TEST_P(EveryInstructionSet, GivesTheSameUnderContacts) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Mechanism m = random_mechanism(seed, {.bodies = 16, .types = {"revolute", "free", "spherical", "prismatic"}}).mechanism;
    const KernelTree tree(m);
    const std::vector<double> ours = contact_numbers(*GetParam(), m, tree.tree(), seed);
    const std::vector<double> plain = contact_numbers(kernels::kernels_baseline(), m, tree.tree(), seed);
    ASSERT_EQ(ours.size(), plain.size()) << "seed " << seed;
    compared += !plain.empty();
    double size = 1.0;
    for (double x : plain) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], plain[i], 1e-9 * size) << "seed " << seed << " at " << i;
  }
  EXPECT_GT(compared, 15);
}

INSTANTIATE_TEST_SUITE_P(Usable, EveryInstructionSet, testing::ValuesIn(kernels::usable_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace amble
