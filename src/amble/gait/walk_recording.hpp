#pragma once

#include "amble/gait/walk.hpp"
#include "amble/recording/recording.hpp"

namespace amble {

/// A walk as a recording, for the viewer, plots and other programs: the walker's figure on its sloping floor, z up, with the
/// force under the foot that stands, what happens at each event, and the books, all as the walk has them. Legs keep their
/// names from step to step. States before and after an event stand at the same time, the earlier one a rounding before
/// it. Throws an Error when the walker has no figure.
Recording walk_recording(StepModel& model, const Walk& walk);

}  // namespace amble
