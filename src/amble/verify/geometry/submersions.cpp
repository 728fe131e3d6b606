#include <cmath>
#include <numbers>

#include "amble/riemann/double_geodesic.hpp"
#include "amble/riemann/known_geometry.hpp"
#include "amble/riemann/repeatability.hpp"
#include "amble/riemann/submersion.hpp"
#include "amble/riemann/workspace_dynamics.hpp"
#include "amble/simulation/motion_flows.hpp"
#include "amble/simulation/rkmk.hpp"
#include "amble/verify/geometry/themes.hpp"

namespace amble {

namespace {

/// Seven joints in space, six of whose motions the task asks for.
Motion chain_motion(std::uint64_t seed) {
  const Mechanism m = drive_chain({7, 6, 5, 4, 3, 2, 1});
  return in_motion(m, m.random(seed), seed);
}

/// A random chain with more than six freedoms; another seed where there are fewer.
Motion redundant_motion(std::uint64_t seed) {
  for (;; seed += 100) {
    Motion x = random_motion(seed, {.bodies = 7, .branching = 0.0, .fixed = 0.0, .properties = false});
    if (x.m.nv() > 6) return x;
  }
}

TaskMapPtr tip(const Mechanism& m) { return selected_task(position_task(m, "tool"), {0, 1}); }

/// sin of the angle between M ker J and ker J against |lift - pseudoinverse|: zero together, and only
/// together.
double theorem_holds() {
  const Mechanism m = drive_chain(std::vector<double>(7, 2.0));
  return submersion(*pose_task(m, "tool"), *kinetic_metric(m), m.random(3)).lift_difference;
}

double theorem_fails() {
  const Motion x = chain_motion(3);
  const Submersion s = submersion(*pose_task(x.m, "tool"), *kinetic_metric(x.m), x.q);
  return s.kernel_defect > 0.01 && s.lift_difference > 0.01 ? 1.0 : 0.0;
}

/// PPP along x, y, x with masses 1, 2, 3: all of a motion along x is left to the last slide.
double gantry_lift() {
  const Mechanism m = gantry(1, 2, 3);
  const Submersion s = submersion(*tip(m), *kinetic_metric(m), Eigen::Vector3d::Zero());
  Eigen::Matrix<double, 3, 2> by_hand;
  by_hand << 0, 0, 0, 1, 1, 0;
  return relative_error(s.lift, by_hand);
}

double lift_is_shortest(std::uint64_t seed) {
  const Motion x = redundant_motion(seed);
  const TaskMapPtr task = pose_task(x.m, x.m.body_names().back());
  const Submersion s = submersion(*task, *kinetic_metric(x.m), x.q);
  Workspace work(x.m);
  const Eigen::MatrixXd M = mass_matrix(x.m, work, x.q);
  return relative_error(s.horizontal.transpose() * (M * s.vertical),
                        Eigen::MatrixXd::Zero(x.m.nv(), x.m.nv())) /
         (1.0 + M.norm());
}

double operational_space(std::uint64_t seed) {
  const Motion x = redundant_motion(seed);
  const TaskMapPtr task = pose_task(x.m, x.m.body_names().back());
  const WorkspaceDynamics w = workspace_dynamics(*task, x.q, x.v);
  Workspace work(x.m);
  const Eigen::VectorXd F = x.a.head(6), tau = task->jacobian(x.q).transpose() * F;
  const Eigen::VectorXd a = forward_dynamics(x.m, work, x.q, x.v, tau);
  const Eigen::VectorXd xddot = task->jacobian(x.q) * a + task->jacobian_rate(x.q, x.v) * x.v;
  return (w.lambda * xddot + w.mu + w.p - F).norm() / (1.0 + w.mu.norm() + (w.lambda * xddot).norm());
}

/// AL (18) on a mechanism for which pi is an isometry: its right side is then exact.
double euler_poincare(std::uint64_t seed) {
  const Mechanism m = rigid_body(1.0, {1, 1, 1});
  const Motion x = in_motion(m, m.random(seed), seed);
  const TaskMapPtr task = pose_task(m, "body");
  const Twist<double> V{Vector6<double>(task->jacobian(x.q) * x.v)};
  return relative_error(workspace_dynamics(*task, x.q, x.v).drift, DoubleGeodesic::geodesic_rate(V).vector());
}

/// ... and on a flat chain for which it is none: off by more than a part in a hundred.
double euler_poincare_fails() {
  const Motion x = chain_motion(3);
  const TaskMapPtr task = pose_task(x.m, "tool");
  const Twist<double> V{Vector6<double>(task->jacobian(x.q) * x.v)};
  return relative_error(workspace_dynamics(*task, x.q, x.v).drift,
                        DoubleGeodesic::geodesic_rate(V).vector()) > 0.01
             ? 1.0
             : 0.0;
}

/// Baillieul's extended Jacobian: another angle stands still, and the arm comes back.
double repeatable_drift() {
  const Mechanism m = planar_arm(3);
  const TaskMapPtr further = user_task(m, "direction", 1, [](const VectorRef& q) -> OwnedVector {
    return Eigen::VectorXd::Constant(1, q.sum());
  });
  const TaskMapPtr task = tip(m);
  const OwnedVector q = Eigen::Vector3d(0.3, 0.7, 0.6);
  const InversePtr inverse = extended_inverse(task, further);
  const TaskCurve loop =
      circle_through(*task, task->value(q), Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1), 0.3);
  return holonomy(*inverse, loop, q, 1, {.samples = 2}).drift_norm[0];
}

/// Drift per area of a small loop against the bracket of the columns.
double bracket_and_drift(const std::function<InversePtr(TaskMapPtr)>& make) {
  const Mechanism m = planar_arm(3);
  const TaskMapPtr task = tip(m);
  const OwnedVector q = Eigen::Vector3d(0.3, 0.7, 0.6);
  const InversePtr inverse = make(task);
  const auto drift = [&](double radius) {
    const TaskCurve loop =
        circle_through(*task, task->value(q), Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1), radius);
    return Eigen::VectorXd(holonomy(*inverse, loop, q, 1, {.tolerance = 1e-12, .samples = 2}).drift[0] /
                           (std::numbers::pi * radius * radius));
  };
  const Eigen::VectorXd limit = (8.0 * drift(0.001) - 6.0 * drift(0.002) + drift(0.004)) / 3.0;
  return relative_error(limit, integrability(*inverse, q).drift);
}

