#include "amble/dynamics/coordinates/chart_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/workspace_memory.hpp"

namespace amble {

namespace {

/// Three velocities that belong to some chart coordinates: v = T qdot. A free joint has two such parts, (R^T, J_omega), a
/// spherical joint one, J_omega.
struct Part {
  int v = 0, chart = 0;
  ChartJacobian T;
  ChartJacobian T_dot = ChartJacobian();  ///< once rates are asked for
  int size() const { return static_cast<int>(T.cols()); }
};

/// One joint's chart at the state; the square matrix (J_omega; G) gives rates back.
struct BlockState {
  ChartPlace place;
  std::array<Part, 2> parts;
  int part_count = 0;
  ChartMatrix G;
  ChartVector C, C_dot, gamma;
  Eigen::PartialPivLU<ChartMatrix> solver;
  bool factored = false;
};

ChartArgument theta_of(const ChartBlock& b, const OwnedVector& x) { return x.segment(b.theta.start, b.theta.size); }

void check_rates(const ChartBlock& b, const BlockState& at, double speed, double tolerance) {
  const double off = at.C_dot.size() > 0 ? at.C_dot.cwiseAbs().maxCoeff() : 0.0;
  if (!(off <= tolerance * (1.0 + speed)))
    throw Error(fmt::format("the rates of chart '{}' leave its manifold: a constraint that must stay zero changes by "
                            "{:.3g}/s, more than {:g} times the rates; rates() of the coordinates gives rates that fit",
                            b.chart->name(), off, tolerance));
}

void set_parts(const ChartBlock& b, BlockState& at) {
  at.part_count = 0;
  if (b.floats) at.parts[at.part_count++] = {b.v.start, b.start, at.place.R.transpose()};
  const int turns = b.v.start + (b.floats ? 3 : 0);
  at.parts[at.part_count++] = {turns, b.theta.start, at.place.J_base};
}

void set_part_rates(const ChartBlock& b, const ChartRates& rates, BlockState& at) {
  if (b.floats) at.parts[0].T_dot = rates.R_dot.transpose();
  at.parts[at.part_count - 1].T_dot = rates.J_base_dot;
}

/// A matrix that is a rotation to rounding is used as it is, which spares its orthogonalisation.
SO3<double> rotation_of(const Matrix3<double>& R, double tolerance) {
  constexpr double kRounding = 1e-14;
  const double defect = (R.transpose() * R - Matrix3<double>::Identity()).cwiseAbs().maxCoeff();
  if (defect < kRounding && R.determinant() > 0.0) return SO3<double>(R);
  return check_rotation(R, "the rotation of the chart", 10.0 * tolerance);
}

/// Refuses a singular chart. The measure is an expensive one: it is asked only where the pivots are small.
void factor(const ChartBlock& b, const ChartArgument& theta, BlockState& at) {
  constexpr double kSuspect = 1e-4, kSingular = 1e-9;
  if (at.factored) return;
  ChartMatrix square(b.theta.size, b.theta.size);
  square << at.place.J_base, at.G;
  at.solver.compute(square);
  if (!(at.solver.matrixLU().diagonal().cwiseAbs().minCoeff() > kSuspect)) {
    const double measure = b.chart->singularity_measure(theta);
    if (!(measure >= kSingular))
      throw Error(fmt::format("chart '{}' is singular here: its singularity measure is {:.3g}, less than {:g}, so not "
                              "every acceleration has one of theta; use another chart near this rotation",
                              b.chart->name(), measure, kSingular));
  }
  at.factored = true;
}

/// to[r] = x[r]^T T + m[r]^T T_dot for every row r, x[r] and m[r] being three numbers of a row of a matrix. `Size` is how
/// many columns T has, so that they stay in registers.
template <int Size>
void multiply_rows(int rows, const double* x, const double* m, int stride, const Part& part, double* const* to) {
  using Three = Eigen::Map<const Matrix<double, 1, 3>>;
  const Matrix<double, 3, Size> T = part.T, T_dot = part.T_dot;
  for (int r = 0; r < rows; ++r)
    Eigen::Map<Matrix<double, 1, Size>>(to[r] + part.chart) = Three(x + r * stride) * T + Three(m + r * stride) * T_dot;
}

void multiply_rows(int rows, const double* x, const double* m, int stride, const Part& part, double* const* to) {
  switch (part.size()) {
    case 3: return multiply_rows<3>(rows, x, m, stride, part, to);
    case 4: return multiply_rows<4>(rows, x, m, stride, part, to);
    case 9: return multiply_rows<9>(rows, x, m, stride, part, to);
  }
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < part.size(); ++k)
      to[r][part.chart + k] = Vector3<double>(x + r * stride).dot(part.T.col(k)) +
                              Vector3<double>(m + r * stride).dot(part.T_dot.col(k));
}

/// Column k of T times the three rows of a part.
void mix_rows(const Part& p, int k, const double* rows, int stride, int count, double* to) {
  const double a = p.T(0, k), b = p.T(1, k), c = p.T(2, k);
  for (int j = 0; j < count; ++j) to[j] = a * rows[j] + b * rows[stride + j] + c * rows[2 * stride + j];
}

/// Sums over the bodies of each node of tr I(c)/2, about the bodies' own centres of mass.
std::vector<double> half_traces(const Mechanism& m, const KernelTree& tree) {
  std::vector<double> traces(tree.tree().count, 0.0);
  for (const Body& body : m.bodies()) traces[tree.node_of_link(body.link)] += 0.5 * body.inertia.about_com().trace();
  return traces;
}

}  // namespace

