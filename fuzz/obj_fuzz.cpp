#include "amble/io/mesh/mesh_files.hpp"
#include "mesh_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return amble::fuzz_mesh(amble::read_obj, data, size);
}
