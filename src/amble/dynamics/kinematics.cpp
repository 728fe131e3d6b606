#include "amble/dynamics/kinematics.hpp"

#include <fmt/format.h>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

using Coordinates = std::array<double, kMostJointCoordinates>;

/// The joint's own coordinates: those of its leader, geared.
const double* joint_coordinates(const Link& link, const double* q, Coordinates& geared) {
  if (link.ratio == 1.0 && link.offset == 0.0) return q + link.q.start;
  geared[0] = link.ratio * q[link.q.start] + link.offset;
  return geared.data();
}

/// X_EW, the change from world axes to the axes and point that the Jacobian is asked in.
Pose frame_of_twist(const Pose& X_WP, JacobianFrame frame) {
  switch (frame) {
    case JacobianFrame::local: return X_WP.inverse();
    case JacobianFrame::world: return Pose();
    case JacobianFrame::aligned: return Pose(Vector3<double>(-X_WP.translation()));
  }
  return Pose();
}

}  // namespace

JacobianFrame jacobian_frame(std::string_view name) {
  if (name == "local") return JacobianFrame::local;
  if (name == "world") return JacobianFrame::world;
  if (name == "aligned") return JacobianFrame::aligned;
  throw Error(fmt::format("unknown frame '{}', expected 'local', 'world' or 'aligned'", name));
}

void forward_kinematics(const Mechanism& m, Workspace& work, const VectorRef& q) {
  work.check_owner(m);
  m.check_configuration(q, work.q);
  Coordinates geared{};
  for (std::size_t i = 1; i < m.links().size(); ++i) {
    const Link& link = m.links()[i];
    const double* own = joint_coordinates(link, work.q.data(), geared);
    const Pose X = visit_joint(link.kind, link.parameters, [&](const auto& joint) { return joint.pose(own); });
    work.X_WL[i] = work.X_WL[link.parent] * link.X_PN * X;
  }
}

Pose pose(const Mechanism& m, Workspace& work, const VectorRef& q, std::string_view place) {
  const Place at = m.place(place);
  forward_kinematics(m, work, q);
  return work.X_WL[at.link] * at.X_LP;
}

const OwnedMatrix& jacobian(const Mechanism& m, Workspace& work, const VectorRef& q, std::string_view place,
                            const JacobianOptions& options) {
  const Place at = m.place(place);
  if (!options.point.allFinite()) throw Error("the point of a Jacobian is not finite");
  forward_kinematics(m, work, q);
  const Pose X_WP = work.X_WL[at.link] * at.X_LP * Pose(options.point);
  const Pose X_EW = frame_of_twist(X_WP, options.frame);
  work.jacobian.setZero();
  Coordinates geared{};
  std::array<Twist<double>, 6> S;
  for (int i = at.link; i > 0; i = m.links()[i].parent) {
    const Link& link = m.links()[i];
    const double* own = joint_coordinates(link, work.q.data(), geared);
    visit_joint(link.kind, link.parameters, [&](const auto& joint) { joint.subspace(own, S.data()); });
    const Pose X_EL = X_EW * work.X_WL[i];
    // Several joints of a chain may share a coordinate, so columns add.
    for (int k = 0; k < link.v.size; ++k) work.jacobian.col(link.v.start + k) += link.ratio * (X_EL * S[k]).vector();
  }
  return work.jacobian;
}

}  // namespace amble
