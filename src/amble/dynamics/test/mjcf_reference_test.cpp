#include <gtest/gtest.h>

#include "amble/dynamics/drive_lengths.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/tendons.hpp"
#include "amble/dynamics/test/mjcf_reference.hpp"

// Robots in MJCF against numbers that MuJoCo 3.12 wrote beside them: masses, limits, keyframes, and at three
// states the poses, the mass matrix, the bias and the forces of drives.
namespace amble {
namespace {

using namespace test;  // NOLINT: of this file alone

double relative_to_diagonal(const Eigen::MatrixXd& difference, const Eigen::MatrixXd& M) {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    for (Eigen::Index j = 0; j < M.cols(); ++j)
      worst = std::max(worst, std::abs(difference(i, j)) / std::sqrt(M(i, i) * M(j, j)));
  return worst;
}

TEST_F(MjcfReference, MassesAndNumbersOfJointsAgree) {
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    ASSERT_EQ(r.bodies.size() + 1, r.numbers["bodies"].size());
    ASSERT_EQ(r.joints.size(), r.numbers["joints"].size());
    for (std::size_t i = 0; i < r.bodies.size(); ++i) {
      const double mass = r.numbers["body_mass"][i + 1];
      EXPECT_NEAR(r.robot.bodies()[r.robot.body_index(r.bodies[i])].inertia.mass(), mass, 1e-12 * mass)
          << r.bodies[i];
    }
    for (std::size_t i = 0; i < r.joints.size(); ++i) {
      const Joint& j = *r.joints[i];
      const int v = r.numbers["vadr"][i];
      EXPECT_EQ(r.robot.armature()[j.v.start], r.numbers["armature"][v].get<double>()) << j.name;
      EXPECT_EQ(r.robot.damping()[j.v.start], r.numbers["damping"][v].get<double>()) << j.name;
      EXPECT_EQ(r.robot.friction()[j.v.start], r.numbers["frictionloss"][v].get<double>()) << j.name;
      EXPECT_EQ(r.robot.stiffness()[j.v.start], r.numbers["stiffness"][i].get<double>()) << j.name;
      if (r.type(i) < 2 || !r.numbers["limited"][i].get<int>()) continue;
      EXPECT_NEAR(r.robot.lower()[j.q.start], r.numbers["jnt_range"][2 * i].get<double>(), 1e-14) << j.name;
      EXPECT_NEAR(r.robot.upper()[j.q.start], r.numbers["jnt_range"][2 * i + 1].get<double>(), 1e-14)
          << j.name;
    }
  }
}

TEST_F(MjcfReference, PosesAgree) {
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    Workspace work(r.robot);
    for (const json& at : r.numbers["states"]) {
      const State s(r, at);
      const Eigen::VectorXd xpos = vector(at["xpos"]), xquat = vector(at["xquat"]);
      for (std::size_t i = 0; i < r.bodies.size(); ++i) {
        const auto b = static_cast<Eigen::Index>(i) + 1;
        const Pose X = pose(r.robot, work, s.q, r.bodies[i]);
        const Quaternion<double> q{{xquat[4 * b + 1], xquat[4 * b + 2], xquat[4 * b + 3]}, xquat[4 * b]};
        EXPECT_LT((X.rotation().matrix() - q.matrix()).cwiseAbs().maxCoeff(), 1e-12) << r.bodies[i];
        EXPECT_LT((Eigen::Vector3d(X.translation()) - xpos.segment<3>(3 * b)).norm(), 1e-12) << r.bodies[i];
      }
    }
  }
}

TEST_F(MjcfReference, MassMatrixAndBiasAgree) {
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    Workspace work(r.robot);
    for (const json& at : r.numbers["states"]) {
      const State s(r, at);
      const int nv = r.robot.nv();
      const Eigen::MatrixXd theirs = vector(at["M"]).reshaped<Eigen::RowMajor>(nv, nv);
      const Eigen::MatrixXd M = s.T.transpose() * theirs * s.T;
      EXPECT_LT(relative_to_diagonal(mass_matrix(r.robot, work, s.q) - M, M), 1e-9);
      const Eigen::VectorXd bias = s.T.transpose() * (vector(at["bias"]) + theirs * s.T_dot_v);
      const Eigen::VectorXd ours = bias_forces(r.robot, work, s.q, s.v);
      EXPECT_LT((ours - bias).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + bias.cwiseAbs().maxCoeff()));
    }
  }
}

TEST_F(MjcfReference, LengthsOfDrivesAndTendonsAgree) {
  int drives = 0, tendons = 0;
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    ASSERT_EQ(r.robot.description().drives.size(), r.numbers["actuators"].size());
    Workspace work(r.robot);
    for (const json& at : r.numbers["states"]) {
      const State s(r, at);
      const Eigen::VectorXd of_drives = drive_lengths(r.robot, work, s.q),
                            of_tendons = tendon_lengths(r.robot, work, s.q);
      for (Eigen::Index i = 0; i < of_drives.size(); ++i, ++drives)
        EXPECT_NEAR(of_drives[i], at["actuator_length"][static_cast<std::size_t>(i)].get<double>(), 1e-12);
      ASSERT_EQ(of_tendons.size(), static_cast<Eigen::Index>(at["tendon_length"].size()));
      for (Eigen::Index i = 0; i < of_tendons.size(); ++i, ++tendons)
        EXPECT_NEAR(of_tendons[i], at["tendon_length"][static_cast<std::size_t>(i)].get<double>(), 1e-12);
    }
  }
  EXPECT_GT(drives, 300);
  EXPECT_GT(tendons, 10);
}

TEST_F(MjcfReference, KeyframesAgree) {
  int compared = 0;
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    ASSERT_EQ(r.robot.keyframes().size(), r.numbers["keyframes"].size());
    const Eigen::VectorXd all = vector(r.numbers["key_qpos"]);
    for (std::size_t k = 0; k < r.robot.keyframes().size(); ++k) {
      const int nq = r.robot.nq();
      const Eigen::VectorXd qpos = all.segment(static_cast<Eigen::Index>(k) * nq, nq);
      const json at{{"qpos", std::vector<double>(qpos.begin(), qpos.end())},
                    {"qvel", std::vector<double>(static_cast<std::size_t>(r.robot.nv()), 0.0)}};
      const Keyframe& key = r.robot.keyframes()[k];
      EXPECT_EQ(key.name, r.numbers["keyframes"][k].get<std::string>());
      EXPECT_LT((Eigen::VectorXd(key.q) - State(r, at).q).cwiseAbs().maxCoeff(), 1e-14) << key.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace amble
