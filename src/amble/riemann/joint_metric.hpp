#pragma once

#include <functional>
#include <memory>

#include "amble/dynamics/workspace.hpp"

namespace amble {

/// By what velocities of joints are measured, |v|^2 = v^T W(q) v, and how that changes.
class JointMetric {
 public:
  virtual ~JointMetric() = default;
  virtual OwnedMatrix value(const VectorRef& q) = 0;
  /// The rate of W along v.
  virtual OwnedMatrix rate(const VectorRef& q, const VectorRef& v) = 0;
  /// The same with memory of its own, for another thread.
  virtual std::shared_ptr<JointMetric> clone() const = 0;
};
using MetricPtr = std::shared_ptr<JointMetric>;

/// M(q): lengths are those of kinetic energy.
MetricPtr kinetic_metric(const Mechanism& mechanism);
/// The identity in the velocity frame, which makes weighted inverses those of Moore and Penrose. It adds
/// radians to metres.
MetricPtr identity_metric(const Mechanism& mechanism);
/// A constant of the user's; symmetric and positive definite, or an Error.
MetricPtr constant_metric(const Mechanism& mechanism, const OwnedMatrix& W);
/// A function of the user's; its rate by differences of order eight.
using MetricFunction = std::function<OwnedMatrix(const VectorRef& q)>;
MetricPtr configuration_metric(const Mechanism& mechanism, MetricFunction W);

}  // namespace amble
