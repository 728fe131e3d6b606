// seeds: scenarios/*.toml
#include "amble/scenario/scenario.hpp"
#include "text_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](const std::string& text, const std::string& file) { amble::read_scenario(text, file); };
  return amble::fuzz_text(read, data, size);
}
