#pragma once

#include <vector>

#include "amble/base/owned.hpp"

// When rigid contacts open, as pure functions of numbers: simulation, search for gaits and control ask the
// same ones. DS 3.3.4, 3.3.5.
namespace amble {

/// One contact opens as soon as the normal component of its free acceleration, DS (3.55), is above zero: the
/// acceleration that it would have without its own force. Not by the sign of the force, which may pull while
/// free motion would enter the ground (DS Example 3.13).
inline bool decide_release(double free_normal_acceleration) { return free_normal_acceleration > 0.0; }

/// An impact on a second point while the first is at rest: true when the first is struck with it, DS (3.57),
/// which is when the impulse at the second alone would drive it into the ground; otherwise it opens at that
/// instant.
inline bool decide_struck(double first_normal_speed_after) { return first_normal_speed_after < 0.0; }

enum class TwoContacts { free, first, second, both };

/// Normal accelerations away from the ground: of both points without any contact force, and of each with the
/// other held.
struct TwoContactAccelerations {
  double first = 0.0, second = 0.0;
  double second_with_first_held = 0.0, first_with_second_held = 0.0;
};

/// Which of two closed contacts stay, DS Fig 3.20.
TwoContacts decide_two_contacts(const TwoContactAccelerations& a);

/// Fig 3.20 for any number of contacts that do not slip, each with `rows` rows of which the first is normal:
/// a = G f + w are accelerations (or velocities, at an impact) and forces (impulses). Contacts are held such
/// that all others part, and that each of those held would enter if it alone were let go; as few as that
/// takes. All are held where no choice does that.
std::vector<char> decide_held(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w, int rows);

/// Forces with which the contacts of `held` do not move: G f + w = 0 on their rows, zero on others. The
/// smallest where several do it.
OwnedVector held_forces(const Eigen::Ref<const Eigen::MatrixXd>& G, const VectorRef& w, int rows,
                        const std::vector<char>& held);

}  // namespace amble
