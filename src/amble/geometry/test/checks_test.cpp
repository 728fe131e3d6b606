#include <gtest/gtest.h>

#include "amble/base/test/message_of.hpp"
#include "amble/base/error.hpp"
#include "amble/geometry/test/random_geometry.hpp"

namespace amble::test {

TEST(Checks, ARotationIsKeptBitForBit) {
  const Matrix3<double> R = SO3<double>::about(1, M_PI_2).matrix();
  EXPECT_EQ(check_rotation(R, "R").matrix(), R);
}

TEST(Checks, ARotationTypedWithSevenDigitsIsMadeExact) {
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const Matrix3<double> R = random_rotation(random).matrix();
    const Matrix3<double> typed = (R * 1e7).array().round() / 1e7;
    const Matrix3<double> made = check_rotation(typed, "R").matrix();
    EXPECT_LT((made.transpose() * made - Matrix3<double>::Identity()).norm(), 2e-15);
    EXPECT_LT((made - R).norm(), 3e-7);
  }
}

TEST(Checks, WhatIsNoRotationIsRefused) {
  const Matrix3<double> I = Matrix3<double>::Identity();
  EXPECT_EQ(message_of([&] { check_rotation(1.1 * I, "pose of 'arm'"); }),
            "pose of 'arm' is not a rotation: R^T R differs from the identity by 0.21, more than 1e-06");
  EXPECT_EQ(message_of([&] { check_rotation(-I, "R"); }), "R is a reflection: its determinant is -1");
  EXPECT_EQ(message_of([&] { check_rotation(NAN * I, "R"); }), "R has a number that is not finite");
}

TEST(Checks, WhatIsNoPoseIsRefused) {
  Matrix4<double> m = Matrix4<double>::Identity();
  EXPECT_EQ(check_pose(m, "X").matrix(), m);
  m(3, 0) = 1.0;
  EXPECT_EQ(message_of([&] { check_pose(m, "X"); }),
            "X is not a pose: its last row is 1 0 0 1, expected 0 0 0 1");
  m(3, 0) = 0.0;
  m(0, 3) = INFINITY;
  EXPECT_EQ(message_of([&] { check_pose(m, "X"); }), "X has a number that is not finite");
}

}  // namespace amble::test
