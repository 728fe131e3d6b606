#include "amble/constraints/assembly.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/constraints/carried_constraints.hpp"
#include "amble/constraints/constrained_dynamics.hpp"

namespace amble {

namespace {

/// Holonomic rows at a configuration, with the columns of held joints taken out.
class Closure {
 public:
  Closure(const Mechanism& m, const std::vector<ConstraintPtr>& constraints, const std::vector<std::string>& held)
      : dynamics_(m, constraints), free_(Eigen::VectorXd::Ones(m.nv())), still_(Eigen::VectorXd::Zero(m.nv())) {
    for (const std::string& joint : held) {
      const Slice v = m.v_slice(joint);
      free_.segment(v.start, v.size).setZero();
    }
    for (int i = 0; i < dynamics_.rows(); ++i)
      if (dynamics_.holonomic(i)) rows_.push_back(i);
  }

  void set(const VectorRef& q) {
    dynamics_.set_state(q, still_);
    phi = Eigen::VectorXd(rows_.size());
    A = Eigen::MatrixXd(rows_.size(), still_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      phi[i] = dynamics_.violation()[rows_[i]];
      A.row(i) = dynamics_.A().row(rows_[i]).cwiseProduct(free_.transpose());
    }
  }
  double residual() const { return phi.size() > 0 ? phi.cwiseAbs().maxCoeff() : 0.0; }
  ConstrainedDynamics& dynamics() { return dynamics_; }
  const Eigen::VectorXd& free() const { return free_; }

  Eigen::VectorXd phi;
  Eigen::MatrixXd A;

 private:
  ConstrainedDynamics dynamics_;
  Eigen::VectorXd free_, still_;
  std::vector<int> rows_;
};

/// Levenberg-Marquardt with the smallest steps; ends at the tolerance, or where nothing helps.
struct Newton {
  OwnedVector q;
  double residual;
  int iterations = 0;
};

Newton descend(const Mechanism& m, Closure& at, const VectorRef& start, const AssemblyOptions& options) {
  Newton best{OwnedVector(start), 0.0};
  at.set(best.q);
  best.residual = at.residual();
  double damping = 1e-3, cost = at.phi.squaredNorm();
  while (best.iterations < options.most_iterations && best.residual > 0.01 * options.tolerance) {
    ++best.iterations;
    const Eigen::VectorXd phi = at.phi;
    const Eigen::MatrixXd A = at.A;
    Eigen::MatrixXd gram = A * A.transpose();
    gram.diagonal().array() += damping * std::min(1.0, std::sqrt(cost)) + 1e-15 * (1.0 + gram.trace());
    Eigen::VectorXd step = -(A.transpose() * gram.ldlt().solve(phi));
    const double longest = step.cwiseAbs().maxCoeff();
    if (longest > 1.0) step /= longest;  // a radian or a metre at once is enough
    const OwnedVector next = m.integrate(best.q, step);
    at.set(next);
    const double improved = at.phi.squaredNorm();
    if (improved < cost) {
      best.q = next, cost = improved, best.residual = at.residual();
      damping = std::max(1e-12, 0.2 * damping);
    } else {
      if (best.residual <= options.tolerance || damping > 1e6) break;
      damping *= 10.0;
      at.set(best.q);
    }
  }
  at.set(best.q);
  return best;
}

bool on_branch(const std::vector<ConstraintPtr>& constraints, ConstraintKinematics& kinematics, const VectorRef& q) {
  kinematics.set_state(q, Eigen::VectorXd::Zero(kinematics.mechanism().nv()));
  return std::all_of(constraints.begin(), constraints.end(), [&](const ConstraintPtr& c) { return c->on_branch(kinematics); });
}

}  // namespace

Assembly assemble(const Mechanism& m, const std::vector<ConstraintPtr>& constraints, const VectorRef& guess,
                  const AssemblyOptions& options) {
  Closure closure(m, constraints, options.held);
  ConstraintKinematics kinematics(m);
  Random random(options.seed);
  const OwnedVector origin = m.checked_configuration(guess);
  double smallest = std::numeric_limits<double>::infinity();
  bool wrong_way = false;
  Assembly out;
  for (out.attempts = 1; out.attempts <= std::max(1, options.attempts); ++out.attempts) {
    OwnedVector start = origin;
    if (out.attempts > 1) {  // further and further away
      const double reach = 0.3 * out.attempts;
      Eigen::VectorXd step(m.nv());
      for (double& x : step) x = random.uniform(-reach, reach);
      start = m.integrate(origin, step.cwiseProduct(closure.free()));
    }
    const Newton found = descend(m, closure, start, options);
    out.iterations += found.iterations;
    smallest = std::min(smallest, found.residual);
    if (!(found.residual <= options.tolerance)) continue;
    if (!on_branch(constraints, kinematics, found.q)) {
      wrong_way = true;
      continue;
    }
    out.q = found.q, out.residual = found.residual;
    ConstrainedDynamics& d = closure.dynamics();
    out.rank = d.rank();
    out.mobility = m.nv() - out.rank;
    out.counted_mobility = m.nv() - d.rows();
    for (int row : d.redundant_rows()) out.redundant.push_back(d.row_name(row));
    return out;
  }
  throw Error(fmt::format("'{}' cannot be assembled: after {} attempts the smallest residual is {:.3g}, more than {:g}{}", m.name(),
                          std::max(1, options.attempts), smallest, options.tolerance,
                          wrong_way ? " (or the parts meet the wrong way round)" : ""));
}

Assembly assemble(const Mechanism& m, const VectorRef& guess, const AssemblyOptions& options) {
  return assemble(m, constraints_of(m), guess, options);
}

}  // namespace amble
