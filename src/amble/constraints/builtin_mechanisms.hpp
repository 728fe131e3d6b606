#pragma once

#include <map>
#include <string_view>

#include "amble/constraints/closed_mechanisms.hpp"

namespace amble {

/// One of the mechanisms of closed_mechanisms.hpp, or of mechanism/bungee.hpp and box_scenes.hpp, by its name ("four_bar", "snakeboard", ...), with parameters by theirs
/// (SI units); those not given keep their default. Throws an Error with the nearest name for one that it does not have.
ConstrainedMechanism builtin_mechanism(std::string_view name, const std::map<std::string, double>& parameters = {});

std::vector<std::string> builtin_mechanism_names();
/// The parameters of one and their defaults.
std::vector<std::pair<std::string, double>> builtin_mechanism_parameters(std::string_view name);

}  // namespace amble
