#include "amble/riemann/geodesic.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/simulation/rkmk.hpp"

namespace amble {

namespace {

/// (q, v, and vectors that are carried along).
class GeodesicFlow final : public Flow {
 public:
  GeodesicFlow(Connection& connection, double direction, int carried)
      : connection_(connection),
        n_(connection.mechanism().nv()),
        direction_(direction),
        carried_(carried),
        gamma_(n_) {}
  const Mechanism* mechanism() const override { return &connection_.mechanism(); }
  int size() const override { return n_ * (1 + carried_); }

  void rates(double, const double* q, const double* x, double* v, double* xdot) override {
    const Eigen::Map<const Eigen::VectorXd> at(q, mechanism()->nq()), speed(x, n_);
    Eigen::Map<Eigen::VectorXd>(v, n_) = direction_ * speed;
    Eigen::Map<Eigen::VectorXd>(xdot, n_) = direction_ * connection_.acceleration(at, speed);
    if (carried_ == 0) return;
    connection_.coefficients(at, gamma_);
    for (int i = 1; i <= carried_; ++i)
      Eigen::Map<Eigen::VectorXd>(xdot + i * n_, n_) =
          -direction_ * contract(gamma_, Eigen::Map<const Eigen::VectorXd>(x + i * n_, n_), speed);
  }

 private:
  Connection& connection_;
  int n_;
  double direction_;
  int carried_;
  Christoffel gamma_;
};

/// Vectors along a curve that is given.
class TransportFlow final : public Flow {
 public:
  TransportFlow(Connection& connection, const ConfigurationCurve& curve, double t0, double direction,
                int carried)
      : connection_(connection),
        curve_(curve),
        t0_(t0),
        direction_(direction),
        n_(connection.mechanism().nv()),
        carried_(carried),
        gamma_(n_) {}
  const Mechanism* mechanism() const override { return nullptr; }
  int size() const override { return n_ * carried_; }

  void rates(double s, const double*, const double* x, double*, double* xdot) override {
    const MovingConfiguration at = curve_(t0_ + direction_ * s);
    connection_.mechanism().check_velocity(at.v, "the curve's velocity");
    connection_.coefficients(at.q, gamma_);
    for (int i = 0; i < carried_; ++i)
      Eigen::Map<Eigen::VectorXd>(xdot + i * n_, n_) =
          -direction_ * contract(gamma_, Eigen::Map<const Eigen::VectorXd>(x + i * n_, n_), at.v);
  }

 private:
  Connection& connection_;
  const ConfigurationCurve& curve_;
  double t0_, direction_;
  int n_, carried_;
  Christoffel gamma_;
};

void check_duration(double duration) {
  if (!std::isfinite(duration))
    throw Error(fmt::format("the duration of a geodesic is {}: expected a finite number", duration));
}

OwnedVector checked_start(Connection& c, const VectorRef& q, const VectorRef& v) {
  const Mechanism& m = c.mechanism();
  m.check_velocity(v, "v");
  const OwnedVector allowed = c.admissible(q, v);
  if ((allowed - v).norm() > 1e-8 * (1.0 + v.norm()))
    throw Error(fmt::format(
        "a geodesic of '{}' cannot start with this v: its constraints forbid a part of size {:.3g}", m.name(),
        (allowed - v).norm()));
  return allowed;
}

void check_vectors(const Mechanism& m, const OwnedMatrix& vectors) {
  if (vectors.rows() != m.nv() || !vectors.allFinite())
    throw Error(fmt::format("vectors to transport are columns of nv = {} finite numbers", m.nv()));
}

}  // namespace

CurveOnMechanism geodesic(Connection& c, const VectorRef& q, const VectorRef& v, double duration,
                          const GeodesicOptions& options) {
  check_duration(duration);
  if (options.samples < 2) throw Error("a geodesic has two samples at least, its ends");
  const double direction = duration < 0.0 ? -1.0 : 1.0;
  GeodesicFlow flow(c, direction, 0);
  MuntheKaasIntegrator run(flow, {.tolerance = options.tolerance});
  run.set_state(0.0, c.mechanism().checked_configuration(q), checked_start(c, q, v));
  CurveOnMechanism curve;
  for (int i = 0; i < options.samples; ++i) {
    const double s = std::abs(duration) * i / (options.samples - 1);
    run.run(s);
    curve.t.push_back(direction * s);
    curve.q.push_back(run.q());
    curve.v.push_back(run.x());
  }
  return curve;
}

GeodesicEnd geodesic_end(Connection& c, const VectorRef& q, const VectorRef& v, double duration,
                         double tolerance) {
  CurveOnMechanism curve = geodesic(c, q, v, duration, {.tolerance = tolerance, .samples = 2});
  return {curve.q.back(), curve.v.back()};
}

double curve_length(const Mechanism& m, const CurveOnMechanism& curve) {
  const std::size_t n = curve.t.size();
  if (n < 3 || n % 2 == 0) throw Error("Simpson's rule needs an odd number of states, three at least");
  Workspace work(m);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = i == 0 || i + 1 == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += weight * std::sqrt(inner_product(m, work, curve.q[i], curve.v[i], curve.v[i]));
  }
  return sum * std::abs(curve.t.back() - curve.t.front()) / (3.0 * static_cast<double>(n - 1));
}

OwnedMatrix parallel_transport(Connection& c, const ConfigurationCurve& curve, double t0, double t1,
                               const OwnedMatrix& vectors, double tolerance) {
  check_duration(t1 - t0);
  check_vectors(c.mechanism(), vectors);
  TransportFlow flow(c, curve, t0, t1 < t0 ? -1.0 : 1.0, static_cast<int>(vectors.cols()));
  MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
  run.set_state(0.0, OwnedVector(), vectors.reshaped());
  run.run(std::abs(t1 - t0));
  return Eigen::Map<const Eigen::MatrixXd>(run.x().data(), vectors.rows(), vectors.cols());
}

OwnedMatrix parallel_transport(Connection& c, const VectorRef& q, const VectorRef& v, double duration,
                               const OwnedMatrix& vectors, double tolerance) {
  check_duration(duration);
  check_vectors(c.mechanism(), vectors);
  GeodesicFlow flow(c, duration < 0.0 ? -1.0 : 1.0, static_cast<int>(vectors.cols()));
  MuntheKaasIntegrator run(flow, {.tolerance = tolerance});
  OwnedVector x(flow.size());
  x.head(v.size()) = checked_start(c, q, v);
  x.tail(vectors.size()) = vectors.reshaped();
  run.set_state(0.0, c.mechanism().checked_configuration(q), x);
  run.run(std::abs(duration));
  return Eigen::Map<const Eigen::MatrixXd>(run.x().data() + v.size(), vectors.rows(), vectors.cols());
}

}  // namespace amble
