#include "amble/control/posture/joint_bounds.hpp"

#include <algorithm>

#include "amble/base/infinity.hpp"

namespace amble {

namespace {

/// f(i, k) for every coordinate i of q that has velocity k of its own.
template <class F>
void for_each_plain_coordinate(const Mechanism& m, F f) {
  for (const Joint& joint : m.joints()) {
    if (joint.link < 0 || joint.leader >= 0 || joint.q.size != joint.v.size) continue;
    for (int k = 0; k < joint.q.size; ++k) f(joint.q.start + k, joint.v.start + k);
  }
}

}  // namespace

void step_bounds(const Mechanism& m, const VectorRef& q, double* lower, double* upper) {
  std::fill_n(lower, m.nv(), -kInfinity), std::fill_n(upper, m.nv(), kInfinity);
  for_each_plain_coordinate(m, [&](int i, int k) { lower[k] = m.lower()[i] - q[i], upper[k] = m.upper()[i] - q[i]; });
}

void bring_within_limits(const Mechanism& m, OwnedVector& q) {
  for_each_plain_coordinate(m, [&](int i, int) { q[i] = std::clamp(q[i], m.lower()[i], m.upper()[i]); });
}

std::vector<int> held_velocities(const Mechanism& m, const std::vector<std::string>& joints) {
  std::vector<int> out;
  for (const std::string& joint : joints) {
    const Slice at = m.v_slice(joint);
    for (int k = 0; k < at.size; ++k) out.push_back(at.start + k);
  }
  return out;
}

double limit_margin(const Mechanism& m, const VectorRef& q) {
  double least = kInfinity;
  for_each_plain_coordinate(m, [&](int i, int) { least = std::min({least, q[i] - m.lower()[i], m.upper()[i] - q[i]}); });
  return least;
}

}  // namespace amble
