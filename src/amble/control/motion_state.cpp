#include "amble/control/motion_state.hpp"

#include <algorithm>

#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

using Spatial = Vector6<double>;

}  // namespace

struct MotionState::Memory {
  explicit Memory(const Mechanism& m)
      : mechanism(m), work(m), q(m.nq()), v(m.nv()), V(work.memory().tree.tree().count), C(V.size()) {}

  Workspace::Memory& x() { return work.memory(); }
  const kernels::Tree& tree() { return work.memory().tree.tree(); }
  int node(int link) { return work.memory().tree.node_of_link(link); }
  /// The point that a node's twist is about.
  Vector3<double> root(int node) {
    return node == 0 ? Vector3<double>(0, 0, 0) : Vector3<double>(x().poses.numbers() + kernels::kPose * node + 12);
  }
  Spatial column(ResultSlot& slot, int c) {
    const double* at = slot.numbers() + c;
    const Eigen::Index n = slot.cols;
    Spatial S;
    S << at[0], at[n], at[2 * n], at[3 * n], at[4 * n], at[5 * n];
    return S;
  }
  void find_twists();
  void find_centroidal();
  /// The rows of `count` wrenches (6 numbers each about the root's origin, and their rates) on one link.
  template <int kCount>
  void add(const Spatial* wrench, const Spatial* change, int node, double side, double* rows, int stride, double* bias);

  Mechanism mechanism;
  Workspace work;
  OwnedVector q, v;
  double t = 0.0;
  std::vector<Spatial> V, C;  // by node: its twist, and what its rate has besides S a
  CentroidalMotion centroidal;
  bool has_mass = false, has_bias = false, has_centroidal = false;
};

MotionState::MotionState(const Mechanism& m) : memory_(std::make_unique<Memory>(m)) {}
MotionState::MotionState(MotionState&&) noexcept = default;
MotionState::~MotionState() = default;

const Mechanism& MotionState::mechanism() const { return memory_->mechanism; }
const OwnedVector& MotionState::q() const { return memory_->q; }
const OwnedVector& MotionState::v() const { return memory_->v; }
double MotionState::t() const { return memory_->t; }
Workspace& MotionState::workspace() const { return memory_->work; }

void MotionState::set(const VectorRef& q, const VectorRef& v, double t) {
  Memory& x = *memory_;
  load_state(x.mechanism, x.work, q, &v, CustomNumbers::changes);
  x.q = x.x().q, x.v = v, x.t = t;
  x.has_mass = x.has_bias = x.has_centroidal = false;
  run_kinematics(x.work, x.v.data());
  x.find_twists();
}

void MotionState::Memory::find_twists() {
  const kernels::Tree& t = tree();
  V[0].setZero(), C[0].setZero();
  for (int i = 1; i < t.count; ++i) {
    V[i] = V[t.nodes[i].parent], C[i] = C[t.nodes[i].parent];
    for (int c = t.nodes[i].column; c < t.nodes[i].end_own(); ++c) {
      V[i] += v[t.column_v[c]] * column(x().columns, c);
      C[i] += v[t.column_v[c]] * column(x().column_rates, c);
    }
  }
}

FrameMotion MotionState::frame(const LinkFrame& frame) const {
  Memory& x = *memory_;
  const int node = x.node(frame.link);
  if (node == 0) return {.R = frame.X_LF.rotation().matrix(), .p = frame.X_LF.translation()};  // and at rest
  const double* numbers = x.x().poses.numbers() + kernels::kPose * node;
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(numbers);
  const Vector3<double> from_root(numbers + 9), w = x.V[node].tail<3>();
  const Pose X_NF = Pose(x.x().tree.turn_of_link(frame.link)) * frame.X_LF;
  const Vector3<double> offset = from_root + R * X_NF.translation();
  return {R * X_NF.rotation().matrix(), x.root(node) + offset, w, x.V[node].head<3>() + cross<double>(w, offset)};
}

