#include "amble/walkers/kinds.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "amble/base/error.hpp"

namespace amble {

std::vector<WalkerParameter> with_floor(std::vector<WalkerParameter> parameters, double slope_deg,
                                        double gravity) {
  parameters.push_back({"slope_deg", slope_deg, "deg", "floor angle, downhill along x"});
  parameters.push_back({"gravity", gravity, "m/s^2", "its magnitude"});
  return parameters;
}

double positive(const WalkerValues& values, std::string_view name) {
  const double value = values.find(name)->second;
  if (!(value > 0.0)) throw Error(fmt::format("parameter '{}' is {}: expected more than 0", name, value));
  return value;
}

double not_negative(const WalkerValues& values, std::string_view name) {
  const double value = values.find(name)->second;
  if (!(value >= 0.0)) throw Error(fmt::format("parameter '{}' is {}: expected 0 or more", name, value));
  return value;
}

double slope_of(const WalkerValues& values) {
  const double degrees = values.find("slope_deg")->second;
  if (!(std::abs(degrees) < 90.0))
    throw Error(fmt::format("parameter 'slope_deg' is {}: expected between -90 and 90 degrees", degrees));
  return degrees * std::numbers::pi / 180.0;
}

}  // namespace amble
