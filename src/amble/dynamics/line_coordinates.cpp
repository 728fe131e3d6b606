#include "amble/dynamics/line_coordinates.hpp"

#include "amble/dynamics/workspace_memory.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

namespace {

/// M . dL/dt for every axis of the link's joint, onto the gradient; `V_P` is the twist of the parent, in L like M.
void add_axes(const Link& link, const LinkMotion& at, const Twist<double>& V_P, const double* v, double* gradient) {
  for_each_axis(link, at, V_P, v, [&](int k, const Twist<double>& carrier, const Twist<double>&) {
    gradient[link.v.start + k] += power(cross(carrier, at.S[k]), at.F);
  });
}

/// M . (dS/dq_k) v, from the joint's numbers (kernels::kCustomBlock): its node has the link's axes.
void add_custom(const Link& link, const LinkMotion& at, const double* block, const double* v, double* gradient) {
  for (int k = 0; k < link.v.size; ++k)
    for (int j = 0; j < link.v.size; ++j) {
      const Vector6<double> change(block + kernels::kCustomChange + 36 * k + 6 * j);
      gradient[link.v.start + k] += v[link.v.start + j] * power(Twist<double>(change), at.F);
    }
}

}  // namespace

VectorView kinetic_energy_gradient(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  const std::span<LinkMotion> links = link_velocities(m, work, q, v);
  Workspace::Memory& x = work.memory();
  double* gradient = x.kinetic_gradient.numbers();
  std::fill_n(gradient, m.nv(), 0.0);
  for (int i = static_cast<int>(links.size()) - 1; i > 0; --i) {
    const Link& link = m.links()[i];
    LinkMotion &at = links[i], &parent = links[link.parent];
    at.F += link.inertia * at.V;
    add_axes(link, at, at.X_PL.inverse() * parent.V, v.data(), gradient);
    if (link.parameters.custom != nullptr) {
      const int place = x.tree.tree().nodes[x.tree.node_of_link(i)].custom;
      add_custom(link, at, x.custom.numbers() + place * kernels::kCustomBlock, v.data(), gradient);
    }
    parent.F += at.X_PL * at.F;
  }
  ++x.kinetic_gradient.writes;
  return x.vector(x.kinetic_gradient);
}

}  // namespace amble
