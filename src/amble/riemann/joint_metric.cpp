#include "amble/riemann/joint_metric.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "amble/base/error.hpp"
#include "amble/base/slope.hpp"
#include "amble/dynamics/dynamics.hpp"

namespace amble {

namespace {

using Dense = Eigen::MatrixXd;

class KineticMetric final : public JointMetric {
 public:
  explicit KineticMetric(const Mechanism& m) : mechanism_(m), work_(mechanism_) {}
  OwnedMatrix value(const VectorRef& q) override { return mass_matrix(mechanism_, work_, q); }
  OwnedMatrix rate(const VectorRef& q, const VectorRef& v) override {
    const Dense C = coriolis_matrix(mechanism_, work_, q, v);
    return C + C.transpose();
  }
  MetricPtr clone() const override { return std::make_shared<KineticMetric>(mechanism_); }

 private:
  Mechanism mechanism_;
  Workspace work_;
};

OwnedMatrix checked(const Mechanism& m, OwnedMatrix W) {
  const bool shaped = W.rows() == m.nv() && W.cols() == m.nv() && W.allFinite();
  if (!shaped || (W - W.transpose()).norm() > 1e-9 * W.norm() || Dense(W).llt().info() != Eigen::Success)
    throw Error(fmt::format("a metric of '{}' is {} x {} numbers, symmetric and positive definite", m.name(),
                            m.nv(), m.nv()));
  return W;
}

class ConstantMetric final : public JointMetric {
 public:
  explicit ConstantMetric(OwnedMatrix W) : W_(std::move(W)) {}
  OwnedMatrix value(const VectorRef&) override { return W_; }
  OwnedMatrix rate(const VectorRef&, const VectorRef&) override { return Dense::Zero(W_.rows(), W_.cols()); }
  MetricPtr clone() const override { return std::make_shared<ConstantMetric>(W_); }

 private:
  OwnedMatrix W_;
};

class ConfigurationMetric final : public JointMetric {
 public:
  ConfigurationMetric(const Mechanism& m, MetricFunction W) : mechanism_(m), W_(std::move(W)) {
    if (!W_) throw Error("a metric needs its function W(q)");
  }
  OwnedMatrix value(const VectorRef& q) override { return checked(mechanism_, W_(q)); }
  OwnedMatrix rate(const VectorRef& q, const VectorRef& v) override {
    const double speed = std::max(v.norm(), 1e-300);
    return speed *
           slope_at_zero([&](double t) { return Dense(value(mechanism_.integrate(q, t / speed * v))); });
  }
  MetricPtr clone() const override { return std::make_shared<ConfigurationMetric>(mechanism_, W_); }

 private:
  Mechanism mechanism_;
  MetricFunction W_;
};

}  // namespace

MetricPtr kinetic_metric(const Mechanism& m) { return std::make_shared<KineticMetric>(m); }
MetricPtr identity_metric(const Mechanism& m) {
  return std::make_shared<ConstantMetric>(OwnedMatrix(Dense::Identity(m.nv(), m.nv())));
}
MetricPtr constant_metric(const Mechanism& m, const OwnedMatrix& W) {
  return std::make_shared<ConstantMetric>(checked(m, W));
}
MetricPtr configuration_metric(const Mechanism& m, MetricFunction W) {
  return std::make_shared<ConfigurationMetric>(m, std::move(W));
}

}  // namespace amble
