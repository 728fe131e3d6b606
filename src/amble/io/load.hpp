#pragma once

#include "amble/io/options.hpp"
#include "amble/mechanism/mechanism.hpp"

namespace amble {

/// Reads URDF, SDFormat or MJCF, told apart by content. Everything noticed on the way is in findings() of the result;
/// what cannot be used is one Error with file, line and reason for each problem.
Mechanism load(const std::string& path, const LoadOptions& options = {});

/// The same for a text in memory; `file` names it in messages and is where relative mesh names start from.
Mechanism load_text(const std::string& text, const std::string& file, const LoadOptions& options = {});

/// Writes a model file, URDF or MJCF by the ending (.urdf, .xml or .mjcf), aside and then renamed. Returns
/// what the format cannot say and the file therefore leaves out or says in another way, one entry each; empty
/// when the file reads back as the same mechanism. Throws an Error, and writes nothing, for joints that the
/// format has no words for.
Problems save(const Mechanism& mechanism, const std::string& path);

}  // namespace amble
