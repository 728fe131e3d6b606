#pragma once

#include "amble/control/walking/controlled_walker.hpp"
#include "amble/gait/gait_curve.hpp"
#include "amble/gait/walker_search.hpp"
#include "amble/walkers/walkers.hpp"

namespace amble {

/// A controller that keeps a walker on a gait: one line in the table of walk_controllers.cpp each.
struct WalkControllerKind {
  std::string name, summary;
  std::vector<WalkerParameter> parameters;
  /// With every parameter given.
  std::function<std::unique_ptr<StepController>(const GaitMotion& motion, const WalkerValues& values)> make;
};
const std::vector<WalkControllerKind>& walk_controller_kinds();
/// Throws an Error with the nearest name when there is none.
const WalkControllerKind& walk_controller_kind(std::string_view name);

/// What a search is asked for so that a controller can follow its gait: a foot that comes down without
/// grazing the floor, which no controller keeps stable, and knees that bend, where the walker has some.
WalkerSearch followable();
/// The same search for a walker whose actuators and floor allow no more than this.
WalkerSearch within(WalkerSearch search, const ControlLimits& limits);

/// The walker under a controller by name, "none", "pd" or "port", which follows the gait. Throws an Error for
/// a parameter that the controller does not have.
ControlledWalker controlled_walker(const StepModel& walker, const GaitMotion& motion,
                                   std::string_view controller, const WalkerValues& parameters = {},
                                   const ControlLimits& limits = {});

}  // namespace amble
