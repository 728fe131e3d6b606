#pragma once

#include "amble/control/walking/curve.hpp"
#include "amble/control/walking/velocity_field.hpp"

namespace amble {

/// The field that leads to a curve and along it, DS 5.2.3: at q, with s the nearest point of the curve,
/// w = tangent(s) / |tangent(s)| + attraction difference(q, position(s)). Its integral curves come closer by
/// the factor e for every 1 / attraction of way along the curve. Smooth up to where two points of the curve
/// are equally near.
struct CurveFieldSettings {
  double attraction = 2.0;   ///< 1/rad or 1/m
  OwnedVector weights = {};  ///< of each velocity, for what is near and for |tangent|; empty: 1 each
};
/// The s of that nearest point. Throws an Error for weights that are not positive, one for each velocity.
double nearest_on(const TrackedCurve& curve, const VectorRef& q, const CurveFieldSettings& settings = {});
/// The field itself; throws likewise.
VelocityField field_towards(const TrackedCurve& curve, const CurveFieldSettings& settings = {});

}  // namespace amble
