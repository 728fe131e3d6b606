#include "amble/simulation/impact.hpp"

#include <fmt/format.h>

#include <Eigen/QR>

#include "amble/base/error.hpp"

namespace amble {

double solve_impact(const Eigen::MatrixXd& inverse_mass, const ConstrainedDynamics* held, const std::vector<Strike>& strikes,
                    OwnedVector& v) {
  const Eigen::Index fixed = held == nullptr ? 0 : held->rows(), rows = fixed + static_cast<Eigen::Index>(strikes.size());
  if (rows == 0) return 0.0;
  Eigen::MatrixXd G(rows, v.size());
  Eigen::VectorXd change(rows);  // of G v
  if (held != nullptr) G.topRows(fixed) = held->A(), change.head(fixed) = -held->velocity_error();
  for (Eigen::Index i = fixed; i < rows; ++i) {
    const Strike& strike = strikes[i - fixed];
    G.row(i) = strike.row, change[i] = strike.after - strike.row.dot(v);
  }
  const Eigen::MatrixXd response = inverse_mass * G.transpose(), mobility = G * response;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(1e-10);
  const Eigen::VectorXd impulses = solver.compute(mobility).solve(change);
  const double off = (mobility * impulses - change).norm();
  if (!(off <= 1e-8 * (1.0 + change.norm())))
    throw Error(fmt::format("the impulses of an event contradict each other: velocities stay off by {:.3g}", off));
  const Eigen::VectorXd before = G * v;
  v += response * impulses;
  return -impulses.dot(before + 0.5 * change);
}

}  // namespace amble
