#include "amble/dynamics/joint_forces.hpp"

#include <fmt/format.h>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

void check_wrench(const Mechanism& m, const ExternalWrench& wrench, std::size_t number) {
  const int count = static_cast<int>(m.bodies().size());
  if (wrench.body < -1 || wrench.body >= count)
    throw Error(fmt::format("wrench {} is on body {}, but '{}' has {} bodies", number, wrench.body, m.name(), count));
  if (!wrench.F_B_B.vector().allFinite()) throw Error(fmt::format("wrench {} is not finite", number));
}

void check_place(const Mechanism& m, const Place& place, std::size_t number) {
  const int count = static_cast<int>(m.links().size());
  if (place.link < 0 || place.link >= count)
    throw Error(fmt::format("actuator {} is on link {}, but '{}' has {}: places come from Mechanism::place()", number,
                            place.link, m.name(), count));
  if (!place.X_LP.matrix().allFinite()) throw Error(fmt::format("a place of actuator {} is not finite", number));
}

void check_actuator(const Mechanism& m, const ActuatorBetween& actuator, std::size_t number) {
  check_place(m, actuator.a, number);
  check_place(m, actuator.b, number);
  if (!actuator.F_b_b.vector().allFinite())
    throw Error(fmt::format("the wrench of actuator {} is not finite", number));
}

/// Along the way between the two links only: what is common to both Jacobians cancels, DS (2.50), (2.51).
void add_actuator(const Mechanism& m, const Workspace::Memory& x, const ActuatorBetween& actuator, double* tau) {
  const Pose X_bW = (x.X_WL[actuator.b.link] * actuator.b.X_LP).inverse();
  std::array<Twist<double>, 6> S;
  for (int a = actuator.a.link, b = actuator.b.link; a != b;) {
    int& outer = a > b ? a : b;  // parents come before children
    const double sign = a > b ? -1.0 : 1.0;
    const Link& link = m.links()[outer];
    joint_subspace(link, x.q.data(), S.data());
    const Pose X_bL = X_bW * x.X_WL[outer];
    for (int k = 0; k < link.v.size; ++k) tau[link.v.start + k] += sign * power(X_bL * S[k], actuator.F_b_b);
    outer = link.parent;
  }
}

}  // namespace

VectorView generalized_forces(const Mechanism& m, Workspace& work, const VectorRef& q,
                              std::span<const ExternalWrench> wrenches) {
  const std::span<LinkMotion> links = link_positions(m, work, q);
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    check_wrench(m, wrenches[i], i);
    if (wrenches[i].body < 0) continue;
    const Body& body = m.bodies()[wrenches[i].body];
    links[body.link].F += body.X_LB * wrenches[i].F_B_B;
  }
  ResultSlot& slot = work.memory().generalized;
  double* tau = slot.numbers();
  std::fill_n(tau, m.nv(), 0.0);
  for (std::size_t i = links.size() - 1; i > 0; --i) {
    const Link& link = m.links()[i];
    for (int k = 0; k < link.v.size; ++k) tau[link.v.start + k] += power(links[i].S[k], links[i].F);
    links[link.parent].F += links[i].X_PL * links[i].F;
  }
  ++slot.writes;
  return work.memory().vector(slot);
}

VectorView actuator_forces(const Mechanism& m, Workspace& work, const VectorRef& q,
                           std::span<const ActuatorBetween> actuators) {
  forward_kinematics(m, work, q);
  ResultSlot& slot = work.memory().actuators;
  std::fill_n(slot.numbers(), m.nv(), 0.0);
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    check_actuator(m, actuators[i], i);
    add_actuator(m, work.memory(), actuators[i], slot.numbers());
  }
  ++slot.writes;
  return work.memory().vector(slot);
}

}  // namespace amble