struct ChartDynamics::Memory {
  explicit Memory(const ChartCoordinates& c)
      : coordinates(c),
        work(c.mechanism()),
        blocks(c.blocks().size()),
        half_trace(half_traces(c.mechanism(), work.memory().tree)),
        q(c.mechanism().nq()),
        v(c.mechanism().nv()),
        q_chart(c.size()),
        qdot_chart(c.size()),
        tau(c.mechanism().nv()),
        a(c.mechanism().nv()),
        torques(c.mechanism().nv()),
        qddot(c.size()),
        M(c.size(), c.size()),
        N(c.size(), c.size()),
        part_rows(std::max<Eigen::Index>(6 * static_cast<Eigen::Index>(c.blocks().size()), kMaxChartSize), c.size()),
        row_of_v(c.mechanism().nv()) {}

  using Square = Eigen::Map<const RowMatrix>;

  const Mechanism& mechanism() const { return coordinates.mechanism(); }
  BlockState& state_of(const ChartBlock& b) { return blocks[&b - coordinates.blocks().data()]; }
  const BlockState& state_of(const ChartBlock& b) const { return blocks[&b - coordinates.blocks().data()]; }
  void require_state() const {
    if (!set) throw Error("ChartDynamics has no state yet: set_state() comes first");
  }

  template <class F>
  void for_each_part(const ChartBlock& b, F f) const {
    const BlockState& at = state_of(b);
    for (int i = 0; i < at.part_count; ++i) f(at.parts[i]);
  }
  template <class F>
  void for_each_part(F f) const {
    for (const ChartBlock& b : coordinates.blocks()) for_each_part(b, f);
  }

  void settle(const ChartBlock& b, double tolerance);
  void set_block(const ChartBlock& b, double tolerance);
  void require_rates();
  Square mass_matrix_of_v();
  Eigen::Map<RowMatrix> velocity_matrix_of_v();
  void add_turning_of_armature(Eigen::Map<RowMatrix>& C);
  void pull_back(const Square& X, const Square& M, OwnedRowMatrix& out);
  void pull_back_symmetric(const Square& M, OwnedRowMatrix& out);
  void load_external(std::span<const PointForce> forces, std::span<const ExternalWrench> given);
  void accelerations(const VectorRef& qddot_chart);

  ChartCoordinates coordinates;
  Workspace work;
  std::vector<BlockState> blocks;
  std::vector<double> half_trace;  // by node
  std::vector<ExternalWrench> external;
  OwnedVector q, v, q_chart, qdot_chart, tau, a, torques, qddot;
  OwnedRowMatrix M, N;
  OwnedRowMatrix part_rows;
  std::vector<double*> row_of_v;
  double stabilisation_rate = 0.0;
  bool set = false, has_rates = false, has_M_v = false, has_M = false, has_N = false;
};

ChartDynamics::ChartDynamics(const ChartCoordinates& coordinates) : memory_(std::make_unique<Memory>(coordinates)) {}
ChartDynamics::ChartDynamics(ChartDynamics&&) noexcept = default;
ChartDynamics& ChartDynamics::operator=(ChartDynamics&&) noexcept = default;
ChartDynamics::~ChartDynamics() = default;

