#pragma once

#include "amble/io/mjcf/compiled.hpp"

namespace amble {

/// Reads a model and all it attaches, and puts the copies that <replicate> and <attach> ask for in their
/// place: what is left in the first source's worldbody are bodies, frames and what is on them. What refers to
/// things that are copied is copied with them, behind the other elements of its section. Throws an Error for
/// what is wrong with a file.
MjcfSources expand_mjcf(const std::string& text, const std::string& file, const LoadOptions& options,
                        Problems& findings);

}  // namespace amble
