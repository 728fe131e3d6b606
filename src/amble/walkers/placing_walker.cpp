#include "amble/walkers/placing_walker.hpp"

#include "amble/base/error.hpp"

namespace amble {

namespace {

/// Leg 0 stands, leg 1 swings; a state has `m` coordinates.
LegAngles leg_of(const double* x, int m, int leg) {
  return {x[2 * leg], x[2 * leg + 1], x[m + 2 * leg], x[m + 2 * leg + 1]};
}
void put(const LegAngles& angles, int m, int leg, double* x) {
  x[2 * leg] = angles.a, x[2 * leg + 1] = angles.b, x[m + 2 * leg] = angles.da, x[m + 2 * leg + 1] = angles.db;
}

}  // namespace

FloorPlace PlacingWalker::next_place(int phase, const double* x) {
  if (phase + 1 < phases()) return {};
  const LegDirection<double> stance(x[0], x[1]), swing(x[2], x[3]);
  const double r = leg_length();
  return {.x = r * (stance.along[0] - swing.along[0]),
          .y = r * (stance.along[1] - swing.along[1]),
          .mirrored = true,
          .z = -drop_};
}

std::pair<OwnedVector, OwnedVector> PlacingWalker::full_state_at(const FloorPlace& place, int i, const double* x) {
  OwnedVector q(7), v(7);
  q.head(3) << place.x, place.y, place.z;
  const int m = phase(i).freedoms();
  for (int leg = 0; leg < 2; ++leg) {
    LegAngles angles = leg_of(x, m, leg);
    if (place.mirrored) angles = angles.mirrored();
    if (place.turn != 0.0) angles = angles.turned(place.turn);
    q.segment(3 + 2 * leg, 2) << angles.a, angles.b;
    v.segment(3 + 2 * leg, 2) << angles.da, angles.db;
  }
  return {q, v};
}

std::vector<StepModel::Stick> PlacingWalker::sticks(const VectorRef& q) {
  const LegDirection<double> stance(q[3], q[4]), swing(q[5], q[6]);
  const double r = leg_length();
  const std::pair foot{q[0], q[2]}, hip{q[0] + r * stance.along[0], q[2] + r * stance.along[2]};
  const std::pair other{hip.first - r * swing.along[0], hip.second - r * swing.along[2]};
  return {{foot, hip, Stick::Part::stance}, {hip, other, Stick::Part::swing}};
}

PlacingWalker::Hip PlacingWalker::hip(const double* x) const {
  const LegAngles leg = leg_of(x, 4, 0);
  const LegDirection<double> d(leg.a, leg.b);
  Hip out;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    out.place[i] = leg_length() * d.along[k];
    out.velocity[i] = leg_length() * (d.forward[k] * leg.da + d.sideways[k] * leg.db);
  }
  return out;
}

void PlacingWalker::turn(double angle, double* x) const {
  if (slope() != 0.0) throw Error("a walker turns on a level floor only: here the floor slopes");
  for (int leg = 0; leg < 2; ++leg) put(leg_of(x, 4, leg).turned(-angle), 4, leg, x);
}

}  // namespace amble
