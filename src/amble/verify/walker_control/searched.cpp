#include <cmath>

#include "amble/gait/cycles.hpp"
#include "amble/gait/walk.hpp"
#include "amble/gait/walk_controllers.hpp"
#include "amble/verify/evidence.hpp"
#include "amble/verify/walker_control/themes.hpp"

namespace amble {

namespace {

/// The compass on level ground at 0.6 m/s.
struct Level {
  std::unique_ptr<StepModel> walker = make_walker("compass", {{"slope_deg", 0.0}});
  GaitMotion motion;
  SearchFigures figures;

  Level() {
    const WalkerValues level{{"slope_deg", 0.0}};
    GaitSearchSettings settings{.starts = 1};
    settings.program.speed = 0.6;
    const GaitSearchResult found = search_gaits(search_problem("compass", level, followable()), settings);
    if (!found.found()) throw Error("no gait on level ground was found");
    motion = gait_motion(*walker, found.gaits[0]);
    figures = figures_of("compass", level, followable(), found.gaits[0]);
  }
  ControlledWalker under(const char* controller) const {
    return controlled_walker(*walker, motion, controller);
  }
};
const Level& level() {
  static const Level one;
  return one;
}

/// By simulation with events beside collocation: how far a step ends from where it began.
double miss(const char* controller) {
  ReturnMap map(level().under(controller));
  const Step step = map(level().motion.start());
  return step.completed ? (step.x - level().motion.start()).norm() : kInfinity;
}

double leading(const char* controller) {
  ReturnMap map(level().under(controller));
  const NewtonResult cycle = find_cycle(map, level().motion.start());
  return cycle.converged ? std::abs(gait_at(map, cycle.x).leading()) : kInfinity;
}

/// What the actuators of ten steps spend, over what the search says that they do.
double spent_share() {
  ReturnMap map(level().under("port"));
  const Walk w = walk(map, level().motion.start(), 10, WalkOptions{.samples = false});
  return w.spent() / (10.0 * level().figures.positive_work);
}

}  // namespace

std::vector<VerificationEntry> walker_control_searched() {
  const std::string gait = "DS 4.1 and 5.2: compass on level ground, 0.6 m/s, efficient gait, followed";
  return {
      number_entry({"walker-control.searched.torques_reproduce_it", gait, "two routes", 1e-8}, 0.0,
                   [] { return miss("none"); }),
      number_entry({"walker-control.searched.pd_reproduces_it", gait, "two routes", 1e-8}, 0.0,
                   [] { return miss("pd"); }),
      number_entry({"walker-control.searched.port_reproduces_it", gait, "two routes", 1e-8}, 0.0,
                   [] { return miss("port"); }),
      number_entry({"walker-control.searched.port_is_stable", gait + ": largest multiplier, below one",
                    "closed form", 1.0},
                   0.0, [] { return leading("port"); }),
      number_entry({"walker-control.searched.spent", gait + ", of what the search says", "two routes", 1e-4},
                   1.0, spent_share)};
}

}  // namespace amble
