#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "amble/io/load.hpp"
#include "amble/io/test/real_robots.hpp"

// Robots in MJCF and the numbers that MuJoCo 3.12 wrote beside them, in our order and axes.
namespace amble::test {

namespace fs = std::filesystem;
using nlohmann::json;

inline std::vector<fs::path> references() {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(robots_folder() / "mjcf", none))
    if (entry.path().string().ends_with(".reference.json")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

inline Eigen::VectorXd vector(const json& j) {
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

class MjcfReference : public testing::Test {
 protected:
  void SetUp() override {
    if (references().empty()) GTEST_SKIP() << "no MJCF robots with reference numbers are here (AMBLE_ROBOTS)";
  }
};

}  // namespace amble::test
