#include "amble/base/slope.hpp"
#include "amble/dynamics/derivatives.hpp"
#include "amble/dynamics/kinematics.hpp"
#include "amble/dynamics/momentum.hpp"
#include "amble/dynamics/placement_derivatives.hpp"
#include "amble/mechanism/builder.hpp"
#include "amble/mechanism/joints/custom.hpp"
#include "amble/verify/dynamics/themes.hpp"
#include "amble/verify/evidence.hpp"

namespace amble {

namespace {

Claim difference(const std::string& name, const std::string& source) {
  return {"dynamics." + name, source + ", by differences", "two routes", 1e-9};  // see slope_at_zero()
}

/// d/dt f(q) along v.
template <class F>
auto rate(const Motion& s, F f) {
  return slope_at_zero([&](double t) { return f(s.m.integrate(s.q, t * s.v)); });
}

double jacobian_rate(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  const std::string& body = s.m.bodies().back().name;
  double sum = 0.0;
  for (const JacobianFrame frame : {JacobianFrame::local, JacobianFrame::world, JacobianFrame::aligned}) {
    const JacobianOptions at{.point = {0.1, -0.3, 0.2}, .frame = frame};
    const auto J = [&](const OwnedVector& q) { return Eigen::MatrixXd(jacobian(s.m, work, q, body, at)); };
    sum += relative_error(jacobian_dot(s.m, work, s.q, s.v, body, at), rate(s, J));
  }
  return sum;
}

double momentum_matrix_rate(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  const auto A = [&](const OwnedVector& q) { return Eigen::MatrixXd(momentum_matrix(s.m, work, q)); };
  return relative_error(momentum_matrix_dot(s.m, work, s.q, s.v), rate(s, A));
}

double gravity_of_potential(std::uint64_t seed) {
  const Motion s = random_motion(seed, 30);
  Workspace work(s.m);
  Eigen::VectorXd slope(s.m.nv());
  for (int k = 0; k < s.m.nv(); ++k)
    slope[k] = slope_at_zero([&](double t) {
      return potential_energy(s.m, work, s.m.integrate(s.q, t * Eigen::VectorXd::Unit(s.m.nv(), k)));
    });
  return relative_error(gravity_forces(s.m, work, s.q), slope);
}

/// With wrenches that stay on their bodies, as they stay for us.
double derivatives_error(const Motion& s) {
  const int nv = s.m.nv();
  Workspace work(s.m);
  std::vector<ExternalWrench> F;
  for (int body = 0; body < static_cast<int>(s.m.bodies().size()); body += 2)
    F.push_back({body, Wrench<double>({1.0, -2.0, 3.0}, {0.5, 0.2, -0.7})});
  Eigen::MatrixXd dq(nv, nv), dv(nv, nv);
  for (int k = 0; k < nv; ++k) {
    const auto tau = [&](double turn, double faster) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(nv, k);
      return Eigen::VectorXd(inverse_dynamics(s.m, work, s.m.integrate(s.q, turn * e), s.v + faster * e, s.a, F));
    };
    dq.col(k) = slope_at_zero([&](double t) { return tau(t, 0.0); });
    dv.col(k) = slope_at_zero([&](double t) { return tau(0.0, t); });
  }
  const InverseDynamicsDerivatives d = inverse_dynamics_derivatives(s.m, work, s.q, s.v, s.a, F);
  const double inverse = relative_error(d.dq, dq) + relative_error(d.dv, dv);
  const Eigen::VectorXd tau = inverse_dynamics(s.m, work, s.q, s.v, s.a, F);
  const Eigen::MatrixXd M = mass_matrix(s.m, work, s.q);
  const ForwardDynamicsDerivatives f = forward_dynamics_derivatives(s.m, work, s.q, s.v, tau, F);
  return inverse + relative_error(-M * f.dq, dq) + relative_error(-M * f.dv, dv);
}

/// The frame of one joint moved in its parent.
double placement(std::uint64_t seed) {
  const Motion s = random_motion(seed, 12);
  Workspace work(s.m);
  const ModelDescription& given = s.m.description();
  const std::size_t which = seed % given.joints.size();
  Eigen::MatrixXd expected(s.m.nv(), 6);
  for (int k = 0; k < 6; ++k)
    expected.col(k) = slope_at_zero([&](double t) {
      ModelDescription d = given;
      const Twist<double> step(Vector6<double>(t * Vector6<double>::Unit(k)));
      d.joints[which].X_PF = d.joints[which].X_PF * Pose::exp(step);
      const Mechanism moved = compile(d);
      Workspace there(moved);
      return Eigen::VectorXd(inverse_dynamics(moved, there, s.q, s.v, s.a));
    });
  return relative_error(
      inverse_dynamics_placement_derivatives(s.m, work, s.q, s.v, s.a, given.joints[which].name), expected);
}

/// A user's joint: a screw, then a turn about the axis that the screw carries.
struct ScrewThenTurn : CustomJointOf<ScrewThenTurn, 2> {
  static constexpr double kPitch = 0.1;
  std::string name() const override { return "screw, then turn"; }
  template <class T>
  SE3<T> motion(const T* q) const {
    const SE3<T> screw(SO3<T>::about(2, q[0]), Vector3<T>(T(0.0), T(0.0), T(kPitch) * q[0]));
    return screw * SE3<T>(SO3<T>::about(0, q[1]));
  }
};

/// A chain of three such joints, as the user's own type or from the list with a massless body in between.
Mechanism chain_of_screws(std::uint64_t seed, bool custom) {
  Random random(seed);
  Builder b("chain");
  std::string parent = kWorld;
  for (const std::string n : {"1", "2", "3"}) {
    b.body({.name = "body" + n, .inertia = random_inertia(random)});
    const Pose X_PF = random_pose(random), X_CM = random_pose(random);
    if (custom) {
      b.joint({.name = "both" + n, .type = "custom", .parent = parent, .child = "body" + n, .X_PF = X_PF,
               .X_CM = X_CM, .custom = std::make_shared<ScrewThenTurn>()});
    } else {
      b.body({.name = "between" + n});
      b.joint({.name = "screw" + n, .type = "helical", .parent = parent, .child = "between" + n, .X_PF = X_PF,
               .axis = {0, 0, 1}, .pitch = ScrewThenTurn::kPitch});
      b.joint({.name = "turn" + n, .type = "revolute", .parent = "between" + n, .child = "body" + n, .X_CM = X_CM,
               .axis = {1, 0, 0}});
    }
    parent = "body" + n;
  }
  return b.build();
}

double custom_joint(std::uint64_t seed) {
  const Mechanism listed = chain_of_screws(seed, false), custom = chain_of_screws(seed, true);
  const Motion s = in_motion(listed, listed.random(seed), seed);
  Workspace one(listed), other(custom);
  const Eigen::VectorXd tau = inverse_dynamics(listed, one, s.q, s.v, s.a);
  const InverseDynamicsDerivatives a = inverse_dynamics_derivatives(listed, one, s.q, s.v, s.a),
                                   b = inverse_dynamics_derivatives(custom, other, s.q, s.v, s.a);
  return relative_error(b.dq, a.dq) + relative_error(b.dv, a.dv) + relative_error(b.M, a.M) +
         relative_error(inverse_dynamics(custom, other, s.q, s.v, s.a), tau) +
         relative_error(coriolis_matrix(custom, other, s.q, s.v), coriolis_matrix(listed, one, s.q, s.v)) +
         (a.M * (forward_dynamics(custom, other, s.q, s.v, tau) - s.a)).norm() / (1.0 + tau.norm());
}

}  // namespace

std::vector<VerificationEntry> dynamics_differences() {
  return {
      worst_entry(difference("jacobian_rate", "BK (26): jacobian_dot in every frame"), 60, jacobian_rate),
      worst_entry(difference("momentum_matrix_rate", "rate of the momentum matrix"), 60, momentum_matrix_rate),
      worst_entry(difference("gravity_of_potential", "ZB 2.2: gravity = dV/dq"), 60, gravity_of_potential),
      worst_entry(difference("derivatives_with_wrenches", "derivatives of both dynamics"), 40,
                  [](std::uint64_t seed) { return derivatives_error(random_motion(seed, 20)); }),
      worst_entry(difference("custom_joint_derivatives", "the same with joints of the user's own"), 20,
                  [](std::uint64_t seed) {
                    const Mechanism m = chain_of_screws(seed, true);
                    return derivatives_error(in_motion(m, m.random(seed), seed));
                  }),
      worst_entry(difference("placement_derivatives", "a joint's frame moved in its parent"), 24, placement),
      worst_entry({"dynamics.custom_joint", "a user's joint and the same from the list", "two routes", 1e-11}, 50,
                  custom_joint),
  };
}

}  // namespace amble
