#include "amble/io/mesh/mesh_message.hpp"
#include "mesh_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return amble::fuzz_mesh(amble::decode_mesh_message, data, size);
}
