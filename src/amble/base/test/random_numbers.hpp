#pragma once

#include "amble/base/owned.hpp"
#include "amble/base/random.hpp"

namespace amble {

inline OwnedVector random_numbers(Random& random, int count, double low = -1.0, double high = 1.0) {
  OwnedVector x(count);
  for (double& value : x) value = random.uniform(low, high);
  return x;
}

}  // namespace amble
