#include "amble/constraints/contact_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/constraints/contact_dense.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// How far J a may be from its goal where redundant rows are said to agree.
constexpr double kAgree = 1e-6;

kernels::Contact kernel_contact(const KernelTree& tree, const Place& at, const BodyContact& given, int row) {
  const Pose X_NC = Pose(tree.turn_of_link(at.link)) * at.X_LP * given.X_PC;
  kernels::Contact c;
  c.node = tree.node_of_link(at.link), c.row = row;
  c.point = given.point, c.aligned = given.axes == ContactAxes::world;
  for (int k = 0; k < 9; ++k) c.R[k] = X_NC.rotation().matrix()(k / 3, k % 3);
  for (int k = 0; k < 3; ++k) c.p[k] = X_NC.translation()[k];
  return c;
}

/// How many columns move both nodes.
int shared_columns(const kernels::Tree& t, int a, int b) {
  while (a != b) (a > b ? a : b) = t.nodes[a > b ? a : b].parent;
  return a == 0 ? 0 : t.nodes[a].depth + t.nodes[a].freedoms;
}

void check(const Mechanism& m, const std::vector<BodyContact>& contacts) {
  if (contacts.empty()) throw Error(fmt::format("'{}' has no contacts to work with", m.name()));
  for (const BodyContact& c : contacts)
    if (!c.X_PC.translation().allFinite() || !c.X_PC.rotation().matrix().allFinite())
      throw Error(fmt::format("the pose of the contact on '{}' is not finite", c.place));
}

/// The contacts as the kernels want them.
class ContactTable {
 public:
  ContactTable(const Mechanism& m, const KernelTree& tree, const std::vector<BodyContact>& given, double damping) {
    for (const BodyContact& c : given) {
      all_.push_back(kernel_contact(tree, m.place(c.place), c, contacts_.rows));
      contacts_.rows += all_.back().rows();
    }
    for (const kernels::Contact& a : all_)
      for (const kernels::Contact& b : all_) shared_.push_back(shared_columns(tree.tree(), a.node, b.node));
    contacts_.all = all_.data(), contacts_.count = static_cast<int>(all_.size());
    contacts_.shared = shared_.data(), contacts_.damping = damping;
  }
  ContactTable(const ContactTable&) = delete;
  ContactTable& operator=(const ContactTable&) = delete;

  const kernels::Contacts& contacts() const { return contacts_; }
  const kernels::Contact& operator[](int i) const { return all_[i]; }
  /// The contact that a row belongs to.
  int owner(int row) const {
    int i = contacts_.count - 1;
    while (all_[i].row > row) --i;
    return i;
  }

 private:
  std::vector<kernels::Contact> all_;
  std::vector<int> shared_;
  kernels::Contacts contacts_;
};

DenseContacts::Matrix matrix(OwnedRowMatrix& x) { return {x.data(), x.rows(), x.cols()}; }
DenseContacts::Matrix matrix(OwnedVector& x) { return {x.data(), x.size(), 1}; }

}  // namespace

void ContactOptions::validate() const {
  if (!(damping >= 0.0) || !std::isfinite(damping))
    throw Error(fmt::format("the damping of contacts is {} 1/s: expected 0 or more", damping));
  if (!(redundancy > 0.0 && redundancy < 1.0))
    throw Error(fmt::format("the redundancy of contacts is {}: expected more than 0 and less than 1", redundancy));
}

struct ContactDynamics::Memory {
  Memory(const Mechanism& m, std::vector<BodyContact> contacts, const ContactOptions& o)
      : mechanism(m),
        given(std::move(contacts)),
        work(m),
        table(mechanism, work.memory().tree, given, o.damping),
        scratch(kernels::kernels().contact_bytes(tree(), table.contacts())),
        dense(m.nv(), rows(), o.redundancy),
        a(m.nv()),
        y(m.nv()),
        f(rows()),
        bias(rows()),
        goal(rows()),
        wrench(6 * given.size()),
        J(rows(), m.nv()),
        dq(J),
        dv(J),
        turn(J) {
    change.a_dq = change.a_dv = change.a_dtau = OwnedRowMatrix(m.nv(), m.nv());
    change.f_dq = change.f_dv = change.f_dtau = J;
  }

  const kernels::Tree& tree() { return work.memory().tree.tree(); }
  int rows() const { return table.contacts().rows; }
  const double* custom() { return work.memory().custom.numbers(); }
  void load(const VectorRef& q, const VectorRef& v) { load_state(mechanism, work, q, &v, CustomNumbers::changes); }
  VectorRef at_rest() { return Eigen::Map<const Eigen::VectorXd>(work.memory().zero.numbers(), mechanism.nv()); }