const ChartCoordinates& ChartDynamics::coordinates() const { return memory_->coordinates; }
const OwnedVector& ChartDynamics::q() const { return memory_->q; }
const OwnedVector& ChartDynamics::v() const { return memory_->v; }

// ---- the state

/// The constraints at theta, which is brought back to them when it is off by no more than a configuration's quaternions may
/// be. What is off by more than the tolerance is refused.
void ChartDynamics::Memory::settle(const ChartBlock& b, double tolerance) {
  constexpr double kRounding = 1e-14;
  BlockState& at = state_of(b);
  at.C = b.chart->constraints(theta_of(b, q_chart));
  const double violation = at.C.size() > 0 ? at.C.cwiseAbs().maxCoeff() : 0.0;
  if (violation <= kRounding || (tolerance > kConstraintTolerance && violation <= tolerance)) return;
  const ChartVector theta = theta_of(b, q_chart);
  const SO3<double> R = b.chart->rotation(theta, tolerance);  // throws
  if (tolerance > kConstraintTolerance) return;
  q_chart.segment(b.theta.start, b.theta.size) = b.chart->from_rotation(R.matrix(), theta);
  at.C = b.chart->constraints(theta_of(b, q_chart));
}

void ChartDynamics::Memory::set_block(const ChartBlock& b, double tolerance) {
  settle(b, tolerance);
  BlockState& at = state_of(b);
  const ChartArgument theta = theta_of(b, q_chart), rates = theta_of(b, qdot_chart);
  at.place = b.chart->place(theta);
  at.G = b.chart->constraint_jacobian(theta);
  at.C_dot = at.G * rates;
  at.factored = false;
  check_rates(b, at, rates.norm(), tolerance);
  set_parts(b, at);
  for_each_part(b, [&](const Part& p) {
    v.segment<3>(p.v).noalias() = p.T.lazyProduct(qdot_chart.segment(p.chart, p.size()));
  });
  if (b.floats) q.segment<3>(b.q.start) = q_chart.segment<3>(b.start);
  rotation_of(at.place.R, tolerance).quaternion().to_xyzw(q.data() + b.q.start + (b.floats ? 3 : 0));
}

/// What changes along the motion; M alone does without it.
void ChartDynamics::Memory::require_rates() {
  require_state();
  if (has_rates) return;
  coordinates.for_each_block([&](const ChartBlock& b) {
    const ChartArgument theta = theta_of(b, q_chart), rates = theta_of(b, qdot_chart);
    BlockState& at = state_of(b);
    set_part_rates(b, b.chart->place_rates(at.place, theta, rates), at);
    at.gamma = b.chart->constraint_bias(theta, rates);
  });
  has_rates = true;
}

void ChartDynamics::set_state(const VectorRef& q_chart, const VectorRef& qdot_chart, double tolerance) {
  Memory& x = *memory_;
  x.set = x.has_rates = x.has_M_v = x.has_M = x.has_N = false;
  x.coordinates.check(q_chart, "q_chart"), x.coordinates.check(qdot_chart, "qdot_chart");
  x.q_chart = q_chart, x.qdot_chart = qdot_chart;
  x.coordinates.for_each_plain([&](int chart, int at_q, int at_v, int count) {
    x.q.segment(at_q, count) = q_chart.segment(chart, count);
    x.v.segment(at_v, count) = qdot_chart.segment(chart, count);
  });
  x.coordinates.for_each_block([&](const ChartBlock& b) { x.set_block(b, tolerance); });
  x.set = true;
}

void ChartDynamics::set_stabilisation_rate(double rate) {
  if (!(rate >= 0.0)) throw Error(fmt::format("a stabilisation rate of {} 1/s is asked for: expected 0 or more", rate));
  memory_->stabilisation_rate = rate;
}

// ---- matrices

ChartDynamics::Memory::Square ChartDynamics::Memory::mass_matrix_of_v() {
  require_state();
  if (!has_M_v) amble::mass_matrix(mechanism(), work, q);
  has_M_v = true;
  return {work.memory().M.numbers(), mechanism().nv(), mechanism().nv()};
}

