#include "bench/scene_of.hpp"

#include <fmt/format.h>

#include "amble/base/error.hpp"
#include "amble/contact/joint_blocks.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/simulation/simulator.hpp"
#include "amble/simulation/time_stepping.hpp"

namespace amble::bench {

namespace {

SceneShape::Kind kind_of(const PlacedShape& placed) {
  switch (placed.shape.kind) {
    case Shape::Kind::box:
      return SceneShape::Kind::box;
    case Shape::Kind::sphere:
      return SceneShape::Kind::sphere;
    case Shape::Kind::capsule:
      return SceneShape::Kind::capsule;
    case Shape::Kind::cylinder:
      return SceneShape::Kind::cylinder;
    default:
      throw Error(fmt::format("collision shape '{}' is a {}, which not all have", placed.name,
                              shape_name(placed.shape.kind)));
  }
}

SceneShape scene_shape(const PlacedShape& placed, const Body& body) {
  const Pose X_LS = body.X_LB * placed.X_BS;
  SceneShape out{kind_of(placed), body.link - 1, placed.shape.size, X_LS.rotation().matrix(),
                 X_LS.translation()};
  if (out.kind == SceneShape::Kind::box) out.size *= 0.5;
  if (out.kind == SceneShape::Kind::capsule || out.kind == SceneShape::Kind::cylinder) out.size[1] *= 0.5;
  return out;
}

SceneJoint scene_joint(const Mechanism& m, const TreeLink& link) {
  if (link.nq == 1 && link.nv == 1)
    return {m.lower()[link.q],    m.upper()[link.q],     m.damping()[link.v],
            m.friction()[link.v], m.stiffness()[link.v], m.spring_reference()[link.v]};
  for (const OwnedVector* numbers : {&m.damping(), &m.friction(), &m.stiffness()})
    if (numbers->segment(link.v, link.nv).any())
      throw Error(
          fmt::format("joint '{}' of more than one axis has damping, friction or springs", link.joint));
  return {};
}

LinkPose link_pose(const Pose& X) { return {X.rotation().matrix(), X.translation()}; }

class OurStepper : public SceneStepper {
 public:
  OurStepper(const Mechanism& m, const std::shared_ptr<const ContactScene>& contacts)
      : simulator_(m, {contacts, stepped_joint_limits("limits", m)}, {},
                   {.integrator = {.step = kSceneStep}, .method = "time_stepping"}),
        work_(m) {}

  void reset(const Eigen::VectorXd& q, const std::vector<LinkPose>&) override {
    simulator_.reset(q, OwnedVector(simulator_.mechanism().nv()));
  }
  void step() override { simulator_.step(kSceneStep); }
  void find_poses(std::vector<LinkPose>& out) override {
    const LinkPoses poses = forward_kinematics(simulator_.mechanism(), work_, simulator_.q());
    out.clear();
    for (std::size_t i = 1; i < poses.size(); ++i) out.push_back(link_pose(poses[i]));
  }
  void find_contacts(std::vector<SceneContact>& out) const override {
    out.clear();
    for (const SteppedContact& c : simulator_.contacts()) {
      if (c.block.kind != StepBlock::Kind::contact) continue;
      const ContactPoint& at = c.block.at;
      out.push_back({at.link_a - 1, at.link_b - 1, 0.5 * (at.p_a + at.p_b), at.normal, c.force});
    }
  }

  double worst_residual() const override { return simulator_.contact_report()->worst_residual; }

 private:
  Simulator simulator_;
  Workspace work_;
};

}  // namespace

std::vector<LinkPose> link_poses(const Mechanism& m, const OwnedVector& q) {
  Workspace work(m);
  const LinkPoses poses = forward_kinematics(m, work, q);
  std::vector<LinkPose> out;
  for (std::size_t i = 1; i < poses.size(); ++i) out.push_back(link_pose(poses[i]));
  return out;
}

Scene scene_of(const Mechanism& m, const ContactScene& contacts) {
  Scene out{.tree = tree_of(m),
            .neutral = link_poses(m, m.neutral()),
            .friction = kSceneFriction,
            .step = kSceneStep};
  for (const TreeLink& link : out.tree.links) out.joints.push_back(scene_joint(m, link));
  for (const BodyDescription& body : m.description().bodies)
    for (const PlacedShape& placed : body.collisions)
      out.shapes.push_back(scene_shape(placed, m.bodies()[m.body_index(body.name)]));
  out.shapes.push_back({.kind = SceneShape::Kind::plane});
  for (const auto& [a, b] : contacts.overlapping())
    out.apart.emplace_back(m.place(a).link - 1, m.place(b).link - 1);
  return out;
}

std::unique_ptr<SceneStepper> our_stepper(const Mechanism& m,
                                          const std::shared_ptr<const ContactScene>& contacts) {
  return std::make_unique<OurStepper>(m, contacts);
}

}  // namespace amble::bench
