#pragma once

#include <fmt/format.h>

#include <cmath>

#include "amble/io/xml/numbers.hpp"

namespace amble {

/// The number with the fewest digits that is no further than `within` from `near` and for which `exact`
/// holds; `near` itself when there is none. Undoes the rounding of a calculation that started from numbers a
/// person wrote.
template <class Predicate>
double simplest(double near, double within, Predicate exact) {
  constexpr int kMostDigits = 17, kMostUlp = 4;
  const auto good = [&](double x) { return std::abs(x - near) <= within && exact(x); };
  if (good(0.0)) return 0.0;
  for (int digits = 1; digits <= kMostDigits; ++digits)
    if (const double x = *parse_number(fmt::format("{:.{}g}", near, digits)); good(x)) return x;
  double up = near, down = near;
  for (int i = 0; i < kMostUlp; ++i) {
    up = std::nextafter(up, HUGE_VAL), down = std::nextafter(down, -HUGE_VAL);
    if (good(up)) return up;
    if (good(down)) return down;
  }
  return near;
}

}  // namespace amble
