#include "amble/dynamics/coordinates/chart_reference.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/link_motion.hpp"

namespace amble {

namespace {

/// A number and its rate along the motion.
using Along = Dual<double, 1>;
using Columns = Eigen::Matrix<Along, 3, Eigen::Dynamic>;

double value(const Along& x) { return x.value; }
double rate(const Along& x) { return x.grad[0]; }

template <class Numbers>
auto values(const Numbers& x) {
  return x.unaryExpr([](const Along& a) { return value(a); });
}
template <class Numbers>
auto rates(const Numbers& x) {
  return x.unaryExpr([](const Along& a) { return rate(a); });
}

/// Numbers and their rates, entry by entry.
template <class A, class B>
auto with_rates(const A& x, const B& x_dot) {
  return x.binaryExpr(x_dot, [](double number, double slope) {
    Along out(number);
    out.grad[0] = slope;
    return out;
  });
}

/// The pose of a joint with its rate, and its columns V_FM_M as they change; of joints whose coordinates add.
struct JointMotion {
  SE3<Along> X;
  std::array<Twist<Along>, 6> S;
};

template <class Type>
JointMotion motion_of(const Type& joint, const double* q, const double* v) {
  JointMotion out;
  if constexpr (std::is_same_v<Type, Custom>) {
    const Pose X = joint.pose(q);
    std::array<Twist<double>, 6> S;
    joint.subspace(q, S.data());
    Vector6<double> V = Vector6<double>::Zero();
    for (int k = 0; k < joint.nv(); ++k) V += v[k] * S[k].vector();
    const Matrix3<double> R = X.rotation().matrix(), R_dot = R * skew<double>(V.tail<3>());
    const Vector3<double> p_dot = R * V.head<3>();
    out.X = SE3<Along>(SO3<Along>(Matrix3<Along>(with_rates(R, R_dot))),
                       Vector3<Along>(with_rates(X.translation(), p_dot)));
    for (int k = 0; k < joint.nv(); ++k) {
      const Vector6<double> change = slope_at_zero([&](double t) -> Vector6<double> {
        std::array<double, 6> step{};
        std::array<double, kMostJointCoordinates> there{};
        for (int i = 0; i < joint.nv(); ++i) step[i] = t * v[i];
        joint.integrate(q, step.data(), there.data());
        std::array<Twist<double>, 6> moved;
        joint.subspace(there.data(), moved.data());
        return moved[k].vector();
      });
      out.S[k] = Twist<Along>(Vector6<Along>(with_rates(S[k].vector(), change)));
    }
  } else {
    std::array<Along, kMostJointCoordinates> path{};
    for (int i = 0; i < joint.nq(); ++i) path[i].value = q[i], path[i].grad[0] = v[i];
    out.X = joint.pose(path.data());
    joint.subspace(path.data(), out.S.data());
  }
  return out;
}

void check_body(const Mechanism& m, int body) {
  if (body < 0 || body >= static_cast<int>(m.bodies().size()))
    throw Error(fmt::format("there is no body {}: '{}' has {}", body, m.name(), m.bodies().size()));
}

}  // namespace

/// Columns are those of the twist in world axes at the world's origin: a point at x moves by linear + angular x x.
struct ChartReference::Placed {
  Matrix3<Along> R;
  Vector3<Along> x;
  Columns linear, angular;

