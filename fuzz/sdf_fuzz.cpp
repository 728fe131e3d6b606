// seeds: models/*.sdf
// leaks: 0 (those of libsdformat are not ours)
#include "reader_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return amble::fuzz_reader(amble::read_sdf, data, size);
}
