#include "amble/dynamics/workspace.hpp"

#include "amble/dynamics/workspace_kernel.hpp"
#include "amble/mechanism/joints/list.hpp"

namespace amble {

Workspace::Workspace(const Mechanism& m)
    : q(m.nq()),
      X_WL(m.links().size()),
      jacobian(6, m.nv()),
      tau(m.nv()),
      bias(m.nv()),
      a(m.nv()),
      M(m.nv(), m.nv()),
      M_factor(m.nv(), m.nv()),
      owner_(m.shared_description()),
      kernel_(std::make_unique<Kernel>(m)) {}

void Workspace::throw_other_owner(const Mechanism& m) const {
  throw Error("the workspace belongs to mechanism '" + owner_->name + "', but '" + m.name() +
              "' is asked for; make a Workspace for each mechanism, also for changed copies");
}

Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

namespace {

bool all_finite(const VectorRef& x) {
  double sum = 0.0;  // x - x is zero for numbers and NaN for anything else
  for (Eigen::Index i = 0; i < x.size(); ++i) sum += x[i] - x[i];
  return sum == 0.0;
}

/// One custom joint in numbers, see kernels::kCustomBlock.
void fill_block(const Link& link, const double* q, const double* v, double* block) {
  const CustomJoint& joint = *link.parameters.custom;
  const Pose X = joint.pose(q);
  std::array<Twist<double>, 6> S;
  joint.subspace(q, S.data());
  const Twist<double> bias = v == nullptr ? Twist<double>() : joint.bias(q, v);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) block[3 * r + c] = X.rotation().matrix()(r, c);
    block[9 + r] = X.translation()[r];
  }
  for (int k = 0; k < joint.nv(); ++k) Eigen::Map<Vector6<double>>(block + 12 + 6 * k) = S[k].vector();
  Eigen::Map<Vector6<double>>(block + 48) = bias.vector();
}

}  // namespace

void load_check(const Mechanism& m, const VectorRef& x, const char* what) {
  if (x.size() != m.nv() || !all_finite(x)) m.check_velocity(x, what);
}

void load_state(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef* v) {
  work.check_owner(m);
  constexpr double kExact = 1e-15;  // a quaternion nearer to unit than this is used as it is
  Workspace::Kernel& kernel = work.kernel();
  bool plain = q.size() == m.nq() && all_finite(q) && kernel.tree.custom_links().empty();
  if (plain) {
    std::copy_n(q.data(), q.size(), work.q.data());
    for (int at : kernel.tree.quaternions())
      plain = plain && std::abs(q.segment<4>(at).squaredNorm() - 1.0) <= kExact;
  }
  if (!plain) m.check_configuration(q, work.q);
  if (v != nullptr) load_check(m, *v, "v");
  for (std::size_t i = 0; i < kernel.tree.custom_links().size(); ++i) {
    const Link& link = m.links()[kernel.tree.custom_links()[i]];
    fill_block(link, work.q.data() + link.q.start, v == nullptr ? nullptr : v->data() + link.v.start,
               kernel.custom.numbers() + i * kernels::kCustomBlock);
  }
}

}  // namespace amble
