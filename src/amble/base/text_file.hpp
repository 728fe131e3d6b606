#pragma once

#include <string>
#include <string_view>

namespace amble {

/// Writes a whole file as an OutputFile does: whole or not at all, through links, devices and pipes. Throws an Error
/// that names the file.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace amble
