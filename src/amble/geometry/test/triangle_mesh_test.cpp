#include "amble/geometry/triangle_mesh.hpp"

#include <gtest/gtest.h>

namespace amble {
namespace {

TEST(TriangleMesh, EqualPointsAreNumberedByTheFirstOfThem) {
  EXPECT_EQ(first_equal({{1, 2, 3}, {0, 0, 0}, {1, 2, 3}, {1, 2, 4}, {-0.0, 0, 0}, {1, 2, 3}}),
            (std::vector<int>{0, 1, 0, 3, 1, 0}));
  EXPECT_TRUE(first_equal({}).empty());
}

}  // namespace
}  // namespace amble
