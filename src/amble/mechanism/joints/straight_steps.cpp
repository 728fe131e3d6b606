#include "amble/mechanism/joints/straight_steps.hpp"

#include <type_traits>

#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

using V3 = Vector3<double>;

Quaternion<double> turn_of(const double* d) { return Quaternion<double>::exp(V3(d[3], d[4], d[5])); }

/// f(joint) for every joint with coordinates of its own that is free.
template <class F>
void for_each_free(const Mechanism& m, const F& f) {
  for (const Joint& at : m.joints()) {
    if (at.leader >= 0 || at.q.size == 0) continue;
    visit_joint(at.kind, at.parameters, [&](const auto& joint) {
      if constexpr (std::is_same_v<std::decay_t<decltype(joint)>, Free>) f(joint, at);
    });
  }
}

}  // namespace

void integrate_straight(const Mechanism& m, const double* q, const double* d, double* out) {
  m.integrate_unchecked(q, d, out);
  for_each_free(m, [&](const Free& joint, const Joint& at) {
    const double* by = d + at.v.start;
    Eigen::Map<V3>(out + at.q.start) = joint.pose(q + at.q.start) * V3(by[0], by[1], by[2]);
  });
}

void add_turning(const Mechanism& m, double h, const double* v, double* out) {
  for_each_free(m, [&](const Free&, const Joint& at) {
    const double* own = v + at.v.start;
    Eigen::Map<V3>(out + at.v.start) += h * cross(V3(own[3], own[4], own[5]), V3(own[0], own[1], own[2]));
  });
}

void turn_along(const Mechanism& m, const double* d, double* v) {
  for_each_free(m, [&](const Free&, const Joint& at) {
    Eigen::Map<V3> own(v + at.v.start);
    own = SO3<double>(turn_of(d + at.v.start).conjugate()) * V3(own);
  });
}

}  // namespace amble
