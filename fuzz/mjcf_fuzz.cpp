// seeds: models/*.xml
#include "mjcf_grown.hpp"
#include "reader_target.hpp"

// Bytes are a text, or, where the first one is 'G', choices from the grammar.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] != 'G') return amble::fuzz_reader(amble::read_mjcf, data, size);
  const std::string text = amble::GrownMjcf(data + 1, size - 1).text();
  return amble::fuzz_reader(amble::read_mjcf, reinterpret_cast<const std::uint8_t*>(text.data()),
                            text.size());
}
