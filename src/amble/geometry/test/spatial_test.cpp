#include "amble/geometry/spatial.hpp"

#include <gtest/gtest.h>

#include "amble/geometry/test/random_geometry.hpp"

namespace amble::test {

namespace {

using Time = Dual<double, 1>;
using Motion = SE3<Time>;  // a pose at time 0, with its rate

Motion random_motion(Random& random) {
  const Twist<double> V = random_twist(random);
  const Time t = Time::variable(0.0, 0);
  const Vector6<Time> Vt = t * V.vector().cast<Time>();
  return Motion::exp(Twist<Time>(Vt)) * random_pose(random).cast<Time>();
}
Motion fixed(Random& random) { return random_pose(random).cast<Time>(); }

Matrix4<double> now(const Motion& X) {
  return X.matrix().unaryExpr([](const Time& x) { return x.value; });
}
Matrix4<double> rate(const Motion& X) {
  return X.matrix().unaryExpr([](const Time& x) { return x.grad[0]; });
}
Pose pose(const Motion& X) { return Pose(now(X)); }

Matrix4<double> tilde(const Twist<double>& V) {
  Matrix4<double> m = Matrix4<double>::Zero();
  m.topLeftCorner<3, 3>() = skew<double>(V.angular());
  m.topRightCorner<3, 1>() = V.linear();
  return m;
}
Twist<double> untilde(const Matrix4<double>& m) {
  return {m.topRightCorner<3, 1>(), unskew<double>(m.topLeftCorner<3, 3>())};
}

void expect_equal(const Twist<double>& a, const Twist<double>& b, const char* what) {
  EXPECT_LT((a.vector() - b.vector()).norm(), 1e-13 * (1.0 + b.vector().norm())) << what;
}

/// Frames of DS Fig 2.3: I and J on one body, K and L on another, M on a third.
struct ThreeBodies {
  Motion X_WI, X_WJ, X_WK, X_WL, X_WM;
  explicit ThreeBodies(Random& random) {
    X_WI = random_motion(random);
    X_WJ = X_WI * fixed(random);
    X_WK = random_motion(random);
    X_WL = X_WK * fixed(random);
    X_WM = random_motion(random);
  }
};

/// The twist of B relative to A in the frame E, by definition: X_EA Xdot_AB X_BE (DS Def 2.7).
Twist<double> twist(const Motion& X_WA, const Motion& X_WB, const Motion& X_WE) {
  const Motion X_AB = X_WA.inverse() * X_WB;
  return untilde(now(X_WE.inverse() * X_WA) * rate(X_AB) * now(X_WB.inverse() * X_WE));
}

}  // namespace

TEST(Lemma29, AFramesOfOneBodyDoNotMoveRelativeToEachOther) {
  Random random(1);
  const ThreeBodies b(random);
  EXPECT_LT(twist(b.X_WI, b.X_WJ, b.X_WI).vector().norm(), 1e-14);
  EXPECT_LT(twist(b.X_WK, b.X_WL, b.X_WK).vector().norm(), 1e-14);
}

TEST(Lemma29, BTwistsInTildeFormChangeFrameByConjugation) {
  Random random(2);
  for (int k = 0; k < 20; ++k) {
    const ThreeBodies b(random);
    const Matrix4<double> X_MI = now(b.X_WM.inverse() * b.X_WI), X_IM = now(b.X_WI.inverse() * b.X_WM);
    const Matrix4<double> in_i = tilde(twist(b.X_WK, b.X_WJ, b.X_WI));
    expect_equal(untilde(X_MI * in_i * X_IM), twist(b.X_WK, b.X_WJ, b.X_WM), "b");
  }
}

TEST(Lemma29, CTwistsChangeFrameByTheAdjoint) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const ThreeBodies b(random);
    const Pose X_MI = pose(b.X_WM.inverse() * b.X_WI);
    const Twist<double> V_KJ_I = twist(b.X_WK, b.X_WJ, b.X_WI), V_KJ_M = twist(b.X_WK, b.X_WJ, b.X_WM);
    expect_equal(X_MI * V_KJ_I, V_KJ_M, "operator");
    expect_equal(Twist<double>(Vector6<double>(X_MI.adjoint() * V_KJ_I.vector())), V_KJ_M, "matrix");
  }
}