/// out = T^T M T: T is the identity but for the parts that charts have, so most of it is copied.
void ChartDynamics::Memory::pull_back_symmetric(const Square& M, OwnedRowMatrix& out) {
  const int nv = mechanism().nv();
  coordinates.for_each_plain([&](int chart, int, int at, int count) {
    coordinates.for_each_plain([&](int chart_r, int, int at_r, int count_r) {
      out.block(chart_r, chart, count_r, count) = M.block(at_r, at, count_r, count);
    });
  });
  for_each_part([&](const Part& p) {
    // T^T M, whose columns that belong to parts (this one among them) T mixes once more.
    double* mixed = part_rows.data();
    for (int k = 0; k < p.size(); ++k) mix_rows(p, k, M.data() + p.v * nv, nv, nv, mixed + k * nv);
    const Eigen::Map<const RowMatrix> rows(mixed, p.size(), nv);
    coordinates.for_each_plain([&](int chart, int, int at, int count) {
      out.block(p.chart, chart, p.size(), count) = rows.middleCols(at, count);
      out.block(chart, p.chart, count, p.size()) = rows.middleCols(at, count).transpose();
    });
    for_each_part([&](const Part& other) {
      out.block(p.chart, other.chart, p.size(), other.size()).noalias() =
          rows.middleCols<3>(other.v).lazyProduct(other.T);
    });
  });
}

/// out = T^T (X T + M Tdot). Rows of X T + M Tdot that belong to a part wait aside until T^T mixes them.
void ChartDynamics::Memory::pull_back(const Square& X, const Square& M, OwnedRowMatrix& out) {
  const int nv = mechanism().nv(), n = coordinates.size();
  coordinates.for_each_plain([&](int chart, int, int at, int count) {
    for (int i = 0; i < count; ++i) row_of_v[at + i] = out.data() + (chart + i) * n;
  });
  double* aside = part_rows.data();
  for_each_part([&](const Part& p) {
    for (int k = 0; k < 3; ++k, aside += n) row_of_v[p.v + k] = aside;
  });
  coordinates.for_each_plain([&](int chart, int, int at, int count) {
    for (int r = 0; r < nv; ++r) std::copy_n(X.data() + r * nv + at, count, row_of_v[r] + chart);
  });
  for_each_part([&](const Part& p) {
    multiply_rows(nv, X.data() + p.v, M.data() + p.v, nv, p, row_of_v.data());
  });
  for_each_part([&](const Part& p) {
    for (int k = 0; k < p.size(); ++k) mix_rows(p, k, row_of_v[p.v], n, n, out.data() + (p.chart + k) * n);
  });
}

const OwnedRowMatrix& ChartDynamics::mass_matrix() {
  Memory& x = *memory_;
  const Memory::Square M_v = x.mass_matrix_of_v();
  if (!x.has_M) x.pull_back_symmetric(M_v, x.M);
  x.has_M = true;
  return x.M;
}

/// From the Levi-Civita connection to BK (26) for armature A, an inertia that moves with the joint alone: x x* A v takes the
/// place of (A (v x x) + v x* A x + x x* A v) / 2. The kernel does that for bodies, see coriolis.inl.
void ChartDynamics::Memory::add_turning_of_armature(Eigen::Map<RowMatrix>& C) {
  for (const ChartBlock& b : coordinates.blocks()) {
    const auto A = mechanism().armature().segment(b.v.start, b.v.size);
    if (A.isZero()) continue;
    const auto twist = [&](const auto& x) {
      Vector6<double> all = Vector6<double>::Zero();
      all.tail(b.v.size) = x;
      return Twist<double>(all);
    };
    const auto momentum = [&](const Twist<double>& V) {
      Vector6<double> all = Vector6<double>::Zero();
      all.tail(b.v.size) = A.cwiseProduct(V.vector().tail(b.v.size));
      return Wrench<double>(all);
    };
    const Twist<double> V = twist(v.segment(b.v.start, b.v.size));
    for (int k = 0; k < b.v.size; ++k) {
      const Twist<double> x = twist(Vector6<double>::Unit(k).head(b.v.size));
      const Wrench<double> gap = cross(x, momentum(V)) - momentum(cross(V, x)) - cross(V, momentum(x));
      C.block(b.v.start, b.v.start + k, b.v.size, 1) += 0.5 * gap.vector().tail(b.v.size);
    }
  }
}

