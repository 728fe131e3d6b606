#pragma once

#include "amble/scenario/element_kinds.hpp"
#include "amble/scenario/toml_table.hpp"

namespace amble {

/// An [[elements]] table; what is wrong with it goes to the table's problems.
ScenarioElement read_element(TomlTable table);

}  // namespace amble
