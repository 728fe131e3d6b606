#pragma once

#include <array>
#include <span>

#include "amble/dynamics/kernel_tree.hpp"
#include "amble/dynamics/workspace.hpp"
#include "amble/mechanism/joints/list.hpp"

// Recursions over links in plain geometry, for what is not in the kernels; of no interest to callers.
namespace amble {

/// One link L on its parent P, everything with components in L.
struct LinkMotion {
  Pose X_PL;
  std::array<Twist<double>, 6> S;  ///< V_PL_L = sum_k S[k] v[k]: a follower's gear ratio is in it
  Twist<double> V;                 ///< in the world
  Twist<double> A;                 ///< its rate of change in L, minus gravity: what a force has to bring about
  Wrench<double> F;                ///< sums over the links beyond, as the recursion needs them
};

using JointCoordinates = std::array<double, kMostJointCoordinates>;

/// The joint's own coordinates or velocities: those of its leader, geared; `room` holds them then.
const double* own_coordinates(const Link& link, const double* q, JointCoordinates& room);
const double* own_velocities(const Link& link, const double* v, JointCoordinates& room);

/// The motion subspace at `q` (the mechanism's), gear ratio included.
void joint_subspace(const Link& link, const double* q, Twist<double>* S);

/// Takes `q` as the workspace's state, and fills X_PL and S of every link; F is zero. In the workspace's memory.
std::span<LinkMotion> link_positions(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
/// The same, and checks `v` and fills V.
std::span<LinkMotion> link_velocities(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                                      const VectorRef& v);
/// The same, and checks `a` and fills A.
std::span<LinkMotion> link_accelerations(const Mechanism& mechanism, Workspace& work, const VectorRef& q,
                                         const VectorRef& v, const VectorRef& a);

/// f(k, before, after) for every axis of the link's joint: the twists, in L, of what carries the elementary motion that
/// the axis belongs to (see JointSteps), without and with that motion; `V_P` is the twist of the parent, in L.
template <class F>
void for_each_axis(const Link& link, const LinkMotion& at, const Twist<double>& V_P, const double* v, F f) {
  const JointSteps chain = visit_joint(link.kind, link.parameters, [](const auto& joint) { return joint.steps(); });
  Twist<double> after = V_P;
  for (int i = 0, k = 0; i < chain.count; ++i) {
    const Twist<double> before = after;
    const int end = k + freedoms_of(chain.steps[i].motion, link);
    for (int j = k; j < end; ++j) after += v[link.v.start + j] * at.S[j];
    for (; k < end; ++k) f(k, before, after);
  }
}

/// Adds J^T F to `rows` for every column F of `wrenches`, on link `from` and in its frame, for the joints from there
/// down to link `until`; returns the wrenches in the frame of that link.
template <int Columns, class Rows>
Matrix<double, 6, Columns> add_pull_back(const Mechanism& m, std::span<const LinkMotion> links, int from, int until,
                                         Matrix<double, 6, Columns> wrenches, Rows&& rows) {
  for (int i = from; i != until; i = m.links()[i].parent) {
    const Slice v = m.links()[i].v;
    for (int k = 0; k < v.size; ++k) rows.row(v.start + k) += links[i].S[k].vector().transpose() * wrenches;
    wrenches = links[i].X_PL.coadjoint() * wrenches;
  }
  return wrenches;
}

}  // namespace amble
