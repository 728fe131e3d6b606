#include "amble/dynamics/workspace.hpp"

#include <algorithm>
#include <cstring>

#include "amble/dynamics/regressor.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {
Eigen::Index body_count(const Mechanism& m) { return static_cast<Eigen::Index>(m.bodies().size()); }
}  // namespace

Workspace::Memory::Memory(const Mechanism& m)
    : tree(m),
      scratch(kernels::kernels().scratch_bytes(tree.tree(), false)),
      custom(sizeof(double) * kernels::kCustomBlock * tree.tree().customs),
      external(sizeof(double) * 6 * tree.tree().count),
      zero(sizeof(double) * m.nv()),
      unit(sizeof(double) * m.nv()),
      q(m.nq()),
      v(m.nv()),
      q_checked(m.nq()),
      poses("forward_kinematics", tree.tree().count, kernels::kPose, false),
      columns("jacobian", 6, tree.tree().columns, false),
      column_rates("jacobian_dot", 6, tree.tree().columns, true),
      jacobian("jacobian", 6, m.nv(), false),
      jacobian_dot("jacobian_dot", 6, m.nv(), true),
      momentum_matrix("momentum_matrix", 6, m.nv(), false),
      momentum_matrix_dot("momentum_matrix_dot", 6, m.nv(), true),
      summary("center_of_mass", kernels::kSummary, 1, true),
      momentum("momentum", 6, 1, true),
      tau("inverse_dynamics", m.nv(), 1, true),
      bias("bias_forces", m.nv(), 1, true),
      gravity("gravity_forces", m.nv(), 1, false),
      a("forward_dynamics", m.nv(), 1, true),
      M("mass_matrix", m.nv(), m.nv(), false),
      M_inverse("inverse_mass_matrix", m.nv(), m.nv(), false),
      C("coriolis_matrix", m.nv(), m.nv(), true),
      M_factor("mass_matrix", m.nv(), m.nv(), false),
      tau_dq("inverse_dynamics_derivatives", m.nv(), m.nv(), true),
      tau_dv("inverse_dynamics_derivatives", m.nv(), m.nv(), true),
      tau_M("inverse_dynamics_derivatives", m.nv(), m.nv(), false),
      a_of_derivatives("forward_dynamics_derivatives", m.nv(), 1, true),
      a_dq("forward_dynamics_derivatives", m.nv(), m.nv(), true),
      a_dv("forward_dynamics_derivatives", m.nv(), m.nv(), true),
      a_M_inverse("forward_dynamics_derivatives", m.nv(), m.nv(), false),
      momenta("momenta", m.nv(), 1, false),
      velocities("velocities", m.nv(), 1, false),
      pdot("hamiltonian_rates", m.nv(), 1, false),
      kinetic_gradient("kinetic_energy_gradient", m.nv(), 1, true),
      generalized("generalized_forces", m.nv(), 1, false),
      actuators("actuator_forces", m.nv(), 1, false),
      springs("spring_forces", m.nv(), 1, true),
      regressor("inverse_dynamics_regressor", m.nv(), kInertialParameters * body_count(m), true),
      kinetic_row("kinetic_energy_regressor", kInertialParameters * body_count(m), 1, true),
      potential_row("potential_energy_regressor", kInertialParameters * body_count(m), 1, false),
      placement("inverse_dynamics_placement_derivatives", m.nv(), 6, true),
      X_WL(m.links().size()),
      links(m.links().size()) {}

Watch Workspace::Memory::watch(const ResultSlot& slot) const {
  Watch w{{&q_count, slot.needs_v ? &v_count : &kNever, &slot.writes}, 0, slot.function};
  w.sum = *w.counts[0] + *w.counts[1] + *w.counts[2];
  return w;
}

void Watch::throw_stale() const {
  throw Error(std::string("a stale result of ") + function +
              "() is read: its workspace has been used for another state or by the same function since; copy results "
              "that must live longer");
}

Workspace::Workspace(const Mechanism& m) : owner_(m.shared_description()), memory_(std::make_unique<Memory>(m)) {}

void Workspace::throw_other_owner(const Mechanism& m) const {
  throw Error("the workspace belongs to mechanism '" + owner_->name + "', but '" + m.name() +
              "' is asked for; make a Workspace for each mechanism, also for changed copies");
}

Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

namespace {

bool all_finite(const VectorRef& x) { return kernels::kernels().all_finite(x.data(), static_cast<int>(x.size())); }

/// Copies what differs; true if anything did.
bool take(const double* from, OwnedVector& to) {
  const std::size_t bytes = sizeof(double) * to.size();
  if (bytes == 0 || std::memcmp(from, to.data(), bytes) == 0) return false;
  std::memcpy(to.data(), from, bytes);
  return true;
}

}  // namespace

bool ready_for_kernels(const KernelTree& tree, const double* q) {
  constexpr double kExact = 1e-15;  // nearer to unit than this is used as it is
  if (!tree.custom_links().empty() || !kernels::kernels().all_finite(q, tree.tree().nq)) return false;
  for (int at : tree.quaternions())
    if (!(std::abs(Eigen::Map<const Vector4<double>>(q + at).squaredNorm() - 1.0) <= kExact)) return false;
  return true;
}

void load_check(const Mechanism& m, const VectorRef& x, const char* what) {
  if (x.size() != m.nv() || !all_finite(x)) m.check_velocity(x, what);
}

void load_state(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef* v, CustomNumbers numbers) {
  work.check_owner(m);
  Workspace::Memory& memory = work.memory();
  if (v != nullptr) load_check(m, *v, "v");
  if (q.size() == m.nq() && ready_for_kernels(memory.tree, q.data())) {
    if (take(q.data(), memory.q)) ++memory.q_count;
  } else {
    m.check_configuration(q, memory.q_checked);
    if (take(memory.q_checked.data(), memory.q)) ++memory.q_count;
  }
  if (v != nullptr && take(v->data(), memory.v)) ++memory.v_count;
  for (std::size_t i = 0; i < memory.tree.custom_links().size(); ++i) {
    const Link& link = m.links()[memory.tree.custom_links()[i]];
    fill_custom_block(link, memory.q.data() + link.q.start, v == nullptr ? nullptr : v->data() + link.v.start, numbers,
                      memory.custom.numbers() + i * kernels::kCustomBlock);
  }
}

const double* load_external(const Mechanism& m, Workspace& work, std::span<const ExternalWrench> external) {
  if (external.empty()) return nullptr;
  Workspace::Memory& memory = work.memory();
  double* out = memory.external.numbers();
  std::fill_n(out, 6 * memory.tree.tree().count, 0.0);
  for (const ExternalWrench& e : external) {
    if (e.body < -1 || e.body >= static_cast<int>(m.bodies().size()))
      throw Error("an external wrench names body " + std::to_string(e.body) + ", but there are " +
                  std::to_string(m.bodies().size()));
    if (!e.F_B_B.vector().allFinite()) throw Error("an external wrench is not finite");
    if (e.body < 0) continue;
    const Body& body = m.bodies()[e.body];
    const Wrench<double> F = Pose(memory.tree.turn_of_link(body.link)) * (body.X_LB * e.F_B_B);
    Eigen::Map<Vector6<double>>(out + 6 * memory.tree.node_of_link(body.link)) += F.vector();
  }
  return out;
}

}  // namespace amble
