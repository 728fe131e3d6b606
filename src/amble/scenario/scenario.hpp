#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amble/io/options.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// Something attached to one joint. A field that its type does not have stays zero.
struct ScenarioElement {
  std::string type;  ///< "sine_force", "joint_spring", "joint_damper"
  std::string name;
  std::string joint;
  double amplitude = 0.0, frequency = 0.0, phase = 0.0, offset = 0.0;  ///< N or N m, Hz, rad, N or N m
  double stiffness = 0.0, rest = 0.0;                                  ///< N/m or N m/rad, m or rad
  double damping = 0.0;                                                ///< N s/m or N m s/rad
};

/// A number of the finished run and the bounds that it must lie between.
struct ScenarioCheck {
  std::string name;
  std::string quantity;
  std::optional<double> above, below;
};

/// A scenario file (TOML) as written: which model stands where, how it starts, what acts on it, for how long.
///
///   [model]
///   file = "../models/quadruped.urdf"   # relative to the scenario; or
///   builtin = "snakeboard"              # one of builtin_mechanism_names()
///   parameters = { radius = 0.5 }       # of a built-in one
///   base = "floating"                   # from-file, fixed, floating
///   mimic = "follow"                    # follow, free
///   strict = false
///   package_path = ["..."]
///   [world]
///   gravity = [0, 0, -9.81]
///   [initial.q]                         # by joint; joints not named start neutral, or as a built-in mechanism does
///   root_joint = [0, 0, 0.5, 0, 0, 0, 1]
///   knee = 0.3
///   [initial.v]                         # likewise; zero where not named
///   [simulation]
///   duration = 10.0                     # s
///   tolerance = 1e-10
///   interval = 0.01                     # s between records; 0 records every step
///   [[elements]]
///   type = "sine_force"                 # joint, amplitude, frequency (Hz), phase, offset
///   joint = "hip"
///   amplitude = 1.0
///   frequency = 0.5
///   [[elements]]
///   type = "joint_spring"               # joint, stiffness, rest; "joint_damper": joint, damping
///   joint = "knee"
///   stiffness = 20.0
///   [[checks]]
///   name = "the books close"
///   quantity = "residual"               # see scenario_quantities()
///   above = -1e-8
///   below = 1e-8
struct Scenario {
  std::string file;  ///< of the scenario itself
  std::string model, builtin;
  std::map<std::string, double> parameters;
  LoadOptions load;
  std::optional<Vector3<double>> gravity;
  std::map<std::string, std::vector<double>> initial_q, initial_v;
  double duration = 10.0, tolerance = 1e-10, interval = 0.01;
  std::vector<ScenarioElement> elements;
  std::vector<ScenarioCheck> checks;
};

/// Quantities that a check may be about, by their words: "residual", "energy_change", "violation", and "q:NAME" or "v:NAME"
/// at the end, for a number of the state as q_names() and v_names() call it.
std::vector<std::string> scenario_quantities();

/// Parses a scenario. Throws one Error with every problem, each with its line; an unknown key is a problem and named
/// with the nearest key that exists. `settings`, as "simulation.duration=5", take the place of what the text says.
Scenario read_scenario(const std::string& text, const std::string& file, const std::vector<std::string>& settings = {});
Scenario load_scenario(const std::string& path, const std::vector<std::string>& settings = {});

}  // namespace amble
