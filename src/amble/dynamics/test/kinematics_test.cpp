#include "amble/dynamics/kinematics.hpp"

#include <gtest/gtest.h>

#include "amble/mechanism/edit.hpp"
#include "amble/mechanism/random_mechanism.hpp"

namespace amble {
namespace {

/// Body poses from the user's own joint frames, body by body: knows nothing of links and normalised axes.
std::vector<Pose> poses_by_hand(const Mechanism& m, const OwnedVector& q) {
  std::vector<Pose> X_WB;
  for (const Body& b : m.bodies()) {
    const Joint& j = m.joints()[b.joint];
    std::array<double, kMostJointCoordinates> own{};
    for (int k = 0; k < j.q.size; ++k) own[k] = j.ratio * q[j.q.start + k] + j.offset;
    X_WB.push_back((b.parent < 0 ? Pose() : X_WB[b.parent]) * joint_pose(j, own.data()));
  }
  return X_WB;
}

TEST(Kinematics, LinksAndUserFramesGiveTheSamePoses) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 20, .roots = 2, .mimic = 0.3});
    Workspace work(r.mechanism);
    const std::vector<Pose> expected = poses_by_hand(r.mechanism, r.q);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Pose X = pose(r.mechanism, work, r.q, r.mechanism.bodies()[i].name);
      EXPECT_LT((X.matrix() - expected[i].matrix()).cwiseAbs().maxCoeff(), 1e-12) << "seed " << seed;
    }
  }
}

TEST(Kinematics, JacobiansAreDerivativesOfPoses) {
  constexpr double h = 1e-5;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 8, .mimic = 0.3});
    const Mechanism& m = r.mechanism;
    Workspace work(m);
    Random random(seed);
    const JacobianOptions at{.point = {0.1, -0.2, 0.3}};
    const Eigen::MatrixXd J = jacobian(m, work, r.q, "body7", at);
    for (int k = 0; k < m.nv(); ++k) {
      const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(m.nv(), k);
      const Pose P(at.point);
      const Pose behind = pose(m, work, m.integrate(r.q, -step), "body7") * P;
      const Pose ahead = pose(m, work, m.integrate(r.q, step), "body7") * P;
      const Vector6<double> twist = (0.5 / h) * (behind.inverse() * ahead).log().vector();
      EXPECT_LT((J.col(k) - twist).cwiseAbs().maxCoeff(), 3e-8) << "seed " << seed << " column " << k;
    }
  }
}

TEST(Kinematics, FramesOfAJacobianAreRelatedByChangesOfFrame) {
  const RandomMechanism r = random_mechanism(4, {.bodies = 10});
  Workspace work(r.mechanism);
  const Vector3<double> p(0.3, 0.2, 0.1);
  const auto in = [&](JacobianFrame frame) {
    return Eigen::MatrixXd(jacobian(r.mechanism, work, r.q, "body9", {.point = p, .frame = frame}));
  };
  const Pose X_WP = pose(r.mechanism, work, r.q, "body9") * Pose(p);
  const Eigen::MatrixXd local = in(JacobianFrame::local);
  EXPECT_LT((X_WP.adjoint() * local - in(JacobianFrame::world)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((Pose(X_WP.rotation()).adjoint() * local - in(JacobianFrame::aligned)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Kinematics, UnknownPlacesAndFramesAreRefused) {
  const RandomMechanism r = random_mechanism(1);
  Workspace work(r.mechanism);
  EXPECT_THROW(pose(r.mechanism, work, r.q, "nose"), Error);
  EXPECT_THROW(jacobian_frame("spatial"), Error);
  EXPECT_EQ(pose(r.mechanism, work, r.q, "world").matrix(), Matrix4<double>::Identity());
}

TEST(Kinematics, AWorkspaceOfAnotherMechanismIsRefused) {
  const RandomMechanism small = random_mechanism(1, {.bodies = 2}), big = random_mechanism(2, {.bodies = 50});
  Workspace work(small.mechanism);
  EXPECT_THROW(pose(big.mechanism, work, big.q, "body49"), Error);
  const Mechanism copy = small.mechanism;
  EXPECT_NO_THROW(pose(copy, work, small.q, "body1"));
}

TEST(Kinematics, LoopsOfRandomMechanismsAreClosedWhereTheySay) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomMechanism r = random_mechanism(seed, {.bodies = 12, .loops = 3});
    Workspace work(r.mechanism);
    const LinkPoses X_WL = forward_kinematics(r.mechanism, work, r.q);
    for (const Loop& l : r.mechanism.loops()) {
      const Pose gap = (X_WL[l.link_a] * l.X_AN).inverse() * X_WL[l.link_b] * l.X_BN;
      EXPECT_LT((gap.matrix() - Matrix4<double>::Identity()).cwiseAbs().maxCoeff(), 1e-12) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace amble
