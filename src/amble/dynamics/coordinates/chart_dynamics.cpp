#include "amble/dynamics/coordinates/chart_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/link_motion.hpp"

namespace amble {

namespace {

using BlockMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, 6, 3 + kMaxChartSize>;

/// One joint's chart at the state: v = T qdot, and the square matrix (J_omega; G) that gives rates back.
struct BlockState {
  ChartMotion motion;
  BlockMatrix T, T_dot;
  ChartMatrix G;
  ChartVector C, C_dot, gamma;
  Eigen::PartialPivLU<ChartMatrix> solver;
  bool factored = false;
};

/// The rows of T that turn; those above them, of a free joint, move along.
int turn_row(const ChartBlock& b) { return b.floats ? 3 : 0; }

ChartArgument theta_of(const ChartBlock& b, const OwnedVector& x) { return x.segment(b.theta.start, b.theta.size); }

void check_rates(const ChartBlock& b, const BlockState& at, double speed, double tolerance) {
  const double off = at.C_dot.size() > 0 ? at.C_dot.cwiseAbs().maxCoeff() : 0.0;
  if (!(off <= tolerance * (1.0 + speed)))
    throw Error(fmt::format("the rates of chart '{}' leave its manifold: a constraint that must stay zero changes by "
                            "{:.3g}/s, more than {:g} times the rates; ChartCoordinates::rates() gives rates that fit",
                            b.chart->name(), off, tolerance));
}

/// T and its rate: (R^T, J_omega) of a free joint, J_omega of a spherical one.
void set_map(const ChartBlock& b, BlockState& at) {
  const int r = turn_row(b), n = b.size();
  at.T.setZero(b.v.size, n), at.T_dot.setZero(b.v.size, n);
  if (b.floats) {
    at.T.topLeftCorner<3, 3>() = at.motion.R.transpose();
    at.T_dot.topLeftCorner<3, 3>() = at.motion.R_dot.transpose();
  }
  at.T.block(r, r, 3, b.theta.size) = at.motion.J_base;
  at.T_dot.block(r, r, 3, b.theta.size) = at.motion.J_base_dot;
}

/// Refuses a singular chart. The measure is an expensive one: it is asked only where the pivots are small.
void factor(const ChartBlock& b, const ChartArgument& theta, BlockState& at) {
  constexpr double kSuspect = 1e-4, kSingular = 1e-9;
  if (at.factored) return;
  ChartMatrix square(b.theta.size, b.theta.size);
  square << at.motion.J_base, at.G;
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

/// Sums over the bodies of each link of tr I(c)/2, about the bodies' own centres of mass.
std::vector<double> half_traces(const Mechanism& m) {
  std::vector<double> traces(m.links().size(), 0.0);
  for (const Body& body : m.bodies()) traces[body.link] += 0.5 * body.inertia.about_com().trace();
  return traces;
}

}  // namespace

struct ChartDynamics::Memory {
  explicit Memory(const ChartCoordinates& c)
      : coordinates(c),
        work(c.mechanism()),
        blocks(c.blocks().size()),
        traces(half_traces(c.mechanism())),
        kappa(c.mechanism().links().size()),
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
        M_v(c.mechanism().nv(), c.mechanism().nv()),
        C_v(c.mechanism().nv(), c.mechanism().nv()),
        half(c.mechanism().nv(), c.size()) {}

  const Mechanism& mechanism() const { return coordinates.mechanism(); }
  BlockState& state_of(const ChartBlock& b) { return blocks[&b - coordinates.blocks().data()]; }
  const BlockState& state_of(const ChartBlock& b) const { return blocks[&b - coordinates.blocks().data()]; }
  void require_state() const {
    if (!set) throw Error("ChartDynamics has no state yet: set_state() comes first");
  }

  void set_block(const ChartBlock& b, double tolerance);
  const RowMatrix& mass_matrix_of_v();
  void add_turning_of_bodies();
  void add_turning_of_armature();
  void pull_back(const RowMatrix& X, const RowMatrix* M_rates, OwnedRowMatrix& out);
  void load_external(std::span<const PointForce> forces);
  void accelerations(const VectorRef& qddot_chart);