/// BK (26) for the velocities v, armature of chart joints apart. In the workspace's own memory: nobody else reads it.
Eigen::Map<RowMatrix> ChartDynamics::Memory::velocity_matrix_of_v() {
  const VectorRef velocity = v;
  load_state(mechanism(), work, q, &velocity, CustomNumbers::changes);
  Workspace::Memory& x = work.memory();
  kernels::Tree tree = x.tree.tree();
  tree.turning = half_trace.data();
  kernels::kernels().coriolis_matrix.single(tree, x.scratch.data(), x.q.data(), v.data(), x.custom.numbers(), x.C.numbers());
  return x.C.matrix();
}

const OwnedRowMatrix& ChartDynamics::velocity_matrix() {
  Memory& x = *memory_;
  const Memory::Square M_v = x.mass_matrix_of_v();
  if (!x.has_N) {
    x.require_rates();
    const int nv = x.mechanism().nv();
    Eigen::Map<RowMatrix> C = x.velocity_matrix_of_v();
    x.add_turning_of_armature(C);
    x.pull_back({C.data(), nv, nv}, M_v, x.N);
  }
  x.has_N = true;
  return x.N;
}

// ---- constraints

OwnedVector ChartDynamics::constraints() const {
  memory_->require_state();
  OwnedVector out(coordinates().constraint_count());
  for (const ChartBlock& b : coordinates().blocks())
    out.segment(b.constraint, b.chart->constraint_count()) = memory_->state_of(b).C;
  return out;
}

OwnedVector ChartDynamics::constraint_bias() const {
  memory_->require_rates();
  OwnedVector out(coordinates().constraint_count());
  for (const ChartBlock& b : coordinates().blocks())
    out.segment(b.constraint, b.chart->constraint_count()) = memory_->state_of(b).gamma;
  return out;
}

OwnedMatrix ChartDynamics::constraint_jacobian() const {
  memory_->require_state();
  OwnedMatrix out(coordinates().constraint_count(), coordinates().size());
  for (const ChartBlock& b : coordinates().blocks())
    out.block(b.constraint, b.theta.start, b.chart->constraint_count(), b.theta.size) = memory_->state_of(b).G;
  return out;
}

OwnedMatrix ChartDynamics::projector() const {
  memory_->require_state();
  OwnedMatrix A(Eigen::MatrixXd::Identity(coordinates().size(), coordinates().size()));
  for (const ChartBlock& b : coordinates().blocks()) {
    const ChartMatrix& G = memory_->state_of(b).G;
    if (G.rows() == 0) continue;
    const ChartMatrix GGt = G * G.transpose();
    A.block(b.theta.start, b.theta.start, b.theta.size, b.theta.size) -= G.transpose() * GGt.partialPivLu().solve(G);
  }
  return A;
}

const ChartJacobian& ChartDynamics::j_omega(const ChartBlock& b) const {
  memory_->require_state();
  return memory_->state_of(b).place.J_global;
}
const ChartJacobian& ChartDynamics::j_omega_base(const ChartBlock& b) const {
  memory_->require_state();
  return memory_->state_of(b).place.J_base;
}

// ---- motion and forces

void ChartDynamics::Memory::load_external(std::span<const PointForce> forces, std::span<const ExternalWrench> given) {
  external.assign(given.begin(), given.end());
  if (forces.empty()) return;
  const LinkPoses poses = forward_kinematics(mechanism(), work, q);
  for (const PointForce& f : forces) {
    if (f.body < -1 || f.body >= static_cast<int>(mechanism().bodies().size()))
      throw Error(fmt::format("a force acts on body {}, but there are {}", f.body, mechanism().bodies().size()));
    if (!f.point.allFinite() || !f.force.allFinite()) throw Error("a force or its point is not finite");
    if (f.body < 0) continue;
    const Body& body = mechanism().bodies()[f.body];
    const Matrix3<double> R_WB = (poses[body.link] * body.X_LB).rotation().matrix();
    const Vector3<double> local = R_WB.transpose() * f.force;
    external.push_back({f.body, Wrench<double>(local, cross<double>(f.point, local))});
  }
}

