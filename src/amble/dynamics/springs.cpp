#include "amble/dynamics/springs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// f(k, d distance / dq_k) for the joints on the way between the spring's links; the others do not change it. `line`
/// is the unit force along the spring, in world axes at the world's origin.
template <class F>
void for_each_slope(const Mechanism& m, const Workspace::Memory& x, const Spring& s, const Wrench<double>& line,
                    F f) {
  std::array<Twist<double>, 6> S;
  for (int a = s.link_a, b = s.link_b; a != b;) {
    int& outer = a > b ? a : b;  // parents come before children
    const double sign = a > b ? -1.0 : 1.0;
    const Link& link = m.links()[outer];
    joint_subspace(link, x.q.data(), S.data());
    for (int k = 0; k < link.v.size; ++k) f(link.v.start + k, sign * power(x.X_WL[outer] * S[k], line));
    outer = link.parent;
  }
}

void refuse_no_direction(const Spring& s) {
  if (s.stiffness > 0.0 && s.length > 0.0)
    throw Error(fmt::format("the ends of spring '{}' coincide: it would push them {} m apart, but has no direction",
                            s.name, s.length));
}

struct Line {
  double distance = 0.0;
  Vector3<double> direction{0.0, 0.0, 0.0};
  Wrench<double> force;  ///< a unit force along it, at the world's origin
};

/// For the links as they are in Memory.
Line line_of(const Workspace::Memory& x, const Spring& s) {
  constexpr double kNoDirection = 1e-12;  // m; rounding of places a metre away would decide it
  const Vector3<double> p_a = x.X_WL[s.link_a] * s.p_A, p_b = x.X_WL[s.link_b] * s.p_B;
  Line line;
  line.distance = (p_b - p_a).norm();
  if (line.distance > kNoDirection) line.direction = (p_b - p_a) / line.distance;
  line.force = Wrench<double>(line.direction, cross<double>(p_b, line.direction));
  return line;
}

double stored(const Spring& s, double distance) {
  return 0.5 * s.stiffness * (distance - s.length) * (distance - s.length);
}

SpringState state_of(const Mechanism& m, const Workspace::Memory& x, const Spring& s, const Line& line,
                     const VectorRef& v) {
  SpringState out{.distance = line.distance, .direction = line.direction, .energy = stored(s, line.distance)};
  if (line.direction.isZero()) {
    refuse_no_direction(s);
    return out;
  }
  for_each_slope(m, x, s, line.force, [&](int k, double slope) { out.rate += slope * v[k]; });
  out.tension = s.stiffness * (out.distance - s.length) + s.damping * out.rate;
  out.dissipation = s.damping * out.rate * out.rate;
  return out;
}

SpringState add_forces(const Mechanism& m, const Workspace::Memory& x, const Spring& s, const VectorRef& v, double* tau) {
  const Line line = line_of(x, s);
  const SpringState at = state_of(m, x, s, line, v);
  for_each_slope(m, x, s, line.force, [&](int k, double slope) { tau[k] -= at.tension * slope; });
  return at;
}

const Spring& checked_spring(const Mechanism& m, int spring) {
  if (spring < 0 || spring >= static_cast<int>(m.springs().size()))
    throw Error(fmt::format("'{}' has {} springs, so none has the number {}", m.name(), m.springs().size(), spring));
  return m.springs()[spring];
}

void place_links(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_state(m, work, q, &v);
  forward_kinematics(m, work, q);
}

}  // namespace

SpringState spring_state(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v, int spring) {
  const Spring& s = checked_spring(m, spring);
  place_links(m, work, q, v);
  return state_of(m, work.memory(), s, line_of(work.memory(), s), v);
}

SpringState spring_state(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v, int spring,
                         OwnedVector& tau) {
  const Spring& s = checked_spring(m, spring);
  if (tau.size() != m.nv()) throw Error(fmt::format("tau has {} numbers, but '{}' needs {}", tau.size(), m.name(), m.nv()));
  place_links(m, work, q, v);
  return add_forces(m, work.memory(), s, v, tau.data());
}

VectorView spring_forces(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  place_links(m, work, q, v);
  Workspace::Memory& x = work.memory();
  double* tau = x.springs.numbers();
  std::fill_n(tau, m.nv(), 0.0);
  for (const Spring& s : m.springs()) add_forces(m, x, s, v, tau);
  ++x.springs.writes;
  return x.vector(x.springs);
}

double spring_energy(const Mechanism& m, Workspace& work, const VectorRef& q) {
  forward_kinematics(m, work, q);
  double sum = 0.0;
  for (const Spring& s : m.springs()) sum += stored(s, line_of(work.memory(), s).distance);
  return sum;
}

double spring_dissipation(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  place_links(m, work, q, v);
  double sum = 0.0;
  for (const Spring& s : m.springs()) sum += state_of(m, work.memory(), s, line_of(work.memory(), s), v).dissipation;
  return sum;
}

}  // namespace amble
