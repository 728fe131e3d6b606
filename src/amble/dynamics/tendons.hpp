#pragma once

#include "amble/dynamics/workspace.hpp"

// Tendons that a mechanism carries (Mechanism::tendons()): their lengths and moment arms.
namespace amble {

/// The length of a tendon, by its place in Mechanism::tendons() (m; of one over joints, in units of its
/// coefficients). `slope`, when it is not null, has nv numbers and gets d length / dt = slope . v: the moment
/// arms.
double tendon_length(const Mechanism& mechanism, Workspace& work, const VectorRef& q, int tendon,
                     double* slope = nullptr);

/// The same for the configuration of the last forward_kinematics(): for many tendons at once.
double placed_tendon_length(const Mechanism& mechanism, Workspace& work, int tendon, double* slope = nullptr);

/// All of them, and the rows of their moment arms (tendons x nv).
OwnedVector tendon_lengths(const Mechanism& mechanism, Workspace& work, const VectorRef& q);
OwnedMatrix tendon_jacobian(const Mechanism& mechanism, Workspace& work, const VectorRef& q);

/// A force and a moment at a point of a link, in world axes.
struct LinkForce {
  int link = 0;
  Vector3<double> force{0.0, 0.0, 0.0}, moment{0.0, 0.0, 0.0}, point{0.0, 0.0, 0.0};
};

/// Adds factor J^T F to `row` (nv) for the joints from the link of the force down to link `until`, which is
/// on its way to the world, for the configuration of the last forward_kinematics().
void add_link_force(const Mechanism& mechanism, Workspace& work, const LinkForce& at, int until,
                    double factor, double* row);

/// The nearest link on both ways to the world.
int common_link(const Mechanism& mechanism, int a, int b);

}  // namespace amble
