#pragma once

#include "amble/gait/driven_walk.hpp"
#include "amble/walkers/drive_parameters.hpp"

namespace amble {

/// A parameter of a walker and the values that a sweep gives it: `count` of them, evenly from `from` to `to`.
struct SweepAxis {
  std::string parameter;
  double from = 0.0, to = 0.0;
  int count = 2;
  double value(int i) const { return count == 1 ? from : from + (to - from) * i / (count - 1); }
};
/// From "set_point=0.1:0.5:9". Throws an Error for anything else.
SweepAxis sweep_axis(const std::string& words);

struct DriveSweepOptions {
  DrivenWalkOptions walk = {};  ///< its watch and samples are not used
  int threads = 0;              ///< 0: one per core
  std::function<bool(double)> watch = {};
};

/// Every combination of the axes' values, the last axis changing fastest; nothing where the sweep was stopped before.
struct DriveSweep {
  std::vector<SweepAxis> axes;
  std::vector<std::optional<DrivenWalk>> walks;
  std::size_t index(const std::vector<int>& at) const;
  std::vector<double> values(std::size_t walk) const;  ///< of the parameters
};

/// Walks with every combination, on all cores: the parameter sweep of DS Fig 5.12 for any walker with a drive. Throws an
/// Error for parameters that it does not have.
DriveSweep sweep_drive(const DrivenKind& kind, const WalkerValues& values, const std::vector<SweepAxis>& axes,
                       const DriveSweepOptions& options = {});

/// A number of a walk by its name: "speed", "cost_of_transport", "clearance", "peak_current", ...; see driven_figures().
struct DrivenFigure {
  std::string name, unit, meaning;
  double (*value)(const DrivenWalk& walk);
};
const std::vector<DrivenFigure>& driven_figures();
/// Throws an Error with the nearest name when there is none.
const DrivenFigure& driven_figure(const std::string& name);

}  // namespace amble
