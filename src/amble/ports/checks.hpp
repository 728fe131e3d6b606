#pragma once

#include <fmt/format.h>

#include <cmath>

#include "amble/base/error.hpp"
#include "amble/base/owned.hpp"

// What elements ask of their numbers.
namespace amble {

/// Throws an Error unless `value` is finite and not negative; `infinite` allows infinity.
inline void check_strength(const std::string& name, const char* what, double value, bool infinite = false) {
  if (!(value >= 0.0) || (!infinite && !std::isfinite(value)))
    throw Error(fmt::format("'{}' has a {} of {}: expected a number, not negative", name, what, value));
}

inline void check_above_zero(const std::string& name, const char* what, double value) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(fmt::format("'{}' has a {} of {}: expected a number above 0", name, what, value));
}

inline void check_finite(const std::string& name, const char* what, double value) {
  if (!std::isfinite(value)) throw Error(fmt::format("'{}' has a {} of {}: expected a number", name, what, value));
}

}  // namespace amble
