#pragma once

#include <string>
#include <vector>

#include "amble/geometry/ground.hpp"

namespace amble {

/// A ground as data, for files: its kind and the numbers that make it again.
struct GroundDescription {
  std::string kind;  ///< "plane", "stairs", "sine" or "height_field"; empty: none
  std::vector<double> numbers;
};

/// Of a ground that ground.hpp makes; throws an Error for another.
GroundDescription description_of(const Ground& ground);

/// The ground that was described; null for an empty kind. Throws an Error for a kind that is not known and
/// numbers that do not fit it.
GroundPtr ground_of(const GroundDescription& description);

}  // namespace amble
