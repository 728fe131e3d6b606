#pragma once

#include <array>
#include <span>

#include "amble/dynamics/workspace.hpp"

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
