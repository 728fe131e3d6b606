#include "amble/control/walking/curve_field.hpp"

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"

namespace amble {

namespace {

OwnedVector weights_of(const TrackedCurve& curve, const CurveFieldSettings& settings) {
  const int n = curve.mechanism().nv();
  OwnedVector weights = settings.weights;
  if (weights.size() == 0) weights = Eigen::VectorXd::Ones(n);
  if (weights.size() != n || !(weights.minCoeff() > 0.0) || !weights.allFinite())
    throw Error(fmt::format("weights of a field towards a curve of '{}': expected {} numbers above 0",
                            curve.mechanism().name(), n));
  return weights;
}

}  // namespace

double nearest_on(const TrackedCurve& curve, const VectorRef& q, const CurveFieldSettings& settings) {
  return curve.nearest(q, weights_of(curve, settings));
}

VelocityField field_towards(const TrackedCurve& curve, const CurveFieldSettings& settings) {
  const OwnedVector weights = weights_of(curve, settings);
  if (!(settings.attraction >= 0.0) || !std::isfinite(settings.attraction))
    throw Error(
        fmt::format("attraction {} of a field towards a curve: expected 0 or more", settings.attraction));
  return [curve, weights, k = settings.attraction](const OwnedVector& q, OwnedVector& w) {
    const double s = curve.nearest(q, weights);
    w = curve.tangent(s);
    w /= std::sqrt(w.cwiseAbs2().dot(weights));
    w += k * curve.mechanism().difference(q, curve.position(s));
  };
}

}  // namespace amble
