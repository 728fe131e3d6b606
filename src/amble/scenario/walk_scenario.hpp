#pragma once

#include "amble/control/walking/controlled_walker.hpp"
#include "amble/gait/guided_walk.hpp"
#include "amble/gait/walker_search.hpp"
#include "amble/scenario/scenario.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {

/// A scenario file (TOML) of a walker: which one, the gait that it starts with, the floor, who leads it.
///
///   [variables]                         # as in any scenario
///   [walker]
///   name = "compass"                    # one that comes with Amble; or
///   file = "my_walker.toml"             # one's own, relative to this file
///   parameters = { gravity = 9.8 }
///   scuffing = "ignore"                 # ignore, detect
///   steps = 20
///   [gait]                              # found by the gait tools
///   choose = "stable"                   # stable (the most so), fastest, slowest
///   region = { q3 = [0.1, 0.4] }        # where cycles are looked for
///   starts = 200
///   speed = 0.6                         # or the most efficient one at this speed (m/s), for a controller to follow, with
///   foot_speed = 0.2                    # a foot that comes down at least so fast (m/s),
///   clearance = 0.0                     # that is so high on its way (m),
///   knee_bend = 0.2                     # and a swing knee that is bent so far (rad)
///   change = { dq5 = 0.05 }             # added to the state that the walk starts from
///   [gait.start]                        # or the state itself, no gait being looked for
///   q4 = -0.001
///   [world]
///   [[world.steps]]
///   footfall = 5                        # from this footfall on
///   down = 0.05                         # the floor is this much lower (m)
///   [controller]                        # keeps a walker made of a mechanism on its gait
///   type = "port"                       # one of walk_controller_kinds()
///   port = { energy_gain = 1.0 }        # parameters of each kind, of which that of `type` counts
///   torque_limit = 30.0                 # N m
///   friction = 0.8                      # of the floor: beyond it the stance foot slips, and the walker falls
///   unactuated = ["q3"]
///   [placement]                         # leads a walker that places its feet
///   path = { type = "sine", amplitude = 0.3, wavelength = 6, length = 20 }   # line (y), circle (radius), points
///   heading = "fixed"                   # fixed: the path is y(x); path: the walker turns with it
///   position_gain = 0.3
///   velocity_gain = 0.3
///   rate_limit = 0.3
///   turn_limit = 0.2
///   look_ahead = true                   # false: DS (5.41) as printed, which lags behind paths that bend
///   speeds = [[0, 1.0], [10, 1.5]]      # from a footfall on, m/s
///   stop = 30                           # no push-off from this footfall on
///   [[pushes]]
///   footfall = 6
///   impulse = [0, -0.1, 0]              # N s, at the hip
///   [[checks]]                          # as in any scenario, and of walk_quantities()
struct WalkScenario {
  std::string file, text;
  std::vector<std::string> settings;
  std::string walker;  ///< a name, or a path
  WalkerValues parameters;
  Scuffing scuffing = Scuffing::ignore;
  int steps = 20;

  enum class Choice { stable, fastest, slowest };
  Choice choice = Choice::stable;
  std::vector<std::string> region;  ///< "name=lower:upper"
  int starts = 200;
  std::optional<double> speed;  ///< m/s: the gait is searched for, with actuators
  WalkerSearch search;          ///< what is asked of it
  std::map<std::string, double> change, start;  ///< by coordinate, "dNAME" for rates

  std::vector<StepDown> floor;
  std::string controller;  ///< empty: none, and no checks of the stance foot
  WalkerValues controller_parameters;
  ControlLimits limits;
  WalkPlan plan;
  std::vector<ScenarioCheck> checks;
};

/// Beside those of scenario_quantities(): "steps" that were made, "fell" and "stopped" (0 or 1), "spent" by actuators (J),
/// "peak_torque" (N m), "normal_force" (least, N), "friction_ratio" and "pressure_offset" (largest; 1, m) of the stance
/// foot, "path_error" at the last footfall (m, to the left), "largest_path_error", "speed" of the last step (m/s), "heading"
/// at the end (rad), "flat_torque" (N m), the largest before the floor first goes down.
std::vector<std::string> walk_quantities();

/// True for a text that has a table [walker]. Throws an Error for what is no TOML.
bool is_walk_scenario(const std::string& text, const std::string& file);
/// Throws one Error with every problem, each with its line.
WalkScenario read_walk_scenario(const std::string& text, const std::string& file,
                                const std::vector<std::string>& settings = {});
WalkScenario load_walk_scenario(const std::string& path, const std::vector<std::string>& settings = {});

}  // namespace amble
