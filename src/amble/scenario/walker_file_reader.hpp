#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "amble/io/options.hpp"
#include "amble/scenario/walker_quantities.hpp"
#include "amble/walkers/drive_parameters.hpp"
#include "amble/walkers/kinds.hpp"

namespace amble {

struct WalkerFileParameter {
  WalkerParameter parameter;
  bool given = false;  // its value
  std::vector<WalkerQuantity> sets;
};

/// What a walker file says; the model comes later.
struct WalkerFile {
  std::string file, name, summary, model;
  LoadOptions load;
  bool planar = true;
  double slope_deg = 0.0, gravity = 9.81, longest_step = 0.0;
  std::vector<WalkerFileParameter> parameters;
  std::vector<WalkerDescription::Foot> feet;
  std::vector<WalkerDescription::Phase> phases;
  std::optional<WalkerDescription::Symmetry> symmetry;
  std::vector<WalkerDescription::Bound> bounds;
  std::vector<WalkerDescription::Range> region;
  std::map<std::string, WalkerDescription::Start> start;
  std::optional<WalkerDrive> drive;
};

/// Throws one Error with every problem. The model is not looked at.
WalkerFile read_walker_file(const std::string& text, const std::string& file);

}  // namespace amble