double feedback_error() {
  const Motion x = chain_motion(5);
  const TaskMapPtr task = position_task(x.m, "tool");
  const Eigen::Vector3d goal = task->value(x.q) + Eigen::Vector3d(0.05, -0.03, 0.04),
                        start = task->value(x.q) - goal;
  VelocityFlow flow(x.m, [&](double, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau) {
    const OwnedVector xddot = -20.0 * (task->value(q) - goal) - 4.0 * (task->jacobian(q) * v), brake = -v;
    const VectorRef rest(brake);
    tau = lifted_feedback(*task, q, v, xddot, &rest);
  });
  MuntheKaasIntegrator run(flow, {.tolerance = 1e-10});
  run.set_state(0.0, x.q, Eigen::VectorXd::Zero(7));
  run.run(1.0);
  const double factor = std::exp(-2.0) * (std::cos(4.0) + 0.5 * std::sin(4.0));
  return (task->value(run.q()) - goal - factor * start).norm();
}

}  // namespace

std::vector<VerificationEntry> geometry_submersions() {
  constexpr const char* kTwo = "two routes";
  constexpr const char* kClosed = "closed form";
  return {
      number_entry({"geometry.lift_is_pseudoinverse", "AL Theorem III.2 where M ker J = ker J: equal drives",
                    kClosed, 1e-9},
                   0.0, theorem_holds),
      number_entry(
          {"geometry.lift_is_not_pseudoinverse",
           "AL Theorem III.2 as printed: a flat 7R chain with unequal drives refutes it", kClosed, 0.0},
          1.0, theorem_fails),
      number_entry(
          {"geometry.gantry_lift", "AL Theorem III.2 as printed: a flat PPP chain by hand", kClosed, 1e-12},
          0.0, gantry_lift),
      worst_entry({"geometry.projectors_orthogonal",
                   "AL (13): horizontal and vertical spaces in the kinetic metric", kClosed, 1e-10},
                  8, lift_is_shortest),
      worst_entry({"geometry.operational_space",
                   "Lambda xddot + mu + p = F against the dynamics of the joints", kTwo, 1e-7},
                  8, operational_space),
      worst_entry({"geometry.euler_poincare", "AL (18) on an isometric submersion", kClosed, 1e-11}, 6,
                  euler_poincare),
      number_entry(
          {"geometry.euler_poincare_fails", "AL (18) as printed, flat chains: does not hold", kClosed, 0.0},
          1.0, euler_poincare_fails),
      number_entry(
          {"geometry.repeatable_loop", "Baillieul's extended Jacobian leaves no drift", kClosed, 1e-8}, 0.0,
          repeatable_drift),
      number_entry({"geometry.drift_pseudoinverse",
                    "Shamir and Yomdin: drift of a small loop is its area times the bracket; pseudoinverse",
                    kTwo, 1e-4},
                   0.0, [] { return bracket_and_drift(pseudoinverse); }),
      number_entry({"geometry.drift_lift",
                    "the same for the horizontal lift: AL Corollary III.2 as printed says none", kTwo, 1e-4},
                   0.0, [] { return bracket_and_drift(kinetic_lift); }),
      number_entry(
          {"geometry.feedback_pulled_back",
           "AL IV: error dynamics of a workspace feedback pulled back through the lift, 1 s", kClosed, 1e-8},
          0.0, feedback_error),
  };
}

}  // namespace amble
