#include "amble/dynamics/link_motion.hpp"

#include "amble/dynamics/workspace_memory.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

Twist<double> joint_twist(const Link& link, const LinkMotion& at, const double* v) {
  Twist<double> V;
  for (int k = 0; k < link.v.size; ++k) V += v[link.v.start + k] * at.S[k];
  return V;
}

Twist<double> joint_bias(const Link& link, const double* q, const double* v) {
  JointCoordinates room_q, room_v;
  const double *own_q = own_coordinates(link, q, room_q), *own_v = own_velocities(link, v, room_v);
  return visit_joint(link.kind, link.parameters, [&](const auto& joint) { return joint.bias(own_q, own_v); });
}

}  // namespace

const double* own_coordinates(const Link& link, const double* q, JointCoordinates& room) {
  if (link.ratio == 1.0 && link.offset == 0.0) return q + link.q.start;
  room[0] = link.ratio * q[link.q.start] + link.offset;
  return room.data();
}

const double* own_velocities(const Link& link, const double* v, JointCoordinates& room) {
  if (link.ratio == 1.0) return v + link.v.start;
  room[0] = link.ratio * v[link.v.start];
  return room.data();
}

void joint_subspace(const Link& link, const double* q, Twist<double>* S) {
  JointCoordinates room;
  const double* own = own_coordinates(link, q, room);
  visit_joint(link.kind, link.parameters, [&](const auto& joint) { joint.subspace(own, S); });
  for (int k = 0; k < link.v.size; ++k) S[k] = link.ratio * S[k];
}

namespace {

std::span<LinkMotion> place_links(const Mechanism& m, Workspace& work) {
  Workspace::Memory& memory = work.memory();
  JointCoordinates room;
  memory.links[0] = LinkMotion();
  for (std::size_t i = 1; i < memory.links.size(); ++i) {
    const Link& link = m.links()[i];
    LinkMotion& at = memory.links[i];
    const double* own = own_coordinates(link, memory.q.data(), room);
    at.X_PL = link.X_PN * visit_joint(link.kind, link.parameters, [&](const auto& j) { return j.pose(own); });
    joint_subspace(link, memory.q.data(), at.S.data());
    at.F = Wrench<double>();
  }
  return memory.links;
}

}  // namespace

std::span<LinkMotion> link_positions(const Mechanism& m, Workspace& work, const VectorRef& q) {
  load_state(m, work, q, nullptr);
  return place_links(m, work);
}

std::span<LinkMotion> link_velocities(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v, CustomNumbers::changes);
  const std::span<LinkMotion> links = place_links(m, work);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = m.links()[i];
    links[i].V = links[i].X_PL.inverse() * links[link.parent].V + joint_twist(link, links[i], v.data());
  }
  return links;
}

std::span<LinkMotion> link_accelerations(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                                         const VectorRef& a) {
  load_check(m, a, "a");
  const std::span<LinkMotion> links = link_velocities(m, work, q, v);
  const double* checked = work.memory().q.data();
  links[0].A = Twist<double>(-m.gravity(), Vector3<double>::Zero());
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = m.links()[i];
    LinkMotion& at = links[i];
    at.A = at.X_PL.inverse() * links[link.parent].A + joint_twist(link, at, a.data()) +
           joint_bias(link, checked, v.data()) + cross(at.V, joint_twist(link, at, v.data()));
  }
  return links;
}

}  // namespace amble
