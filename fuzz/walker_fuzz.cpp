// Any bytes either make a walker of one of the models in the repository or are refused with an amble::Error; see
// reader_fuzz.cpp. Models are looked for as the shipped walker files name them, from the repository's root.
#include <cstddef>
#include <cstdint>
#include <string>

#include "amble/base/error.hpp"
#include "amble/scenario/walker_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    amble::read_walker(std::string(reinterpret_cast<const char*>(data), size), "scenarios/walkers/fuzz.toml");
  } catch (const amble::Error&) {
  }
  return 0;
}
