#include "amble/dynamics/coordinates/gauss.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>

#include "amble/base/error.hpp"
#include "amble/dynamics/link_motion.hpp"

namespace amble {

namespace {

/// One body in its own axes, at its centre of mass.
struct BodyMotion {
  Vector3<double> acceleration;          ///< x'' minus gravity
  Vector3<double> angular_acceleration;  ///< w'
  Vector3<double> force, moment;         ///< applied, gravity apart; the moment minus w x I w
};

/// What acts on each body: wrenches from outside and drives, in body axes at the body's origin.
std::vector<Wrench<double>> applied_wrenches(const Mechanism& m, std::span<const LinkMotion> links, const VectorRef& tau,
                                             std::span<const ExternalWrench> external) {
  std::vector<Wrench<double>> out(m.bodies().size());
  for (const ExternalWrench& e : external) {
    if (e.body < -1 || e.body >= static_cast<int>(out.size()))
      throw Error(fmt::format("an external wrench names body {}, but there are {}", e.body, out.size()));
    if (e.body >= 0) out[e.body] += e.F_B_B;
  }
  for (const Joint& joint : m.joints()) {
    if (joint.leader >= 0 || joint.v.size == 0) continue;
    const LinkMotion& at = links[joint.link];
    Eigen::MatrixXd S(6, joint.v.size);
    for (int k = 0; k < joint.v.size; ++k) S.col(k) = at.S[k].vector();
    const Eigen::VectorXd drive = tau.segment(joint.v.start, joint.v.size);
    const Eigen::MatrixXd gram = S.transpose() * S;
    const Wrench<double> F_L(Vector6<double>(S * gram.ldlt().solve(drive)));
    out[joint.child] += m.bodies()[joint.child].X_LB.inverse() * F_L;
    if (joint.parent >= 0) out[joint.parent] += m.bodies()[joint.parent].X_LB.inverse() * (-(at.X_PL * F_L));
  }
  return out;
}

BodyMotion motion_of(const Body& body, const LinkMotion& link, const Wrench<double>& applied) {
  const Twist<double> V = body.X_LB.inverse() * link.V, A = body.X_LB.inverse() * link.A;
  const Vector3<double> c = body.inertia.com(), w = V.angular();
  const Vector3<double> point_speed = V.linear() + cross<double>(w, c);
  return {A.linear() + cross<double>(A.angular(), c) + cross<double>(w, point_speed), A.angular(), applied.linear(),
          applied.angular() - cross<double>(c, applied.linear()) -
              cross<double>(w, Vector3<double>(body.inertia.about_com() * w))};
}

/// (x - f/m)^T m (x - f/m) / 2 for a symmetric m; without its constant part where m is singular.
template <class Number, class Mass>
double deviation(const Number& x, const Number& f, const Mass& m) {
  const Eigen::LLT<Mass> factor(m);
  if (factor.info() != Eigen::Success) return 0.5 * x.dot(m * x) - x.dot(f);
  const Number gap = x - factor.solve(f);
  return 0.5 * gap.dot(m * gap);
}

/// The free motion of armature on spherical and free joints, whose velocities turn with it: A a = -(v x* A v).
Eigen::VectorXd armature_moments(const Mechanism& m, const VectorRef& v) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(m.nv());
  for (const Joint& joint : m.joints()) {
    if (joint.leader >= 0 || (joint.kind != kJointKind<Spherical> && joint.kind != kJointKind<Free>)) continue;
    Vector6<double> V = Vector6<double>::Zero(), P = Vector6<double>::Zero();
    V.tail(joint.v.size) = v.segment(joint.v.start, joint.v.size);
    P.tail(joint.v.size) = m.armature().segment(joint.v.start, joint.v.size).cwiseProduct(V.tail(joint.v.size));
    out.segment(joint.v.start, joint.v.size) =
        -cross(Twist<double>(V), Wrench<double>(P)).vector().tail(joint.v.size);
  }
  return out;
}

/// f(body's motion, its inertia) for the bodies that can move.
template <class F>
void for_each_body(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                   const VectorRef& tau, std::span<const ExternalWrench> external, F f) {
  m.check_velocity(tau, "tau");
  const std::span<const LinkMotion> links = link_accelerations(m, work, q, v, a);
  const std::vector<Wrench<double>> applied = applied_wrenches(m, links, tau, external);
  for (std::size_t k = 0; k < m.bodies().size(); ++k)
    if (const Body& body = m.bodies()[k]; body.link != 0)
      f(motion_of(body, links[body.link], applied[k]), body.inertia);
}

}  // namespace

