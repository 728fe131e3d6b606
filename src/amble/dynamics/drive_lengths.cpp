#include "amble/dynamics/drive_lengths.hpp"

#include <algorithm>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/tendons.hpp"
#include "amble/dynamics/workspace_memory.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/transmission.hpp"

namespace amble {

namespace {

Pose pose_of(const Workspace::Memory& x, const Place& at) {
  return at.link == 0 ? at.X_LP : x.X_WL[static_cast<std::size_t>(at.link)] * at.X_LP;
}

SO3<double> turn_on_body(const Mechanism& m, const Place& at) {
  return at.body < 0
             ? at.X_LP.rotation()
             : m.bodies()[static_cast<std::size_t>(at.body)].X_LB.rotation().inverse() * at.X_LP.rotation();
}

LinkForce on(int link, const UnitForce& F) { return {link, F.force, F.moment, F.point}; }

}  // namespace

DriveAttachment::DriveAttachment(const Mechanism& m, const DriveDescription& drive)
    : in_parent_(drive.in_parent), rod_(drive.rod), gear_(drive.gear) {
  if (!drive.tendon.empty()) kind_ = Kind::tendon, index_ = m.tendon_index(drive.tendon);
  if (!drive.frame.empty()) {
    kind_ = !drive.slider.empty() ? Kind::slider : !drive.reference.empty() ? Kind::relative : Kind::frame;
    frame_ = m.place(drive.frame);
    if (kind_ != Kind::frame) reference_ = m.place(kind_ == Kind::slider ? drive.slider : drive.reference);
    R_BF_ = turn_on_body(m, frame_), R_BR_ = turn_on_body(m, reference_);
  }
  if (drive.joint.empty()) return;
  index_ = m.joint_index(drive.joint);
  const Joint& joint = m.joints()[static_cast<std::size_t>(index_)];
  if (joint.v.size == 1) kind_ = Kind::axis;
  if (joint.kind == kJointKind<Spherical>) kind_ = Kind::ball;
  if (joint.kind == kJointKind<Free>) kind_ = Kind::free;
  frame_ = {joint.child, joint.link,
            joint.link < 0 ? Pose() : m.bodies()[static_cast<std::size_t>(joint.child)].X_LB};
}

double DriveAttachment::length(const Mechanism& m, Workspace& work, double* moment) const {
  if (kind_ == Kind::tendon) {
    const double length = placed_tendon_length(m, work, index_, moment);
    for (int i = 0; i < m.nv(); ++i) moment[i] *= gear_[0];
    return gear_[0] * length;
  }
  std::fill_n(moment, m.nv(), 0.0);
  if (kind_ == Kind::none) return 0.0;
  if (kind_ != Kind::axis) return measured(m, work, moment);
  const Joint& joint = m.joints()[static_cast<std::size_t>(index_)];
  moment[joint.v.start] = gear_[0] * joint.ratio;
  return gear_[0] * (joint.ratio * work.memory().q[joint.q.start] + joint.offset);
}

double DriveAttachment::measured(const Mechanism& m, Workspace& work, double* moment) const {
  const Workspace::Memory& x = work.memory();
  const Pose X_WF = pose_of(x, frame_);
  const Vector3<double> forces(gear_[0], gear_[1], gear_[2]), torques(gear_[3], gear_[4], gear_[5]);
  if (kind_ == Kind::frame) {
    const Transmission t = frame_transmission(gear_, X_WF);
    add_link_force(m, work, on(frame_.link, t.on_frame), 0, 1.0, moment);
    return t.length;
  }
  if (kind_ == Kind::relative || kind_ == Kind::slider) {
    const Pose X_WR = pose_of(x, reference_);
    const Transmission t = kind_ == Kind::slider ? slider_transmission(gear_[0], rod_, X_WF, X_WR)
                                                 : relative_transmission(gear_, {X_WF, R_BF_}, {X_WR, R_BR_});
    const int common = common_link(m, frame_.link, reference_.link);
    add_link_force(m, work, on(frame_.link, t.on_frame), common, 1.0, moment);
    add_link_force(m, work, on(reference_.link, t.on_reference), common, 1.0, moment);
    return t.length;
  }
  const Joint& joint = m.joints()[static_cast<std::size_t>(index_)];
  const Link& link = m.links()[static_cast<std::size_t>(joint.link)];
  const bool ball = kind_ == Kind::ball;
  const Vector3<double>& torque = ball ? forces : torques;
  const Vector3<double> turned =
      in_parent_ ? pose_of(x, {.body = -1, .link = link.parent, .X_LP = link.X_PN}).rotation() * torque
                 : X_WF.rotation() * torque;
  const Vector3<double> force = ball ? Vector3<double>(Vector3<double>::Zero()) : forces;
  add_link_force(m, work, {joint.link, force, turned, X_WF.translation()}, link.parent, 1.0, moment);
  if (!ball) return 0.0;
  const SO3<double> R(Quaternion<double>::from_xyzw(x.q.data() + joint.q.start));
  return R.log().dot(forces);
}

OwnedVector drive_lengths(const Mechanism& m, Workspace& work, const VectorRef& q) {
  const auto& drives = m.description().drives;
  OwnedVector out(static_cast<Eigen::Index>(drives.size())), moment(m.nv());
  forward_kinematics(m, work, q);
  for (std::size_t i = 0; i < drives.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = DriveAttachment(m, drives[i]).length(m, work, moment.data());
  return out;
}

OwnedMatrix drive_moments(const Mechanism& m, Workspace& work, const VectorRef& q) {
  const auto& drives = m.description().drives;
  OwnedMatrix out(static_cast<Eigen::Index>(drives.size()), m.nv());
  OwnedVector moment(m.nv());
  forward_kinematics(m, work, q);
  for (std::size_t i = 0; i < drives.size(); ++i) {
    DriveAttachment(m, drives[i]).length(m, work, moment.data());
    out.row(static_cast<Eigen::Index>(i)) = moment.transpose();
  }
  return out;
}

}  // namespace amble
