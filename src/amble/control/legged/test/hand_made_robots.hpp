#pragma once

#include <map>
#include <numbers>

#include "amble/control/posture/inverse_kinematics.hpp"
#include "amble/control/tasks/task.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/io/load.hpp"
#include "amble/io/test/real_robots.hpp"
#include "amble/walkers/legged/legged_robot.hpp"

// Legged robots described by hand, for tests of controllers alone.
namespace amble {

struct HandMadeFoot {
  std::string name, body;
  double back = 0.0, front = 0.0, half_width = 0.0;  // of a sole (m)
  Vector3<double> ball = Vector3<double>::Zero();
  double radius = 0.0;
};

struct HandMade {
  std::string base, torso;
  double forward = 0.0;  // yaw of the robot's face in the base (rad)
  std::vector<HandMadeFoot> feet;
  std::map<std::string, double> q;
};

inline std::vector<int> joints_to(const Mechanism& m, const std::string& body) {
  std::vector<int> out;
  for (int b = m.place(body).body; b >= 0; b = m.bodies()[b].parent) {
    const int j = m.bodies()[b].joint;
    if (j >= 0 && m.joints()[j].type != "free" && m.joints()[j].v.size > 0) out.push_back(j);
  }
  return {out.rbegin(), out.rend()};
}

/// Base upright, soles flat on z = 0 as far apart as the hips have them, the center of mass over their
/// middle.
inline OwnedVector standing_posture(const LeggedRobot& r, const HandMade& given) {
  const Mechanism& m = r.mechanism;
  Workspace work(m);
  OwnedVector q = m.neutral();
  const SO3<double> R_base = SO3<double>::about(2, -given.forward);
  R_base.quaternion().to_xyzw(q.data() + 3);
  for (const auto& [joint, angle] : given.q) q[m.q_slice(joint).start] = angle;
  for (int i = 7; i < m.nq(); ++i)
    if (q[i] < m.lower()[i] || q[i] > m.upper()[i]) {
      const double room = std::min(0.02, 0.5 * (m.upper()[i] - m.lower()[i]));
      q[i] = std::clamp(q[i], m.lower()[i] + room, m.upper()[i] - room);
    }
  std::vector<Pose> soles;
  Vector3<double> middle = Vector3<double>::Zero();
  for (const Leg& leg : r.legs) {
    soles.push_back(pose(m, work, q, leg.foot.body) * leg.foot.X_BS);
    middle += soles.back().translation() / static_cast<double>(r.legs.size());
  }
  const Vector3<double> com = center_of_mass(m, work, q);
  std::vector<KinematicTarget> targets;
  for (std::size_t i = 0; i < r.legs.size(); ++i) {
    const Foot& foot = r.legs[i].foot;
    Vector3<double> at = soles[i].translation() - middle;
    KinematicTarget target{.place = foot.body, .X_PF = foot.X_BS};
    if (foot.shape == Foot::Shape::sole) {
      at.x() = at.z() = 0.0;
    } else {
      at.z() = foot.radius;
      target.X_PF = foot.X_BS * Pose(foot.corners[0]), target.weights.tail<3>().setZero();
    }
    target.X_RT = Pose(at);
    targets.push_back(target);
  }
  targets.push_back(orientation_target(r.base, R_base));
  targets.push_back(center_of_mass_target({0.0, 0.0, com.z() - middle.z()}));
  IkSettings settings;
  for (const std::string& name : m.joint_names()) {
    const int j = m.joint_index(name);
    bool leg_joint = m.joints()[j].type == "free";
    for (const Leg& leg : r.legs) leg_joint |= std::count(leg.joints.begin(), leg.joints.end(), j) > 0;
    if (!leg_joint) settings.held.push_back(name);
  }
  return inverse_kinematics(m, targets, q, settings).q;
}

inline LeggedRobot hand_made(const std::string& file, const HandMade& given) {
  LeggedRobot r{.mechanism = load(file, {.base = Base::floating})};
  r.base = given.base, r.torso = given.torso;
  r.forward_Base = SO3<double>::about(2, given.forward) * Vector3<double>::UnitX();
  r.effort = r.mechanism.effort_limit(), r.speed = r.mechanism.velocity_limit();
  for (const HandMadeFoot& f : given.feet) {
    Leg leg{.name = f.name, .joints = joints_to(r.mechanism, f.body)};
    leg.foot.body = f.body;
    if (f.radius > 0.0) {
      leg.foot.shape = Foot::Shape::ball, leg.foot.corners = {Vector3<double>::Zero()},
      leg.foot.radius = f.radius;
      leg.foot.X_BS = Pose(f.ball);
    } else {
      const double half = 0.5 * (f.front - f.back);
      leg.foot.X_BS = Pose(Vector3<double>(0.5 * (f.front + f.back), 0.0, 0.0));
      leg.foot.corners = {{half, f.half_width, 0.0},
                          {-half, f.half_width, 0.0},
                          {-half, -f.half_width, 0.0},
                          {half, -f.half_width, 0.0}};
    }
    r.legs.push_back(leg);
  }
  r.nominal = standing_posture(r, given);
  return r;
}

inline LeggedRobot humanoid30() {
  HandMade h{.base = "pelvis", .torso = "chest"};
  for (const std::string side : {"left", "right"}) {
    h.feet.push_back({side, side + "_sole", -0.11, 0.11, 0.05});
    h.q[side + "_hip_pitch"] = -0.4, h.q[side + "_knee"] = 0.8, h.q[side + "_ankle_pitch"] = -0.4;
    h.q[side + "_elbow"] = -0.5;
  }
  return hand_made(source_dir() + "/models/humanoid30.urdf", h);
}

inline LeggedRobot talos() {
  HandMade h{.base = "base_link", .torso = "torso_2_link"};
  for (const std::string side : {"left", "right"}) {
    h.feet.push_back({side, side + "_sole_link", -0.10, 0.10, 0.065});
    h.q["leg_" + side + "_3_joint"] = -0.5, h.q["leg_" + side + "_4_joint"] = 1.0,
                        h.q["leg_" + side + "_5_joint"] = -0.5;
    h.q["arm_" + side + "_2_joint"] = side == "left" ? 0.25 : -0.25, h.q["arm_" + side + "_4_joint"] = -0.6;
    h.q["gripper_" + side + "_joint"] = -0.1;
  }
  return hand_made((robots_folder() / "talos_reduced.urdf").string(), h);
}

inline LeggedRobot icub() {
  HandMade h{.base = "root_link", .torso = "chest", .forward = std::numbers::pi};
  for (const std::string side : {"l", "r"}) {
    h.feet.push_back({side == "l" ? "left" : "right", side + "_sole", -0.06, 0.11, 0.035});
    h.q[side + "_hip_pitch"] = 0.35, h.q[side + "_knee"] = -0.7, h.q[side + "_ankle_pitch"] = -0.35;
    h.q[side + "_shoulder_roll"] = 0.25, h.q[side + "_elbow"] = 0.6;
  }
  return hand_made((robots_folder() / "icub_reduced.urdf").string(), h);
}

inline LeggedRobot romeo() {
  HandMade h{.base = "base_link", .torso = "torso"};
  for (const std::string side : {"L", "R"}) {
    const double sign = side == "L" ? 1.0 : -1.0;
    h.feet.push_back({side == "L" ? "left" : "right", side == "L" ? "l_sole" : "r_sole", -0.05, 0.10, 0.045});
    h.q[side + "HipPitch"] = -0.3, h.q[side + "KneePitch"] = 0.6, h.q[side + "AnklePitch"] = -0.3;
    h.q[side + "ShoulderPitch"] = 1.4, h.q[side + "ShoulderYaw"] = 0.2 * sign,
               h.q[side + "ElbowYaw"] = -0.6 * sign;
  }
  return hand_made((robots_folder() / "romeo_small.urdf").string(), h);
}

inline LeggedRobot anymal() {
  HandMade h{.base = "base"};
  for (const std::string leg : {"LF", "RF", "LH", "RH"}) {
    const double sign = leg[1] == 'F' ? 1.0 : -1.0;
    h.feet.push_back({.name = leg, .body = leg + "_FOOT", .ball = {0.0, 0.0, 0.02325}, .radius = 0.031});
    h.q[leg + "_HFE"] = 0.7 * sign, h.q[leg + "_KFE"] = -1.0 * sign;
  }
  return hand_made((robots_folder() / "anymal_b.urdf").string(), h);
}

inline LeggedRobot solo12() {
  HandMade h{.base = "base_link"};
  for (const std::string leg : {"FL", "FR", "HL", "HR"}) {
    const double sign = leg[0] == 'F' ? 1.0 : -1.0;
    h.feet.push_back({.name = leg, .body = leg + "_FOOT", .radius = 0.015});
    h.q[leg + "_HFE"] = 0.7 * sign, h.q[leg + "_KFE"] = -1.4 * sign;
  }
  return hand_made((robots_folder() / "solo12.urdf").string(), h);
}

}  // namespace amble
