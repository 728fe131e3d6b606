#pragma once

#include "amble/gait/drive_sweep.hpp"
#include "amble/report/plot.hpp"

// Pictures of walks by a drive, DS 5.3.
namespace amble {

/// Maps of a sweep as in DS Fig 5.12, one for each of the named figures; cells of walkers that fell are left grey. A sweep
/// over one parameter gives curves, one over three a row of maps for each value of the first. Throws an Error for more.
std::string drive_maps(const DriveSweep& sweep, const std::vector<std::string>& figures);

/// Angles of the driven joint and the knees, and the motor's current, over the last seconds of a walk, as in DS Fig 5.13.
std::string driven_angles(const DrivenWalker& walker, const DrivenWalk& walk, double seconds = 4.0);

/// The part of a page (HTML) about such a walk: what it did and where its energy went.
std::string driven_section(const DrivenWalker& walker, const DrivenWalk& walk);

}  // namespace amble