TEST(Lemma29, DTheReverseMotionHasTheOppositeTwist) {
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    const ThreeBodies b(random);
    expect_equal(twist(b.X_WJ, b.X_WK, b.X_WJ), -twist(b.X_WK, b.X_WJ, b.X_WJ), "d");
  }
}

TEST(Lemma29, ETwistsAddAlongAChainOfBodies) {
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    const ThreeBodies b(random);
    expect_equal(twist(b.X_WJ, b.X_WM, b.X_WJ), twist(b.X_WJ, b.X_WK, b.X_WJ) + twist(b.X_WL, b.X_WM, b.X_WJ),
                 "e");
  }
}

TEST(Lemma29, FTheAdjointChangesByAd) {
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    const ThreeBodies b(random);
    const Motion X_KI = b.X_WK.inverse() * b.X_WI;
    const Matrix6<double> Addot = X_KI.adjoint().unaryExpr([](const Time& x) { return x.grad[0]; });
    const Matrix6<double> expected = pose(X_KI).adjoint() * ad(twist(b.X_WK, b.X_WI, b.X_WI));
    EXPECT_LT((Addot - expected).norm(), 1e-13 * expected.norm());
  }
}

TEST(Spatial, PowerDoesNotDependOnTheFrame) {
  Random random(7);
  for (int k = 0; k < 50; ++k) {
    const Pose X = random_pose(random);
    const Twist<double> V = random_twist(random);
    const Wrench<double> F = random_wrench(random);
    EXPECT_NEAR(power(X * V, X * F), power(V, F), 1e-13);
    EXPECT_LT((X.coadjoint() * F.vector() - (X * F).vector()).norm(), 1e-14);
    EXPECT_LT((X.coadjoint() - X.inverse().adjoint().transpose()).norm(), 1e-13);
  }
}

TEST(Spatial, AForceAtAPointHasItsMoment) {
  const Vector3<double> p(1.0, 2.0, 3.0), f(0.5, -1.0, 2.0);
  const Wrench<double> F = Pose(p) * Wrench<double>(f, Vector3<double>::Zero());
  EXPECT_EQ(F.linear(), f);
  EXPECT_EQ(F.angular(), Vector3<double>(7.0, -0.5, -2.0));
}

TEST(Spatial, ATwistGivesTheVelocityOfPoints) {
  Random random(8);
  const Motion X = random_motion(random);
  const Twist<double> V_WB_W = untilde(rate(X) * now(X.inverse()));
  const Vector3<double> p = random_vector<3>(random);
  const Vector3<Time> moved = X * Vector3<Time>(p.cast<Time>());
  const Vector3<double> velocity = moved.unaryExpr([](const Time& x) { return x.grad[0]; });
  const Vector3<double> at = pose(X) * p;
  EXPECT_LT((V_WB_W.linear() + cross<double>(V_WB_W.angular(), at) - velocity).norm(), 1e-14);
}

TEST(Spatial, CrossProductsAreAdAndItsNegativeTranspose) {
  Random random(9);
  for (int k = 0; k < 20; ++k) {
    const Twist<double> V = random_twist(random), U = random_twist(random);
    const Wrench<double> F = random_wrench(random);
    EXPECT_LT((cross(V, U).vector() - ad(V) * U.vector()).norm(), 1e-14);
    EXPECT_LT((cross(V, F).vector() - coad(V) * F.vector()).norm(), 1e-14);
    EXPECT_EQ(coad(V), Matrix6<double>(-ad(V).transpose()));
    EXPECT_NEAR(power(U, cross(V, F)), -power(cross(V, U), F), 1e-13);
  }
}

}  // namespace amble::test
