#include "amble/io/sdf/copies.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <fstream>

#include "amble/base/error.hpp"

namespace amble {

namespace fs = std::filesystem;

namespace {

/// A folder that nobody else can write to.
fs::path new_folder() {
  std::error_code status;
  std::string name = (fs::temp_directory_path(status) / "amble-sdf-XXXXXX").string();
  if (status || ::mkdtemp(name.data()) == nullptr)
    throw Error(
        "no temporary folder can be made for included files; set TMPDIR to one that can be written to");
  return name;
}

}  // namespace

SdfCopies::~SdfCopies() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::string SdfCopies::add(const std::string& file, const std::string& text) {
  if (folder_.empty()) folder_ = new_folder();
  const std::string path = (folder_ / fmt::format("{}.sdf", original_.size())).string();
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush())
    throw Error(fmt::format("{}: a copy for the library cannot be written to {}", file, path));
  original_.emplace(path, file);
  return path;
}

std::string SdfCopies::original(const std::string& copy) const {
  const auto found = original_.find(copy);
  return found == original_.end() ? "" : found->second;
}

}  // namespace amble
