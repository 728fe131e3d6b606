#pragma once

#include <string>

#include "amble/mechanism/description.hpp"

// Writers: the text of a file that reads back as the same mechanism (numbers to the last bit). What a format
// cannot say is put into `left_out`, one entry for each thing that is changed or missing; without such a list
// it is an Error naming the first. What would change how the rest moves (a joint of a type that the format
// has not) is an Error in any case.
namespace amble {

std::string write_urdf(const ModelDescription& description, Problems* left_out = nullptr);
std::string write_mjcf(const ModelDescription& description, Problems* left_out = nullptr);

}  // namespace amble
