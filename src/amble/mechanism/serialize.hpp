#pragma once

#include <string>

#include "amble/mechanism/description.hpp"

namespace amble {

/// A description as one line of JSON that gives it back bit for bit: for pickling and for sending to other processes.
/// Throws an Error for custom joints, whose code cannot be written down.
std::string serialize(const ModelDescription& description);
/// Throws an Error when the text is not what serialize() wrote.
ModelDescription deserialize(const std::string& text);

}  // namespace amble
