#pragma once

#include <string>
#include <string_view>

namespace amble {

/// Writes a whole file: aside, then renamed, so that nobody sees half of it and an older one is kept on failure. Throws
/// an Error that names the file.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace amble
