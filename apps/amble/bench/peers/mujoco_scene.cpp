#include "bench/peers/mujoco_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/peers/mujoco_model.hpp"

namespace amble::bench {

namespace {

struct Manner {
  const char *option, *geom, *joint;  ///< attributes
};
constexpr Manner kOwn = {"", "", ""};
constexpr Manner kAccurate = {
    "cone='elliptic' iterations='200' tolerance='1e-14' noslip_iterations='50' noslip_tolerance='1e-14'",
    "solref='0.004 1' solimp='0.99 0.999 0.001'",
    "solreflimit='0.004 1' solimplimit='0.99 0.999 0.001' solreffriction='0.004 1'"};

std::string geom_xml(const SceneShape& shape, double friction, const Manner& manner) {
  const char* names[] = {"box", "sphere", "capsule", "cylinder", "plane"};
  const bool plane = shape.kind == SceneShape::Kind::plane;
  const Eigen::Vector3d size = plane ? Eigen::Vector3d(0.0, 0.0, 1.0) : shape.size;
  return fmt::format("<geom type='{}' size='{} {} {}' {} friction='{}' condim='3' mass='0' {}/>",
                     names[static_cast<int>(shape.kind)], size[0], size[1], size[2],
                     mujoco_pose(shape.p_LS, shape.R_LS), friction, manner.geom);
}

std::string geoms_xml(const Scene& scene, int link, const Manner& manner) {
  std::string out;
  for (const SceneShape& shape : scene.shapes)
    if (shape.link == link) out += geom_xml(shape, scene.friction, manner);
  return out;
}

std::string joint_attributes(const SceneJoint& joint, const Manner& manner) {
  const std::string out =
      fmt::format("damping='{}' frictionloss='{}' stiffness='{}' springref='{}' {}", joint.damping,
                  joint.friction, joint.stiffness, joint.reference, manner.joint);
  constexpr double kFar = 1e6;
  if (!std::isfinite(joint.lower) && !std::isfinite(joint.upper)) return out;
  return out + fmt::format(" limited='true' range='{} {}'", std::max(joint.lower, -kFar),
                           std::min(joint.upper, kFar));
}

ModelPointer scene_model(const Scene& scene, const Manner& manner) {
  ModelParts parts;
  // What it allocates by itself is too little for a stack, and it goes on without the contacts that do not
  // fit.
  const std::size_t contacts = 50 + 6 * scene.shapes.size();
  parts.size =
      fmt::format("<size nconmax='{}' njmax='{}'/>", contacts, 4 * contacts + 2 * scene.joints.size());
  parts.option = fmt::format("timestep='{}' {}", scene.step, manner.option);
  parts.world = geoms_xml(scene, -1, manner);
  parts.body = [&](int link) { return geoms_xml(scene, link, manner); };
  parts.joint = [&](int link) {
    return scene.tree.links[link].nv == 1 ? joint_attributes(scene.joints[link], manner) : std::string();
  };
  for (const auto& [a, b] : scene.apart) parts.rest += fmt::format("<exclude body1='{}' body2='{}'/>", a, b);
  if (!parts.rest.empty()) parts.rest = "<contact>" + parts.rest + "</contact>";
  return mujoco_model(scene.tree, parts);
}

class MujocoStepper : public SceneStepper {
 public:
  MujocoStepper(const Scene& scene, const Manner& manner)
      : model_(scene_model(scene, manner)),
        data_(mj_makeData(model_.get()), mj_deleteData),
        tree_(scene.tree) {
    for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) bodies_.push_back(mujoco_body(*model_, i));
    links_.assign(model_->nbody, -1);
    for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) links_[bodies_[i]] = i;
  }

  void reset(const Eigen::VectorXd& q, const std::vector<LinkPose>&) override {
    mj_resetData(model_.get(), data_.get());
    const Eigen::VectorXd own = mujoco_configuration(*model_, tree_, q);
    std::copy_n(own.data(), model_->nq, data_->qpos);
  }
  void step() override { mj_step(model_.get(), data_.get()); }
  /// A step leaves them where it started from.
  void find_poses(std::vector<LinkPose>& out) override {
    mj_kinematics(model_.get(), data_.get());
    out.clear();
    for (const int body : bodies_)
      out.push_back({Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * body),
                     Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * body)});
  }
  void find_contacts(std::vector<SceneContact>& out) const override {
    out.clear();
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& c = data_->contact[i];
      const Eigen::Map<const Eigen::Matrix3d> axes(c.frame);  // the normal first
      Eigen::Matrix<double, 6, 1> wrench;
      mj_contactForce(model_.get(), data_.get(), i, wrench.data());
      out.push_back({links_[model_->geom_bodyid[c.geom1]], links_[model_->geom_bodyid[c.geom2]],
                     Eigen::Map<const Eigen::Vector3d>(c.pos), axes.col(0), axes * wrench.head<3>()});
    }
  }

 private:
  ModelPointer model_;
  DataPointer data_;
  Tree tree_;
  std::vector<int> bodies_, links_;  // of each link, and of each body
};

}  // namespace

std::vector<SceneSetting> mujoco_scene_settings() {
  return {
      {"", "as it comes: Newton, pyramidal cone, 100 iterations to 1e-8, solref 0.02 s",
       [](const Scene& s) -> std::unique_ptr<SceneStepper> {
         return std::make_unique<MujocoStepper>(s, kOwn);
       }},
      {"accurate",
       "elliptic cone, 200 iterations to 1e-14, 50 of noslip, solref 0.004 s (at its least, 0.002 s, a stack "
       "shakes), solimp 0.99 "
       "to 0.999",
       [](const Scene& s) -> std::unique_ptr<SceneStepper> {
         return std::make_unique<MujocoStepper>(s, kAccurate);
       }},
  };
}

}  // namespace amble::bench
