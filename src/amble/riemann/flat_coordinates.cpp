#include "amble/riemann/flat_coordinates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "amble/base/error.hpp"
#include "amble/dynamics/dynamics.hpp"
#include "amble/riemann/geodesic.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

/// Along integrate(q0, s d): the parallel frame E, and x' = E^-1 v.
class FlatFlow final : public Flow {
 public:
  FlatFlow(Connection& connection, const OwnedVector& q0, const OwnedVector& d)
      : connection_(connection), q0_(q0), d_(d), n_(connection.mechanism().nv()), gamma_(n_) {}
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return n_ + n_ * n_; }

  void rates(double s, const double*, const double* x, double*, double* xdot) override {
    const Mechanism& m = connection_.mechanism();
    const Eigen::VectorXd v = m.local_jacobian(q0_, s * d_) * d_;
    connection_.coefficients(m.integrate(q0_, s * d_), gamma_);
    const Eigen::Map<const Dense> E(x + n_, n_, n_);
    Eigen::Map<Eigen::VectorXd>(xdot, n_) = E.partialPivLu().solve(v);
    for (int a = 0; a < n_; ++a)
      Eigen::Map<Eigen::VectorXd>(xdot + n_ + a * n_, n_) = -contract(gamma_, E.col(a), v);
  }

 private:
  Connection& connection_;
  const OwnedVector &q0_, &d_;
  int n_;
  Christoffel gamma_;
};

}  // namespace

FlatCoordinates::FlatCoordinates(const Mechanism& m, const VectorRef& q0, const FlatOptions& options)
    : connection_(levi_civita(m)), q0_(m.checked_configuration(q0)), options_(options) {
  check_flat(q0_);
  Workspace work(connection_->mechanism());
  const Dense L = mass_matrix(connection_->mechanism(), work, q0_).llt().matrixL();
  N0_ = L.transpose();
}

FlatCoordinates::FlatCoordinates(const FlatCoordinates& other)
    : connection_(levi_civita(other.connection_->mechanism())),
      q0_(other.q0_),
      N0_(other.N0_),
      options_(other.options_) {}

void FlatCoordinates::check_flat(const VectorRef& q) const {
  const Flatness found = flatness_at(connection_->mechanism(), q, options_.flatness);
  if (found.flat) return;
  throw Error(fmt::format(
      "'{}' has no flat coordinates: its sectional curvature is {:.6g} (the terms that would have to cancel "
      "are {:.3g}) at q = [{:.6g}]",
      connection_->mechanism().name(), found.largest, found.terms, fmt::join(found.q, ", ")));
}

FlatCoordinates::Point FlatCoordinates::at(const VectorRef& q) {
  const Mechanism& m = connection_->mechanism();
  const int n = m.nv();
  const OwnedVector d = m.difference(q0_, q);
  for (int i = 1; i <= options_.checks; ++i)
    check_flat(m.integrate(q0_, d * (static_cast<double>(i) / options_.checks)));
  FlatFlow flow(*connection_, q0_, d);
  MuntheKaasIntegrator run(flow, {.tolerance = options_.tolerance});
  OwnedVector x(flow.size());
  Eigen::Map<Dense>(x.data() + n, n, n) = N0_.inverse();
  run.set_state(0.0, OwnedVector(), x);
  run.run(1.0);
  return {run.x().head(n), Eigen::Map<const Dense>(run.x().data() + n, n, n).inverse()};
}

OwnedVector FlatCoordinates::configuration(const VectorRef& x) {
  connection_->mechanism().check_velocity(x, "x");
  return geodesic_end(*connection_, q0_, N0_.partialPivLu().solve(x), 1.0, options_.tolerance).q;
}

}  // namespace amble
