#pragma once

#include "amble/constraints/constraint.hpp"
#include "amble/contact/contact_point.hpp"
#include "amble/contact/contact_spec.hpp"

// From where links touch to the velocities there.
namespace amble {

/// Columns (normal, t1, t2), right-handed; `normal` is unit. The tangents are x and y turned the short way
/// with z to it.
Matrix3<double> contact_axes(const Vector3<double>& normal);

/// Rows of the velocity of b against a at the contact, along contact_axes(): 3 nv numbers, one row after
/// another.
void put_contact_rows(const ConstraintKinematics& at, const ContactPoint& contact, double* rows);

/// The plane that a contact in a few words is about, made unit; throws an Error for numbers that make no
/// contact.
Vector3<double> checked_normal(const ContactSpec& spec);

/// Where it is at a configuration that `at` has: a is the world, b the body.
ContactPoint contact_point(const ConstraintKinematics& at, const ContactSpec& spec);

}  // namespace amble
