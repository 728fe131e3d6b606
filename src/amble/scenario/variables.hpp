#pragma once

#include <toml++/toml.h>

#include "amble/base/error.hpp"

namespace amble {

/// Puts "name=value" into the table [variables] where it has that name; false otherwise, as for "table.key=value".
bool set_variable(toml::table& document, const toml::table& setting);

/// Takes the table [variables] out of a document and puts its values wherever a text says "$name". A name that is not there
/// is a problem, with its line and the nearest name.
void resolve_variables(toml::table& document, const std::string& file, Problems& problems);

}  // namespace amble
