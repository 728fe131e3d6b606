#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amble/geometry/ground.hpp"
#include "amble/io/options.hpp"
#include "amble/mechanism/mechanism.hpp"
#include "amble/scenario/element_kinds.hpp"

namespace amble {

/// A number of the finished run and the bounds that it must lie between.
struct ScenarioCheck {
  std::string name;
  std::string quantity;
  std::optional<double> above, below;
};

/// A model beside the first one.
struct ScenarioObject {
  std::string file, name;
  Base base = Base::floating;
  std::array<double, 6> place{};  ///< position and rotation vector: of what stands fixed; what floats starts as [initial.q] says
};

/// A scenario file (TOML) as written: which model stands where, how it starts, what acts on it, for how long.
///
///   [variables]                         # names with values, that "$name" stands for anywhere else; a setting "name=value"
///   height = 0.1                        # gives them other values
///   [model]
///   file = "../models/quadruped.urdf"   # relative to the scenario; or
///   builtin = "snakeboard"              # one of builtin_mechanism_names()
///   parameters = { radius = 0.5 }       # of a built-in one
///   base = "floating"                   # from-file, fixed, floating
///   mimic = "follow"                    # follow, free
///   strict = false
///   package_path = ["..."]
///   [[objects]]                         # other models beside it, which contacts may move
///   file = "objects/parcel.urdf"
///   name = "parcel"                     # comes before names that are taken, as in parcel_root_joint
///   base = "floating"                   # the default here; or fixed, at
///   place = [0, 0, 0, 0, 0, 0]          # this position and rotation vector
///   [world]
///   gravity = [0, 0, -9.81]
///   ground = { type = "plane", slope_deg = 3 }   # or stairs, sine, height_field: see ground_reader.hpp
///   [initial]
///   keyframe = "home"                   # of the model file: where it starts, but for the joints below
///   [initial.q]                         # by joint; joints not named start neutral, or as a built-in mechanism does
///   root_joint = [0, 0, 0.5, 0, 0, 0, 1]
///   knee = 0.3
///   [initial.v]                         # likewise; zero where not named
///   [simulation]
///   duration = 10.0                     # s
///   tolerance = 1e-10
///   integrator = "rkmk45"               # one of integrator_names()
///   step = 1e-3                         # s, of integrators with fixed steps
///   interval = 0.01                     # s between records; 0 records every step
///   [[elements]]
///   type = "motor"                      # one of scenario_element_types(), each with keys of its own: element_kinds.hpp
///   joint = "hip"
///   resistance = 0.5
///   constant = 0.1
///   voltage = { amplitude = 12.0, frequency = 0.5 }
///   [[checks]]
///   name = "the books close"
///   quantity = "residual"               # see scenario_quantities()
///   above = -1e-8
///   below = 1e-8
struct Scenario {
  std::string file;  ///< of the scenario itself
  std::string text;  ///< what it says, and the settings that take the place of that
  std::vector<std::string> settings;
  std::string model, builtin;
  std::map<std::string, double> parameters;
  LoadOptions load;
  std::vector<ScenarioObject> objects;
  std::optional<Vector3<double>> gravity;
  GroundPtr ground = plane_ground();
  std::string keyframe;  ///< of the model: where it starts but for the joints named below; empty: the neutral state
  std::map<std::string, std::vector<double>> initial_q, initial_v;
  double duration = 10.0, tolerance = 1e-10, interval = 0.01;
  std::string integrator = "rkmk45";
  double step = 1e-3;
  std::vector<ScenarioElement> elements;
  std::vector<ScenarioCheck> checks;
};

/// What a check may be about: "residual" and "losses" of the ledger (J), "relative_residual" (of what was exchanged),
/// "energy_change" of the mechanism (J), "violation" of constraints at the end; "q:NAME", "v:NAME" at the end, for a number of
/// the state as q_names() and v_names() call it, or "height:BODY" (m); "lowest:" or "highest:" before one of these three, over
/// all records; "slip", the fastest that what touches and bears slides (m/s), "cone_use", the largest share of friction in contacts,
/// "limit_margin", the least distance of a joint from its limits (rad, m), "torque_use", the largest share of an effort limit that
/// sampled controllers asked for, each over all records; "time:EVENT", when it first happened (s, infinite when it did not), and "count:EVENT". Words that end in a
/// colon want a name after it.
std::vector<std::string> scenario_quantities();

/// Parses a scenario. Throws one Error with every problem, each with its line; an unknown key is a problem and named
/// with the nearest key that exists. `settings`, as "simulation.duration=5", take the place of what the text says.
Scenario read_scenario(const std::string& text, const std::string& file, const std::vector<std::string>& settings = {});
Scenario load_scenario(const std::string& path, const std::vector<std::string>& settings = {});

}  // namespace amble
