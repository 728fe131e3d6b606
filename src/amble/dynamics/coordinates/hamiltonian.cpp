#include "amble/dynamics/coordinates/hamiltonian.hpp"

#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

bool turns_with_child(Elementary motion) { return motion == Elementary::ball || motion == Elementary::free; }

/// h . dS_k/dt for every axis: those of spherical and free joints turn with the child, the others with what carries
/// them, for which `after` will do as well (an axis does not turn itself).
void add_axis_rates(const Link& link, const LinkMotion& at, const Twist<double>& V_P, const double* v, double* pdot) {
  for_each_axis(link, at, V_P, v, [&](int k, const Twist<double>&, const Twist<double>& after) {
    pdot[link.v.start + k] += power(cross(after, at.S[k]), at.F);
  });
}

/// What a custom joint adds: its axes also change on the child, by dS_k/dq_j v_j.
void add_custom_rates(const Link& link, const LinkMotion& at, const double* block, const double* v, double* pdot) {
  for (int j = 0; j < link.v.size; ++j)
    for (int k = 0; k < link.v.size; ++k) {
      const Vector6<double> change(block + kernels::kCustomChange + 36 * j + 6 * k);
      pdot[link.v.start + k] += v[link.v.start + j] * power(Twist<double>(change), at.F);
    }
}

/// Armature is an inertia that moves with the joint alone: the same as add_axis_rates() for a parent at rest.
void add_armature_rates(const Mechanism& m, const Link& link, const LinkMotion& at, const double* v, double* pdot) {
  const JointSteps chain = visit_joint(link.kind, link.parameters, [](const auto& joint) { return joint.steps(); });
  if (!turns_with_child(chain.steps[0].motion)) return;
  Twist<double> V;
  Wrench<double> momentum;
  for (int k = 0; k < link.v.size; ++k) {
    V += v[link.v.start + k] * at.S[k];
    momentum += Wrench<double>(m.armature()[link.v.start + k] * v[link.v.start + k] * at.S[k].vector());
  }
  for (int k = 0; k < link.v.size; ++k) pdot[link.v.start + k] += power(cross(V, at.S[k]), momentum);
}

/// The inward sweep: momenta of all that each joint carries, and what their pairing with the moving axes gives.
void add_structure(const Mechanism& m, Workspace& work, std::span<LinkMotion> links, const double* v, double* pdot) {
  const KernelTree& tree = work.memory().tree;
  for (int i = static_cast<int>(links.size()) - 1; i > 0; --i) {
    const Link& link = m.links()[i];
    LinkMotion &at = links[i], &parent = links[link.parent];
    at.F += link.inertia * at.V;
    add_axis_rates(link, at, at.X_PL.inverse() * parent.V, v, pdot);
    add_armature_rates(m, link, at, v, pdot);
    if (link.parameters.custom != nullptr) {
      const int place = tree.tree().nodes[tree.node_of_link(i)].custom;
      add_custom_rates(link, at, work.memory().custom.numbers() + place * kernels::kCustomBlock, v, pdot);
    }
    parent.F += at.X_PL * at.F;
  }
}

VectorRef load_velocities(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& p) {
  load_check(m, p, "p");
  load_state(m, work, q, nullptr);
  solve_mass_matrix(m, work, p.data(), work.memory().velocities);
  return Eigen::Map<const Eigen::VectorXd>(work.memory().velocities.numbers(), m.nv());
}

/// f(pose of the child on the joint's frame, place in v) for free joints, and for spherical ones with only the
/// rotation to care for.
template <class F>
void for_each_group_joint(const Mechanism& m, const VectorRef& q, F f) {
  const OwnedVector checked = m.checked_configuration(q);
  for (const Joint& joint : m.joints())
    if (joint.leader < 0 && (joint.kind == kJointKind<Free> || joint.kind == kJointKind<Spherical>))
      f(visit_joint(joint.kind, joint.parameters, [&](const auto& j) { return j.pose(checked.data() + joint.q.start); }),
        joint.v);
}

/// The momenta of a joint as a wrench, and back.
Wrench<double> wrench_at(const VectorRef& p, const Slice& v) {
  if (v.size == 3) return {Vector3<double>::Zero(), p.segment<3>(v.start)};
  return Wrench<double>(Vector6<double>(p.segment<6>(v.start)));
}
Twist<double> twist_at(const VectorRef& x, const Slice& v) { return Twist<double>(wrench_at(x, v).vector()); }
void put_wrench(const Wrench<double>& F, const Slice& v, OwnedVector& p) {
  p.segment(v.start, v.size) = F.vector().tail(v.size);
}

OwnedVector checked(const Mechanism& m, const VectorRef& x, const char* what) {
  m.check_velocity(x, what);
  return OwnedVector(x);
}

}  // namespace

VectorView momenta(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v) {
  load_check(m, v, "v");
  load_state(m, work, q, nullptr);
  Workspace::Memory& x = work.memory();
  const kernels::Tree still = x.tree.without_gravity();
  kernels::kernels().inverse_dynamics.single(still, x.scratch.data(), x.q.data(), x.zero.numbers(), v.data(),
                                             x.custom.numbers(), nullptr, x.momenta.numbers());
  ++x.momenta.writes;
  return x.vector(x.momenta);
}

VectorView velocities(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& p) {
  load_velocities(m, work, q, p);
  return work.memory().vector(work.memory().velocities);
}

double hamiltonian(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& p) {
  const double kinetic = 0.5 * p.dot(load_velocities(m, work, q, p));
  return kinetic + potential_energy(m, work, q);
}

HamiltonianRates hamiltonian_rates(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& p,
                                   const VectorRef& tau, std::span<const ExternalWrench> external) {
  load_check(m, tau, "tau");
  const VectorRef v = load_velocities(m, work, q, p);
  Workspace::Memory& x = work.memory();
  run_inverse_dynamics(work, x.zero.numbers(), nullptr, load_external(m, work, external), x.pdot);
  Eigen::Map<Eigen::VectorXd> pdot(x.pdot.numbers(), m.nv());
  pdot = tau - pdot;
  add_structure(m, work, link_velocities(m, work, q, v), v.data(), pdot.data());
  return {x.vector(x.velocities), x.vector(x.pdot)};
}

OwnedVector momenta_in_world(const Mechanism& m, const VectorRef& q, const VectorRef& p_body) {
  OwnedVector p = checked(m, p_body, "p");
  for_each_group_joint(m, q, [&](const Pose& X, const Slice& v) { put_wrench(X * wrench_at(p, v), v, p); });
  return p;
}

OwnedVector momenta_in_body(const Mechanism& m, const VectorRef& q, const VectorRef& p_world) {
  OwnedVector p = checked(m, p_world, "p");
  for_each_group_joint(m, q, [&](const Pose& X, const Slice& v) { put_wrench(X.inverse() * wrench_at(p, v), v, p); });
  return p;
}

OwnedVector momentum_rates_in_world(const Mechanism& m, const VectorRef& q, const VectorRef& velocity,
                                    const VectorRef& p_body, const VectorRef& pdot_body) {
  m.check_velocity(velocity, "v"), m.check_velocity(p_body, "p");
  OwnedVector rates = checked(m, pdot_body, "pdot");
  for_each_group_joint(m, q, [&](const Pose& X, const Slice& v) {
    put_wrench(X * (wrench_at(rates, v) + cross(twist_at(velocity, v), wrench_at(p_body, v))), v, rates);
  });
  return rates;
}

}  // namespace amble