  /// J_t of a point that is at `p` on the link, BK (14): for the base's chart that is -[p - x0] x J_omega.
  Columns translational(const Vector3<double>& p) const {
    const Vector3<Along> at = x + R * p.cast<Along>();
    return linear + skew<Along>(-at) * angular;
  }
};

ChartReference::ChartReference(const ChartCoordinates& coordinates, const VectorRef& q_chart, const VectorRef& qdot_chart)
    : coordinates_(coordinates),
      q_chart_(q_chart),
      qdot_chart_(qdot_chart),
      q_(coordinates.configuration(q_chart)),
      v_(coordinates.velocity(q_chart, qdot_chart)),
      T_(coordinates.mechanism().nv(), coordinates.size()),
      T_dot_(coordinates.mechanism().nv(), coordinates.size()),
      M_(coordinates.size(), coordinates.size()),
      N_(coordinates.size(), coordinates.size()),
      G_(coordinates.constraint_count(), coordinates.size()),
      gamma_(coordinates.constraint_count()) {
  place_links();
  sum_bodies();
  add_armature();
  set_constraints();
}

void ChartReference::place_links() {
  const Mechanism& m = coordinates_.mechanism();
  auto links = std::make_shared<std::vector<Placed>>(m.links().size());
  const int n = coordinates_.size();
  const Columns none = Columns::Constant(3, n, Along(0.0));
  (*links)[0] = {Matrix3<Along>::Identity(), Vector3<Along>::Constant(Along(0.0)), none, none};
  std::vector<int> chart_of_v(m.nv());
  coordinates_.for_each_plain([&](int chart, int, int v, int count) {
    for (int i = 0; i < count; ++i) chart_of_v[v + i] = chart + i, T_(v + i, chart + i) = 1.0;
  });
  std::map<int, const ChartBlock*> block_of_joint;
  for (const ChartBlock& b : coordinates_.blocks()) block_of_joint[b.joint] = &b;

  for (std::size_t i = 1; i < m.links().size(); ++i) {
    const Link& link = m.links()[i];
    const Placed& parent = (*links)[link.parent];
    Placed& at = (*links)[i];
    at = parent;
    const Matrix3<Along> R_WN = parent.R * link.X_PN.rotation().matrix().cast<Along>();
    const Vector3<Along> x_WN = parent.x + parent.R * link.X_PN.translation().cast<Along>();
    // A column, given at the link's own origin in world axes, about the world's origin.
    const auto add = [&](int column, const Vector3<Along>& linear, const Vector3<Along>& angular) {
      at.linear.col(column) += linear + cross<Along>(at.x, angular);
      at.angular.col(column) += angular;
    };
    if (const auto found = block_of_joint.find(link.joint); found != block_of_joint.end()) {
      const ChartBlock& b = *found->second;
      const auto theta = q_chart_.segment(b.theta.start, b.theta.size), slope = qdot_chart_.segment(b.theta.start, b.theta.size);
      const ChartPlace place = b.chart->place(theta);
      const ChartRates rates = b.chart->place_rates(place, theta, slope);
      at.R = R_WN * with_rates(place.R, rates.R_dot);
      at.x = x_WN;
      if (b.floats) {
        const Vector3<double> position = q_chart_.segment<3>(b.start), speed = qdot_chart_.segment<3>(b.start);
        at.x += R_WN * with_rates(position, speed);
        for (int k = 0; k < 3; ++k) add(b.start + k, R_WN.col(k), Vector3<Along>::Constant(Along(0.0)));
        T_.block(b.v.start, b.start, 3, 3) = place.R.transpose();
        T_dot_.block(b.v.start, b.start, 3, 3) = rates.R_dot.transpose();
      }
      for (int k = 0; k < b.theta.size; ++k) {
        const Vector3<Along> omega = R_WN * with_rates(place.J_global.col(k), rates.J_global_dot.col(k));
        add(b.theta.start + k, Vector3<Along>::Constant(Along(0.0)), omega);
      }
      const int row = b.v.start + (b.floats ? 3 : 0);
      T_.block(row, b.theta.start, 3, b.theta.size) = place.J_base;
      T_dot_.block(row, b.theta.start, 3, b.theta.size) = rates.J_base_dot;
      continue;
    }
    JointCoordinates room_q, room_v;
    const double *q = own_coordinates(link, q_.data(), room_q), *v = own_velocities(link, v_.data(), room_v);
    const JointMotion joint =
        visit_joint(link.kind, link.parameters, [&](const auto& type) { return motion_of(type, q, v); });
    at.R = R_WN * joint.X.rotation().matrix();
    at.x = x_WN + R_WN * joint.X.translation();
    for (int k = 0; k < link.v.size; ++k)
      add(chart_of_v[link.v.start + k], Along(link.ratio) * (at.R * joint.S[k].linear()),
          Along(link.ratio) * (at.R * joint.S[k].angular()));
  }
  links_ = std::move(links);
}

void ChartReference::sum_bodies() {
  for (const Body& body : coordinates_.mechanism().bodies()) {
    const Placed& link = (*links_)[body.link];
    const Columns t = link.translational(body.X_LB * body.inertia.com());
    const Columns r = body.X_LB.rotation().matrix().transpose().cast<Along>() * (link.R.transpose() * link.angular);
    const Eigen::MatrixXd J_t = values(t), J_t_dot = rates(t), J_r = values(r), J_r_dot = rates(r);
    const double mass = body.inertia.mass();
    const Matrix3<double> I = body.inertia.about_com();
    const Vector3<double> spin = I * (J_r * qdot_chart_);
    M_ += J_t.transpose() * mass * J_t + J_r.transpose() * I * J_r;
    N_ += J_t.transpose() * mass * J_t_dot + J_r.transpose() * I * J_r_dot - J_r.transpose() * skew<double>(spin) * J_r;
  }
}

/// An inertia on the joint's own velocities; on free and spherical joints it turns as a body's does.
void ChartReference::add_armature() {
  const Mechanism& m = coordinates_.mechanism();
  const Eigen::VectorXd A = m.armature(), p = A.cwiseProduct(v_);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(m.nv(), m.nv());
  for (const ChartBlock& b : coordinates_.blocks()) {
    const int w = b.v.start + (b.floats ? 3 : 0);
    B.block<3, 3>(w, w) = -skew<double>(p.segment<3>(w));
    if (!b.floats) continue;
    B.block<3, 3>(b.v.start, w) = -skew<double>(p.segment<3>(b.v.start));
    B.block<3, 3>(w, b.v.start) = -skew<double>(p.segment<3>(b.v.start));
  }
  M_ += T_.transpose() * A.asDiagonal() * T_;
  N_ += T_.transpose() * (A.asDiagonal() * T_dot_ + B * T_);
}

void ChartReference::set_constraints() {
  for (const ChartBlock& b : coordinates_.blocks()) {
    const auto theta = q_chart_.segment(b.theta.start, b.theta.size);
    const int count = b.chart->constraint_count();
    G_.block(b.constraint, b.theta.start, count, b.theta.size) = b.chart->constraint_jacobian(theta);
    gamma_.segment(b.constraint, count) =
        b.chart->constraint_bias(theta, qdot_chart_.segment(b.theta.start, b.theta.size));
  }
}

OwnedMatrix ChartReference::translational_jacobian(int body, const Vector3<double>& p) const {
  check_body(coordinates_.mechanism(), body);
  const Body& k = coordinates_.mechanism().bodies()[body];
  return values((*links_)[k.link].translational(k.X_LB * p)).eval();
}
OwnedMatrix ChartReference::translational_jacobian_dot(int body, const Vector3<double>& p) const {
  check_body(coordinates_.mechanism(), body);
  const Body& k = coordinates_.mechanism().bodies()[body];
  return rates((*links_)[k.link].translational(k.X_LB * p)).eval();
}
OwnedMatrix ChartReference::rotational_jacobian_global(int body) const {
  check_body(coordinates_.mechanism(), body);
  return values((*links_)[coordinates_.mechanism().bodies()[body].link].angular).eval();
}
OwnedMatrix ChartReference::rotational_jacobian_local(int body) const {
  check_body(coordinates_.mechanism(), body);
  const Body& k = coordinates_.mechanism().bodies()[body];
  const Matrix3<double> R = values((*links_)[k.link].R) * k.X_LB.rotation().matrix();
  return Eigen::MatrixXd(R.transpose() * rotational_jacobian_global(body));
}
OwnedMatrix ChartReference::rotational_jacobian_local_dot(int body) const {
  check_body(coordinates_.mechanism(), body);
  const Body& k = coordinates_.mechanism().bodies()[body];
  const Placed& link = (*links_)[k.link];
  const Columns local = k.X_LB.rotation().matrix().transpose().cast<Along>() * (link.R.transpose() * link.angular);
  return rates(local).eval();
}

OwnedVector ChartReference::applied_forces(const VectorRef& u, std::span<const PointForce> forces) const {
  const Mechanism& m = coordinates_.mechanism();
  OwnedVector tau(m.nv());
  coordinates_.joint_forces(u, tau);
  OwnedVector Q(T_.transpose() * tau);
  for (std::size_t k = 0; k < m.bodies().size(); ++k) {
    const Inertia<double>& inertia = m.bodies()[k].inertia;
    Q += translational_jacobian(static_cast<int>(k), inertia.com()).transpose() * (inertia.mass() * m.gravity());
  }
  for (const PointForce& f : forces) Q += translational_jacobian(f.body, f.point).transpose() * f.force;
  return Q;
}

ChartReference::Solution ChartReference::forward(const VectorRef& u, std::span<const PointForce> forces) const {
  const int n = coordinates_.size(), c = coordinates_.constraint_count();
  if (n == 0) return {};  // nothing can move
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + c, n + c);
  system.topLeftCorner(n, n) = M_;
  system.topRightCorner(n, c) = G_.transpose();
  system.bottomLeftCorner(c, n) = G_;
  Eigen::VectorXd right(n + c);
  right << applied_forces(u, forces) - N_ * qdot_chart_, -gamma_;
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(system);
  if (!solver.isInvertible())
    throw Error("the equation of motion in these charts is singular here: a chart has lost a direction of rotation, or "
                "something without mass can move");
  const Eigen::VectorXd solution = solver.solve(right);
  return {OwnedVector(solution.head(n)), OwnedVector(-solution.tail(c))};
}

}  // namespace amble
