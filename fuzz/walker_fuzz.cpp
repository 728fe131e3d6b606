// seeds: scenarios/walkers/*.toml
#include "amble/scenario/walker_file_reader.hpp"
#include "text_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return amble::fuzz_text(amble::read_walker_file, data, size);
}