  void solve(const kernels::Tree& t, const VectorRef& v, const VectorRef& tau, const double* external,
             const double* more);
  void solve_dense(const kernels::Tree& t, const VectorRef& v, const VectorRef& tau, const double* external,
                   const double* more);
  void differentiate_dense(const VectorRef& v, const double* external);
  void add_change_of_sharing();
  void find_rows(const kernels::Tree& t, const VectorRef& v, const double* at_a, const double* at_f);
  void check_outcome(const kernels::ContactOutcome& outcome);
  void check_held(const DenseContacts::Residual& r) const;
  const std::string& owner(const DenseContacts::Residual& r) const { return given[table.owner(r.row)].place; }

  Mechanism mechanism;
  std::vector<BodyContact> given;
  Workspace work;
  ContactTable table;
  LineBuffer scratch;
  DenseContacts dense;
  OwnedVector a, y, f, bias, goal, wrench;
  OwnedRowMatrix J, dq, dv, turn;
  ContactDerivatives change;
  int rank = 0;
};

ContactDynamics::ContactDynamics(const Mechanism& m, std::vector<BodyContact> contacts,
                                 const ContactOptions& options) {
  options.validate();
  check(m, contacts);
  memory_ = std::make_unique<Memory>(m, std::move(contacts), options);
}
ContactDynamics::ContactDynamics(ContactDynamics&&) noexcept = default;
ContactDynamics& ContactDynamics::operator=(ContactDynamics&&) noexcept = default;
ContactDynamics::~ContactDynamics() = default;

const Mechanism& ContactDynamics::mechanism() const { return memory_->mechanism; }
std::span<const BodyContact> ContactDynamics::contacts() const { return memory_->given; }
int ContactDynamics::rows() const { return memory_->rows(); }
int ContactDynamics::rank() const { return memory_->rank; }
const OwnedVector& ContactDynamics::accelerations() const { return memory_->a; }
const OwnedVector& ContactDynamics::forces() const { return memory_->f; }

int ContactDynamics::row(int contact) const {
  if (contact < 0 || contact >= memory_->table.contacts().count)
    throw Error(fmt::format("there is no contact {}: there are {}", contact, memory_->given.size()));
  return memory_->table[contact].row;
}

Wrench<double> ContactDynamics::force(int contact) const {
  const double* f = memory_->f.data() + row(contact);
  const Vector3<double> force(f);
  return {force, memory_->given[contact].point ? Vector3<double>::Zero() : Vector3<double>(f + 3)};
}

// ---- accelerations and forces

void ContactDynamics::Memory::check_held(const DenseContacts::Residual& r) const {
  if (!(r.size <= kAgree))
    throw Error(fmt::format("contacts contradict each other: the one on '{}' cannot hold with the others, the smallest "
                            "residual is {:.3g}",
                            owner(r), r.size));
}

void ContactDynamics::Memory::find_rows(const kernels::Tree& t, const VectorRef& v, const double* at_a,
                                        const double* at_f) {
  kernels::kernels().contact_rows(t, table.contacts(), scratch.data(), work.memory().q.data(), v.data(), at_a, at_f,
                                  custom(),
                                  {J.data(), bias.data(), dq.data(), dv.data(), turn.data(), wrench.data()});
}

void ContactDynamics::Memory::check_outcome(const kernels::ContactOutcome& outcome) {
  const auto finite = [](const OwnedVector& x) { return kernels::kernels().all_finite(x.data(), int(x.size())); };
  if (!(outcome.smallest > 0.0) || !finite(a) || !finite(f)) throw_singular(mechanism, work);
  rank = rows();
}

void ContactDynamics::Memory::solve(const kernels::Tree& t, const VectorRef& v, const VectorRef& tau,
                                    const double* external, const double* more) {
  if (t.coupled) return solve_dense(t, v, tau, external, more);
  const kernels::ContactOutcome outcome =
      kernels::kernels().contact_dynamics(t, table.contacts(), scratch.data(), work.memory().q.data(), v.data(),
                                          tau.data(), custom(), external, more, a.data(), f.data());
  if (!outcome.independent) return solve_dense(t, v, tau, external, more);
  check_outcome(outcome);
}

void ContactDynamics::Memory::solve_dense(const kernels::Tree& t, const VectorRef& v, const VectorRef& tau,
                                          const double* external, const double* more) {
  Workspace::Memory& x = work.memory();
  find_rows(t, v, nullptr, nullptr);
  run_mass_matrix(work);
  if (!dense.factor(x.M.matrix(), matrix(J))) throw_singular(mechanism, work);
  kernels::kernels().inverse_dynamics.single(t, x.scratch.data(), x.q.data(), v.data(), nullptr, custom(), external,
                                             x.bias.numbers());
  a = tau - Eigen::Map<Eigen::VectorXd>(x.bias.numbers(), mechanism.nv());
  f = -bias;
  if (more != nullptr) f += Eigen::Map<const Eigen::VectorXd>(more, rows());
  check_held(dense.solve(matrix(a), matrix(f)));
  rank = dense.rank();
}

