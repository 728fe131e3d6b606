#pragma once

#include <string>

#include "amble/mechanism/description.hpp"

// Writers: the text of a file that reads back as the same mechanism (numbers to the last bit). What a format cannot say
// is an Error naming the first such thing, never left out silently.
namespace amble {

std::string write_urdf(const ModelDescription& description);
std::string write_mjcf(const ModelDescription& description);

}  // namespace amble
