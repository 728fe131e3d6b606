#include "amble/dynamics/gravity_compensation.hpp"

#include <algorithm>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/tendons.hpp"

namespace amble {

bool has_gravity_compensation(const Mechanism& m) {
  return std::any_of(m.bodies().begin(), m.bodies().end(),
                     [](const Body& b) { return b.gravity_compensation != 0.0; });
}

void add_gravity_compensation(const Mechanism& m, Workspace& work, const VectorRef& q, double* tau) {
  const LinkPoses poses = forward_kinematics(m, work, q);
  for (const Body& b : m.bodies()) {
    if (b.gravity_compensation == 0.0 || b.link == 0 || !(b.inertia.mass() > 0.0)) continue;
    const Vector3<double> com = b.inertia.first_moment() / b.inertia.mass();
    const Vector3<double> point = poses[static_cast<std::size_t>(b.link)] * (b.X_LB * com);
    const Vector3<double> force = -b.gravity_compensation * b.inertia.mass() * m.gravity();
    add_link_force(m, work, {.link = b.link, .force = force, .point = point}, 0, 1.0, tau);
  }
}

}  // namespace amble
