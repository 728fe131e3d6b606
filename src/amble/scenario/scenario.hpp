#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amble/io/options.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// A scenario file (TOML) as written: which model stands where and how it starts.
///
///   [model]
///   file = "../models/quadruped.urdf"   # relative to the scenario
///   base = "floating"                   # from-file, fixed, floating
///   mimic = "follow"                    # follow, free
///   strict = false
///   package_path = ["..."]
///   [world]
///   gravity = [0, 0, -9.81]
///   [initial.q]                         # by joint; joints not named start neutral
///   root_joint = [0, 0, 0.5, 0, 0, 0, 1]
///   knee = 0.3
///   [initial.v]                         # likewise; zero where not named
struct Scenario {
  std::string file;  ///< of the scenario itself
  std::string model;
  LoadOptions load;
  std::optional<Vector3<double>> gravity;
  std::map<std::string, std::vector<double>> initial_q, initial_v;
};

/// Parses a scenario. Throws one Error with every problem, each with its line; an unknown key is a problem and named
/// with the nearest key that exists.
Scenario read_scenario(const std::string& text, const std::string& file);
Scenario load_scenario(const std::string& path);

/// The scenario made real: the mechanism, and the state it starts in.
struct Stage {
  Mechanism mechanism;
  OwnedVector q, v;
};
Stage set_up(const Scenario& scenario);

}  // namespace amble
