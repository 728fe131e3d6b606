#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <memory>
#include <string>

#include "bench/tree.hpp"

// A tree as a MuJoCo model.
namespace amble::bench {

using ModelPointer = std::unique_ptr<mjModel, void (*)(mjModel*)>;
using DataPointer = std::unique_ptr<mjData, void (*)(mjData*)>;

/// What a model has beside its tree, as XML.
struct ModelParts {
  std::string size;                                                     ///< the element of that name
  std::string option;                                                   ///< attributes
  std::string world;                                                    ///< in worldbody
  std::string rest;                                                     ///< after it
  std::function<std::string(int link)> joint = [](int) { return ""; };  ///< attributes of its one axis
  std::function<std::string(int link)> body = [](int) { return ""; };
};

/// Link i is the body named i. Throws a std::runtime_error for joints that it does not have.
ModelPointer mujoco_model(const Tree& tree, const ModelParts& parts = {});

std::string mujoco_pose(const Eigen::Vector3d& p, const Eigen::Matrix3d& R);  ///< attributes

int mujoco_body(const mjModel& model, int link);
int mujoco_joint(const mjModel& model, int link);

/// A configuration of ours as it wants it: quaternions have w first there.
Eigen::VectorXd mujoco_configuration(const mjModel& model, const Tree& tree, const Eigen::VectorXd& q);

}  // namespace amble::bench
