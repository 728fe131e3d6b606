#include "amble/walkers/legged_figure.hpp"

#include "amble/dynamics/dynamics.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"

namespace amble {

namespace {

constexpr std::string_view kStance = "stance_", kSwing = "swing_";

std::string with_prefix(const std::string& name, std::string_view before, std::string_view after) {
  return name.starts_with(before) ? std::string(after) + name.substr(before.size()) : name;
}

/// The same part of the other leg; others are their own.
std::string other_leg(const std::string& name) {
  return name.starts_with(kStance) ? with_prefix(name, kStance, kSwing) : with_prefix(name, kSwing, kStance);
}

/// Index of a body, also of those that only help to place others; -1 is the world.
int body_named(const Mechanism& m, const std::string& name) {
  for (std::size_t i = 0; i < m.bodies().size(); ++i)
    if (m.bodies()[i].name == name) return static_cast<int>(i);
  return -1;
}

/// Seen in a mirror that exchanges left and right.
Matrix3<double> mirrored(const Matrix3<double>& R) {
  const Vector3<double> side(1.0, -1.0, 1.0);
  return side.asDiagonal() * R * side.asDiagonal();
}

/// With names that legs keep.
Mechanism named_apart(const Mechanism& full, bool planar) {
  ModelDescription d = full.description();
  const auto rename = [&](std::string& name) {
    name = with_prefix(name, kStance, planar ? "outer_" : "right_");
    name = with_prefix(name, kSwing, planar ? "inner_" : "left_");
  };
  for (BodyDescription& body : d.bodies) rename(body.name);
  for (JointDescription& joint : d.joints) rename(joint.name), rename(joint.parent), rename(joint.child);
  for (FrameDescription& frame : d.frames) rename(frame.name), rename(frame.body);
  return compile(std::move(d));
}

}  // namespace

LegExchange::LegExchange(const Mechanism& full, bool planar, double foot_radius)
    : full_(full),
      work_(full_),
      foot_(full_.place("swing_foot")),
      planar_(planar),
      places_(planar ? 2 : 3),
      radius_(foot_radius) {
  const int count = full_.nv() - places_;
  exchange_ = OwnedMatrix(count, count);
  for (int i = 0; i < count; ++i)
    exchange_.col(i) = angles(Eigen::VectorXd::Unit(full_.nv(), places_ + i)).tail(count);
}

/// By how much each joint turns once the bodies of its two sides are those of the other leg.
OwnedVector LegExchange::angles(const VectorRef& q) {
  const LinkPoses poses = forward_kinematics(full_, work_, q);
  const auto turned = [&](int body) -> Matrix3<double> {
    if (body < 0) return Matrix3<double>::Identity();
    const Body& other = full_.bodies()[body_named(full_, other_leg(full_.bodies()[body].name))];
    const Matrix3<double> R = (poses[other.link] * other.X_LB).rotation().matrix();
    return planar_ ? R : mirrored(R);
  };
  OwnedVector out(full_.nv());
  for (const Joint& joint : full_.joints()) {
    if (joint.link < 0 || joint.leader >= 0 || joint.v.start < places_) continue;
    const Matrix3<double> R = joint.X_PF.rotation().matrix().transpose() * turned(joint.parent).transpose() *
                              turned(joint.child) * joint.X_CM.rotation().matrix();
    out[joint.v.start] = SO3<double>(R).log().dot(joint.R_FN.matrix().col(2));
  }
  return out;
}

std::pair<OwnedVector, OwnedVector> LegExchange::operator()(const VectorRef& q, const VectorRef& v) {
  const Eigen::Index count = exchange_.rows();
  OwnedVector to_q(full_.nv()), to_v(full_.nv());
  const Vector3<double> foot = forward_kinematics(full_, work_, q)[foot_.link] * foot_.X_LP.translation();
  const Vector3<double> rate =
      (jacobian(full_, work_, q, "swing_foot", {.frame = JacobianFrame::aligned}) * v).head<3>();
  if (planar_) {
    to_q.head(2) = Eigen::Vector2d(foot.x(), foot.z() - radius_), to_v.head(2) = Eigen::Vector2d(rate.x(), rate.z());
  } else {
    to_q.head(3) = Eigen::Vector3d(foot.x(), -foot.y(), foot.z() - radius_);
    to_v.head(3) = Eigen::Vector3d(rate.x(), -rate.y(), rate.z());
  }
  to_q.tail(count) = exchange_ * q.tail(count), to_v.tail(count) = exchange_ * v.tail(count);
  return {to_q, to_v};
}

LeggedFigure::LeggedFigure(const Mechanism& full, bool planar, double foot_radius, MotionOf motion)
    : full_(full),
      mechanism_(named_apart(full, planar)),
      work_(full_),
      planar_(planar),
      exchange_(full, planar, foot_radius),
      motion_(std::move(motion)) {}

Posture LeggedFigure::at(const WalkMoment& m) {
  const Motion now = motion_(m);
  const bool exchanged = m.footfalls % 2 == 1;
  const double side = exchanged && !planar_ ? -1.0 : 1.0;
  auto [q, v] = exchanged ? exchange_(now.q, now.v) : std::pair{now.q, now.v};
  q[0] += m.place.x, q[planar_ ? 1 : 2] -= m.drop;
  if (!planar_) q[1] += m.place.y;
  Posture out{.q = std::move(q), .v = std::move(v)};
  // The first coordinates are where the foot is: what moves them is the floor.
  const OwnedVector f = inverse_dynamics(full_, work_, now.q, now.v, now.a);
  out.force = planar_ ? Vector3<double>(f[0], 0.0, f[1]) : Vector3<double>(f[0], side * f[1], f[2]);
  const Place foot = full_.place("stance_foot");
  const Vector3<double> at = forward_kinematics(full_, work_, now.q)[foot.link] * foot.X_LP.translation();
  out.point = {m.place.x + at.x(), m.place.y + side * at.y(), -m.drop};
  const std::string leg = exchanged ? (planar_ ? "inner" : "left") : (planar_ ? "outer" : "right");
  out.foot = mechanism_.bodies()[mechanism_.place(leg + "_foot").body].name;
  out.spring_energy = now.potential - potential_energy(full_, work_, now.q);
  return out;
}

LeggedFigure::MotionOf motion_of_angles(const Mechanism& full, std::function<double(const double* x)> potential) {
  const int n = full.nv();
  return [n, potential = std::move(potential)](const WalkMoment& m) {
    LeggedFigure::Motion out{OwnedVector(n), OwnedVector(n), OwnedVector(n), potential(m.x.data())};
    const Eigen::Index k = m.x.size() / 2;
    out.q.tail(k) = m.x.head(k), out.v.tail(k) = m.x.tail(k), out.a.tail(k) = m.a;
    return out;
  };
}

}  // namespace amble
