// COLLADA is read in the helper program: whatever it does, the answer here is a mesh or an amble::Error.
// longest: 16384
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "amble/io/mesh/load_mesh.hpp"
#include "mesh_target.hpp"

namespace {

/// Removed at the end of the run.
struct TemporaryFile {
  ~TemporaryFile() { std::filesystem::remove(path); }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("fuzz-" + std::to_string(getpid()) + ".dae")).string();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFile file;
  std::ofstream(file.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    amble::check_mesh(amble::load_mesh(file.path));
  } catch (const amble::Error&) {
  }
  return 0;
}
