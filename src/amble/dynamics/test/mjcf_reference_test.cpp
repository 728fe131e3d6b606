#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/io/load.hpp"
#include "amble/io/test/real_robots.hpp"

// Robots in MJCF against numbers that MuJoCo 3.12 wrote beside them: masses, limits, keyframes, and at three
// states the poses, the mass matrix, the bias and the forces of drives.
namespace amble {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> references() {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(robots_folder() / "mjcf", none))
    if (entry.path().string().ends_with(".reference.json")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

Eigen::VectorXd vector(const json& j) {
  const auto x = j.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// A robot and its numbers. MuJoCo's joints are found by their order, since some have no name.
struct Reference {
  explicit Reference(const fs::path& file)
      : numbers(json::parse(std::ifstream(file))), robot(load(model_of(file), {.mimic = false})) {
    for (const JointDescription& j : robot.description().joints)
      if (j.type != "fixed") joints.push_back(&robot.joints()[robot.joint_index(j.name)]);
    for (const BodyDescription& b : robot.description().bodies)
      if (!b.auxiliary) bodies.push_back(b.name);
  }
  static std::string model_of(const fs::path& file) {
    const std::string name = file.string();
    return name.substr(0, name.size() - std::string(".reference.json").size()) + ".xml";
  }
  int type(std::size_t joint) const { return numbers["jtype"][joint]; }

  json numbers;
  Mechanism robot;
  std::vector<const Joint*> joints;
  std::vector<std::string> bodies;
};

/// MuJoCo's numbers in our order and axes: v' = T v, where free joints move along world axes there.
struct State {
  Eigen::VectorXd q, v, T_dot_v;
  Eigen::MatrixXd T;

  State(const Reference& r, const json& at) {
    const Eigen::VectorXd qpos = vector(at["qpos"]), qvel = vector(at["qvel"]);
    const int nv = r.robot.nv();
    q = r.robot.neutral(), v = T_dot_v = Eigen::VectorXd::Zero(nv), T = Eigen::MatrixXd::Zero(nv, nv);
    for (std::size_t i = 0; i < r.joints.size(); ++i) {
      const Joint& j = *r.joints[i];
      const int from = r.numbers["qadr"][i], row = r.numbers["vadr"][i], type = r.type(i);
      Eigen::VectorXd part = qpos.segment(from, j.q.size);
      if (type == 0) part << qpos.segment<3>(from), qpos.segment<3>(from + 4), qpos[from + 3];
      if (type == 1) part << qpos.segment<3>(from + 1), qpos[from];
      q.segment(j.q.start, j.q.size) = part;
      T.block(row, j.v.start, j.v.size, j.v.size).setIdentity();
      if (type != 0) continue;
      const Eigen::Matrix3d R = SO3<double>(Quaternion<double>::from_xyzw(part.data() + 3)).matrix();
      T.block<3, 3>(row, j.v.start) = R;
      const Eigen::Vector3d linear = R.transpose() * qvel.segment<3>(row), w = qvel.segment<3>(row + 3);
      T_dot_v.segment<3>(row) = R * w.cross(linear);
    }
    v = T.transpose() * qvel;
  }
};

double relative_to_diagonal(const Eigen::MatrixXd& difference, const Eigen::MatrixXd& M) {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    for (Eigen::Index j = 0; j < M.cols(); ++j)
      worst = std::max(worst, std::abs(difference(i, j)) / std::sqrt(M(i, i) * M(j, j)));
  return worst;
}

class MjcfReference : public testing::Test {
 protected:
  void SetUp() override {
    if (references().empty()) GTEST_SKIP() << "no MJCF robots with reference numbers are here (AMBLE_ROBOTS)";
  }
};

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

/// Of a drive at one state, by its description.
double force_of(const DriveDescription& d, double u, double length, double rate) {
  if (!d.control.empty()) u = std::clamp(u, d.control[0], d.control[1]);
  const double force = (d.gain[0] + d.gain[1] * length + d.gain[2] * rate) * u + d.bias[0] +
                       d.bias[1] * length + d.bias[2] * rate;
  return d.force.empty() ? force : std::clamp(force, d.force[0], d.force[1]);
}

TEST_F(MjcfReference, ForcesOfDrivesAgree) {
  int compared = 0;
  for (const fs::path& file : references()) {
    SCOPED_TRACE(file.string());
    const Reference r(file);
    const auto& drives = r.robot.description().drives;
    ASSERT_EQ(drives.size(), r.numbers["actuators"].size());
    for (const json& at : r.numbers["states"]) {
      const State s(r, at);
      for (std::size_t i = 0; i < drives.size(); ++i) {
        const DriveDescription& d = drives[i];
        if (d.joint.empty()) continue;
        const double l = d.gear * s.q[r.robot.q_slice(d.joint).start],
                     rate = d.gear * s.v[r.robot.v_slice(d.joint).start];
        const double theirs = at["actuator_force"][i];
        EXPECT_NEAR(l, at["actuator_length"][i].get<double>(), 1e-12) << d.name;
        EXPECT_NEAR(force_of(d, at["ctrl"][i], l, rate), theirs, 1e-9 * (1.0 + std::abs(theirs))) << d.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
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