double gauss_deviation(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                       const VectorRef& tau, std::span<const ExternalWrench> external) {
  double D = 0.0;
  for_each_body(m, work, q, v, a, tau, external, [&](const BodyMotion& x, const Inertia<double>& inertia) {
    const Matrix3<double> mass = inertia.mass() * Matrix3<double>::Identity(), I = inertia.about_com();
    D += deviation(x.acceleration, x.force, mass) + deviation(x.angular_acceleration, x.moment, I);
  });
  const Eigen::VectorXd free = armature_moments(m, v);
  for (int i = 0; i < m.nv(); ++i) {
    const Matrix<double, 1, 1> rotor(m.armature()[i]), x(a[i]), f(free[i]);
    D += deviation(x, f, rotor);
  }
  return D;
}

GaussQuadratic gauss_quadratic(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                               const VectorRef& tau, std::span<const ExternalWrench> external) {
  const int n = m.nv(), bodies = static_cast<int>(m.bodies().size());
  // Accelerations of the bodies, six rows each, as an affine function of a: one column for each a_k, one for a = 0.
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(6 * bodies, n + 1), inertia = Eigen::MatrixXd::Zero(6, 6 * bodies);
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(6 * bodies);
  for (int k = 0; k <= n; ++k) {
    const Eigen::VectorXd a = k < n ? Eigen::VectorXd(Eigen::VectorXd::Unit(n, k)) : Eigen::VectorXd::Zero(n);
    int at = 0;
    for_each_body(m, work, q, v, a, tau, external, [&](const BodyMotion& x, const Inertia<double>& body) {
      rows.col(k).segment<6>(at) << x.acceleration, x.angular_acceleration;
      forces.segment<6>(at) << x.force, x.moment;
      inertia.block<3, 3>(0, at).diagonal().setConstant(body.mass());
      inertia.block<3, 3>(3, at + 3) = body.about_com();
      at += 6;
    });
  }
  const Eigen::VectorXd still = rows.col(n);
  GaussQuadratic out{OwnedMatrix(n, n), OwnedVector(n), 0.0};
  for (int at = 0; at < 6 * bodies; at += 6) {
    const Eigen::MatrixXd J = rows.block(at, 0, 6, n).colwise() - still.segment<6>(at), I = inertia.middleCols<6>(at);
    out.hessian += J.transpose() * I * J;
    out.gradient += J.transpose() * (I * still.segment<6>(at) - forces.segment<6>(at));
  }
  out.hessian.diagonal() += m.armature();
  out.gradient -= armature_moments(m, v);
  out.constant = gauss_deviation(m, work, q, v, Eigen::VectorXd::Zero(n), tau, external);
  return out;
}

GaussMinimum gauss_minimum(const Mechanism& m, Workspace& work, const VectorRef& q, const VectorRef& v,
                           const VectorRef& tau, std::span<const ExternalWrench> external,
                           const AccelerationConstraint& constraint) {
  const int n = m.nv(), c = static_cast<int>(constraint.A.rows());
  if (c > 0 && (constraint.A.cols() != n || constraint.b.size() != c))
    throw Error(fmt::format("a condition A a = b on accelerations has A of {} x {} and b of {} numbers, but '{}' has {} "
                            "accelerations",
                            c, constraint.A.cols(), constraint.b.size(), m.name(), n));
  if (!constraint.A.allFinite() || !constraint.b.allFinite()) throw Error("a condition on accelerations is not finite");
  const GaussQuadratic D = gauss_quadratic(m, work, q, v, tau, external);
  if (n == 0) return {OwnedVector(0), OwnedVector(c)};  // nothing can move
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + c, n + c);
  system.topLeftCorner(n, n) = D.hessian;
  if (c > 0) {
    system.topRightCorner(n, c) = constraint.A.transpose();
    system.bottomLeftCorner(c, n) = constraint.A;
  }
  Eigen::VectorXd right(n + c);
  right.head(n) = -D.gradient;
  if (c > 0) right.tail(c) = constraint.b;
  const Eigen::VectorXd solution = system.completeOrthogonalDecomposition().solve(right);
  if (c > 0) {
    const double gap = (constraint.A * solution.head(n) - constraint.b).norm();
    if (!(gap <= 1e-8 * (1.0 + constraint.b.norm())))
      throw Error(fmt::format("no acceleration fulfils all conditions: the best misses them by {:.3g}", gap));
  }
  const Eigen::VectorXd unmet = (system * solution - right).head(n);
  if (!(unmet.norm() <= 1e-8 * (1.0 + right.head(n).norm()))) {  // D falls without end where a force meets no mass
    inverse_mass_matrix(m, work, q);                             // says which joint
    throw Error("the deviation has no minimum: a force acts on something without mass");
  }
  return {OwnedVector(solution.head(n)), OwnedVector(-solution.tail(c))};
}

}  // namespace amble
