// Any bytes either parse as a scenario or are refused with an amble::Error; see reader_target.hpp.
// seeds: scenarios/*.toml
#include <cstddef>
#include <cstdint>
#include <string>

#include "amble/base/error.hpp"
#include "amble/scenario/scenario.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    amble::read_scenario(std::string(reinterpret_cast<const char*>(data), size), "fuzz.toml");
  } catch (const amble::Error&) {
  }
  return 0;
}
