#include "amble/base/text_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "amble/base/error.hpp"

namespace amble {

void write_text_file(const std::string& path, std::string_view text) {
  const std::filesystem::path aside = path + ".part";
  {
    std::ofstream out(aside, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw Error(fmt::format("{}: cannot be written", path));
  }
  std::error_code problem;
  std::filesystem::rename(aside, path, problem);
  if (problem) throw Error(fmt::format("{}: cannot be written: {}", path, problem.message()));
}

}  // namespace amble