const OwnedVector& ContactDynamics::solve(const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                                          std::span<const ExternalWrench> external) {
  Memory& x = *memory_;
  load_check(x.mechanism, tau, "tau");
  x.load(q, v);
  x.solve(x.tree(), v, tau, load_external(x.mechanism, x.work, external), nullptr);
  return x.a;
}

/// An instant in which only impulses count: accelerations without velocities and weight.
const OwnedVector& ContactDynamics::impact(const VectorRef& q, const VectorRef& v, double restitution) {
  Memory& x = *memory_;
  if (!(restitution >= 0.0 && restitution <= 1.0))
    throw Error(fmt::format("the restitution of contacts is {}: expected 0 to 1", restitution));
  load_check(x.mechanism, v, "v");
  x.load(q, x.at_rest());
  x.find_rows(x.tree(), x.at_rest(), nullptr, nullptr);
  x.goal.noalias() = -(1.0 + restitution) * (x.J * v);
  x.solve(x.work.memory().tree.without_gravity(), x.at_rest(), x.at_rest(), nullptr, x.goal.data());
  x.a += v;
  return x.a;
}

// ---- derivatives

const ContactDerivatives& ContactDynamics::derivatives(const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                                                       std::span<const ExternalWrench> external) {
  Memory& x = *memory_;
  load_check(x.mechanism, tau, "tau");
  x.load(q, v);
  const double* wrenches = load_external(x.mechanism, x.work, external);
  if (!x.tree().coupled) {
    ContactDerivatives& d = x.change;
    double* const da[] = {d.a_dq.data(), d.a_dv.data(), d.a_dtau.data()};
    double* const df[] = {d.f_dq.data(), d.f_dv.data(), d.f_dtau.data()};
    const kernels::ContactOutcome outcome = kernels::kernels().contact_derivatives(
        x.tree(), x.table.contacts(), x.scratch.data(), x.work.memory().q.data(), v.data(), tau.data(), x.custom(),
        wrenches, x.a.data(), x.f.data(), da, df);
    if (outcome.independent) return x.check_outcome(outcome), d;
  }
  x.solve_dense(x.tree(), v, tau, wrenches, nullptr);
  x.differentiate_dense(v, wrenches);
  return x.change;
}

/// By the equations that a and f solve, differentiated in numbers that turn with the bodies.
void ContactDynamics::Memory::differentiate_dense(const VectorRef& v, const double* external) {
  Workspace::Memory& x = work.memory();
  find_rows(tree(), v, a.data(), f.data());
  double* on_nodes = x.external.numbers();
  if (external == nullptr) std::fill_n(on_nodes, 6 * tree().count, 0.0);
  for (int i = 0; i < table.contacts().count; ++i)
    for (int k = 0; k < 6; ++k) on_nodes[6 * table[i].node + k] += wrench[6 * i + k];
  kernels::kernels().inverse_derivatives.single(tree(), x.scratch.data(), x.q.data(), v.data(), a.data(), custom(),
                                                on_nodes, x.tau_dq.numbers(), x.tau_dv.numbers(), x.tau_M.numbers());
  change.a_dq = -x.tau_dq.matrix(), change.a_dv = -x.tau_dv.matrix(), change.a_dtau.setIdentity();
  change.f_dq = -dq, change.f_dv = -dv, change.f_dtau.setZero();
  const auto solve = [&](OwnedRowMatrix& da, OwnedRowMatrix& df) {
    const DenseContacts::Residual r = dense.solve(matrix(da), matrix(df));
    if (!(r.size <= kAgree))
      throw Error(fmt::format("there are no derivatives here: the contact on '{}' repeats others in this configuration "
                              "only, the residual is {:.3g}",
                              owner(r), r.size));
  };
  solve(change.a_dq, change.f_dq), solve(change.a_dv, change.f_dv), solve(change.a_dtau, change.f_dtau);
  change.f_dq += turn;
  if (rank < rows()) add_change_of_sharing();
}

/// The smallest forces are f = J y; as J changes, so does where they lie: by (dJ/dq) y, of which the part that J^T
/// sees is known. That is how the rows of contacts change at rest for the accelerations y.
void ContactDynamics::Memory::add_change_of_sharing() {
  dense.source(f.data(), y.data());
  load(work.memory().q, at_rest());
  find_rows(work.memory().tree.without_gravity(), at_rest(), y.data(), f.data());
  dense.add_beyond_rows(matrix(dq), matrix(change.f_dq));
}

Linearization linearize(ContactDynamics& dynamics, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                        std::span<const ExternalWrench> external) {
  const ContactDerivatives& d = dynamics.derivatives(q, v, tau, external);
  return linearization(dynamics.mechanism(), q, v, d.a_dq, d.a_dv, d.a_dtau);
}

}  // namespace amble