OwnedVector ChartDynamics::weight() {
  Memory& x = *memory_;
  x.require_state();
  const Eigen::VectorXd gravity = gravity_forces(x.mechanism(), x.work, x.q);
  OwnedVector out(x.coordinates.size());
  x.coordinates.for_each_plain([&](int chart, int, int at, int count) { out.segment(chart, count) = -gravity.segment(at, count); });
  x.for_each_part([&](const Part& p) { out.segment(p.chart, p.size()) = -(p.T.transpose() * gravity.segment<3>(p.v)); });
  return out;
}

const OwnedVector& ChartDynamics::forward(const VectorRef& u, std::span<const PointForce> forces,
                                          std::span<const ExternalWrench> external) {
  Memory& x = *memory_;
  x.require_rates();
  x.coordinates.joint_forces(u, x.tau);
  x.load_external(forces, external);
  x.a = forward_dynamics(x.mechanism(), x.work, x.q, x.v, x.tau, x.external);
  x.coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { x.qddot.segment(chart, count) = x.a.segment(at, count); });
  const double rate = x.stabilisation_rate;
  x.coordinates.for_each_block([&](const ChartBlock& b) {
    BlockState& at = x.state_of(b);
    factor(b, theta_of(b, x.q_chart), at);
    x.for_each_part(b, [&](const Part& p) {  // T qddot = a - Tdot qdot
      x.a.segment<3>(p.v).noalias() -= p.T_dot.lazyProduct(x.qdot_chart.segment(p.chart, p.size()));
    });
    if (b.floats) x.qddot.segment<3>(b.start) = at.place.R * x.a.segment<3>(b.v.start);
    ChartVector wanted(b.theta.size);
    wanted << x.a.segment<3>(at.parts[at.part_count - 1].v), -at.gamma - 2.0 * rate * at.C_dot - rate * rate * at.C;
    x.qddot.segment(b.theta.start, b.theta.size) = at.solver.solve(wanted);
  });
  return x.qddot;
}

void ChartDynamics::Memory::accelerations(const VectorRef& qdd) {
  coordinates.for_each_plain([&](int chart, int, int at, int count) { a.segment(at, count) = qdd.segment(chart, count); });
  for_each_part([&](const Part& p) {
    a.segment<3>(p.v) = p.T.lazyProduct(qdd.segment(p.chart, p.size())) +
                        p.T_dot.lazyProduct(qdot_chart.segment(p.chart, p.size()));
  });
}

const OwnedVector& ChartDynamics::inverse(const VectorRef& qddot, std::span<const PointForce> forces,
                                          std::span<const ExternalWrench> external) {
  Memory& x = *memory_;
  x.require_rates();
  x.coordinates.check(qddot, "qddot");
  x.accelerations(qddot);
  x.load_external(forces, external);
  x.torques = inverse_dynamics(x.mechanism(), x.work, x.q, x.v, x.a, x.external);
  return x.torques;
}

OwnedVector ChartDynamics::multiplier(const VectorRef& u, std::span<const PointForce> forces,
                                      std::span<const ExternalWrench> external) {
  Memory& x = *memory_;
  const Eigen::VectorXd qddot = forward(u, forces, external);
  // Gravity and forces from outside, as BK (24) has them on the right: M 0 + N 0 - (them) is inverse dynamics at rest.
  const Eigen::VectorXd rest = inverse_dynamics(x.mechanism(), x.work, x.q, Eigen::VectorXd::Zero(x.mechanism().nv()),
                                                Eigen::VectorXd::Zero(x.mechanism().nv()), x.external);
  const Eigen::VectorXd applied_v = x.tau - rest;
  Eigen::VectorXd residual = mass_matrix() * qddot + velocity_matrix() * x.qdot_chart;
  x.coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { residual.segment(chart, count) -= applied_v.segment(at, count); });
  x.for_each_part(
      [&](const Part& p) { residual.segment(p.chart, p.size()) -= p.T.transpose() * applied_v.segment<3>(p.v); });
  OwnedVector lambda(coordinates().constraint_count());
  for (const ChartBlock& b : coordinates().blocks()) {
    const BlockState& at = x.state_of(b);
    if (at.G.rows() == 0) continue;
    const ChartMatrix GGt = at.G * at.G.transpose();
    const ChartVector pushed = at.G * residual.segment(b.theta.start, b.theta.size);
    lambda.segment(b.constraint, at.G.rows()) = GGt.partialPivLu().solve(pushed);
  }
  return lambda;
}

}  // namespace amble
