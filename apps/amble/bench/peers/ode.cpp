#include <fmt/format.h>
#include <ode/ode.h>
#include <ode/version.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "bench/peer.hpp"

// Bodies in maximal coordinates: joints are constraints that it solves for together with contacts.
namespace amble::bench {

namespace {

constexpr int kMostPoints = 8;  // of two shapes
constexpr double kFar = 1e4;    // m: nothing of ours goes there

/// Where it finds itself in the wrong it ends the program, unless this does not return.
[[noreturn]] void give_up(int, const char* format, va_list values) {
  char text[1000];
  std::vsnprintf(text, sizeof text, format, values);
  throw std::runtime_error(text);
}

void start_library() {
  struct Library {
    Library() {
      dInitODE2(0);
      dSetErrorHandler(give_up), dSetDebugHandler(give_up);
    }
    ~Library() { dCloseODE(); }
  };
  static const Library library;
}

void to_matrix(const Eigen::Matrix3d& R, dMatrix3 out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) out[4 * i + j] = j < 3 ? R(i, j) : 0.0;
}

Eigen::Matrix3d from_matrix(const dReal* R) {
  Eigen::Matrix3d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out(i, j) = R[4 * i + j];
  return out;
}

class OdeStepper : public SceneStepper {
 public:
  OdeStepper(const Scene& scene, int iterations) : scene_(scene) {
    start_library();
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.tree.gravity[0], scene.tree.gravity[1], scene.tree.gravity[2]);
    dWorldSetQuickStepNumIterations(world_, iterations);
    try {
      for (const TreeLink& link : scene.tree.links) add_body(link);
      place(scene.neutral);
      for (int i = 0; i < static_cast<int>(scene.tree.links.size()); ++i) add_joint(i);
    } catch (...) {
      destroy();
      throw;
    }
    for (const SceneShape& shape : scene.shapes) add_shape(shape);
    find_pairs();
  }
  OdeStepper(const OdeStepper&) = delete;
  OdeStepper& operator=(const OdeStepper&) = delete;
  ~OdeStepper() override { destroy(); }

  void reset(const Eigen::VectorXd&, const std::vector<LinkPose>& poses) override {
    place(poses);
    forget_contacts();
    steps_ = 0;
    dRandSetSeed(0);  // it solves in random order: the same one every time
    for (const dBodyID body : bodies_) {
      dBodySetLinearVel(body, 0.0, 0.0, 0.0), dBodySetAngularVel(body, 0.0, 0.0, 0.0);
      dBodySetForce(body, 0.0, 0.0, 0.0), dBodySetTorque(body, 0.0, 0.0, 0.0);
    }
  }

  void step() override {
    check_state();
    forget_contacts();
    ++steps_;
    dSpaceCollide(space_, this,
                  [](void* self, dGeomID a, dGeomID b) { static_cast<OdeStepper*>(self)->meet(a, b); });
    feedback_.resize(joints_.size());
    for (std::size_t k = 0; k < joints_.size(); ++k) dJointSetFeedback(joints_[k], &feedback_[k]);
    for (const Axis& axis : axes_) push(axis);
    dWorldQuickStep(world_, scene_.step);
  }

