#pragma once

#include "amble/io/source.hpp"
#include "amble/mechanism/description.hpp"

namespace amble {

/// How the base of a model stands where its file does not say so, and how to choose the other way: a note,
/// also when the file does say it but the names of its bodies suggest otherwise. Nothing when there is
/// nothing to choose. For descriptions that were read with Base::from_file.
Problems base_notes(Format format, const ModelDescription& description);

}  // namespace amble
