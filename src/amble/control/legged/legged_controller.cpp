#include "amble/control/legged/legged_controller.hpp"

#include <cmath>

namespace amble {

Vector2<double> Footprint::turned(const Vector2<double>& d) const {
  const double c = std::cos(yaw), s = std::sin(yaw);
  return {c * d.x() - s * d.y(), s * d.x() + c * d.y()};
}

Vector2<double> Footprint::to_world(const Vector2<double>& local) const { return place + turned(local); }

Vector2<double> Footprint::to_local(const Vector2<double>& world) const {
  const double c = std::cos(yaw), s = std::sin(yaw);
  const Vector2<double> d = world - place;
  return {c * d.x() + s * d.y(), -s * d.x() + c * d.y()};
}

}  // namespace amble
