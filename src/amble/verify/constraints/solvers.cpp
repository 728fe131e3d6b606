#include "amble/dynamics/coordinates/gauss.hpp"
#include "amble/verify/constraints/models.hpp"
#include "amble/verify/constraints/themes.hpp"

namespace amble {

namespace {

/// A closed mechanism in motion under forces.
struct Case {
  explicit Case(std::uint64_t seed)
      : s(closed_motion(seed)),
        work(s.m),
        d(constrained(s.m, s.q, s.v)),
        M(mass_matrix(s.m, work, s.q)),
        a(d.accelerations(s.a)),
        force(d.A().transpose() * d.multipliers()) {}

  Motion s;  ///< s.a serves as tau
  Workspace work;
  ConstrainedDynamics d;
  Eigen::MatrixXd M;
  Eigen::VectorXd a, force;  ///< by multipliers

  /// Of the forces at play.
  double size() const { return 1.0 + (M * a).norm() + force.norm(); }
  double differs(const Eigen::VectorXd& other) const { return (M * (other - a)).norm() / size(); }
};

double by_method(std::uint64_t seed, ConstraintMethod method) {
  Case c(seed);
  return c.differs(c.d.accelerations(c.s.a, {}, method));
}

double by_gauss(std::uint64_t seed) {
  Case c(seed);
  const AccelerationConstraint held{OwnedMatrix(c.d.A()), OwnedVector(-c.d.gamma())};
  return c.differs(gauss_minimum(c.s.m, c.work, c.s.q, c.s.v, c.s.a, {}, held).a);
}

/// M a + bias = tau + A^T lambda, ZB (20).
double motion_of_the_tree(std::uint64_t seed) {
  Case c(seed);
  return (inverse_dynamics(c.s.m, c.work, c.s.q, c.s.v, c.a) - c.s.a - c.force).norm() / c.size();
}

double kept(std::uint64_t seed) {
  Case c(seed);
  return (c.d.A() * c.a + c.d.gamma()).norm() / (1.0 + c.d.gamma().norm() + c.a.norm());
}

double power_of_constraints(std::uint64_t seed) {
  Case c(seed);
  return std::abs(c.force.dot(c.s.v)) / (1.0 + c.force.norm() * c.s.v.norm());
}

double projector_twice(std::uint64_t seed) {
  const Eigen::MatrixXd P = Case(seed).d.projector();
  return relative_error(P * P, P);
}

/// M P is symmetric, so P and 1 - P give directions at right angles in the metric M.
double projector_orthogonal(std::uint64_t seed) {
  Case c(seed);
  const Eigen::MatrixXd MP = c.M * c.d.projector();
  return relative_error(MP, MP.transpose());
}

/// A P = 0, and P leaves alone what A allows.
double projector_allows(std::uint64_t seed) {
  Case c(seed);
  const Eigen::MatrixXd P = c.d.projector();
  return (c.d.A() * P).norm() / (1.0 + c.d.A().norm() * P.norm()) + relative_error(P * c.s.v, c.s.v);
}

/// ZB (25): what P leaves of the equation of motion has no multiplier: P M^-1 (tau - bias) = P a.
double projected_motion(std::uint64_t seed) {
  Case c(seed);
  const Eigen::VectorXd free = forward_dynamics(c.s.m, c.work, c.s.q, c.s.v, c.s.a);
  const Eigen::MatrixXd P = c.d.projector();
  return (c.M * P * (free - c.a)).norm() / c.size();
}

}  // namespace

std::vector<VerificationEntry> constraints_solvers() {
  constexpr int kSeeds = 60;
  const auto entry = [](const std::string& name, const std::string& source, const char* kind, double tolerance,
                        const std::function<double(std::uint64_t)>& error) {
    return worst_entry({"constraints." + name, source + ", random loops", kind, tolerance}, kSeeds, error);
  };
  return {
      entry("pseudo_velocities", "ZB (21), (22) against multipliers", "two routes", 1e-9,
            [](std::uint64_t seed) { return by_method(seed, ConstraintMethod::pseudo_velocities); }),
      entry("reduced_momenta", "DS Theorem 2.21 against multipliers", "two routes", 1e-9,
            [](std::uint64_t seed) { return by_method(seed, ConstraintMethod::reduced_momenta); }),
      entry("gauss", "BK (31), Gauss' principle, against multipliers", "two routes", 1e-9, by_gauss),
      entry("equation_of_motion", "ZB (20): inverse dynamics needs tau and the constraints' forces", "two routes",
            1e-9, motion_of_the_tree),
      entry("constraints_kept", "DS (2.93): A a + gamma = 0", "closed form", 1e-9, kept),
      entry("no_work", "ZB (19): forces of constraints do no work", "closed form", 1e-11, power_of_constraints),
      entry("projector_twice", "ZB 3.1: P P = P", "closed form", 1e-10, projector_twice),
      entry("projector_orthogonal", "ZB 3.1: M P symmetric", "closed form", 1e-10, projector_orthogonal),
      entry("projector_allows", "ZB (24): A P = 0, P v = v", "closed form", 1e-10, projector_allows),
      entry("projected_motion", "ZB (25): no multiplier in what P leaves", "closed form", 1e-9, projected_motion),
  };
}

}  // namespace amble