  ChartCoordinates coordinates;
  Workspace work;
  std::vector<BlockState> blocks;
  std::vector<double> traces;
  std::vector<Vector3<double>> kappa;
  std::vector<ExternalWrench> external;
  OwnedVector q, v, q_chart, qdot_chart, tau, a, torques, qddot;
  OwnedRowMatrix M, N;
  RowMatrix M_v, C_v, half;
  double stabilisation_rate = 0.0;
  bool set = false, has_M_v = false, has_M = false, has_N = false;
};

ChartDynamics::ChartDynamics(const ChartCoordinates& coordinates) : memory_(std::make_unique<Memory>(coordinates)) {}
ChartDynamics::ChartDynamics(ChartDynamics&&) noexcept = default;
ChartDynamics& ChartDynamics::operator=(ChartDynamics&&) noexcept = default;
ChartDynamics::~ChartDynamics() = default;

const ChartCoordinates& ChartDynamics::coordinates() const { return memory_->coordinates; }
const OwnedVector& ChartDynamics::q() const { return memory_->q; }
const OwnedVector& ChartDynamics::v() const { return memory_->v; }

// ---- the state

void ChartDynamics::Memory::set_block(const ChartBlock& b, double tolerance) {
  BlockState& at = state_of(b);
  const ChartArgument theta = theta_of(b, q_chart), rates = theta_of(b, qdot_chart);
  at.motion = b.chart->motion(theta, rates);
  at.G = b.chart->constraint_jacobian(theta);
  at.C = b.chart->constraints(theta);
  at.C_dot = at.G * rates;
  at.gamma = b.chart->constraint_bias(theta, rates);
  at.factored = false;
  check_rates(b, at, rates.norm(), tolerance);
  set_map(b, at);
  v.segment(b.v.start, b.v.size).noalias() = at.T.lazyProduct(qdot_chart.segment(b.start, b.size()));
}

void ChartDynamics::set_state(const VectorRef& q_chart, const VectorRef& qdot_chart, double tolerance) {
  Memory& x = *memory_;
  x.set = x.has_M_v = x.has_M = x.has_N = false;
  x.coordinates.check(qdot_chart, "qdot_chart");
  x.coordinates.configuration(q_chart, x.q, tolerance);
  x.q_chart = q_chart, x.qdot_chart = qdot_chart;
  x.coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { x.v.segment(at, count) = qdot_chart.segment(chart, count); });
  x.coordinates.for_each_block([&](const ChartBlock& b) { x.set_block(b, tolerance); });
  x.set = true;
}

void ChartDynamics::set_stabilisation_rate(double rate) {
  if (!(rate >= 0.0)) throw Error(fmt::format("a stabilisation rate of {} 1/s is asked for: expected 0 or more", rate));
  memory_->stabilisation_rate = rate;
}

// ---- matrices

const RowMatrix& ChartDynamics::Memory::mass_matrix_of_v() {
  require_state();
  if (!has_M_v) M_v = amble::mass_matrix(mechanism(), work, q);
  has_M_v = true;
  return M_v;
}

/// out = T^T (X T + M Tdot), the second term when M is given: T is the identity but for the blocks of charts.
void ChartDynamics::Memory::pull_back(const RowMatrix& X, const RowMatrix* M_rates, OwnedRowMatrix& out) {
  coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { half.middleCols(chart, count) = X.middleCols(at, count); });
  for (const ChartBlock& b : coordinates.blocks()) {
    auto columns = half.middleCols(b.start, b.size());
    columns.noalias() = X.middleCols(b.v.start, b.v.size).lazyProduct(state_of(b).T);
    if (M_rates != nullptr) columns.noalias() += M_rates->middleCols(b.v.start, b.v.size).lazyProduct(state_of(b).T_dot);
  }
  coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { out.middleRows(chart, count) = half.middleRows(at, count); });
  for (const ChartBlock& b : coordinates.blocks())
    out.middleRows(b.start, b.size()).noalias() =
        state_of(b).T.transpose().lazyProduct(half.middleRows(b.v.start, b.v.size));
}

const OwnedRowMatrix& ChartDynamics::mass_matrix() {
  Memory& x = *memory_;
  const RowMatrix& M_v = x.mass_matrix_of_v();
  if (!x.has_M) x.pull_back(M_v, nullptr, x.M);
  x.has_M = true;
  return x.M;
}

/// From the Levi-Civita connection to BK (26): a body's -[I w] x differs from its connection by -tr(I)/2 [w] x. With
/// kappa the sum of -tr(I)/2 w over all bodies that a joint moves, entry (i, j) gains w_i . (kappa x w_j), i and j the
/// axes of turning and kappa that of the outer of the two.
void ChartDynamics::Memory::add_turning_of_bodies() {
  const Mechanism& m = mechanism();
  const std::span<LinkMotion> links = link_velocities(m, work, q, v);
  for (std::size_t i = 0; i < links.size(); ++i) kappa[i] = -traces[i] * links[i].V.angular();
  for (int i = static_cast<int>(links.size()) - 1; i > 0; --i) {
    const Link& link = m.links()[i];
    for (int k = 0; k < link.v.size; ++k) {
      Vector3<double> w = cross<double>(kappa[i], links[i].S[k].angular());
      for (int j = 0; j < link.v.size; ++j) C_v(link.v.start + j, link.v.start + k) += links[i].S[j].angular().dot(w);
      for (int at = i, up = link.parent; up != 0; at = up, up = m.links()[up].parent) {
        w = links[at].X_PL.rotation() * w;
        for (int j = 0; j < m.links()[up].v.size; ++j) {
          const double entry = links[up].S[j].angular().dot(w);
          C_v(m.links()[up].v.start + j, link.v.start + k) += entry;
          C_v(link.v.start + k, m.links()[up].v.start + j) -= entry;
        }
      }
    }
    kappa[link.parent] += links[i].X_PL.rotation() * kappa[i];
  }
}

