#pragma once

#include <functional>

#include "amble/mechanism/mechanism.hpp"

// Where to move from every configuration: the desired behaviour of DS 5.2, free of time. Directions matter,
// lengths do not.
namespace amble {

/// Fills w (nv numbers, zero before) at the configuration q. Where it is zero nothing is asked for, DS (5.2).
using VelocityField = std::function<void(const OwnedVector& q, OwnedVector& w)>;

/// How fast w changes along a motion with the velocity v: differences of order six along integrate(q, t v),
/// whose error is near 1e-11 of a field that changes over 0.05 or more (rad, m).
OwnedVector rate_along(const Mechanism& mechanism, const VelocityField& field, const VectorRef& q,
                       const VectorRef& v);

}  // namespace amble
