#include "bench/peers/mujoco_model.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>

namespace amble::bench {

namespace {

std::string joint_xml(const TreeLink& link, const std::string& more) {
  if (link.type == "free") return "<freejoint/>";
  const char* type = link.type == "revolute"    ? "hinge"
                     : link.type == "prismatic" ? "slide"
                     : link.type == "spherical" ? "ball"
                                                : nullptr;
  if (type == nullptr)
    throw std::runtime_error(fmt::format("no {} joint (joint '{}')", link.type, link.joint));
  return fmt::format("<joint type='{}' axis='0 0 1' armature='{}' {}/>", type, link.armature, more);
}

/// Principal moments and their axes.
struct Principal {
  Eigen::Vector3d moments;
  Eigen::Matrix3d axes;
};

Principal principal(const TreeLink& link) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(link.inertia);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  return {solver.eigenvalues(), axes};
}

/// A link and what hangs on it. Moments of inertia are put in later: the compiler refuses those of some real
/// robots.
std::string body_xml(const Tree& tree, const ModelParts& parts, int index, int depth) {
  if (depth > 90) throw std::runtime_error("its reader takes no chain of more than 90 links");
  const TreeLink& link = tree.links[index];
  std::string out = fmt::format("<body name='{}' {}>", index, mujoco_pose(link.p_PN, link.R_PN));
  out += fmt::format("<inertial {} mass='{}' diaginertia='1 1 1'/>{}{}",
                     mujoco_pose(link.com, principal(link).axes), link.mass,
                     joint_xml(link, parts.joint(index)), parts.body(index));
  for (int i = index + 1; i < static_cast<int>(tree.links.size()); ++i)
    if (tree.links[i].parent == index) out += body_xml(tree, parts, i, depth + 1);
  return out + "</body>";
}

std::string model_xml(const Tree& tree, const ModelParts& parts) {
  std::string out =
      fmt::format("<mujoco><compiler angle='radian'/>{}<option gravity='{} {} {}' {}/><worldbody>{}",
                  parts.size, tree.gravity[0], tree.gravity[1], tree.gravity[2], parts.option, parts.world);
  for (int i = 0; i < static_cast<int>(tree.links.size()); ++i)
    if (tree.links[i].parent < 0) out += body_xml(tree, parts, i, 0);
  return out + "</worldbody>" + parts.rest + "</mujoco>";
}

/// A step that is too long for it is seen by its result; it must not write among ours, nor end the program.
void be_silent() {
  mju_user_warning = [](const char*) {};
  mju_user_error = [](const char* reason) { throw std::runtime_error(reason); };
}

ModelPointer compile(const std::string& xml) {
  be_silent();
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(),
            static_cast<char*>(vfs->filedata[mj_findFileVFS(vfs.get(), "model.xml")]));
  char error[1000] = "";
  ModelPointer model(mj_loadXML("model.xml", vfs.get(), error, sizeof error), mj_deleteModel);
  mj_deleteVFS(vfs.get());
  if (model == nullptr) throw std::runtime_error(error);
  return model;
}

/// Constants that follow from inertias, which constraints are scaled by, are found anew.
void put_inertias(mjModel& model, const Tree& tree) {
  for (int i = 0; i < static_cast<int>(tree.links.size()); ++i)
    std::copy_n(principal(tree.links[i]).moments.data(), 3, model.body_inertia + 3 * mujoco_body(model, i));
  const DataPointer data(mj_makeData(&model), mj_deleteData);
  mj_setConst(&model, data.get());
}

}  // namespace

std::string mujoco_pose(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond r(R);
  return fmt::format("pos='{} {} {}' quat='{} {} {} {}'", p[0], p[1], p[2], r.w(), r.x(), r.y(), r.z());
}

ModelPointer mujoco_model(const Tree& tree, const ModelParts& parts) {
  ModelPointer model = compile(model_xml(tree, parts));
  put_inertias(*model, tree);
  return model;
}

int mujoco_body(const mjModel& model, int link) {
  return mj_name2id(&model, mjOBJ_BODY, std::to_string(link).c_str());
}

int mujoco_joint(const mjModel& model, int link) { return model.body_jntadr[mujoco_body(model, link)]; }

Eigen::VectorXd mujoco_configuration(const mjModel& model, const Tree& tree, const Eigen::VectorXd& q) {
  Eigen::VectorXd out(tree.nq);
  for (int i = 0; i < static_cast<int>(tree.links.size()); ++i) {
    const TreeLink& link = tree.links[i];
    double* at = out.data() + model.jnt_qposadr[mujoco_joint(model, i)];
    std::copy_n(q.data() + link.q, link.nq, at);
    if (link.nq >= 4) std::rotate(at + link.nq - 4, at + link.nq - 1, at + link.nq);
  }
  return out;
}

}  // namespace amble::bench
