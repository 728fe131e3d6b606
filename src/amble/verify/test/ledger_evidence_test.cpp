#include <gtest/gtest.h>

#include "amble/verify/simulation/ledger.hpp"

namespace amble {
namespace {

void expect_closed(std::uint64_t seeds, double end) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    EXPECT_LT(open_share(seed, 1e-10, end), 1e-8) << "seed " << seed;
    EXPECT_LT(open_share(seed, 1e-12, end), 1e-10) << "seed " << seed;
  }
}

TEST(LedgerEvidence, TenMechanismsCloseTheirBooks) { expect_closed(10, 2.0); }
TEST(LedgerEvidence, HundredMechanismsCloseTheirBooksOverTenSeconds) { expect_closed(100, 10.0); }

}  // namespace
}  // namespace amble
