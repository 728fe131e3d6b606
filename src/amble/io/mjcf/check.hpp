#pragma once

#include "amble/io/mjcf/source.hpp"

namespace amble {

/// Compares the tree with the grammar and gives every element its rule. Elements and attributes that MJCF
/// does not have are taken out, each a warning with the nearest name; empty numbers are taken out as MuJoCo
/// does. Throws one Error with all values that are not what the grammar wants.
void check_mjcf(MjcfElement& root, Problems& findings);

}  // namespace amble
