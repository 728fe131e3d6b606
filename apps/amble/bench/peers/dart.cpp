#include <fmt/format.h>

#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/ScrewJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <iostream>
#include <numbers>
#include <stdexcept>

#include "bench/convention.hpp"
#include "bench/peer.hpp"

namespace amble::bench {

namespace {

namespace dd = dart::dynamics;

/// One link at the end of a skeleton, by the joint type that DART calls `Type`.
template <class Type>
dd::Joint* add_link(dd::Skeleton& skeleton, dd::BodyNode* parent, const TreeLink& link) {
  typename Type::Properties joint;
  joint.mName = link.joint;
  joint.mT_ParentBodyToJoint.linear() = link.R_PN;
  joint.mT_ParentBodyToJoint.translation() = link.p_PN;
  if constexpr (requires { joint.mAxis; }) joint.mAxis = Eigen::Vector3d::UnitZ();
  if constexpr (requires { joint.mPitch; }) joint.mPitch = link.pitch * 2.0 * std::numbers::pi;  // per turn
  dd::BodyNode::Properties body;
  body.mName = "body of " + link.joint;
  body.mInertia = dd::Inertia(link.mass, link.com, link.inertia);
  return skeleton.createJointAndBodyNodePair<Type>(parent, joint, body).first;
}

dd::Joint* add(dd::Skeleton& skeleton, dd::BodyNode* parent, const TreeLink& link) {
  if (link.armature != 0.0) throw std::runtime_error(fmt::format("no armature (joint '{}')", link.joint));
  if (link.type == "revolute") return add_link<dd::RevoluteJoint>(skeleton, parent, link);
  if (link.type == "prismatic") return add_link<dd::PrismaticJoint>(skeleton, parent, link);
  if (link.type == "helical") return add_link<dd::ScrewJoint>(skeleton, parent, link);
  if (link.type == "spherical") return add_link<dd::BallJoint>(skeleton, parent, link);
  if (link.type == "free") return add_link<dd::FreeJoint>(skeleton, parent, link);
  throw std::runtime_error(fmt::format("no {} joint (joint '{}')", link.type, link.joint));
}

/// Rotations are rotation vectors here, and come first.
Eigen::VectorXd positions(const TreeLink& link, const Eigen::VectorXd& q) {
  if (link.type == "spherical") return dd::BallJoint::convertToPositions(rotation_at(link, q));
  if (link.type != "free") return q.segment(link.q, link.nq);
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = rotation_at(link, q);
  X.translation() = q.segment<3>(link.q);
  return dd::FreeJoint::convertToPositions(X);
}

dd::SkeletonPtr skeleton_of(const Tree& tree, std::vector<dd::Joint*>& joints) {
  dd::SkeletonPtr skeleton = dd::Skeleton::create("robot");
  skeleton->setGravity(tree.gravity);
  for (const TreeLink& link : tree.links) {
    dd::BodyNode* parent = link.parent < 0 ? nullptr : joints[link.parent]->getChildBodyNode();
    joints.push_back(add(*skeleton, parent, link));
  }
  return skeleton;
}

class DartPeer : public Peer {
 public:
  DartPeer(const Tree& tree, const std::vector<State>& states)
      : skeleton_(skeleton_of(tree, joints_)),
        conversion_(tree, states, {.angular_first = true}, velocity_starts()) {
    const std::vector<int> starts = velocity_starts();
    for (int i = 0; i < static_cast<int>(states.size()); ++i) {
      Eigen::VectorXd q(tree.nv);  // as many positions as velocities
      for (std::size_t k = 0; k < tree.links.size(); ++k)
        q.segment(starts[k], tree.links[k].nv) = positions(tree.links[k], states[i].q);
      states_.push_back({q, conversion_.velocity(i), conversion_.acceleration(i), conversion_.force(i)});
    }
  }

  std::vector<PeerFunction> functions() override {
    const auto our_force = [this](int i) { return conversion_.our_force(i, result_); };
    return {
        {"forward_kinematics", [this](int i) { kinematics(i); }, {}},
        {"inverse_dynamics", [this](int i) { inverse_dynamics(i); }, our_force},
        {"bias_forces", [this](int i) { bias(i); }, our_force},
        {"gravity_forces", [this](int i) { gravity(i); }, our_force},
        {"mass_matrix", [this](int i) { mass_matrix(i); },
         [this](int i) { return conversion_.our_mass_matrix(i, M_); }},
        {"forward_dynamics", [this](int i) { forward_dynamics(i); },
         [this](int i) { return conversion_.our_acceleration(i, result_); }},
    };
  }

 private:
  std::vector<int> velocity_starts() const {
    std::vector<int> starts;
    for (const dd::Joint* joint : joints_) starts.push_back(static_cast<int>(joint->getIndexInSkeleton(0)));
    return starts;
  }

  void kinematics(int i) {
    skeleton_->setPositions(states_[i].q);
    skeleton_->computeForwardKinematics(true, false, false);
  }
  void inverse_dynamics(int i) {
    skeleton_->setPositions(states_[i].q);
    skeleton_->setVelocities(states_[i].v);
    skeleton_->setAccelerations(states_[i].a);
    skeleton_->computeInverseDynamics();
    result_ = skeleton_->getForces();
  }
  void bias(int i) {
    skeleton_->setPositions(states_[i].q);
    skeleton_->setVelocities(states_[i].v);
    result_ = skeleton_->getCoriolisAndGravityForces();
  }
  void gravity(int i) {
    skeleton_->setPositions(states_[i].q);
    result_ = skeleton_->getGravityForces();
  }
  void mass_matrix(int i) {
    skeleton_->setPositions(states_[i].q);
    M_ = skeleton_->getMassMatrix();
  }
  void forward_dynamics(int i) {
    skeleton_->setPositions(states_[i].q);
    skeleton_->setVelocities(states_[i].v);
    skeleton_->setForces(states_[i].tau);
    skeleton_->computeForwardDynamics();
    result_ = skeleton_->getAccelerations();
  }

  std::vector<dd::Joint*> joints_;
  dd::SkeletonPtr skeleton_;
  Conversion conversion_;
  std::vector<State> states_;
  Eigen::VectorXd result_;
  Eigen::MatrixXd M_;
};

/// DART warns of inertias on std::cerr, where the progress stands.
struct Quiet {
  Quiet() : before(std::cerr.rdbuf(nullptr)) {}
  ~Quiet() { std::cerr.rdbuf(before); }
  std::streambuf* before;
};

std::unique_ptr<Peer> make(const Tree& tree, const std::vector<State>& states) {
  const Quiet quiet;
  return std::make_unique<DartPeer>(tree, states);
}

}  // namespace

}  // namespace amble::bench

extern "C" const amble::bench::PeerModule* amble_bench_peer() {
  static const amble::bench::PeerModule module{"DART", DART_VERSION, "", amble::bench::make};
  return &module;
}