  void find_poses(std::vector<LinkPose>& out) override {
    out.clear();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Eigen::Matrix3d R = from_matrix(dBodyGetRotation(bodies_[i]));
      out.push_back({R, Eigen::Map<const Eigen::Vector3d>(dBodyGetPosition(bodies_[i])) -
                            R * scene_.tree.links[i].com});
    }
  }

  void find_contacts(std::vector<SceneContact>& out) const override {
    out.clear();
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      SceneContact c = contacts_[k];
      const Eigen::Map<const Eigen::Vector3d> first(feedback_[k].f1), second(feedback_[k].f2);
      if (c.link_b >= 0)
        c.force = second;
      else
        c.force = -first;
      out.push_back(c);
    }
  }

 private:
  struct Axis {
    dJointID joint;
    bool hinge;
    SceneJoint law;
  };

  /// Its collision functions end the program over places that are far off or no numbers.
  void check_state() const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const double far = Eigen::Map<const Eigen::Vector3d>(dBodyGetPosition(bodies_[i])).norm();
      if (!(far < kFar))
        throw std::runtime_error(
            fmt::format("unstable: '{}' is {:.1e} m away after {} steps", scene_.tree.links[i].joint, far, steps_));
    }
  }

  void destroy() { dJointGroupDestroy(group_), dSpaceDestroy(space_), dWorldDestroy(world_); }

  void add_body(const TreeLink& link) {
    // It ends the program over these.
    if (!(link.mass > 0.0) || !(link.inertia.diagonal().minCoeff() > 0.0))
      throw std::runtime_error(fmt::format("no body without mass or inertia (joint '{}')", link.joint));
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    const Eigen::Matrix3d& I = link.inertia;
    dMassSetParameters(&mass, link.mass, 0.0, 0.0, 0.0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    dBodySetMass(body, &mass);
    bodies_.push_back(body);
  }

  /// A body's frame is at its centre of mass.
  void place(const std::vector<LinkPose>& poses) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Eigen::Vector3d p = poses[i].p + poses[i].R * scene_.tree.links[i].com;
      dMatrix3 R;
      to_matrix(poses[i].R, R);
      dBodySetPosition(bodies_[i], p[0], p[1], p[2]), dBodySetRotation(bodies_[i], R);
    }
  }

  void add_joint(int i) {
    const TreeLink& link = scene_.tree.links[i];
    if (link.type == "free" && link.parent < 0) return;
    if (link.armature != 0.0) throw std::runtime_error(fmt::format("no armature (joint '{}')", link.joint));
    const bool hinge = link.type == "revolute";
    if (!hinge && link.type != "prismatic")
      throw std::runtime_error(fmt::format("no {} joint (joint '{}')", link.type, link.joint));
    const dJointID joint = hinge ? dJointCreateHinge(world_, nullptr) : dJointCreateSlider(world_, nullptr);
    dJointAttach(joint, bodies_[i], link.parent < 0 ? nullptr : bodies_[link.parent]);
    const LinkPose& at = scene_.neutral[i];
    const Eigen::Vector3d axis = at.R.col(2);
    const auto set = hinge ? dJointSetHingeParam : dJointSetSliderParam;
    if (hinge) dJointSetHingeAnchor(joint, at.p[0], at.p[1], at.p[2]);
    (hinge ? dJointSetHingeAxis : dJointSetSliderAxis)(joint, axis[0], axis[1], axis[2]);
    const SceneJoint& law = scene_.joints[i];
    set(joint, dParamLoStop, std::max(law.lower, -dInfinity)),
        set(joint, dParamHiStop, std::min(law.upper, dInfinity));
    set(joint, dParamVel, 0.0), set(joint, dParamFMax, law.friction);
    axes_.push_back({joint, hinge, law});
  }

  /// What springs and dampers do, by the state at the start of a step.
  void push(const Axis& axis) {
    const SceneJoint& law = axis.law;
    if (law.stiffness == 0.0 && law.damping == 0.0) return;
    const double at = axis.hinge ? dJointGetHingeAngle(axis.joint) : dJointGetSliderPosition(axis.joint);
    const double rate =
        axis.hinge ? dJointGetHingeAngleRate(axis.joint) : dJointGetSliderPositionRate(axis.joint);
    const double force = -law.stiffness * (at - law.reference) - law.damping * rate;
    (axis.hinge ? dJointAddHingeTorque : dJointAddSliderForce)(axis.joint, force);
  }

  void add_shape(const SceneShape& s) {
    const dGeomID geom =
        s.kind == SceneShape::Kind::box
            ? dCreateBox(space_, 2.0 * s.size[0], 2.0 * s.size[1], 2.0 * s.size[2])
        : s.kind == SceneShape::Kind::sphere   ? dCreateSphere(space_, s.size[0])
        : s.kind == SceneShape::Kind::capsule  ? dCreateCapsule(space_, s.size[0], 2.0 * s.size[1])
        : s.kind == SceneShape::Kind::cylinder ? dCreateCylinder(space_, s.size[0], 2.0 * s.size[1])
                                               : dCreatePlane(space_, 0.0, 0.0, 1.0, 0.0);
    dGeomSetData(geom, reinterpret_cast<void*>(static_cast<std::intptr_t>(s.link)));
    if (s.link < 0) return;
    const Eigen::Vector3d p = s.p_LS - scene_.tree.links[s.link].com;
    dMatrix3 R;
    to_matrix(s.R_LS, R);
    dGeomSetBody(geom, bodies_[s.link]);
    dGeomSetOffsetPosition(geom, p[0], p[1], p[2]), dGeomSetOffsetRotation(geom, R);
  }

  void find_pairs() {
    const std::size_t n = bodies_.size() + 1;  // the world is the first
    apart_.assign(n * n, 0);
    const auto keep_apart = [&](int a, int b) {
      apart_[(a + 1) * n + b + 1] = apart_[(b + 1) * n + a + 1] = 1;
    };
    for (int i = -1; i < static_cast<int>(bodies_.size()); ++i) keep_apart(i, i);
    for (int i = 0; i < static_cast<int>(bodies_.size()); ++i)
      if (const int parent = scene_.tree.links[i].parent; parent >= 0) keep_apart(i, parent);
    for (const auto& [a, b] : scene_.apart) keep_apart(a, b);
  }

  static int link_of(dGeomID geom) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(dGeomGetData(geom)));
  }

  void meet(dGeomID a, dGeomID b) {
    const int link_a = link_of(a), link_b = link_of(b);
    if (apart_[(link_a + 1) * (bodies_.size() + 1) + link_b + 1] != 0) return;
    dContact found[kMostPoints];
    const int count = dCollide(a, b, kMostPoints, &found[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      found[k].surface = {};
      found[k].surface.mode = dContactApprox1, found[k].surface.mu = scene_.friction;
      const dJointID joint = dJointCreateContact(world_, group_, &found[k]);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
      joints_.push_back(joint);
      contacts_.push_back({link_a, link_b, Eigen::Map<const Eigen::Vector3d>(found[k].geom.pos),
                           -Eigen::Map<const Eigen::Vector3d>(found[k].geom.normal),
                           Eigen::Vector3d::Zero()});
    }
  }

  void forget_contacts() { dJointGroupEmpty(group_), contacts_.clear(), joints_.clear(); }

  Scene scene_;
  long steps_ = 0;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
  std::vector<Axis> axes_;
  std::vector<char> apart_;
  // Of each point of the last step; forces are filled in when they are asked for.
  std::vector<SceneContact> contacts_;
  std::vector<dJointID> joints_;
  std::vector<dJointFeedback> feedback_;
};

template <int kIterations>
std::unique_ptr<SceneStepper> stepper(const Scene& scene) {
  return std::make_unique<OdeStepper>(scene, kIterations);
}

}  // namespace

}  // namespace amble::bench

extern "C" const amble::bench::PeerModule* amble_bench_peer() {
  static const amble::bench::PeerModule module{
      .name = "ODE",
      .version = dODE_VERSION,
      .scenes = {
          {"", "as it comes: quick step of 20 iterations, friction as a pyramid", amble::bench::stepper<20>},
          {"accurate", "quick step of 200 iterations", amble::bench::stepper<200>}}};
  return &module;
}
