// seeds: scenarios/bonds/*.toml
#include "amble/scenario/bond_file.hpp"
#include "text_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return amble::fuzz_text(amble::read_bond_file, data, size);
}
