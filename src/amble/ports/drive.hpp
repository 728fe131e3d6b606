#pragma once

#include <functional>

#include "amble/ports/element.hpp"

namespace amble {

/// tau (nv, paired with v) at a time and state; it fills `tau`, which is zero.
using Drive = std::function<void(double t, const OwnedVector& q, const OwnedVector& v, OwnedVector& tau)>;

/// Forces of the joints that come from outside at no loss: what is delivered is supplied.
ElementPtr drive(std::string name, Drive drive);

}  // namespace amble
