#pragma once

#include <nlohmann/json.hpp>

#include "amble/walkers/legged/legged_robot.hpp"

// `amble inspect --legs`: a legged robot, as text of 80 columns and as JSON.
namespace amble::app {

void print_legs(const LeggedRobot& robot);
nlohmann::ordered_json legs_json(const LeggedRobot& robot);

}  // namespace amble::app
