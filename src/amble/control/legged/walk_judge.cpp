#include "amble/control/legged/walk_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/control/tasks/task.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble::detail {

namespace {

constexpr double kBears = 0.1;     // of the weight: a foot with less is about to come or go
constexpr double kOnFloor = 3e-4;  // m: a point that is higher does not touch
constexpr double kLowest = 0.6;    // of the height of the center of mass: what sinks below has fallen
constexpr double kSteepest = 0.6;  // cosine of the base's lean
constexpr double kLeastWay = 0.3;  // m: over less there is no cost of transport

}  // namespace

WalkJudge::WalkJudge(const LeggedRobot& robot, double friction)
    : robot_(robot),
      friction_(friction),
      weight_(robot.mechanism.mass() * robot.mechanism.gravity().norm()),
      work_(robot.mechanism),
      v_(robot.mechanism.nv()),
      joint_of_(robot.mechanism.nv(), -1),
      of_leg_(robot.mechanism.nv(), 0),
      positive_(robot.mechanism.nv()),
      net_(robot.mechanism.nv()) {
  const Mechanism& m = robot.mechanism;
  for (std::size_t j = 0; j < m.joints().size(); ++j)
    if (const Joint& joint = m.joints()[j]; joint.leader < 0 && joint.type != "free")
      std::fill_n(joint_of_.begin() + joint.v.start, joint.v.size, static_cast<int>(j));
  for (const Leg& leg : robot.legs) {
    for (const int j : leg.joints)
      std::fill_n(of_leg_.begin() + m.joints()[j].v.start, m.joints()[j].v.size, 1);
    SeenFoot foot;
    foot.frame = task_frame(m, leg.foot.body), foot.frame.X_LF = foot.frame.X_LF * leg.foot.X_BS;
    foot.way.resize(leg.foot.corners.size());
    feet_.push_back(std::move(foot));
  }
}

void WalkJudge::start(const VectorRef& q, const VectorRef& v) {
  v_ = v;
  start_ = now_ = center_of_mass(robot_.mechanism, work_, q);
}

void WalkJudge::step(double t, double h, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                     std::span<const ContactForce> touching, LeggedWalk& out) {
  judge_joints(t, h, q, v, tau, out);
  judge_feet(q, touching, out);
  now_ = center_of_mass(robot_.mechanism, work_, q);
  v_ = v;
}

void WalkJudge::judge_joints(double t, double h, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                             LeggedWalk& out) {
  const Mechanism& m = robot_.mechanism;
  const auto use = [&](JointUse& most, int j, double value, double limit) {
    if (!(limit > 0.0) || !(std::abs(value) > most.share * limit)) return;
    most = {m.joints()[joint_of_[j]].name, std::abs(value) / limit, t};
  };
  for (int j = 0; j < m.nv(); ++j) {
    if (joint_of_[j] < 0) continue;
    const double effort = robot_.effort.size() == m.nv() ? robot_.effort[j] : m.effort_limit()[j];
    use(out.torque, j, tau[j], effort), use(out.joint_speed, j, v[j], m.velocity_limit()[j]);
    if (of_leg_[j])
      use(out.leg_torque, j, tau[j], effort), use(out.leg_speed, j, v[j], m.velocity_limit()[j]);
    const double work = tau[j] * 0.5 * (v_[j] + v[j]) * h;
    net_[j] += work, positive_[j] += std::max(work, 0.0);
    const Joint& joint = m.joints()[joint_of_[j]];
    if (joint.q.size != joint.v.size) continue;
    const int i = joint.q.start + j - joint.v.start;
    const double margin = std::min(m.upper()[i] - q[i], q[i] - m.lower()[i]);
    if (out.range_joint.empty() || margin < out.range_margin)
      out.range_margin = margin, out.range_joint = joint.name;
  }
}

/// Slip is the way that points of the foot move on the floor: of a ball the one that is lowest, which rolls
/// on to others.
void WalkJudge::judge_feet(const VectorRef& q, std::span<const ContactForce> touching, LeggedWalk& out) {
  const LinkPoses poses = forward_kinematics(robot_.mechanism, work_, q);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    SeenFoot& foot = feet_[i];
    const Foot& shape = robot_.legs[i].foot;
    Vector3<double> force = Vector3<double>::Zero();
    for (const ContactForce& c : touching)
      if (c.link_b == foot.frame.link || c.link_a == foot.frame.link)
        force += c.link_b == foot.frame.link ? c.force : Vector3<double>(-c.force);
    const bool bears = force.z() > kBears * weight_;
    if (bears)
      out.friction_use = std::max(out.friction_use, force.head<2>().norm() / (friction_ * force.z()));
    const Pose X = poses[foot.frame.link] * foot.frame.X_LF;
    for (std::size_t k = 0; k < foot.way.size(); ++k) {
      const Vector3<double> before = foot.X_WS * shape.corners[k] - Vector3<double>(0.0, 0.0, shape.radius);
      const Vector3<double> after = X * (foot.X_WS.inverse() * before);
      if (!bears || !foot.bears)
        foot.way[k] = 0.0;
      else if (after.z() < kOnFloor)
        out.slip = std::max(out.slip, foot.way[k] += (after - before).head<2>().norm());
    }
    foot.bears = bears, foot.X_WS = X;
  }
}

bool WalkJudge::fallen(const VectorRef& q, double height, std::string& reason) {
  if (!q.allFinite()) return reason = "the state is not finite", true;
  const double sunk = now_.z() / height;
  if (sunk < kLowest)
    return reason = fmt::format("the center of mass sank to {:.2g} of its height", sunk), true;
  const Pose base = pose(robot_.mechanism, work_, q, robot_.base);
  const double upright = (base.rotation() * robot_.up_Base).z();
  if (upright < kSteepest)
    return reason = fmt::format("the base leans by {:.0f} degrees", std::acos(upright) * 57.29577951308232),
           true;
  return false;
}

void WalkJudge::finish(LeggedWalk& out) const {
  const Mechanism& m = robot_.mechanism;
  out.way = (now_ - start_).head<2>().norm();
  for (int j = 0; j < m.nv(); ++j) {
    if (joint_of_[j] < 0) continue;
    out.work.push_back({m.joints()[joint_of_[j]].name, positive_[j], net_[j]});
    out.positive_work += positive_[j], out.net_work += net_[j];
  }
  if (out.way > kLeastWay)
    out.cost_of_transport = out.net_work / (weight_ * out.way),
    out.positive_cost = out.positive_work / (weight_ * out.way);
}

}  // namespace amble::detail
