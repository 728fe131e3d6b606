#include "amble/constraints/constraint_connection.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"

namespace amble {

namespace {

/// P from some rows of A, those that are independent on the manifold: off it, redundant rows of loops would count.
class Projector {
 public:
  Projector(ConstrainedDynamics& d, const VectorRef& q)
      : d_(d), work_(d.mechanism()), still_(Eigen::VectorXd::Zero(d.mechanism().nv())) {
    d.set_state(q, still_);
    const std::vector<int> redundant = d.redundant_rows();
    for (int i = 0; i < d.rows(); ++i)
      if (!std::binary_search(redundant.begin(), redundant.end(), i)) rows_.push_back(i);
  }

  Eigen::MatrixXd at(const VectorRef& q) {
    d_.set_state(q, still_);
    const Eigen::MatrixXd A = d_.A()(rows_, Eigen::all), M_inverse = inverse_mass_matrix(d_.mechanism(), work_, q);
    const Eigen::MatrixXd raised = M_inverse * A.transpose(), K = A * raised;
    return Eigen::MatrixXd::Identity(A.cols(), A.cols()) - raised * K.llt().solve(A);
  }

 private:
  ConstrainedDynamics& d_;
  Workspace work_;
  Eigen::VectorXd still_;
  std::vector<int> rows_;
};

}  // namespace

void constraint_connection(ConstrainedDynamics& d, const VectorRef& q, Christoffel& out) {
  const Mechanism& m = d.mechanism();
  const int n = m.nv();
  Projector projector(d, q);
  const Eigen::MatrixXd P = projector.at(q), forbidden = Eigen::MatrixXd::Identity(n, n) - P;
  if (d.velocity_error().norm() > 0.0)
    throw Error("the constraint connection is that of constraints A v = 0, without a b");
  Workspace work(m);
  Christoffel levi_civita(n);
  christoffel(m, work, q, levi_civita, ChristoffelKind::second);
  for (int k = 0; k < n; ++k) {
    const Eigen::MatrixXd change =
        slope_at_zero([&](double t) { return projector.at(m.integrate(q, t * Eigen::VectorXd::Unit(n, k))); });
    Eigen::MatrixXd nabla(n, n);  // column j is nabla_{e_k} e_j
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) nabla(i, j) = levi_civita(i, j, k);
    const Eigen::MatrixXd constrained = P * nabla - change + nabla * forbidden;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out(i, j, k) = constrained(i, j);
  }
}

}  // namespace amble
