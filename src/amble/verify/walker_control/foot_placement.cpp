#include <cmath>

#include "amble/gait/cycles.hpp"
#include "amble/gait/guided_walk.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/walker_control/themes.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {

namespace {

Gait cycle(const char* walker, const WalkerValues& values) {
  const auto model = make_walker(walker, values);
  const CyclesFound found = find_cycles(*model, region_of(*model), {.starts = 6});
  if (found.cycles.empty()) throw Error("no cycle was found");
  return found.cycles.front();
}
Gait point_mass(double gain) { return cycle("pointmass3d", {{"lateral_gain", gain}}); }
double leading(double gain) { return std::abs(point_mass(gain).leading()); }

/// The pushed walker after `steps` steps: how far its lateral angle is from the cycle's.
Walk pushed(const WalkPlan& plan, int steps) {
  const auto model = make_walker("pointmass3d");
  ReturnMap map(*model);
  return guided_walk(map, point_mass(0.3).x, steps, plan);
}

double line_error(const WalkPlan& plan, int steps) {
  const auto model = make_walker("pointmass3d");
  return path_errors(dynamic_cast<const PlacingWalker&>(*model), pushed(plan, steps), *plan.path, plan.turns).back();
}

/// Round a circle with a heading of its own: the largest distance from it at footfalls (m).
double circle_error(double radius) {
  const auto model = make_walker("pointmass3d");
  const WalkPlan plan{.path = circle_path(radius), .turns = true};
  const Walk w = pushed(plan, 80);
  if (w.fell) throw Error("the walker " + w.failure);
  double largest = 0.0;
  for (const double e : path_errors(dynamic_cast<const PlacingWalker&>(*model), w, *plan.path, true))
    largest = std::max(largest, std::abs(e));
  return largest;
}

const HipPush kPush{.footfall = 6, .impulse = {0.0, -0.1, 0.0}};

/// Of the walker with legs of mass.
double legs_leading(double gain) { return std::abs(cycle("legs3d", {{"lateral_gain", gain}}).leading()); }

/// Energy that push-off led to against what was asked for (J).
double speed_error() {
  const auto model = make_walker("pointmass3d");
  ReturnMap map(*model);
  const Walk w = guided_walk(map, point_mass(0.3).x, 25, {.speeds = {{3, 1.6}}});
  auto& walker = dynamic_cast<PlacingWalker&>(map.model());
  return walker.phase(0).kinetic_energy(w.x.data()) + walker.phase(0).potential_energy(w.x.data()) - walker.energy_at(1.6);
}

}  // namespace

std::vector<VerificationEntry> walker_control_placement() {
  const std::string nominal = "DS 5.4.3, nominal angles -0.3 and 0.1, Kl = 0.3";
  return {
      number_entry({"walker-control.placement.period", nominal, "published", 1e-11}, 0.321964534416,
                   [] { return point_mass(0.3).period; }),
      number_entry({"walker-control.placement.push_off", nominal + ", (m/s)", "published", 1e-9}, 0.6343792496,
                   [] { return std::sqrt(2.0 * point_mass(0.3).energy_supplied); }),
      number_entry({"walker-control.placement.push_off_is_lost", "DS (5.37): the impact takes what push-off gives",
                    "closed form", 1e-12},
                   0.0,
                   [] {
                     const Gait g = point_mass(0.3);
                     return g.energy_supplied - g.energy_lost;
                   }),
      number_entry({"walker-control.placement.unstable_without", "DS Fig 5.19: a multiplier above one", "two routes", 1e-6},
                   1.50280377, [] { return leading(0.0); }),
      number_entry({"walker-control.placement.stable_with", nominal, "two routes", 1e-5}, 0.67598, [] { return leading(0.3); }),
      number_entry({"walker-control.placement.range", "stable for Kl between about 0.17 and 0.65, not for 0.16 and 0.66",
                    "published", 0.0},
                   2.0,
                   [] {
                     return (leading(0.17) < 1.0) + (leading(0.65) < 1.0) + (leading(0.16) < 1.0) + (leading(0.66) < 1.0);
                   }),
      number_entry({"walker-control.placement.recovers", "DS Fig 5.20: lateral angle after a push of -0.1 N s (rad)",
                    "published", 1e-3},
                   0.0,
                   [] {
                     const Walk w = pushed({.pushes = {kPush}}, 60);
                     return w.fell ? 1.0 : w.x[1] + 0.1;
                   }),
      number_entry({"walker-control.placement.books", "DS Fig 5.20: residual of the walk (J)", "two routes", 1e-10}, 0.0,
                   [] { return pushed({.pushes = {kPush}}, 60).residual(); }),
      number_entry({"walker-control.placement.returns_to_the_line",
                    "DS Fig 5.21: how far the hip is from it at footfalls beside the cycle's own, after 200 steps (m)",
                    "published", 2e-3},
                   0.0,
                   [] {
                     const WalkPlan still{.path = straight_path()};
                     WalkPlan plan = still;
                     plan.pushes = {kPush};
                     return line_error(plan, 200) - line_error(still, 200);
                   }),
      number_entry({"walker-control.placement.circle",
                    "a circle of 6 m with the bend of the path fed forward: largest distance (m); 0.1 m is how it starts", "two routes", 0.15},
                   0.0, [] { return circle_error(6.0); }),
      number_entry({"walker-control.placement.speed", "push-off leads to the energy that is asked for (J)", "closed form", 1e-10},
                   0.0, speed_error),
      number_entry({"walker-control.legs.unstable_without", "legs with mass, Kl = 0: leading multiplier above one", "two routes",
                    0.0},
                   1.0, [] { return legs_leading(0.0) > 1.0 ? 1.0 : 0.0; }),
      number_entry({"walker-control.legs.books", "legs with mass, pushed: residual of what was exchanged", "two routes", 1e-10}, 0.0,
                   [] {
                     const auto model = make_walker("legs3d");
                     ReturnMap map(*model);
                     const Walk w = guided_walk(map, cycle("legs3d", {}).x, 20, {.pushes = {{.footfall = 6, .impulse = {0.0, -0.3, 0.0}}}});
                     return w.fell ? 1.0 : w.residual() / w.exchanged();
                   }),
      number_entry({"walker-control.legs.stable_with", "legs with mass, Kl = 0.3: all multipliers below one", "two routes", 0.0},
                   1.0, [] { return legs_leading(0.3) < 1.0 ? 1.0 : 0.0; }),
  };
}

}  // namespace amble