/// The same for armature A, an inertia that moves with the joint alone: x x* A v takes the place of its connection
/// (A (v x x) + v x* A x + x x* A v) / 2.
void ChartDynamics::Memory::add_turning_of_armature() {
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
      C_v.block(b.v.start, b.v.start + k, b.v.size, 1) += 0.5 * gap.vector().tail(b.v.size);
    }
  }
}

const OwnedRowMatrix& ChartDynamics::velocity_matrix() {
  Memory& x = *memory_;
  const RowMatrix& M_v = x.mass_matrix_of_v();
  if (!x.has_N) {
    x.C_v = coriolis_matrix(x.mechanism(), x.work, x.q, x.v);
    x.add_turning_of_bodies();
    x.add_turning_of_armature();
    x.pull_back(x.C_v, &M_v, x.N);
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
  memory_->require_state();
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
  return memory_->state_of(b).motion.J_global;
}
const ChartJacobian& ChartDynamics::j_omega_base(const ChartBlock& b) const {
  memory_->require_state();
  return memory_->state_of(b).motion.J_base;
}

// ---- motion and forces

void ChartDynamics::Memory::load_external(std::span<const PointForce> forces) {
  external.clear();
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

const OwnedVector& ChartDynamics::forward(const VectorRef& u, std::span<const PointForce> forces) {
  Memory& x = *memory_;
  x.require_state();
  x.coordinates.joint_forces(u, x.tau);
  x.load_external(forces);
  x.a = forward_dynamics(x.mechanism(), x.work, x.q, x.v, x.tau, x.external);
  x.coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { x.qddot.segment(chart, count) = x.a.segment(at, count); });
  const double rate = x.stabilisation_rate;
  x.coordinates.for_each_block([&](const ChartBlock& b) {
    BlockState& at = x.state_of(b);
    factor(b, theta_of(b, x.q_chart), at);
    Vector6<double> bias = Vector6<double>::Zero();  // Tdot qdot
    bias.head(b.v.size) = at.T_dot.lazyProduct(x.qdot_chart.segment(b.start, b.size()));
    if (b.floats) x.qddot.segment<3>(b.start) = at.motion.R * (x.a.segment<3>(b.v.start) - bias.head<3>());
    ChartVector wanted(b.theta.size);
    const int turn = turn_row(b);
    wanted << x.a.segment<3>(b.v.start + turn) - bias.segment<3>(turn),
        -at.gamma - 2.0 * rate * at.C_dot - rate * rate * at.C;
    x.qddot.segment(b.theta.start, b.theta.size) = at.solver.solve(wanted);
  });
  return x.qddot;
}

void ChartDynamics::Memory::accelerations(const VectorRef& qdd) {
  coordinates.for_each_plain([&](int chart, int, int at, int count) { a.segment(at, count) = qdd.segment(chart, count); });
  for (const ChartBlock& b : coordinates.blocks()) {
    auto block = a.segment(b.v.start, b.v.size);
    block.noalias() = state_of(b).T.lazyProduct(qdd.segment(b.start, b.size()));
    block.noalias() += state_of(b).T_dot.lazyProduct(qdot_chart.segment(b.start, b.size()));
  }
}

const OwnedVector& ChartDynamics::inverse(const VectorRef& qddot, std::span<const PointForce> forces) {
  Memory& x = *memory_;
  x.require_state();
  x.coordinates.check(qddot, "qddot");
  x.accelerations(qddot);
  x.load_external(forces);
  x.torques = inverse_dynamics(x.mechanism(), x.work, x.q, x.v, x.a, x.external);
  return x.torques;
}

OwnedVector ChartDynamics::multiplier(const VectorRef& u, std::span<const PointForce> forces) {
  Memory& x = *memory_;
  const Eigen::VectorXd qddot = forward(u, forces);
  // Gravity and forces from outside, as BK (24) has them on the right: M 0 + N 0 - (them) is inverse dynamics at rest.
  const Eigen::VectorXd rest = inverse_dynamics(x.mechanism(), x.work, x.q, Eigen::VectorXd::Zero(x.mechanism().nv()),
                                                Eigen::VectorXd::Zero(x.mechanism().nv()), x.external);
  const Eigen::VectorXd applied_v = x.tau - rest;
  Eigen::VectorXd residual = mass_matrix() * qddot + velocity_matrix() * x.qdot_chart;
  x.coordinates.for_each_plain(
      [&](int chart, int, int at, int count) { residual.segment(chart, count) -= applied_v.segment(at, count); });
  OwnedVector lambda(coordinates().constraint_count());
  for (const ChartBlock& b : coordinates().blocks()) {
    const BlockState& at = x.state_of(b);
    residual.segment(b.start, b.size()) -= at.T.transpose() * applied_v.segment(b.v.start, b.v.size);
    if (at.G.rows() == 0) continue;
    const ChartMatrix GGt = at.G * at.G.transpose();
    const ChartVector pushed = at.G * residual.segment(b.theta.start, b.theta.size);
    lambda.segment(b.constraint, at.G.rows()) = GGt.partialPivLu().solve(pushed);
  }
  return lambda;
}

}  // namespace amble
