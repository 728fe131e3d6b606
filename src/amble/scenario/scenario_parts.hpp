#pragma once

#include "amble/scenario/scenario.hpp"
#include "amble/scenario/toml_table.hpp"

// What scenario files of mechanisms and of walkers share.
namespace amble {

/// The text with settings in their places and variables resolved.
toml::table scenario_document(const std::string& text, const std::string& file,
                              const std::vector<std::string>& settings, Problems& problems);

/// A check of one of these quantities; words that end in a colon want a name after it.
ScenarioCheck read_check(TomlTable table, const std::vector<std::string>& quantities);

}  // namespace amble
