#pragma once

#include "amble/gait/driven_walk.hpp"
#include "command.hpp"

// A walk by a drive as text and as JSON.
namespace amble::app {

nlohmann::ordered_json driven_json(const DrivenWalk& walk);
void print_driven(const DrivenWalk& walk);

}  // namespace amble::app
