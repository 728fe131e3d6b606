#pragma once

#include "amble/mechanism/description.hpp"

namespace amble {

/// Joint limits from here on, rad or m, are none: files say so by the largest number they can think of.
inline constexpr double kAsGoodAsUnlimited = 1e16;

/// Every number and name of a description that is above its Limit, and shapes that are not finite: squares
/// and products of what is left do not overflow. Each counts once, in whatever format it was written.
Problems find_magnitudes(const ModelDescription& description);

}  // namespace amble
