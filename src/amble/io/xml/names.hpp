#pragma once

#include "amble/mechanism/description.hpp"

namespace amble {

/// Throws an Error naming the first name or file of the description with a character that XML cannot say.
void check_xml_can_say_names(const ModelDescription& description);

}  // namespace amble
