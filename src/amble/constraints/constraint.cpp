#include "amble/constraints/constraint.hpp"

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// Twist of a node about its root's origin: linear part first, world axes.
using Spatial = Vector6<double>;

}  // namespace

struct ConstraintKinematics::Memory {
  explicit Memory(const Mechanism& m)
      : mechanism(m), work(m), q(m.nq()), v(m.nv()), V(work.memory().tree.tree().count), C(V.size()) {}

  Mechanism mechanism;
  Workspace work;
  OwnedVector q, v;
  double t = 0.0;
  std::vector<Spatial> V, C;  // by node: its twist, and what its rate has besides S a

  const kernels::Tree& tree() { return work.memory().tree.tree(); }
  int node(int link) { return work.memory().tree.node_of_link(link); }
  Spatial column(const ResultSlot& slot, int c) const {
    const double* numbers = const_cast<ResultSlot&>(slot).numbers();
    Spatial S;
    for (int k = 0; k < 6; ++k) S[k] = numbers[k * slot.cols + c];
    return S;
  }
  /// The point that a node's twist is about.
  Vector3<double> root(int node) {
    if (node == 0) return Vector3<double>::Zero();
    return Vector3<double>(work.memory().poses.numbers() + kernels::kPose * node + 12);
  }
};

ConstraintKinematics::ConstraintKinematics(const Mechanism& m) : memory_(std::make_unique<Memory>(m)) {}
ConstraintKinematics::ConstraintKinematics(ConstraintKinematics&&) noexcept = default;
ConstraintKinematics::~ConstraintKinematics() = default;

const Mechanism& ConstraintKinematics::mechanism() const { return memory_->mechanism; }
Workspace& ConstraintKinematics::workspace() { return memory_->work; }
const OwnedVector& ConstraintKinematics::q() const { return memory_->q; }
const OwnedVector& ConstraintKinematics::v() const { return memory_->v; }
void ConstraintKinematics::set_time(double t) { memory_->t = t; }
double ConstraintKinematics::t() const { return memory_->t; }

void ConstraintKinematics::set_state(const VectorRef& q, const VectorRef& v) {
  Memory& x = *memory_;
  load_state(x.mechanism, x.work, q, &v, CustomNumbers::changes);
  x.q = x.work.memory().q, x.v = v;
  run_kinematics(x.work, x.v.data());
  const kernels::Tree& t = x.tree();
  x.V[0].setZero(), x.C[0].setZero();
  for (int i = 1; i < t.count; ++i) {
    x.V[i] = x.V[t.nodes[i].parent], x.C[i] = x.C[t.nodes[i].parent];
    for (int c = t.nodes[i].column; c < t.nodes[i].end_own(); ++c) {
      x.V[i] += x.v[t.column_v[c]] * x.column(x.work.memory().columns, c);
      x.C[i] += x.v[t.column_v[c]] * x.column(x.work.memory().column_rates, c);
    }
  }
}

FrameMotion ConstraintKinematics::frame(const LinkFrame& frame) const {
  Memory& x = *memory_;
  const int node = x.node(frame.link);
  if (node == 0) return {.R = frame.X_LF.rotation().matrix(), .p = frame.X_LF.translation()};  // and at rest
  const double* numbers = x.work.memory().poses.numbers() + kernels::kPose * node;
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(numbers);
  const Vector3<double> from_root(numbers + 9), w = x.V[node].tail<3>();
  const Pose X_NF = Pose(x.work.memory().tree.turn_of_link(frame.link)) * frame.X_LF;
  const Vector3<double> offset = from_root + R * X_NF.translation();
  return {R * X_NF.rotation().matrix(), x.root(node) + offset, w, x.V[node].head<3>() + cross<double>(w, offset)};
}

void ConstraintKinematics::put_row(const WrenchRow& W, int link_a, int link_b, double* row, double& bias) const {
  Memory& x = *memory_;
  const kernels::Tree& t = x.tree();
  std::fill_n(row, t.nv, 0.0);
  bias = 0.0;
  for (const double side : {1.0, -1.0}) {
    const int node = x.node(side > 0.0 ? link_b : link_a);
    if (node == 0) continue;
    const Vector3<double> arm = W.point - x.root(node);
    Spatial wrench, change;
    wrench << W.force, W.moment + cross<double>(arm, W.force);
    change << W.force_rate, W.moment_rate + cross<double>(W.point_rate, W.force) + cross<double>(arm, W.force_rate);
    for (int i = node; i > 0; i = t.nodes[i].parent)
      for (int c = t.nodes[i].column; c < t.nodes[i].end_own(); ++c)
        row[t.column_v[c]] += side * wrench.dot(x.column(x.work.memory().columns, c));
    bias += side * (wrench.dot(x.C[node]) + change.dot(x.V[node]));
  }
}

bool Constraint::holonomic(int) const { return holonomic_; }
bool Constraint::on_branch(const ConstraintKinematics&) const { return true; }

}  // namespace amble
