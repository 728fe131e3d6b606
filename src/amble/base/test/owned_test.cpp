#include "amble/base/owned.hpp"

#include <gtest/gtest.h>

namespace amble {
namespace {

TEST(Owned, BehavesAsTheEigenTypeItMaps) {
  OwnedVector x(3);
  x << 1, 2, 3;
  const Eigen::VectorXd y = 2.0 * x;
  EXPECT_EQ(y, Eigen::Vector3d(2, 4, 6));
  EXPECT_EQ(OwnedVector(y), y);
}

TEST(Owned, CopiesAreIndependentAndMovesTakeTheMemory) {
  OwnedMatrix a(2, 3);
  a.setConstant(1.0);
  OwnedMatrix b = a;
  b(0, 0) = 5.0;
  EXPECT_EQ(a(0, 0), 1.0);
  const double* memory = b.data();
  OwnedMatrix c = std::move(b);
  EXPECT_EQ(c.data(), memory);
  a = std::move(c);
  EXPECT_EQ(a.data(), memory);
  EXPECT_EQ(a(0, 0), 5.0);
}

TEST(Owned, AssigningTheSameSizeKeepsTheMemoryAndAnotherSizeResizes) {
  OwnedVector x(3);
  const double* memory = x.data();
  x = Eigen::Vector3d(1, 2, 3);
  EXPECT_EQ(x.data(), memory);
  EXPECT_EQ(x.sum(), 6.0);
  x = Eigen::VectorXd::Ones(5);
  EXPECT_EQ(x.size(), 5);
  OwnedVector y(2);
  y = x;
  EXPECT_EQ(y.sum(), 5.0);
  y = y;
  EXPECT_EQ(y.sum(), 5.0);
}

}  // namespace
}  // namespace amble
