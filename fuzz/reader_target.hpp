// One program per reader (AMBLE_FUZZ_READER names it): any bytes either read as a mechanism or are refused with an
// amble::Error. Anything else - another exception, a crash, a hang, a sanitizer report - is a finding.
#include <cstddef>
#include <cstdint>
#include <string>

#include "amble/base/error.hpp"
#include "amble/io/readers.hpp"
#include "amble/mechanism/mechanism.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const amble::Mechanism m = amble::compile(amble::AMBLE_FUZZ_READER(text, "fuzz", {}), amble::Physics::warn);
    m.neutral();
  } catch (const amble::Error&) {
  }
  return 0;
}