template <int kCount>
void MotionState::Memory::add(const Spatial* wrench, const Spatial* change, int node, double side, double* rows,
                              int stride, double* bias) {
  const kernels::Tree& t = tree();
  for (int i = node; i > 0; i = t.nodes[i].parent)
    for (int c = t.nodes[i].column; c < t.nodes[i].end_own(); ++c) {
      const Spatial S = column(x().columns, c);
      for (int k = 0; k < kCount; ++k) rows[k * stride + t.column_v[c]] += side * wrench[k].dot(S);
    }
  for (int k = 0; k < kCount; ++k) bias[k] += side * (wrench[k].dot(C[node]) + change[k].dot(V[node]));
}

void MotionState::add_row(const WrenchRow& W, int link_a, int link_b, double* row, double& bias) const {
  Memory& x = *memory_;
  for (const double side : {1.0, -1.0}) {
    const int node = x.node(side > 0.0 ? link_b : link_a);
    if (node == 0) continue;
    const Vector3<double> arm = W.point - x.root(node);
    Spatial wrench, change;
    wrench << W.force, W.moment + cross<double>(arm, W.force);
    change << W.force_rate, W.moment_rate + cross<double>(W.point_rate, W.force) + cross<double>(arm, W.force_rate);
    x.add<1>(&wrench, &change, node, side, row, 0, &bias);
  }
}

void MotionState::add_forces(const Matrix3<double>& axes, const Vector3<double>& spin, const Vector3<double>& point,
                             const Vector3<double>& point_rate, int link_a, int link_b, double* rows, int stride,
                             double* bias) const {
  Memory& x = *memory_;
  for (const double side : {1.0, -1.0}) {
    const int node = x.node(side > 0.0 ? link_b : link_a);
    if (node == 0) continue;
    const Vector3<double> arm = point - x.root(node);
    Spatial wrench[3], change[3];
    for (int k = 0; k < 3; ++k) {
      const Vector3<double> f = axes.col(k), rate = cross<double>(spin, f);
      wrench[k] << f, cross<double>(arm, f);
      change[k] << rate, cross<double>(point_rate, f) + cross<double>(arm, rate);
    }
    x.add<3>(wrench, change, node, side, rows, stride, bias);
  }
}

void MotionState::add_moments(const Matrix3<double>& axes, const Vector3<double>& spin, int link_a, int link_b,
                              double* rows, int stride, double* bias) const {
  Memory& x = *memory_;
  Spatial wrench[3], change[3];
  for (int k = 0; k < 3; ++k) {
    const Vector3<double> m = axes.col(k);
    wrench[k] << Vector3<double>::Zero(), m;
    change[k] << Vector3<double>::Zero(), cross<double>(spin, m);
  }
  for (const double side : {1.0, -1.0}) {
    const int node = x.node(side > 0.0 ? link_b : link_a);
    if (node != 0) x.add<3>(wrench, change, node, side, rows, stride, bias);
  }
}

const double* MotionState::mass_matrix() const {
  Memory& x = *memory_;
  if (!x.has_mass) run_mass_matrix(x.work);
  x.has_mass = true;
  return x.x().M.numbers();
}

const double* MotionState::bias_forces() const {
  Memory& x = *memory_;
  if (!x.has_bias) run_inverse_dynamics(x.work, x.v.data(), nullptr, nullptr, x.x().bias);
  x.has_bias = true;
  return x.x().bias.numbers();
}

void MotionState::Memory::find_centroidal() {
  check_mass(mechanism);
  Workspace::Memory& w = x();
  kernels::kernels().centroidal.single(tree(), w.scratch.data(), w.q.data(), v.data(), w.custom.numbers(),
                                       w.momentum_matrix.numbers(), w.momentum_matrix_dot.numbers(),
                                       w.summary.numbers());
  const Eigen::Map<const RowMatrix> A(w.momentum_matrix.numbers(), 6, mechanism.nv()),
      A_dot(w.momentum_matrix_dot.numbers(), 6, mechanism.nv());
  const double* summary = w.summary.numbers();
  centroidal.com = Vector3<double>(summary), centroidal.com_velocity = Vector3<double>(summary + 3);
  centroidal.momentum.noalias() = A.lazyProduct(v), centroidal.bias.noalias() = A_dot.lazyProduct(v);
  centroidal.matrix = A.data();
  has_centroidal = true;
}

const CentroidalMotion& MotionState::centroidal() const {
  if (!memory_->has_centroidal) memory_->find_centroidal();
  return memory_->centroidal;
}

}  // namespace amble
