#pragma once

#include "amble/base/dual.hpp"
#include "amble/mechanism/joints/list.hpp"
#include "amble/mechanism/mechanism.hpp"

// Exact derivatives of functions of a configuration, by dual numbers through each joint's own group.
namespace amble {

/// integrate(q, d) in any kind of number. Throws an Error for custom joints, which are functions of doubles.
template <class T>
std::vector<T> integrate_in(const Mechanism& m, const VectorRef& q, const std::vector<T>& d) {
  std::vector<T> from(q.data(), q.data() + q.size()), to(from);
  for (const Joint& joint : m.joints()) {
    if (joint.link < 0 || joint.leader >= 0) continue;
    visit_joint(joint.kind, joint.parameters, [&](const auto& type) {
      type.integrate(from.data() + joint.q.start, d.data() + joint.v.start, to.data() + joint.q.start);
    });
  }
  return to;
}

/// Values and derivatives of `f`, which takes an array of numbers q of any kind and returns a std::vector of
/// as many: row i, column k of `slopes` is the rate of number i along e_k.
struct Slopes {
  OwnedVector values;
  OwnedMatrix slopes;
};

template <class F>
Slopes differentiate(const Mechanism& m, const VectorRef& q, F f) {
  using D = Dual<double, 1>;
  const OwnedVector at = m.checked_configuration(q);
  Slopes out;
  for (int k = 0; k < m.nv(); ++k) {
    std::vector<D> d(m.nv());
    d[k] = D::variable(0.0, 0);
    const std::vector<D> along = f(integrate_in(m, at, d));
    if (k == 0) out = {OwnedVector(along.size()), OwnedMatrix(along.size(), m.nv())};
    for (std::size_t i = 0; i < along.size(); ++i)
      out.values[i] = along[i].value, out.slopes(i, k) = along[i].grad[0];
  }
  return out;
}

/// Value, differential and second derivatives, along the joints' groups, of a function that takes an array of
/// numbers q of any kind and returns one.
struct SecondSlopes {
  double value = 0.0;
  OwnedVector differential;
  OwnedMatrix second;  ///< d^2 f(integrate(q, d)) / dd_j dd_k at d = 0
};

template <class F>
SecondSlopes differentiate_twice(const Mechanism& m, const VectorRef& q, F f) {
  using D = Dual<Dual<double, 1>, 1>;
  const OwnedVector at = m.checked_configuration(q);
  SecondSlopes out{0.0, OwnedVector(m.nv()), OwnedMatrix(m.nv(), m.nv())};
  for (int j = 0; j < m.nv(); ++j)
    for (int k = 0; k <= j; ++k) {
      std::vector<D> d(m.nv());
      d[j].value.grad[0] += 1.0;
      d[k].grad[0].value += 1.0;
      const D along = f(integrate_in(m, at, d));
      out.value = along.value.value;
      out.differential[j] = along.value.grad[0];
      out.second(j, k) = out.second(k, j) = along.grad[0].grad[0];
    }
  return out;
}

}  // namespace amble
