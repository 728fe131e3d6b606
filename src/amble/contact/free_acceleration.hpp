#pragma once

#include "amble/contact/contact_rows.hpp"

namespace amble {

/// Contacts of a mechanism in numbers, three rows (normal, t1, t2) each: accelerations a = mobility f + free
/// under contact forces f.
struct ContactAccelerations {
  OwnedMatrix mobility;  ///< A^T M^-1 A in DS's letters, within what constraints leave free
  OwnedVector free;      ///< d/dt of the contact velocities without contact forces, DS (3.55)
};

/// Under forces tau of the joints and the constraints given.
ContactAccelerations contact_accelerations(const Mechanism& mechanism, const VectorRef& q, const VectorRef& v,
                                           const VectorRef& tau, const std::vector<ContactSpec>& contacts,
                                           const std::vector<ConstraintPtr>& constraints = {});

}  // namespace amble
