// A description that is read makes a mechanism or is refused, and is written so that it reads as the same one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "amble/base/error.hpp"
#include "amble/mechanism/mechanism.hpp"
#include "amble/mechanism/serialize.hpp"

namespace {

void read(const std::string& text) {
  const amble::ModelDescription description = amble::deserialize(text);
  const std::string written = amble::serialize(description);
  if (amble::serialize(amble::deserialize(written)) != written) std::abort();
  amble::compile(description, amble::Physics::warn).neutral();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const amble::Error&) {
  }
  return 0;
}
